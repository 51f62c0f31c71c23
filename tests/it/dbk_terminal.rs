//! `dbk` on a terminal: questions, the pager, colours, progress, a repetition after a lost answer,
//! and expired tokens. `script` of util-linux provides the terminal.

use std::fs::{create_dir_all, read, write};
use std::io::Write;
use std::process::{Command, Stdio};

use daybook_client::{CLI_CLIENT_ID, Client};
use daybook_tests::browser::{Browser, is_page};
use daybook_tests::{Cast, Folder, RawSql, Server, block_on, column, dbk_binary, folder, unique};
use serde_json::{Value, json};

use crate::Case;
use crate::command_line::Run;
use crate::reading::{Faults, batch, find, items, labels};
use crate::typed_client::relay;

pub fn tests() -> Vec<Case> {
    crate::cases![
        add_asks_for_each_part,
        add_asks_before_it_records,
        long_tables_go_to_the_pager,
        negative_amounts_are_red_on_a_terminal,
        progress_is_shown_on_a_terminal,
        lost_answer_is_repeated_and_reported,
        expired_tokens_are_renewed_by_simultaneous_commands,
        changed_event_is_a_difference,
    ]
}

/// A user of `dbk`, with a book in use and a directory.
pub struct User<'s> {
    server: &'s Server,
    pub cast: Cast,
    pub directory: Folder,
}

impl Run {
    /// Asserts that the text has these parts in this order.
    #[track_caller]
    pub fn has(&self, parts: &[&str]) {
        let mut rest = self.text.as_str();
        for part in parts {
            let Some((_, after)) = rest.split_once(part) else {
                panic!("{part:?} is missing in {rest:?} of:\n{}", self.text);
            };
            rest = after;
        }
    }
}

impl<'s> User<'s> {
    pub fn new(server: &'s Server) -> Self {
        let accounts = [("Cash", "ASSET"), ("Car", "ASSET"), ("Food", "OUTGOING")];
        let cast = Cast::with_accounts(server, &accounts);
        Self { server, cast, directory: folder("dbk", false) }
    }

    /// A program with `dbk` on its path, signed in to the server at this address.
    fn program(&self, name: &str, address: &str) -> Command {
        let programs = dbk_binary().parent().expect("a program is in a directory");
        let path = format!("{}:/usr/local/bin:/usr/bin:/bin", programs.display());
        let mut program = Command::new(name);
        program
            .current_dir(self.directory.path())
            .env_clear()
            .env("PATH", path)
            .env("HOME", self.directory.path())
            .env("TERM", "xterm")
            .env("DBK_SERVER", address)
            .env("DBK_TOKEN", self.cast.owner.token().expect("a token"))
            .env("DBK_BOOK", &self.cast.book)
            .env("DBK_TODAY", "2026-02-10");
        program
    }

    /// Runs a command on a terminal of 80 columns and 10 lines, and types the input. The text
    /// begins with the input if the terminal echoes it before the command runs.
    pub fn on_terminal(&self, command: &str, input: &str) -> Run {
        let line = format!("stty rows 10 cols 80; {command}");
        let mut script = self.program("script", self.server.base());
        let mut child = script
            .args(["--quiet", "--return", "--flush", "--command", &line, "/dev/null"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("script runs");
        let mut terminal = child.stdin.take().expect("an input");
        terminal.write_all(input.as_bytes()).expect("the input is typed");
        drop(terminal);
        let run = child.wait_with_output().expect("script ends");
        let text = String::from_utf8_lossy(&run.stdout).replace("\r\n", "\n");
        Run { text, code: run.status.code() }
    }

    /// Runs a command, and asserts its exit code.
    #[track_caller]
    pub fn run(&self, command: &str, code: i32) -> Run {
        let run = self.in_pipe(self.server.base(), command);
        assert_eq!(run.code, Some(code), "{command}\n{}", run.text);
        run
    }

    /// Runs a command whose output and errors go into a pipe.
    fn in_pipe(&self, address: &str, command: &str) -> Run {
        let command = format!("{{ {command}\n}} 2>&1");
        let run = self.program("sh", address).args(["-c", &command]).output().expect("sh runs");
        let text = String::from_utf8_lossy(&run.stdout).into_owned();
        Run { text, code: run.status.code() }
    }
}

fn add_asks_for_each_part(server: &Server) {
    let user = User::new(server);
    let parts = ["Lunch", "someday", "yesterday", "12,50", "ca", "cash", "food", ""];
    let first = user.on_terminal("dbk add -i", &(parts.join("\n") + "\n"));
    first.has(&[
        "Description (empty ends): ",
        "Day [2026-02-10]: ",
        "invalid day \"someday\"",
        "Day [2026-02-10]: ",
        "Amount: ",
        "From: ",
        "which one? C",
        "From: ",
        "To: ",
        "posted 2026-02-09 12.50 Cash -> Food  Lunch\n",
        "undo: dbk trash ",
        "Description (empty ends): ",
    ]);
    assert_eq!(first.code, Some(0), "{}", first.text);
    // The last similar transaction offers the defaults.
    let again = user.on_terminal("dbk add -i", "Lunch\n\n\n\n\n\n");
    again.has(&[
        "Amount [12.50]: ",
        "From [Cash]: ",
        "To [Food]: ",
        "posted 2026-02-10 12.50 Cash -> Food  Lunch\n",
    ]);
    assert_eq!(again.code, Some(0), "{}", again.text);
}

fn add_asks_before_it_records(server: &Server) {
    let user = User::new(server);
    let command = "dbk add 5 snack cash food";
    let left = user.on_terminal(command, "q\n");
    left.has(&[
        "would record 2026-02-10 5.00 Cash -> Food  snack\n",
        "error: nothing was recorded",
    ]);
    assert_eq!(left.code, Some(1), "{}", left.text);
    assert_eq!(items(&find(&user.cast, "")).len(), 0);

    let edited = user.on_terminal(command, "e\n6 snack cash food\n\n");
    edited.has(&[
        "would record 2026-02-10 5.00 Cash -> Food  snack\n",
        "Enter records it, e edits the text, q quits: ",
        "new text: ",
        "would record 2026-02-10 6.00 Cash -> Food  snack\n",
        "posted 2026-02-10 6.00 Cash -> Food  snack\n",
    ]);
    assert_eq!(edited.code, Some(0), "{}", edited.text);
    assert_eq!(labels(&find(&user.cast, "")), ["snack"]);
}

fn long_tables_go_to_the_pager(server: &Server) {
    let user = User::new(server);
    let accounts = (0..10).map(|number| json!({"name": format!("Box {number}"), "type": "ASSET"}));
    user.cast.post("/accounts/batch", &batch(accounts)).ok();
    let mut faults = Faults::default();
    for (command, is_paged) in [
        ("dbk accounts", true),
        ("dbk accounts --no-pager", false),
        ("NO_PAGER=1 dbk accounts", false),
        ("dbk accounts | cat", false),
        // Lower than the screen.
        ("dbk books", false),
    ] {
        let run = user.on_terminal(&format!("export PAGER='sed s/^/paged:/'; {command}"), "");
        faults.same(command, &run.text.contains("paged:"), &is_paged);
        faults.same(command, &run.code, &Some(0));
    }
    faults.none();
}

fn negative_amounts_are_red_on_a_terminal(server: &Server) {
    let user = User::new(server);
    user.cast.record("2026-02-01", "12.50", "Cash", "Food", "Lunch");
    let mut faults = Faults::default();
    for (command, is_red) in [
        ("dbk reg Cash", true),
        ("NO_COLOR=1 dbk reg Cash", false),
        ("TERM=dumb dbk reg Cash", false),
        ("dbk reg Cash --format table | cat", false),
    ] {
        let run = user.on_terminal(command, "");
        faults.check(run.text.contains("-12.50"), || format!("{command}: {}", run.text));
        faults.same(command, &run.text.contains("\u{1b}[31m-12.50\u{1b}[0m"), &is_red);
    }
    faults.none();
}

fn progress_is_shown_on_a_terminal(server: &Server) {
    let user = User::new(server);
    let lunch = |number: i32| json!({"description": format!("Lunch {number}")});
    let drafts = user.cast.post("/transactions/batch", &batch((0..3).map(lunch))).ok();
    let erase = "\r\u{1b}[K";
    let verified = user.on_terminal("dbk verify", "");
    verified.has(&[&format!("{erase}events ["), "] 1 of ", erase, "chain intact to event "]);
    let exported = user.on_terminal("dbk export csv -o book.csv", "");
    exported.has(&[&format!("{erase}received "), erase, "wrote book.csv ("]);
    let ids = column(&drafts, "id").join(" ");
    let trashed = user.on_terminal(&format!("dbk trash {ids}"), "");
    let bar = format!("{erase}transactions [--------------------] 0 of 3");
    trashed.has(&[&bar, erase, "trashed 3 transactions"]);

    for command in ["dbk verify", "dbk export csv -o book.csv"] {
        let run = user.in_pipe(server.base(), command);
        assert_eq!(run.code, Some(0), "{command}: {}", run.text);
        assert!(!run.text.contains('\u{1b}'), "{command}: {}", run.text);
    }
}

fn lost_answer_is_repeated_and_reported(server: &Server) {
    let user = User::new(server);
    let relay = relay(server.address(), 1);
    let path = user.cast.path("/groups");
    let run = user.in_pipe(&relay, &format!("dbk api POST {path} -f name=Once"));
    run.has(&[&format!("POST {path}: "), "repeating with the same key in ", "\"name\":\"Once\""]);
    assert_eq!(run.code, Some(0), "{}", run.text);
    assert_eq!(column(&user.cast.read("/groups"), "name"), ["Once"]);
}

/// 11.18: commands that redeem the same refresh token at once get the same successor.
fn expired_tokens_are_renewed_by_simultaneous_commands(server: &Server) {
    let user = User::new(server);
    let email = format!("{}@example.com", unique("dbk"));
    let mut browser = Browser::signed_in(server, &email);
    let tokens = block_on(async {
        let program = Client::builder(server.base()).build().expect("a client");
        let sign_in = program.start_device_sign_in(CLI_CLIENT_ID, "email").await.expect("codes");
        let decision = [("user_code", sign_in.codes().user_code.as_str()), ("decision", "allow")];
        is_page(&browser.post("/auth/device", &decision), 200);
        sign_in.poll().await.expect("an answer").expect("tokens")
    });
    let directory = user.directory.path().join(".config/dbk");
    create_dir_all(&directory).expect("a folder");
    let file = directory.join("config.json");
    let store_expired = |tokens: &Value| {
        let mut tokens = tokens.clone();
        tokens["access_token"] = "expired".into();
        let config = json!({"servers": {server.base(): {"tokens": tokens}}});
        write(&file, config.to_string()).expect("a file");
    };
    let first = serde_json::to_value(&tokens).expect("JSON");
    store_expired(&first);
    let whoami = "env -u DBK_TOKEN dbk whoami";
    let all = user.run(&format!("for command in 1 2 3 4; do {whoami} & done; wait"), 0);
    let signed_in = format!("{email} at ");
    assert_eq!(all.text.matches(&signed_in).count(), 4, "{}", all.text);

    // The successor is stored, and the sign-in has not ended.
    let config: Value =
        serde_json::from_slice(&read(&file).expect("a file")).expect("a configuration");
    let stored = &config["servers"][server.base()]["tokens"];
    assert_ne!(stored["refresh_token"], first["refresh_token"]);
    store_expired(stored);
    user.run(whoami, 0).has(&[&signed_in]);
}

/// 8.15: `dbk verify` does not rely on the audit of the server alone.
fn changed_event_is_a_difference(server: &Server) {
    let user = User::new(server);
    let number = user.cast.read("/events?limit=1")["items"][0]["sequence"].clone();
    let mut raw_sql = RawSql::open(server);
    let mut move_back = |milliseconds: i64| {
        let changed = raw_sql.execute(&format!(
            "UPDATE events SET created_at = created_at - ({milliseconds}) \
             WHERE sequence = {number} AND book_id = (SELECT id FROM books WHERE public_id = '{}')",
            user.cast.book
        ));
        assert_eq!(changed, 1);
    };
    assert_eq!(user.in_pipe(server.base(), "dbk verify").code, Some(0));
    // Its time is part of what is hashed.
    move_back(-1);
    let found = user.in_pipe(server.base(), "dbk verify");
    found.has(&[": findings\n", &format!("event {number} has the hash ")]);
    assert_eq!(found.code, Some(3), "{}", found.text);
    move_back(1);
    let restored = user.in_pipe(server.base(), "dbk verify");
    restored.has(&["no findings\n", "chain intact to event "]);
    assert_eq!(restored.code, Some(0), "{}", restored.text);

    // A VIEWER cannot have the server audit, and computes the hashes nevertheless.
    let token = user.cast.viewer.token().expect("a token");
    let viewed = user.in_pipe(server.base(), &format!("DBK_TOKEN={token} dbk verify"));
    viewed.has(&["for the OWNER and EDITORs alone\n", "computed ", "chain intact to event "]);
    assert_eq!(viewed.code, Some(0), "{}", viewed.text);
}
