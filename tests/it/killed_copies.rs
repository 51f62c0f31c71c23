//! Large copies that do not come to their end, or wait (6.14).

use std::thread::{self, JoinHandle};
use std::time::Duration;

use daybook_tests::{Answer, Backdoor, Client, Engine, Hold, Server};

use crate::Case;
use crate::file_sweep::eventually;
use crate::large_copies::{ALL, filled};
use crate::reading::items;

pub fn tests() -> Vec<Case> {
    crate::isolated![
        rule_6_14_a_killed_copy_leaves_nothing,
        rule_6_14_a_stop_does_not_wait_for_a_copy,
        copies_that_wait_hold_no_connections,
    ]
}

const UNFINISHED: &str = "WHERE book_id IN (SELECT book_id FROM unfinished_copies)";

/// How many rows of a table belong to copies that are not whole. No writer waits for the question.
fn unfinished(server: &Server, table: &str) -> i64 {
    Backdoor::open(server).count(&format!("SELECT count(*) FROM {table} {UNFINISHED}"))
}

/// A copy that has begun, with so many rows in a table at least, or that is answered already.
fn begun(
    server: &Server,
    caller: &Client,
    path: &str,
    (table, least): (&str, i64),
) -> JoinHandle<Option<Answer>> {
    let (caller, path) = (caller.clone(), path.to_owned());
    let asking = thread::spawn(move || caller.try_send("POST", &path, None, &[]).ok());
    eventually("it begins", || asking.is_finished() || unfinished(server, table) >= least);
    asking
}

/// Copies that are tried: one may be whole before it is seen in the middle.
const COPIES: usize = 10;

/// 6.14: the sweep after the next start removes every row, and the same request is carried out
/// then.
fn rule_6_14_a_killed_copy_leaves_nothing(engine: Engine) {
    let mut server = Server::start(engine);
    let cast = filled(&server, 8);
    let path = cast.path(&format!("/copy?{ALL}"));
    let total = cast.owner.get(&cast.path("")).ok()["totalTransactions"].clone();
    let mut database = Backdoor::open(&server);
    let mut count = |table: &str, condition: &str| {
        database.execute(&format!("UPDATE {table} SET book_id = book_id {condition}"))
    };
    let books = || items(&cast.owner.get("/v5/books").ok()).len();
    let cut_off = (1..=COPIES).find_map(|whole| {
        let caller = cast.owner.header("Idempotency-Key", &format!("killed-{whole}"));
        let asking = begun(&server, &caller, &path, ("transactions", 1000));
        let seen = books();
        server.kill();
        let answer = asking.join().expect("a thread");
        if unfinished(&server, "transactions") == 0 {
            if let Some(answer) = answer {
                answer.ok();
            }
            server.restart();
            return None;
        }
        assert!(answer.is_none(), "it was not answered");
        assert_eq!(seen, whole, "nobody sees it");
        Some((caller, whole))
    });
    let (caller, whole) = cut_off.expect("one in the middle");
    assert_eq!(count("unfinished_copies", ""), 1);
    assert!(count("transactions", UNFINISHED) > 500, "half a copy is there");
    server.restart();
    eventually("it is swept away", || unfinished(&server, "unfinished_copies") == 0);
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
        let strays = count(table, "WHERE book_id NOT IN (SELECT id FROM books)");
        assert_eq!(strays, 0, "{table}");
    }
    assert_eq!(count("book_state", ""), whole as u64, "the source is left, and what was whole");
    let again = || caller.try_send("POST", &path, None, &[]).expect("an answer").ok();
    let copy = again();
    assert_eq!(copy["totalTransactions"], total);
    assert_eq!(again()["id"], copy["id"], "0.16");
    assert_eq!(count("book_state", ""), whole as u64 + 1);
}

/// 6.14: a server that is told to stop gives a copy up between two portions, and the next one
/// sweeps.
fn rule_6_14_a_stop_does_not_wait_for_a_copy(engine: Engine) {
    let mut server = Server::start(engine);
    let cast = filled(&server, 8);
    let path = cast.path(&format!("/copy?{ALL}"));
    let given_up = (1..=COPIES).find(|_| {
        let asking = begun(&server, &cast.owner, &path, ("unfinished_copies", 1));
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
    eventually("it is swept away", || unfinished(&server, "unfinished_copies") == 0);
    assert_eq!(items(&cast.owner.get("/v5/books").ok()).len(), whole);
}

/// 6.14: of a user one copy is made at once, and the others take none of PostgreSQL's connections
/// meanwhile, keyed or not.
fn copies_that_wait_hold_no_connections(engine: Engine) {
    if engine == Engine::Sqlite {
        // A lease of one process is a note in its memory.
        return;
    }
    const COPIES: usize = 24;
    let mut server = Server::start(engine);
    let cast = filled(&server, 2);
    let mut hold = Hold::begin(&server);
    // The first copy stops at its first unit of work.
    hold.execute("LOCK TABLE unfinished_copies IN EXCLUSIVE MODE");
    let asking: Vec<_> = (0..COPIES)
        .map(|number| {
            let caller = cast.owner.header("Idempotency-Key", &format!("copy-{number}"));
            let path = cast.path(&format!("/copy?{ALL}"));
            thread::spawn(move || drop(caller.try_send("POST", &path, None, &[])))
        })
        .collect();
    let mut database = Backdoor::open(&server);
    let mut leases = || {
        database.count(
            "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() \
             AND pid <> pg_backend_pid() AND query LIKE '%pg_try_advisory_lock%'",
        )
    };
    eventually("the first copy takes its lease", || leases() > 0);
    let mut most = 0;
    for _ in 0..200 {
        cast.owner.get("/v5/user").ok();
        most = most.max(leases());
    }
    assert!(most <= 4, "0.16: two leases for each copy that is made: {most}");
    server.kill();
    drop(hold);
    for one in asking {
        one.join().expect("a thread");
    }
}
