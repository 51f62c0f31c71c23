//! Templates (9.7): a configured list of starter books.

use std::path::PathBuf;

use daybook_tests::{Engine, Options, Server, column, refused_start, unique};
use serde_json::{Value, json};

use crate::Case;

pub fn tests() -> Vec<Case> {
    crate::isolated![
        starter_charts_become_books,
        listed_as_configured,
        broken_ones_are_refused_at_start
    ]
}

/// A temporary file of the test.
struct File(PathBuf);

impl File {
    fn new(text: &str) -> File {
        let path = std::env::temp_dir().join(format!(
            "{}-{}.json",
            unique("templates"),
            std::process::id()
        ));
        std::fs::write(&path, text).expect("a file of templates");
        File(path)
    }

    fn path(&self) -> String {
        self.0.display().to_string()
    }
}

impl Drop for File {
    fn drop(&mut self) {
        drop(std::fs::remove_file(&self.0));
    }
}

/// The starter charts of the program, in their order.
const STARTER_CHARTS: [&str; 4] = ["Household", "Freelancer", "Small company", "Club"];

/// 9.7: `book` of each starter chart is a body for createNewBook.
fn starter_charts_become_books(engine: Engine) {
    let server = Server::start(engine);
    server.anonymous().get("/v5/templates").refused(401, "required");
    let alice = server.client("alice@example.com");
    let listed = alice.get("/v5/templates").ok();
    assert_eq!(column(&listed, "name"), STARTER_CHARTS);
    for template in listed["items"].as_array().expect("templates") {
        let mut body = template["book"].clone();
        body["name"] = template["name"].clone();
        let book = alice.post("/v5/books", &body).ok();
        let path = format!("/v5/books/{}", book["id"].as_str().expect("an id"));
        for kind in ["groups", "accounts"] {
            let mut names = column(&json!({"items": template["book"][kind]}), "name");
            names.sort_by_key(|name| name.to_lowercase());
            let listed = alice.get(&format!("{path}/{kind}")).ok();
            let mut found = column(&listed, "name");
            found.sort_by_key(|name| name.to_lowercase());
            assert_eq!(found, names, "{kind} of {}", template["name"]);
        }
        // 13.5, 13.9: reports find equity and cash.
        let sheet = alice.get(&format!("{path}/reports/balance-sheet?zeros=true")).ok().to_string();
        assert!(sheet.contains("Opening balances"), "{sheet}");
        alice.get(&format!("{path}/reports/cash-flow")).ok();
    }
}

/// 9.7: in the order of the file, by argument or environment, before the starter charts.
fn listed_as_configured(engine: Engine) {
    let household = json!({
        "name": "Household", "description": "Rent, food and fun", "category": "Personal",
        "imageUrl": "https://example.com/a.png",
        "bookId": "0192c0ffee", "bookLink": "https://example.com/b",
        "sheetsLink": "https://example.com/s", "timesUsed": 12,
    });
    let file = File::new(
        &json!({"items": [household, {"name": "Café", "category": "Business"}]}).to_string(),
    );
    let by_argument =
        Options { engine, args: vec!["--templates".to_owned(), file.path()], ..Options::default() };
    let by_environment = Options {
        engine,
        env: vec![("DAYBOOK_TEMPLATES".to_owned(), file.path())],
        ..Options::default()
    };
    for options in [by_argument, by_environment] {
        let server = Server::start_with(options);
        let listed = server.client("alice@example.com").get("/v5/templates?").ok();
        assert_eq!(column(&listed, "name")[..2], ["Household", "Café"]);
        assert_eq!(column(&listed, "name")[2..], STARTER_CHARTS);
        assert_eq!(listed["items"][0], household);
        assert_eq!(listed["items"][1]["timesUsed"], 0);
    }
}

/// An invalid setting ends the program at once, with a message that names the file and the entry.
fn broken_ones_are_refused_at_start(engine: Engine) {
    let server = Server::start(engine);
    let entries =
        |second: Value| File::new(&json!({"items": [{"name": "Fine"}, second]}).to_string());
    let missing = File::new("");
    let (missing_path, _) = (format!("{}.gone", missing.path()), missing);
    let table = [
        (entries(json!({"name": " "})), "items[1]: name is required"),
        (entries(json!({"title": "Household"})), "items[1]: unknown field `title`"),
        (entries(json!({"name": "A", "bookLink": "javascript:alert(1)"})), "items[1]: bookLink"),
        (File::new("not JSON"), "expected"),
        (File::new(r#"[{"name": "A"}]"#), "expected an object"),
    ];
    let refused = |path: &str, message: &str| {
        let free = format!("127.0.0.1:{}", daybook_tests::free_port());
        let data = server.data_dir().join("other").display().to_string();
        let options = [
            ["--listen", &free],
            ["--database-url", server.database_url()],
            ["--data-dir", &data],
            ["--templates", path],
        ];
        let output = refused_start(options.as_flattened());
        assert!(output.contains(path) && output.contains(message), "{message}: {output}");
    };
    for (file, message) in &table {
        refused(&file.path(), message);
    }
    refused(&missing_path, "cannot be read");
}
