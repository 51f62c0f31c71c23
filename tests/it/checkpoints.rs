//! SQLite's write-ahead log: what it holds is copied into the database while others write, and then
//! it begins anew. Whoever ends without that, or has its log kept by a reader, loses nothing.

use std::time::Duration;

use daybook_tests::{CASH_AND_FOOD, Cast, Engine, Server, pause};
use serde_json::{Value, json};

use crate::Case;
use crate::file_sweep::eventually;
use crate::reading::{batch, items};

pub fn tests() -> Vec<Case> {
    crate::isolated![the_log_begins_anew, what_is_not_copied_yet_is_there_after_a_kill]
}

/// Megabytes of a file of the database.
fn size(server: &Server, end: &str) -> u64 {
    let file = server.database_url().strip_prefix("sqlite:").expect("a file");
    let file = format!("{file}{end}");
    std::fs::metadata(file).map_or(0, |file| file.len() / 1024 / 1024)
}

/// Records 500 transactions with 6 MB of texts.
fn record(cast: &Cast, number: usize) -> Vec<Value> {
    let words = "lunch with everybody ".repeat(600);
    let item = |place: usize| json!({"description": format!("{number}/{place} {words}")});
    let answer = cast.owner.post(&cast.path("/transactions/batch"), &batch((0..500).map(item)));
    items(&answer.ok()).clone()
}

/// Pages of the log that are not copied yet.
fn uncopied(server: &Server) -> i64 {
    let path = server.database_url().strip_prefix("sqlite:").expect("a file");
    let database = rusqlite::Connection::open(path).expect("the file of the server");
    let pages = |row: &rusqlite::Row<'_>| Ok(row.get::<_, i64>(1)? - row.get::<_, i64>(2)?);
    database.query_row("PRAGMA wal_checkpoint(NOOP)", [], pages).expect("the state of the log")
}

fn the_log_begins_anew(engine: Engine) {
    if engine != Engine::Sqlite {
        return;
    }
    let server = Server::start(engine);
    let cast = Cast::with_accounts(&server, &CASH_AND_FOOD);
    let mut longest = 0;
    for number in 0..12 {
        record(&cast, number);
        longest = longest.max(size(&server, "-wal"));
        // Writes do not wait for the copying, which a busy machine may be late with.
        eventually("the log is copied", || uncopied(&server) < 3_000);
    }
    // What was not copied with the last batches is little.
    assert!(size(&server, "") > 40, "{} MB of the database", size(&server, ""));
    assert!((5..60).contains(&longest), "{longest} MB of the log");
}

fn what_is_not_copied_yet_is_there_after_a_kill(engine: Engine) {
    let mut server = Server::start(engine);
    let cast = Cast::with_accounts(&server, &CASH_AND_FOOD);
    let last = (0..4).fold(Vec::new(), |_, number| record(&cast, number));
    // Amid the copying, or before it.
    pause(Duration::from_millis(30));
    server.kill();
    server.restart();
    let id = last[499]["id"].as_str().expect("an id");
    let kept = cast.owner.get(&cast.path(&format!("/transactions/{id}"))).ok();
    assert_eq!(kept["description"], last[499]["description"]);
    let count = cast.owner.get(&cast.path("/transactions/count")).ok();
    assert_eq!(count["total"], 2_000);
}
