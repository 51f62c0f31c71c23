//! Large copies that do not come to their end (6.14).

use std::thread;
use std::time::{Duration, Instant};

use daybook_tests::{Backdoor, Engine, Server, pause};

use crate::Lone;
use crate::large_copies::{ALL, filled};
use crate::reading::items;

pub fn lone() -> Vec<Lone> {
    crate::lone![rule_6_14_a_killed_copy_leaves_nothing, rule_6_14_a_stop_does_not_wait_for_a_copy]
}

/// 6.14: the sweep after the next start removes every row, and the same request is carried out
/// then.
fn rule_6_14_a_killed_copy_leaves_nothing(engine: Engine) {
    let mut server = Server::start(engine);
    let cast = filled(&server, 8);
    let path = cast.path(&format!("/copy?{ALL}"));
    let caller = cast.owner.header("Idempotency-Key", "killed");
    let total = cast.owner.get(&cast.path("")).ok()["totalTransactions"].clone();
    let mut database = Backdoor::open(&server);
    let mut count = |table: &str, condition: &str| {
        database.execute(&format!("UPDATE {table} SET book_id = book_id {condition}"))
    };
    const UNFINISHED: &str = "WHERE book_id IN (SELECT book_id FROM unfinished_copies)";
    let asking = thread::spawn({
        let (caller, path) = (caller.clone(), path.clone());
        move || caller.try_send("POST", &path, None, &[]).is_ok()
    });
    let started = Instant::now();
    while count("transactions", UNFINISHED) < 1500 {
        let waited = started.elapsed();
        assert!(!asking.is_finished() && waited < Duration::from_secs(60), "it is in the middle");
        pause(Duration::from_millis(5));
    }
    assert_eq!(items(&cast.owner.get("/v5/books").ok()).len(), 1, "nobody sees it");
    server.kill();
    assert!(!asking.join().expect("a thread"), "it was not answered");
    assert_eq!(count("unfinished_copies", ""), 1);
    assert!(count("entries", UNFINISHED) > 1500, "half a copy is there");
    server.restart();
    let started = Instant::now();
    while count("unfinished_copies", "") > 0 {
        assert!(started.elapsed() < Duration::from_secs(60), "it is swept away");
        pause(Duration::from_millis(50));
    }
    for table in [
        "transactions",
        "entries",
        "index_terms",
        "trigrams",
        "trigram_blocks",
        "day_totals",
        "month_totals",
        "accounts",
        "account_groups",
        "memberships",
        "book_state",
        "events",
        "access_requests",
    ] {
        let strays = count(table, "WHERE book_id NOT IN (SELECT id FROM books)");
        assert_eq!(strays, 0, "{table}");
    }
    assert_eq!(count("book_state", ""), 1, "the source is left");
    let again = || caller.try_send("POST", &path, None, &[]).expect("an answer").ok();
    let copy = again();
    assert_eq!(copy["totalTransactions"], total);
    assert_eq!(again()["id"], copy["id"], "0.16");
    assert_eq!(count("book_state", ""), 2);
}

/// 6.14: a server that is told to stop gives a copy up between two portions, and the next one
/// sweeps.
fn rule_6_14_a_stop_does_not_wait_for_a_copy(engine: Engine) {
    let mut server = Server::start(engine);
    let cast = filled(&server, 8);
    let (path, caller) = (cast.path(&format!("/copy?{ALL}")), cast.owner.clone());
    let asking = thread::spawn(move || caller.try_send("POST", &path, None, &[]));
    let mut database = Backdoor::open(&server);
    let mut unfinished = || database.execute("UPDATE unfinished_copies SET book_id = book_id");
    while unfinished() == 0 {
        assert!(!asking.is_finished(), "it is in the middle");
        pause(Duration::from_millis(5));
    }
    let (status, took) = server.terminate();
    assert!(status.success() && took < Duration::from_secs(8), "{status} after {took:?}");
    let answer = asking.join().expect("a thread").expect("an answer");
    answer.refused(503, "backendError");
    server.restart();
    let started = Instant::now();
    while unfinished() > 0 {
        assert!(started.elapsed() < Duration::from_secs(60), "it is swept away");
        pause(Duration::from_millis(50));
    }
    assert_eq!(items(&cast.owner.get("/v5/books").ok()).len(), 1);
}
