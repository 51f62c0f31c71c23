//! Large copies that are killed, aborted or waiting (6.14): an unfinished copy is invisible and is
//! removed after the next start.

use std::thread::{self, JoinHandle};
use std::time::Duration;

use daybook_tests::{Answer, Client, Engine, RawSql, RowLock, Server};

use crate::Case;
use crate::file_sweep::eventually;
use crate::large_copies::{ALL, filled};
use crate::reading::items;

pub fn tests() -> Vec<Case> {
    crate::isolated![
        rule_6_14_killed_copy_is_removed,
        rule_6_14_shutdown_aborts_a_copy,
        a_sibling_leaves_a_running_copy_alone,
        waiting_copies_hold_no_connections,
    ]
}

const UNFINISHED: &str = "WHERE book_id IN (SELECT book_id FROM unfinished_copies)";

/// Counts the rows of a table that belong to unfinished copies, without locking.
fn count_unfinished(server: &Server, table: &str) -> i64 {
    RawSql::open(server).count(&format!("SELECT count(*) FROM {table} {UNFINISHED}"))
}

/// Begins a copy and waits until a table has `min_rows`, or the copy has finished.
fn begin_copy(
    server: &Server,
    caller: &Client,
    path: &str,
    table: &str,
    min_rows: i64,
) -> JoinHandle<Option<Answer>> {
    let (caller, path) = (caller.clone(), path.to_owned());
    let asking = thread::spawn(move || caller.try_send("POST", &path, None, &[]).ok());
    eventually("it begins", || asking.is_finished() || count_unfinished(server, table) >= min_rows);
    asking
}

/// The number of attempts: a copy may finish before it is observed.
const COPIES: usize = 10;

/// 6.14: the sweep after the next start removes all rows, and the same request then succeeds.
fn rule_6_14_killed_copy_is_removed(engine: Engine) {
    let mut server = Server::start(engine);
    let cast = filled(&server, 8);
    let path = cast.path(&format!("/copy?{ALL}"));
    let total = cast.get("").ok()["totalTransactions"].clone();
    let mut database = RawSql::open(&server);
    let mut count = |table: &str, condition: &str| {
        database.execute(&format!("UPDATE {table} SET book_id = book_id {condition}"))
    };
    let books = || items(&cast.owner.get("/v5/books").ok()).len();
    let cut_off = (1..=COPIES).find_map(|whole| {
        let caller = cast.owner.header("Idempotency-Key", &format!("killed-{whole}"));
        let asking = begin_copy(&server, &caller, &path, "transactions", 1000);
        let seen = books();
        server.kill();
        let answer = asking.join().expect("a thread");
        if count_unfinished(&server, "transactions") == 0 {
            if let Some(answer) = answer {
                answer.ok();
            }
            server.restart();
            return None;
        }
        assert!(answer.is_none(), "it was not answered");
        assert_eq!(seen, whole, "it is not listed");
        Some((caller, whole))
    });
    let (caller, whole) = cut_off.expect("one in the middle");
    assert_eq!(count("unfinished_copies", ""), 1);
    assert!(count("transactions", UNFINISHED) > 500, "half a copy is there");
    server.restart();
    eventually("it is swept away", || count_unfinished(&server, "unfinished_copies") == 0);
    for table in [
        "transactions",
        "index_terms",
        "trigrams",
        "trigram_blocks",
        "month_totals",
        "accounts",
        "account_groups",
        "memberships",
        "book_state",
        "events",
        "access_requests",
    ] {
        let remaining = count(table, "WHERE book_id NOT IN (SELECT id FROM books)");
        assert_eq!(remaining, 0, "{table}");
    }
    assert_eq!(count("book_state", ""), whole as u64, "the source is left, and what was whole");
    let again = || caller.try_send("POST", &path, None, &[]).expect("an answer").ok();
    let copy = again();
    assert_eq!(copy["totalTransactions"], total);
    assert_eq!(again()["id"], copy["id"], "0.16");
    assert_eq!(count("book_state", ""), whole as u64 + 1);
}

/// 6.14: between two portions; the next start removes it.
fn rule_6_14_shutdown_aborts_a_copy(engine: Engine) {
    let mut server = Server::start(engine);
    let cast = filled(&server, 8);
    let path = cast.path(&format!("/copy?{ALL}"));
    let given_up = (1..=COPIES).find(|_| {
        let asking = begin_copy(&server, &cast.owner, &path, "unfinished_copies", 1);
        let (status, took) = server.terminate();
        assert!(status.success() && took < Duration::from_secs(25), "{status} after {took:?}");
        let answer = asking.join().expect("a thread").expect("an answer");
        server.restart();
        if answer.status == 200 {
            return false;
        }
        answer.refused(503, "backendError");
        true
    });
    let whole = given_up.expect("one that is given up");
    eventually("it is swept away", || count_unfinished(&server, "unfinished_copies") == 0);
    assert_eq!(items(&cast.owner.get("/v5/books").ok()).len(), whole);
}

/// 6.14: the sweep of another process skips a copy that is being made.
fn a_sibling_leaves_a_running_copy_alone(engine: Engine) {
    let server = Server::start(engine);
    let cast = filled(&server, 8);
    let path = cast.path(&format!("/copy?{ALL}"));
    let overlapped = (1..=COPIES).any(|_| {
        let asking = begin_copy(&server, &cast.owner, &path, "unfinished_copies", 1);
        let sibling = server.beside(&["--log", "info,daybook_edge::worker=debug"]);
        let is_round = |line: &str| line.contains("worker round") && line.contains("copy sweep");
        eventually("the sibling sweeps", || sibling.log().lines().any(is_round));
        let is_running = !asking.is_finished();
        asking.join().expect("a thread").expect("an answer").ok();
        is_running
    });
    assert!(overlapped, "a copy runs longer than the start of the sibling");
}

/// 6.14: one copy per user runs at a time; the others hold no connection of PostgreSQL.
fn waiting_copies_hold_no_connections(engine: Engine) {
    if engine == Engine::Sqlite {
        // On SQLite a lease holds no connection.
        return;
    }
    const COPIES: usize = 24;
    let mut server = Server::start(engine);
    let cast = filled(&server, 2);
    let mut lock = RowLock::begin(&server);
    // The first copy stops at its first unit of work.
    lock.execute("LOCK TABLE unfinished_copies IN EXCLUSIVE MODE");
    let asking: Vec<_> = (0..COPIES)
        .map(|number| {
            let caller = cast.owner.header("Idempotency-Key", &format!("copy-{number}"));
            let path = cast.path(&format!("/copy?{ALL}"));
            thread::spawn(move || drop(caller.try_send("POST", &path, None, &[])))
        })
        .collect();
    let mut database = RawSql::open(&server);
    let mut leases = || {
        database.count(
            "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() \
             AND pid <> pg_backend_pid() AND query LIKE '%pg_try_advisory_lock%'",
        )
    };
    eventually("the first copy takes its lease", || leases() > 0);
    let mut max = 0;
    for _ in 0..200 {
        cast.owner.get("/v5/user").ok();
        max = max.max(leases());
    }
    assert!(max <= 4, "0.16: two leases for each running copy: {max}");
    server.kill();
    drop(lock);
    for one in asking {
        one.join().expect("a thread");
    }
}
