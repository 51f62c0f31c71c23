//! Shares of a writer (0.36, 0.37): a write waits for at most one unit of another user, and writes
//! of disconnected clients are skipped.

use std::sync::mpsc::channel;
use std::thread;
use std::time::Duration;

use daybook_domain::id::UserId;
use daybook_service::Error;
use daybook_storage::{ShardKey, Submission};
use daybook_tests::{CASH_AND_FOOD, Cast, Client, Engine, RowLock, Server, id, pause};
use serde_json::{Value, json};

use crate::Case;
use crate::reading::{batch, items};
use crate::store::Bench;
use crate::wire::{announced, connect};

pub fn tests() -> Vec<Case> {
    crate::isolated![
        heavy_writers_do_not_delay_light_ones,
        requests_take_the_time_of_their_users,
        free_writers_take_over_delayed_work,
        abandoned_writes_are_skipped
    ]
}

/// Long enough for requests to reach the writer's queue. SQLite waits for a lock for ten seconds.
const QUEUED: Duration = Duration::from_millis(1_500);

fn lunch(description: &str) -> Value {
    json!({"date": "2026-01-15", "amount": "1.00", "description": description,
        "creditAccount": {"name": "Cash"}, "debitAccount": {"name": "Food"}})
}

fn found(reader: &Client, cast: &Cast, text: &str) -> usize {
    items(&reader.get(&cast.path(&format!("/transactions?query={text}"))).ok()).len()
}

fn heavy_writers_do_not_delay_light_ones(engine: Engine) {
    let bench = Bench::new(engine, 4096);
    let (sender, ran) = channel();
    let submit = |user: i64, takes: Duration| {
        let sender = sender.clone();
        let work = move |_: &mut daybook_storage::Tx<'_>| {
            pause(takes);
            sender.send(user).expect("the test listens");
            Ok::<(), Error>(())
        };
        bench.store.submit(Submission::for_user(bench.lane(), UserId::new(user)), work, |_| {});
    };
    let release = bench.occupy();
    for _ in 0..16 {
        // Longer than a group accepts new work.
        submit(1, Duration::from_millis(150));
    }
    submit(2, Duration::ZERO);
    release.send(()).expect("the writer waits");
    let order: Vec<i64> = ran.iter().take(17).collect();
    let before = order.iter().take_while(|user| **user == 1).count();
    assert!(before <= 1, "the short write waits for one long one, not for all: {order:?}");
}

/// With several writers.
fn free_writers_take_over_delayed_work(engine: Engine) {
    if engine == Engine::Sqlite {
        return;
    }
    let bench = Bench::new(engine, 4096);
    let release = bench.occupy();
    // Longer than the threshold of a long group.
    pause(Duration::from_millis(200));
    // Some of these books belong to the occupied writer.
    for number in 0..64 {
        let (sender, done) = channel();
        let ticket =
            Submission::for_user(ShardKey::of_book(&format!("book {number}")), UserId::new(number));
        let nothing = |_: &mut daybook_storage::Tx<'_>| Ok::<(), Error>(());
        bench.store.submit(ticket, nothing, move |_| sender.send(()).expect("listens"));
        let answered = done.recv_timeout(Duration::from_secs(60));
        assert!(answered.is_ok(), "book {number} waits for the long one");
    }
    release.send(()).expect("the writer waits");
}

/// Both write in one book, so they share a writer on either engine.
fn requests_take_the_time_of_their_users(engine: Engine) {
    let server = Server::start(engine);
    let cast = Cast::with_accounts(&server, &CASH_AND_FOOD);
    let (much, little) = (server.client("much@example.com"), server.client("little@example.com"));
    for caller in [&much, &little] {
        cast.share(caller.email(), "EDITOR");
    }
    // On a busy machine the short write may be queued after the long ones are done.
    let mut attempts = (0..5).map(|_| answered_before(&server, &cast, &much, &little));
    assert!(attempts.any(|before| before <= 4), "the short write waits for all long ones");
}

/// Counts the long writes, of sixteen, that are answered before a short one sent after them.
fn answered_before(server: &Server, cast: &Cast, much: &Client, little: &Client) -> usize {
    const BATCHES: usize = 16;
    let many = batch((0..400).map(|at| lunch(&format!("many {at}"))));
    let (sender, answered) = channel();
    thread::scope(|scope| {
        let lock = RowLock::book(server, &cast.book);
        for _ in 0..BATCHES {
            let (sender, many) = (sender.clone(), &many);
            scope.spawn(move || {
                much.post(&cast.path("/transactions/batch"), many).ok();
                sender.send("much").expect("the test listens");
            });
        }
        pause(QUEUED);
        let sender = sender.clone();
        scope.spawn(move || {
            little.post(&cast.path("/transactions"), &lunch("little")).ok();
            sender.send("little").expect("the test listens");
        });
        pause(QUEUED);
        drop(lock);
    });
    drop(sender);
    let order: Vec<&str> = answered.iter().collect();
    assert_eq!(order.len(), BATCHES + 1);
    order.iter().take_while(|who| **who == "much").count()
}

fn abandoned_writes_are_skipped(engine: Engine) {
    let server = Server::start(engine);
    let cast = Cast::with_accounts(&server, &CASH_AND_FOOD);
    // Created before the database is locked.
    let token = server.token(cast.owner.email());
    let leave = |description: &str, key: &str| {
        let body = lunch(description).to_string();
        let request = format!(
            "POST {} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {}\r\n{key}Content-Type: \
                application/json\r\nContent-Length: {}\r\n",
            cast.path("/transactions"),
            token,
            body.len(),
        );
        let mut stream = connect(&server);
        announced(&mut stream, &request, body.as_bytes());
        stream
    };
    thread::scope(|scope| {
        let lock = RowLock::book(&server, &cast.book);
        // The writer is executing this one; the others are queued.
        let first = scope.spawn(|| {
            cast.post("/transactions", &lunch("first")).ok();
        });
        pause(QUEUED);
        let held = [leave("keyless", ""), leave("keyed", "Idempotency-Key: k1\r\n")];
        pause(QUEUED / 2);
        drop(held);
        // The server waits a second to distinguish a half-closed connection.
        pause(QUEUED * 2);
        drop(lock);
        first.join().expect("the first one is answered");
    });
    // When this one is done, the queued ones are done or skipped.
    cast.post("/transactions", &lunch("last")).ok();
    assert_eq!(found(&cast.owner, &cast, "first"), 1);
    assert_eq!(found(&cast.owner, &cast, "keyed"), 1, "a key promises that it is done");
    assert_eq!(found(&cast.owner, &cast, "keyless"), 0, "its client has left");
    let repeated = cast.owner.header("Idempotency-Key", "k1");
    let answer = repeated.post(&cast.path("/transactions"), &lunch("keyed")).ok();
    assert!(!id(&answer["transaction"]).is_empty(), "{answer}");
    assert_eq!(found(&cast.owner, &cast, "keyed"), 1);
}
