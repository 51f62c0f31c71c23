//! Deliveries until their end (8.8, 8.9): given up after the last attempt, and beside apps that
//! hang in many books.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use daybook_domain::book::Changes;
use daybook_domain::id::UserId;
use daybook_domain::instant::Instant as UnixTime;
use daybook_service::delivery::{self, InFlight};
use daybook_tests::receiver::{Receiver, fine};
use daybook_tests::{CASH_AND_FOOD, Cast, Client, Engine, RawSql, Server, bots, pause, resident};
use serde_json::{Value, json};

use crate::Case;
use crate::file_sweep::eventually;
use crate::inside::Inside;
use crate::reading::items;
use crate::webhooks::install;

pub fn tests() -> Vec<Case> {
    crate::isolated![
        rule_8_8_given_up_after_five_attempts,
        rule_8_9_silent_app_delays_no_other_app,
        rule_8_9_silent_apps_delay_no_other_user,
        rule_8_9_due_delivery_behind_many_is_found,
        rule_8_9_waiting_events_take_no_memory,
    ]
}

/// Retries are due at once; `webhooks.rs` and the domain test the pauses.
fn rule_8_8_given_up_after_five_attempts(engine: Engine) {
    let server = Server::start(engine);
    let cast = Cast::with_accounts(&server, &CASH_AND_FOOD);
    let receiver = Receiver::answering(|received| {
        let transaction = &received.body["data"]["object"]["transaction"];
        match transaction["description"].as_str() {
            Some("one") => ("500 Oh".to_owned(), r#"{"result": "unheard"}"#.to_owned()),
            _ => fine(r#"{"result": "fine"}"#),
        }
    });
    install(&cast, &receiver.url(), &["TRANSACTION_POSTED"], json!({}));
    for description in ["one", "two"] {
        cast.record("2026-01-05", "10", "Cash", "Food", description);
    }
    let mut database = RawSql::open(&server);
    let backlog = || cast.get("/events/backlog").ok()["count"].clone();
    eventually("8.10: the backlog falls to 0", || {
        database
            .execute("UPDATE delivery_queues SET due_at = 0 WHERE lease IS NULL AND due_at > 0");
        backlog() == 0
    });
    assert_eq!(receiver.received().len(), 6, "8.8: five times the first, then the second");
    let events = cast.get("/events?type=TRANSACTION_POSTED").ok();
    let told: Vec<Value> = items(&events)
        .iter()
        .map(|event| {
            assert_eq!(event["botResponses"].as_array().map(Vec::len), Some(1));
            let response = &event["botResponses"][0];
            json!([response["type"], response["message"]])
        })
        .collect();
    let expected = [json!(["INFO", "fine"]), json!(["ERROR", "not delivered: status 500"])];
    assert_eq!(told, expected, "8.8: then an error");
}

/// Books of the hanging app: more than a process delivers concurrently.
const BOOKS: usize = 70;
/// Events of each book.
const EVENTS: usize = 4;
/// A delivery to a hanging app takes a minute; a busy machine is faster than that.
const PROMPT: Duration = Duration::from_secs(30);

/// A receiver that does not answer until it is released.
struct Silent {
    receiver: Receiver,
    may_speak: Arc<AtomicBool>,
    asked: Arc<AtomicUsize>,
}

impl Silent {
    fn start() -> Silent {
        let (may_speak, asked) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicUsize::new(0)));
        let (gate, counted) = (Arc::clone(&may_speak), Arc::clone(&asked));
        let receiver = Receiver::answering(move |_| {
            counted.fetch_add(1, Ordering::SeqCst);
            while !gate.load(Ordering::SeqCst) {
                pause(Duration::from_millis(20));
            }
            fine("{}")
        });
        Silent { receiver, may_speak, asked }
    }

    fn asked(&self) -> usize {
        self.asked.load(Ordering::SeqCst)
    }

    fn speak(&self) {
        self.may_speak.store(true, Ordering::SeqCst);
    }
}

/// Asserts that an event arrives soon, also after many earlier ones.
#[track_caller]
fn hears_at_once(owner: &Client, book: &str, prompt: &Receiver) {
    let before = prompt.received().len();
    for number in 1..=5 {
        let begun = Instant::now();
        bots::record(owner, book, 1);
        prompt.wait_for(before + number);
        let took = begun.elapsed();
        assert!(took < PROMPT, "8.9: {took:?} while others are silent");
    }
}

fn rule_8_9_silent_app_delays_no_other_app(engine: Engine) {
    let server = Server::start(engine);
    let owner = server.client("owner@example.com");
    let (silent, prompt) = (Silent::start(), Receiver::start());
    let receivers = [&silent.receiver, &prompt];
    let apps = receivers.map(|receiver| bots::register(&owner, &receiver.url()));
    let busy: Vec<String> = (0..BOOKS).map(|_| bots::book(&owner, &apps[..1])).collect();
    for book in &busy {
        bots::record(&owner, book, EVENTS);
    }
    eventually("8.9: its own places", || silent.asked() >= 8);
    let other = bots::book(&owner, &apps[1..]);
    hears_at_once(&owner, &other, &prompt);
    assert_eq!(silent.asked(), 8, "8.9: it has its own places and no others");
    silent.speak();
    let waiting = |book: &String| bots::backlog(&owner, book) > 0;
    eventually("8.10: all of it is delivered", || !busy.iter().any(waiting));
    assert_eq!(silent.receiver.received().len(), BOOKS * EVENTS);
}

/// As many apps of one user as would take all delivery slots, and more.
fn rule_8_9_silent_apps_delay_no_other_user(engine: Engine) {
    let server = Server::start(engine);
    let [busy, other] = ["busy", "other"].map(|name| server.client(&format!("{name}@example.com")));
    let (silent, prompt) = (Silent::start(), Receiver::start());
    let apps: Vec<String> =
        (0..10).map(|_| bots::register(&busy, &silent.receiver.url())).collect();
    let books: Vec<String> = (0..8).map(|_| bots::book(&busy, &apps)).collect();
    for book in &books {
        bots::record(&busy, book, 1);
    }
    eventually("8.9: half of the places", || silent.asked() >= 32);
    let app = bots::register(&other, &prompt.url());
    let book = bots::book(&other, &[app]);
    hears_at_once(&other, &book, &prompt);
    let app = bots::register(&other, &silent.receiver.url());
    bots::install(&other, &book, &app);
    hears_at_once(&other, &book, &prompt);
    eventually("8.9: one of the places of the other user", || silent.asked() >= 33);
    assert_eq!(silent.asked(), 33, "8.9: and none of them for the apps of the first");
    silent.speak();
    let waiting = |book: &String| bots::backlog(&busy, book) > 0;
    eventually("8.10: all of it is delivered", || !books.iter().any(waiting));
}

/// A time in the future, which the server's own worker does not reach.
const THEN: UnixTime = UnixTime::new(4_000_000_000_000);

/// Far more deliveries than slots are queued before it, of an app and a user that may use no more
/// slots; one scan finds it nevertheless.
fn rule_8_9_due_delivery_behind_many_is_found(engine: Engine) {
    let inside = Inside::new(engine, THEN, Changes::default());
    let due = THEN.milliseconds();
    let mut statements = Vec::new();
    let book = "(SELECT MAX(id) FROM books)";
    let mut queue = |number: i64, app: &str, installer: i64| {
        statements.extend([
            format!(
                "INSERT INTO integrations (book_id, id, app_id, installer_id, name, created_at, \
                 updated_at, version) VALUES ({book}, {number}, '{app}', {installer}, '', 0, 0, 1)"
            ),
            format!(
                "INSERT INTO delivery_queues (book_id, app_id, due_at) \
                 VALUES ({book}, '{app}', {due} - 1000 + {number})"
            ),
            format!(
                "INSERT INTO deliveries (book_id, app_id, sequence, depth) \
                 VALUES ({book}, '{app}', 1, 0)"
            ),
        ]);
    };
    (0..100).for_each(|number| queue(number, &format!("many{number}"), 7));
    (100..200).for_each(|number| queue(number, &format!("more{number}"), 8));
    queue(200, "last", 9);
    let statements: Vec<&str> = statements.iter().map(String::as_str).collect();
    inside.execute(&statements);
    let occupied = InFlight::new(64, 8);
    let accepted = inside.write(move |tx, _, _| delivery::lease_due(tx, &mut || 1, occupied, THEN));
    let accepted = accepted.expect("what is due");
    let of = |user: i64| {
        accepted.iter().filter(|one| one.slot.installer == Some(UserId::new(user))).count()
    };
    assert_eq!([7, 8, 9].map(of), [32, 16, 1], "8.9: each has as many as are free then");
}

/// Queued events of a hanging app: few, then many.
const FEW: usize = 2_000;
const MANY: usize = 20_000;
/// The memory that a process may need for so many more events. An event as sent has more than a
/// kilobyte, so they would need twice as much.
const MORE_MEBIBYTES: f64 = 8.0;

/// A hanging app gets one event at a time, and the queued ones stay in the database. A new process
/// has only that in its memory.
fn rule_8_9_waiting_events_take_no_memory(engine: Engine) {
    let mut server = Server::start(engine);
    let owner = server.client("owner@example.com");
    let (silent, prompt) = (Silent::start(), Receiver::start());
    let apps = [&silent.receiver, &prompt].map(|one| bots::register(&owner, &one.url()));
    let books = apps.each_ref().map(|app| bots::book(&owner, std::slice::from_ref(app)));
    let mut waiting = 0;
    let accepted = [FEW, MANY].map(|count| {
        for _ in 0..(count - waiting) / 1_000 {
            bots::record(&owner, &books[0], 1_000);
        }
        waiting = count;
        server.kill();
        server.restart();
        // The deliveries of the previous process are due again, without its lease.
        RawSql::open(&server).execute(
            "UPDATE delivery_queues SET lease = NULL, leased_until = NULL, due_at = 0 \
             WHERE EXISTS (SELECT 1 FROM deliveries d WHERE d.book_id = delivery_queues.book_id \
             AND d.app_id = delivery_queues.app_id)",
        );
        let asked = silent.asked();
        bots::record(&owner, &books[1], 1);
        let heard = prompt.received().len();
        eventually("8.9: the app that hangs is asked", || silent.asked() > asked);
        bots::record(&owner, &books[1], 1);
        prompt.wait_for(heard + 1);
        assert_eq!(bots::backlog(&owner, &books[0]), count as u64, "8.10: all of it waits");
        resident(server.pid())
    });
    assert!(accepted[1] < accepted[0] + MORE_MEBIBYTES, "8.9: resident MiB: {accepted:?}");
    silent.speak();
}
