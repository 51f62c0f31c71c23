//! Nothing a client sends is a fault of the server (issue 2: never a panic, never a 500): every
//! writable field of every body with every kind of unlikely value, every parameter with unlikely
//! text.

use daybook_tests::{Answer, Cast, Server, encode, id};
use serde_json::{Map, Value, json};

use crate::Case;

pub fn tests() -> Vec<Case> {
    let mut cases = crate::cases![parameters, path_segments, cursors, header_values];
    for (name, ..) in BODIES {
        cases.push(Case {
            name: format!("body_{name}"),
            run: Box::new(move |server| bodies(server, name)),
        });
    }
    cases
}

/// Name, method, path under the book, whether the body is a batch, and a valid body.
const BODIES: &[(&str, &str, &str, bool, &str)] = &[
    ("update_book", "PUT", "", false, BOOK),
    ("create_account", "POST", "/accounts", false, ACCOUNT),
    ("update_account", "PUT", "/accounts", false, ACCOUNT),
    ("create_accounts", "POST", "/accounts/batch", true, ACCOUNT),
    ("update_accounts", "PUT", "/accounts/batch", true, ACCOUNT),
    ("delete_accounts", "POST", "/accounts/delete/batch", true, ACCOUNT),
    ("create_group", "POST", "/groups", false, GROUP),
    ("update_group", "PUT", "/groups", false, GROUP),
    ("create_groups", "POST", "/groups/batch", true, GROUP),
    (
        "add_collaborator",
        "POST",
        "/collaborators",
        false,
        r#"{"email": "a@example.com", "permission": "VIEWER"}"#,
    ),
    ("create_transaction", "POST", "/transactions", false, TRANSACTION),
    ("update_transaction", "PUT", "/transactions", false, TRANSACTION),
    ("create_transactions", "POST", "/transactions/batch", true, TRANSACTION),
    ("update_transactions", "PUT", "/transactions/batch?updateChecked=true", true, TRANSACTION),
    ("post", "PATCH", "/transactions/post", false, TRANSACTION),
    ("post_batch", "PATCH", "/transactions/post/batch", true, TRANSACTION),
    ("check", "PATCH", "/transactions/check", false, r#"{"id": "{transaction}"}"#),
    ("uncheck_batch", "PATCH", "/transactions/uncheck/batch", true, r#"{"id": "{transaction}"}"#),
    ("trash", "PATCH", "/transactions/trash", false, r#"{"id": "{transaction}"}"#),
    ("untrash_batch", "PATCH", "/transactions/untrash/batch", true, r#"{"id": "{transaction}"}"#),
];

const BOOK: &str = r#"{
    "id": "{book}", "name": "B", "autoPost": true, "closingDate": "2001-01-31",
    "lockDate": "2001-01-31", "datePattern": "dd/MM/yyyy", "decimalSeparator": "DOT",
    "fractionDigits": 2, "pageSize": 100, "period": "MONTH", "periodStartMonth": "MAY",
    "properties": {"a": "b"}, "timeZone": "UTC", "visibility": "PRIVATE", "createdAt": "1"
}"#;

const ACCOUNT: &str = r#"{
    "id": "{account}", "name": "Spare", "type": "ASSET", "archived": false, "permanent": true,
    "credit": false, "groups": [{"id": "{group}", "name": "G"}], "properties": {"a": "b"},
    "createdAt": "1"
}"#;

const GROUP: &str = r#"{
    "id": "{group}", "name": "G", "parent": {"id": "{root}", "name": "Root"}, "hidden": false,
    "locked": false, "properties": {"a": "b"}, "createdAt": "1"
}"#;

const TRANSACTION: &str = r##"{
    "id": "{transaction}", "date": "2025-01-31", "amount": "5", "description": "x #tag",
    "draft": true, "creditAccount": {"id": "{account}", "name": "Spare"},
    "debitAccount": {"name": "Food"}, "checked": false, "posted": true, "urls": ["http://x"],
    "remoteIds": ["r"], "properties": {"a": "b"}, "createdAt": "1", "tags": ["t"]
}"##;

/// Values of every JSON kind, at and beyond what a column holds.
fn unlikely() -> Vec<Value> {
    let texts = [
        "",
        " ",
        "\u{0}",
        "a\u{0}b",
        "é\u{301}",
        "\u{ffff}",
        "-0",
        "1e400",
        "NaN",
        "9223372036854775808",
        "0x10",
        "2025-02-30",
        "null",
    ];
    let mut values: Vec<Value> = texts.into_iter().map(Value::from).collect();
    values.extend([
        json!("x".repeat(100_000)),
        json!("9".repeat(400)),
        json!(format!("0.{}1", "0".repeat(400))),
    ]);
    values.extend([
        json!(null),
        json!(true),
        json!(0),
        json!(-1),
        json!(1.5),
        json!(i64::MAX),
        json!(u64::MAX),
        json!(1e308),
    ]);
    values.extend([
        json!([]),
        json!([null]),
        json!([[]]),
        json!(["x"]),
        json!([{}]),
        json!({}),
        json!({"id": null}),
        json!({"id": {}}),
    ]);
    values.extend([
        json!({"id": "x", "name": "\u{0}"}),
        json!({"": ""}),
        json!({"k\u{0}": "v\u{0}"}),
        json!({"name": ["x"]}),
    ]);
    values
}

/// Not a fault, and a refusal in its documented shape.
#[track_caller]
fn sound(answer: Answer, sent: &str) {
    let shown: String = sent.chars().take(300).collect();
    assert!(
        matches!(answer.status, 200 | 204 | 400 | 403 | 404),
        "{shown}: {}: {}",
        answer.status,
        answer.text
    );
    match answer.status {
        200 => drop(answer.ok()),
        204 => answer.no_content(),
        status => {
            let reason =
                answer.body["error"]["errors"][0]["reason"].as_str().unwrap_or_default().to_owned();
            let _message = answer.refused(status, &reason);
        }
    }
}

fn stage(server: &Server) -> (Cast, [Value; 4]) {
    let cast = Cast::new(server);
    let root = cast.group("Root");
    let group = cast.group_under("G", "Root");
    let account = cast.account_in("Spare", "ASSET", &["G"]);
    cast.account("Food", "OUTGOING");
    let transaction = cast.record("2025-01-31", "5", "Spare", "Food", "x");
    (cast, [root, group, account, transaction])
}

/// Each field in turn takes each value, and so does each property key and each member of a list.
fn bodies(server: &Server, name: &str) {
    let (cast, [root, group, account, transaction]) = stage(server);
    let (_, method, path, batch, body) =
        BODIES.iter().find(|(other, ..)| *other == name).expect("a row");
    let mut body = (*body).to_owned();
    for (placeholder, resource) in [
        ("{root}", &root),
        ("{group}", &group),
        ("{account}", &account),
        ("{transaction}", &transaction),
    ] {
        body = body.replace(placeholder, id(resource));
    }
    let valid: Map<String, Value> =
        serde_json::from_str(&body.replace("{book}", &cast.book)).expect("an object");
    for field in valid.keys() {
        for value in unlikely() {
            let mut changed = valid.clone();
            changed.insert(field.clone(), value);
            let sent = if *batch { json!({"items": [changed]}) } else { Value::Object(changed) };
            sound(cast.owner.send(method, &cast.path(path), &sent), &format!("{field}: {sent}"));
        }
    }
    // Whatever was accepted can be read.
    for rest in [
        "?loadAccounts=true",
        "/accounts",
        "/groups",
        "/collaborators",
        "/transactions",
        "/events?limit=200",
        "/balances?query=on:2025",
    ] {
        cast.owner.get(&cast.path(rest)).ok();
    }
}

const TEXTS: [&str; 14] = [
    "",
    " ",
    "\u{0}",
    "é",
    "'",
    "\"",
    "\\",
    "%",
    "_",
    "(((((",
    "a:b:c",
    "-",
    "2147483648",
    "0001-01-01T00:00:00Z",
];

/// Every parameter of every GET, with unlikely text and with bytes that are no text.
fn parameters(server: &Server) {
    let (cast, _) = stage(server);
    let table = [
        ("/transactions", ["query", "limit", "cursor", "ids"].as_slice()),
        (
            "/events",
            &["after", "before", "error", "resoureId", "resourceId", "type", "limit", "cursor"],
        ),
        ("/balances", &["query"]),
        ("", &["loadAccounts", "loadGroups"]),
        ("/collaborators", &["message"]),
    ];
    let raw = ["%FF", "%C3%28", "%", "%zz", "%00", "=", "&&", "+"].map(str::to_owned);
    let long = "a".repeat(6000);
    for (path, parameters) in table {
        for parameter in parameters {
            let encoded = TEXTS.iter().copied().chain([long.as_str()]).map(encode);
            for value in encoded.chain(raw.clone()) {
                let path = cast.path(&format!("{path}?{parameter}={value}"));
                sound(cast.owner.get(&path), &path);
            }
        }
    }
    for value in TEXTS {
        let path = format!("/v5/books?query={}", encode(value));
        sound(cast.owner.get(&path), &path);
        let path = cast.path(&format!("/transactions?timeZone={}", encode(value)));
        sound(cast.owner.post(&path, &json!({"description": "x"})), &path);
    }
}

/// Every `{id}` of every path.
fn path_segments(server: &Server) {
    let (cast, _) = stage(server);
    let paths = [
        "/accounts/{}",
        "/accounts/{}/groups",
        "/groups/{}",
        "/groups/{}/accounts",
        "/transactions/{}",
        "/collaborators/{}",
    ];
    let long = "9".repeat(3000);
    for text in
        TEXTS.iter().copied().chain([long.as_str(), "..", ".", "a/b", "-9223372036854775808"])
    {
        let segment = encode(text).replace('.', "%2E");
        for path in paths {
            let path = cast.path(&path.replace("{}", &segment));
            for method in ["GET", "DELETE"] {
                let answer = cast.owner.send_raw(method, &path, None, &[]);
                // An empty segment is another route, which may not know the method.
                if answer.status != 405 {
                    sound(answer, &format!("{method} {path}"));
                }
            }
        }
        if !segment.is_empty() {
            sound(cast.owner.get(&format!("/v5/books/{segment}")), &segment);
        }
    }
}

/// 2.5: an unknown or damaged cursor answers 200.
fn cursors(server: &Server) {
    let (cast, _) = stage(server);
    let odd = [
        "x",
        "====",
        "AAAA",
        "null",
        "{}",
        "eyJhIjoxfQ",
        "eyJhIjoxfQ==",
        "-1",
        "%00",
        "0",
        "/////w==",
    ];
    let long = "A".repeat(4000);
    for cursor in odd.into_iter().chain([long.as_str()]) {
        for path in ["/transactions", "/events"] {
            let answer = cast.owner.header("cursor", cursor).get(&cast.path(path));
            assert_eq!(answer.status, 200, "2.5: {cursor}: {}", answer.text);
            assert!(
                answer.ok()["items"].as_array().is_some_and(|items| !items.is_empty()),
                "2.5: the first page"
            );
        }
    }
}

/// 9.2: the agent header is not authenticated; whatever it is, it is text.
fn header_values(server: &Server) {
    let (cast, _) = stage(server);
    let long = "a".repeat(3000);
    for (turn, value) in
        ["", " ", "'", "a b c", "{}", "%C3%A9", long.as_str()].into_iter().enumerate()
    {
        let client = cast.owner.header("service-agent-id", value).header("service-api-key", value);
        let body = json!({"name": format!("Account {turn}")});
        sound(client.post(&cast.path("/accounts"), &body), value);
        sound(client.post(&cast.path("/transactions"), &json!({"description": "x"})), value);
    }
    cast.owner.get(&cast.path("/events?limit=200")).ok();
}
