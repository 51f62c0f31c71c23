//! Shares of a writer (0.36, 0.37): nobody waits for more than one unit of another user's work, and
//! nothing is begun for a client that has left.

use std::sync::mpsc::channel;
use std::thread;
use std::time::Duration;

use daybook_domain::id::UserId;
use daybook_service::Error;
use daybook_storage::{ShardKey, Submission};
use daybook_tests::{CASH_AND_FOOD, Cast, Client, Engine, Hold, Server, id, pause};
use serde_json::{Value, json};

use crate::Case;
use crate::reading::{batch, items};
use crate::store::Bench;
use crate::wire::{announced, connect};

pub fn tests() -> Vec<Case> {
    crate::isolated![
        who_writes_much_does_not_delay_who_writes_little,
        requests_take_the_time_of_their_users,
        free_writers_do_what_a_long_one_would_delay,
        what_nobody_waits_for_is_not_begun
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

fn who_writes_much_does_not_delay_who_writes_little(engine: Engine) {
    let bench = Bench::new(engine, 4096);
    let (sender, ran) = channel();
    let submit = |user: i64, takes: Duration| {
        let sender = sender.clone();
        let work = move |_: &mut daybook_storage::Tx<'_>| {
            pause(takes);
            sender.send(user).expect("the test listens");
            Ok::<(), Error>(())
        };
        bench.store.submit(Submission::of(bench.lane(), UserId::new(user)), work, |_| {});
    };
    let release = bench.occupy();
    for _ in 0..16 {
        // Longer than a group takes on.
        submit(1, Duration::from_millis(150));
    }
    submit(2, Duration::ZERO);
    release.send(()).expect("the writer waits");
    let order: Vec<i64> = ran.iter().take(17).collect();
    let before = order.iter().take_while(|user| **user == 1).count();
    assert!(before <= 1, "the short write waits for one long one, not for all: {order:?}");
}

/// Where there are several writers.
fn free_writers_do_what_a_long_one_would_delay(engine: Engine) {
    if engine == Engine::Sqlite {
        return;
    }
    let bench = Bench::new(engine, 4096);
    let release = bench.occupy();
    // Longer than a group is before it counts as long.
    pause(Duration::from_millis(200));
    // Of so many books some have the writer that is occupied.
    for number in 0..64 {
        let (sender, done) = channel();
        let ticket =
            Submission::of(ShardKey::of_book(&format!("book {number}")), UserId::new(number));
        let nothing = |_: &mut daybook_storage::Tx<'_>| Ok::<(), Error>(());
        bench.store.submit(ticket, nothing, move |_| sender.send(()).expect("listens"));
        let answered = done.recv_timeout(Duration::from_secs(60));
        assert!(answered.is_ok(), "book {number} waits for the long one");
    }
    release.send(()).expect("the writer waits");
}

/// Both write in one book, so that they wait for the same writer on either engine.
fn requests_take_the_time_of_their_users(engine: Engine) {
    let server = Server::start(engine);
    let cast = Cast::with_accounts(&server, &CASH_AND_FOOD);
    let (much, little) = (server.client("much@example.com"), server.client("little@example.com"));
    for caller in [&much, &little] {
        cast.share(caller.email(), "EDITOR");
    }
    // On a busy machine the short write may reach the queue when the long ones are done.
    let mut attempts = (0..5).map(|_| answered_before(&server, &cast, (&much, &little)));
    assert!(attempts.any(|before| before <= 4), "the short write waits for all long ones");
}

/// How many of sixteen long writes are answered before a short one that was sent after them.
fn answered_before(server: &Server, cast: &Cast, (much, little): (&Client, &Client)) -> usize {
    const BATCHES: usize = 16;
    let many = batch((0..400).map(|at| lunch(&format!("many {at}"))));
    let (sender, answered) = channel();
    thread::scope(|scope| {
        let hold = Hold::book(server, &cast.book);
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
        drop(hold);
    });
    drop(sender);
    let order: Vec<&str> = answered.iter().collect();
    assert_eq!(order.len(), BATCHES + 1);
    order.iter().take_while(|who| **who == "much").count()
}

fn what_nobody_waits_for_is_not_begun(engine: Engine) {
    let server = Server::start(engine);
    let cast = Cast::with_accounts(&server, &CASH_AND_FOOD);
    // Made before the database is held.
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
        let hold = Hold::book(&server, &cast.book);
        // The writer is at work on this one; the others wait.
        let first = scope.spawn(|| {
            cast.owner.post(&cast.path("/transactions"), &lunch("first")).ok();
        });
        pause(QUEUED);
        let held = [leave("keyless", ""), leave("keyed", "Idempotency-Key: k1\r\n")];
        pause(QUEUED / 2);
        drop(held);
        // The server waits for a second whether they only stopped to send.
        pause(QUEUED * 2);
        drop(hold);
        first.join().expect("the first one is answered");
    });
    // What waited is done, or never will be, when this one is.
    cast.owner.post(&cast.path("/transactions"), &lunch("last")).ok();
    assert_eq!(found(&cast.owner, &cast, "first"), 1);
    assert_eq!(found(&cast.owner, &cast, "keyed"), 1, "a key promises that it is done");
    assert_eq!(found(&cast.owner, &cast, "keyless"), 0, "nobody waits for it");
    let repeated = cast.owner.header("Idempotency-Key", "k1");
    let answer = repeated.post(&cast.path("/transactions"), &lunch("keyed")).ok();
    assert!(!id(&answer["transaction"]).is_empty(), "{answer}");
    assert_eq!(found(&cast.owner, &cast, "keyed"), 1);
}
