//! Databases whose schema the program does not know are refused and left as they are.

use std::process::Command;
use std::time::Duration;

use daybook_tests::{
    Backdoor, CASH_AND_FOOD, Cast, Engine, Server, binary, column, plain_event, run_for,
};
use serde_json::{Value, json};

use crate::arch::tables;
use crate::files::file;
use crate::reading::{events, items};
use crate::{Lone, storage_quotas};

pub fn lone() -> Vec<Lone> {
    crate::lone![
        unreleased_schemas_are_refused,
        newer_schemas_are_refused,
        what_is_stored_is_counted_at_the_upgrade,
        events_are_kept_at_the_upgrade,
        days_are_kept_at_the_upgrade,
        programs_of_banks_are_no_apps_after_the_upgrade,
    ]
}

/// Starts the program on the database of a stopped server; it must end with these words.
fn refused(server: &Server, words: [&str; 2]) {
    let before = tables(server);
    let mut command = Command::new(binary());
    command.args(["serve", "--listen", "127.0.0.1:0", "--database-url", server.database_url()]);
    command.arg("--data-dir").arg(server.data_dir());
    let run = run_for(&mut command, Duration::from_secs(60)).expect("it ends");
    let said = String::from_utf8_lossy(&run.stderr);
    assert_eq!(run.status.code(), Some(1), "{said}");
    for words in words {
        assert!(said.contains(words), "{words:?} is missing: {said}");
    }
    assert_eq!(tables(server), before, "nothing was changed");
}

/// The schema had 13 numbered steps before the first release, none of which is left.
fn unreleased_schemas_are_refused(engine: Engine) {
    let mut server = Server::start(engine);
    server.terminate();
    let mut database = emptied(&server);
    let strict = if engine == Engine::Sqlite { " STRICT" } else { "" };
    for statement in [
        &format!("CREATE TABLE heads (book_id INTEGER PRIMARY KEY, sequence INTEGER){strict}"),
        "CREATE TABLE __diesel_schema_migrations (version VARCHAR(50) PRIMARY KEY NOT NULL, \
            run_on TIMESTAMP NOT NULL DEFAULT CURRENT_TIMESTAMP)",
        "INSERT INTO __diesel_schema_migrations (version) VALUES ('0001')",
        "INSERT INTO heads (book_id, sequence) VALUES (7, 3)",
    ] {
        database.execute(statement);
    }
    refused(&server, ["step 0001 of a schema from before", "start with an empty database"]);
    assert_eq!(database.execute("UPDATE __diesel_schema_migrations SET version = '0001'"), 1);
    assert_eq!(database.execute("DELETE FROM heads WHERE book_id = 7 AND sequence = 3"), 1);
}

fn newer_schemas_are_refused(engine: Engine) {
    let mut server = Server::start(engine);
    server.terminate();
    let mut database = Backdoor::open(&server);
    database.execute("INSERT INTO __diesel_schema_migrations (version) VALUES ('29991231000000')");
    refused(&server, ["step 29991231000000 of a newer schema", "start the version that made it"]);
    // The steps that the program knows were not taken for missing, nor the other one away.
    let steps = u64::try_from(steps().len()).expect("few steps") + 1;
    assert_eq!(database.execute("UPDATE __diesel_schema_migrations SET version = version"), steps);
    database.execute("DELETE FROM __diesel_schema_migrations WHERE version = '29991231000000'");
    server.restart();
}

/// 10.14: a database from before storage quotas is counted by the step that brings them.
fn what_is_stored_is_counted_at_the_upgrade(engine: Engine) {
    const STEP: &str = "2026-11-29-000000_storage_quotas";
    let mut server = Server::start(engine);
    let cast = filled(&server, 30);
    cast.group("Zoë");
    cast.account_in("Grouped", "ASSET", &["Zoë"]);
    file(&cast, "a.txt", b"some bytes");
    cast.owner.post(&cast.path("/queries"), &json!({"title": "é", "query": "account:Cash"})).ok();
    let draft = json!({
        "description": "\u{1F600}", "remoteIds": ["ü"], "urls": ["https://a.example/\""],
        "properties": {"k": "v\n"},
    });
    cast.owner.header("service-agent-id", "ägent").post(&cast.path("/transactions"), &draft).ok();
    cast.owner.post(&cast.path("/copy?name=Copy&copyTransactions=true"), &Value::Null).ok();
    let before = storage_quotas::held(&cast.owner);
    server.terminate();
    undo(&server, STEP);
    server.restart();
    assert_eq!(storage_quotas::held(&cast.owner), before);
    storage_quotas::clean(&cast);
}

/// 9.4: also where the connection is gone, as in a book that was deleted when that was.
fn programs_of_banks_are_no_apps_after_the_upgrade(engine: Engine) {
    const STEP: &str = "2026-12-09-000000_programs_of_banks";
    let mut server = Server::start(engine);
    let cast = Cast::new(&server);
    let app = json!({"id": "app", "name": "App", "connectable": true});
    cast.owner.post("/v5/apps", &app).ok();
    let connect = |app: &str, kind: &str| {
        let new = json!({"agentId": app, "type": kind, "name": "Connection"});
        cast.owner.post("/v5/user/connections", &new).ok()["id"].clone()
    };
    let install = |body: &Value| {
        cast.owner.post(&cast.path("/integrations"), body).ok();
    };
    install(&json!({"agentId": "app"}));
    install(&json!({"connectionId": connect("app", "APP")}));
    install(&json!({"connectionId": connect("app", "BANK")}));
    let lost = "lost-bank";
    install(&json!({"connectionId": connect(lost, "BANK")}));
    server.terminate();
    undo(&server, STEP);
    let mut database = Backdoor::open(&server);
    assert_eq!(database.count("SELECT COUNT(*) FROM integrations WHERE app_id LIKE ':%'"), 0);
    let lose = format!("DELETE FROM connections WHERE app_id = '{lost}'");
    assert_eq!(database.execute(&lose), 1);
    drop(database);
    server.restart();
    let mut database = Backdoor::open(&server);
    for (name, marked, plain) in [("app", 1, 2), (lost, 1, 0)] {
        let mut rows = |shown: &str| {
            database.count(&format!("SELECT COUNT(*) FROM integrations WHERE app_id = '{shown}'"))
        };
        assert_eq!((rows(&format!(":{name}")), rows(name)), (marked, plain), "{name}");
    }
    cast.owner.post("/v5/apps", &json!({"id": lost, "name": "Thief"})).ok();
    assert_eq!(column(&cast.owner.get(&cast.path("/apps")).ok(), "id"), ["app"]);
}

/// A book with so many transactions, each recorded alone: the log of a batch has blocks, which no
/// earlier schema knows.
fn filled(server: &Server, count: usize) -> Cast {
    let cast = storage_quotas::filled(server, 1);
    (1..count).for_each(|number| {
        cast.record("2025-05-05", "9", "Cash", "Food", &format!("#{number}"));
    });
    cast
}

/// 8.15: the log of a database from before events were packed stays as it is, and goes on.
fn events_are_kept_at_the_upgrade(engine: Engine) {
    const STEP: &str = "2026-12-02-000000_packed_events";
    let mut server = Server::start(engine);
    let cast = filled(&server, 30);
    let zoe = json!({"name": "Zoë"});
    cast.owner.header("service-agent-id", "ägent").post(&cast.path("/groups"), &zoe).ok();
    storage_quotas::clean(&cast);
    let log = events(&cast);
    server.terminate();
    let mut database = Backdoor::open(&server);
    let mut packed = 0;
    for (sequence, kept) in database.event_data(&cast.book) {
        let plain = plain_event(&kept);
        packed += usize::from(kept[0] == 1);
        let of_book = format!("book_id = (SELECT id FROM books WHERE public_id = '{}')", cast.book);
        let data = database.literal(plain.as_bytes());
        for statement in [
            format!("UPDATE events SET data = {data} WHERE sequence = {sequence} AND {of_book}"),
            format!(
                "UPDATE book_state SET stored_bytes = stored_bytes + {} WHERE {of_book}",
                plain.len() - kept.len()
            ),
        ] {
            assert_eq!(database.execute(&statement), 1);
        }
    }
    assert!(packed > 30, "most events were packed: {packed}");
    drop(database);
    // The later step changes the table that the earlier one makes.
    undo(&server, "2026-12-08-000000_event_blocks");
    undo(&server, STEP);
    server.restart();
    assert_eq!(events(&cast), log);
    storage_quotas::clean(&cast);
    cast.account("Later", "ASSET");
    storage_quotas::clean(&cast);
    let types = |kind: &str| {
        let listed = cast.owner.get(&cast.path(&format!("/events?type={kind}&limit=200"))).ok();
        items(&listed).len()
    };
    let of_type = |kind: &str| events(&cast).iter().filter(|event| event["type"] == kind).count();
    for kind in ["TRANSACTION_POSTED", "TRANSACTION_CREATED", "ACCOUNT_CREATED", "BOOK_AUDITED"] {
        assert_eq!(types(kind), of_type(kind), "{kind}");
    }
}

/// 5.7: balances by day of a database from before the days stood in the rows of months.
fn days_are_kept_at_the_upgrade(engine: Engine) {
    const STEP: &str = "2026-12-07-000000_days_of_months";
    let mut server = Server::start(engine);
    let cast = Cast::with_accounts(&server, &CASH_AND_FOOD);
    for (date, amount) in [
        ("2024-02-29", "42949672.97"),
        ("2024-12-31", "1"),
        ("2025-01-01", "2"),
        ("2025-01-31", "3"),
    ] {
        cast.record(date, amount, "Cash", "Food", "Kept");
        cast.record(date, "0.01", "Food", "Cash", "Back");
    }
    let gone = cast.record("2025-01-15", "7", "Cash", "Food", "Gone");
    cast.owner.patch(&cast.path("/transactions/trash"), &json!({"id": gone["id"]})).ok();
    let by_day = || {
        let query = "account:Food%20after:2024-02-01%20before:2025-03-01";
        let balances = cast.owner.get(&cast.path(&format!("/balances?query={query}"))).ok();
        assert_eq!(balances["periodicity"], "DAILY");
        balances
    };
    let before = by_day();
    server.terminate();
    undo(&server, STEP);
    server.restart();
    let hex = if engine == Engine::Sqlite { "hex(days)" } else { "encode(days, 'hex')" };
    let long = format!("SELECT COUNT(*) FROM month_totals WHERE {hex} NOT LIKE '02%'");
    assert_eq!(Backdoor::open(&server).count(&long), 0, "all are packed as new ones are");
    assert_eq!(by_day(), before);
    storage_quotas::clean(&cast);
    let more = cast.record("2025-01-31", "5", "Cash", "Food", "More");
    assert_ne!(by_day(), before);
    storage_quotas::clean(&cast);
    cast.owner.patch(&cast.path("/transactions/trash"), &json!({"id": more["id"]})).ok();
    assert_eq!(by_day(), before);
    storage_quotas::clean(&cast);
}

/// Takes a step of the schema back, on the database of a stopped server.
fn undo(server: &Server, step: &str) {
    let engine = if server.engine() == Engine::Sqlite { "sqlite" } else { "postgresql" };
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../migrations");
    let down = folder.join(engine).join(step).join("down.sql");
    let down = std::fs::read_to_string(down).expect("the way back");
    let mut database = Backdoor::open(server);
    for statement in down.split(';').map(str::trim).filter(|statement| !statement.is_empty()) {
        database.execute(statement);
    }
    let version: String = step.chars().filter(char::is_ascii_digit).collect();
    let undone = format!("DELETE FROM __diesel_schema_migrations WHERE version = '{version}'");
    assert_eq!(database.execute(&undone), 1);
}

/// The database of a stopped server without anything in it.
fn emptied(server: &Server) -> Backdoor {
    if let Some(path) = server.database_url().strip_prefix("sqlite:") {
        // A file that others could read would be refused for that.
        std::fs::File::options().write(true).truncate(true).open(path).expect("the server's file");
        return Backdoor::open(server);
    }
    let mut database = Backdoor::open(server);
    database.execute("DROP SCHEMA public CASCADE");
    database.execute("CREATE SCHEMA public");
    database
}

/// The steps of the schema, by name.
fn steps() -> Vec<String> {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../migrations/sqlite");
    let entries = std::fs::read_dir(folder).expect("the migrations");
    entries.map(|entry| entry.expect("a step").file_name().to_string_lossy().into_owned()).collect()
}
