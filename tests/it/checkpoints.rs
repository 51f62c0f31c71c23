//! Checkpoints of SQLite's write-ahead log: they run during writes and bound the size of the log. A
//! kill before a checkpoint loses nothing.

use std::time::Duration;

use daybook_tests::{CASH_AND_FOOD, Cast, Engine, Server, pause};
use serde_json::json;

use crate::Case;
use crate::file_sweep::eventually;
use crate::reading::{batch, items};

pub fn tests() -> Vec<Case> {
    crate::isolated![wal_is_checkpointed_during_writes, uncheckpointed_writes_survive_a_kill]
}

/// Returns the size of a database file in MB.
fn size(server: &Server, end: &str) -> u64 {
    let file = server.database_url().strip_prefix("sqlite:").expect("a file");
    let file = format!("{file}{end}");
    std::fs::metadata(file).map_or(0, |file| file.len() / 1024 / 1024)
}

/// A table beside those of the server, which fills the log faster than requests do. Its connection
/// makes no checkpoints.
struct Ballast(rusqlite::Connection);

impl Ballast {
    fn new(server: &Server) -> Ballast {
        let ballast = Ballast(open(server));
        ballast.execute("PRAGMA wal_autocheckpoint = 0; CREATE TABLE ballast (bytes BLOB)");
        ballast
    }

    fn execute(&self, statements: &str) {
        self.0.execute_batch(statements).expect("it is written");
    }

    /// Adds 5 MB.
    fn add(&self) {
        self.execute("INSERT INTO ballast VALUES (zeroblob(5 * 1024 * 1024))");
    }
}

fn open(server: &Server) -> rusqlite::Connection {
    let path = server.database_url().strip_prefix("sqlite:").expect("a file");
    rusqlite::Connection::open(path).expect("the file of the server")
}

/// Returns the number of pages not yet checkpointed.
fn uncopied(server: &Server) -> i64 {
    let pages = |row: &rusqlite::Row<'_>| Ok(row.get::<_, i64>(1)? - row.get::<_, i64>(2)?);
    open(server).query_row("PRAGMA wal_checkpoint(NOOP)", [], pages).expect("the state of the log")
}

fn wal_is_checkpointed_during_writes(engine: Engine) {
    if engine != Engine::Sqlite {
        return;
    }
    let server = Server::start(engine);
    let cast = Cast::with_accounts(&server, &CASH_AND_FOOD);
    let ballast = Ballast::new(&server);
    let (mut longest, mut most_uncopied) = (0, 0);
    for number in 0..24 {
        ballast.add();
        cast.record("2025-01-31", "1", "Cash", "Food", &format!("Lunch {number}"));
        longest = longest.max(size(&server, "-wal"));
        most_uncopied = most_uncopied.max(uncopied(&server));
        // The server looks at the log 50 ms after a commit.
        pause(Duration::from_millis(60));
        // The checkpoint runs in the background and may be late on a busy machine.
        eventually("a log of 64 MB is copied", || uncopied(&server) < 16_000);
    }
    // A log that is shorter than the database is not copied yet.
    assert!(most_uncopied > 6_000, "at most {most_uncopied} pages were not copied");
    // Only the last batches may be missing.
    assert!(size(&server, "") > 50, "{} MB of the database", size(&server, ""));
    // Without a restart it would have 120 MB.
    assert!((20..100).contains(&longest), "{longest} MB of the log");
}

fn uncheckpointed_writes_survive_a_kill(engine: Engine) {
    if engine != Engine::Sqlite {
        return;
    }
    let mut server = Server::start(engine);
    let cast = Cast::with_accounts(&server, &CASH_AND_FOOD);
    let ballast = Ballast::new(&server);
    (0..2).for_each(|_| ballast.add());
    // The log becomes longer than the database, and worth a checkpoint.
    (0..2).for_each(|_| ballast.execute("UPDATE ballast SET bytes = zeroblob(5 * 1024 * 1024)"));
    let item = |place: usize| json!({"description": format!("lunch {place}")});
    let answer = cast.post("/transactions/batch", &batch((0..500).map(item)));
    let last = items(&answer.ok()).clone();
    // During or before a checkpoint.
    pause(Duration::from_millis(60));
    // The last connection that closes copies the log, so the server must be it.
    drop(ballast);
    server.kill();
    server.restart();
    let id = last[499]["id"].as_str().expect("an id");
    let read = cast.read(&format!("/transactions/{id}"));
    assert_eq!(read["description"], last[499]["description"]);
    let count = cast.read("/transactions/count");
    assert_eq!(count["total"], 500);
}
