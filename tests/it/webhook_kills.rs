//! Processes that are killed while they deliver (8.9); `make torture` does it with 10,000
//! deliveries.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant, UNIX_EPOCH};

use daybook_tests::receiver::{Receiver, fine};
use daybook_tests::torture::deliveries::{Plan, run};
use daybook_tests::{CASH_AND_FOOD, Cast, Engine, RawSql, Server, bots, pause};
use serde_json::json;

use crate::Case;
use crate::file_sweep::eventually;
use crate::reading::items;
use crate::webhooks::install;

pub fn tests() -> Vec<Case> {
    crate::isolated![
        rule_8_9_others_take_over_within_a_minute,
        rule_8_9_every_event_arrives_in_order,
        rule_8_9_writers_and_deliveries_do_not_deadlock,
    ]
}

/// The process that continues after a kill: the other one, or the next one on the same file.
struct Pair {
    first: Server,
    second: Option<Server>,
}

impl Pair {
    fn start(engine: Engine) -> Pair {
        let first = Server::start(engine);
        let second = (engine == Engine::Postgres).then(|| first.beside(&[]));
        Pair { first, second }
    }

    /// Kills the delivering process: on PostgreSQL both, because it is unknown which one it is.
    fn kill(&mut self) {
        self.first.kill();
        if let Some(second) = &mut self.second {
            second.kill();
        }
    }
}

/// In real time: the lease of a killed process expires by itself.
fn rule_8_9_others_take_over_within_a_minute(engine: Engine) {
    let mut pair = Pair::start(engine);
    let cast = Cast::with_accounts(&pair.first, &CASH_AND_FOOD);
    let open = Arc::new(AtomicBool::new(false));
    let gate = Arc::clone(&open);
    let receiver = Receiver::answering(move |_| {
        while !gate.load(Ordering::SeqCst) {
            pause(Duration::from_millis(10));
        }
        fine(r#"{"result": "fine"}"#)
    });
    install(&cast, &receiver.url(), &["TRANSACTION_POSTED"], json!({}));
    for description in ["one", "two"] {
        cast.record("2026-01-05", "10", "Cash", "Food", description);
    }
    receiver.wait_for(1);
    pair.kill();
    let minute = UNIX_EPOCH.elapsed().expect("after 1970").as_millis() + 60_000;
    let within = format!(
        "SELECT COUNT(*) FROM delivery_queues WHERE lease IS NOT NULL AND leased_until <= {minute}"
    );
    assert_eq!(RawSql::open(&pair.first).count(&within), 1, "8.9: its lease ends in a minute");
    pair.first.restart();
    open.store(true, Ordering::SeqCst);
    receiver.wait_for(3);
    let sequences: Vec<i64> = receiver
        .received()
        .iter()
        .map(|received| received.body["sequence"].as_i64().expect("a number"))
        .collect();
    let [first, again, second] = sequences[..] else { panic!("8.9: {sequences:?}") };
    assert!(first == again && second == first + 1, "8.9: what was on its way again, in order");
    eventually("8.10: the backlog falls to 0", || cast.get("/events/backlog").ok()["count"] == 0);
    let events = cast.get("/events?type=TRANSACTION_POSTED").ok();
    for event in items(&events) {
        assert_eq!(event["botResponses"].as_array().map(Vec::len), Some(1), "8.7: one of an app");
    }
}

/// The short form of `make torture`.
fn rule_8_9_every_event_arrives_in_order(engine: Engine) {
    let plan = Plan { books: 4, apps: 3, events: 60, kill_after: 150, hasten: true };
    let delivered = run(engine, plan).expect("everything is delivered");
    assert_eq!(delivered.violations, [] as [String; 0], "{delivered:?}");
    assert_eq!(delivered.arrivals - delivered.repeated, plan.deliveries(), "{delivered:?}");
}

/// Books of the same writers, some of which also lease queues.
const BOOKS: usize = 8;

/// Two processes write in the same books and both deliver: every wait for a book or a queue ends,
/// so no write is lost.
fn rule_8_9_writers_and_deliveries_do_not_deadlock(engine: Engine) {
    let first = Server::start(engine);
    let second = (engine == Engine::Postgres).then(|| first.beside(&[]));
    let owner = first.client("owner@example.com");
    let receiver = Receiver::forgetting(|_| fine("{}"));
    let apps: Vec<String> = (0..3).map(|_| bots::register(&owner, &receiver.url())).collect();
    let books: Vec<String> = (0..BOOKS).map(|_| bots::book(&owner, &apps)).collect();
    let token = owner.token().expect("a token");
    let processes: Vec<&Server> = [Some(&first), second.as_ref()].into_iter().flatten().collect();
    let end = Instant::now() + Duration::from_secs(5);
    std::thread::scope(|scope| {
        for number in 0..16 {
            let caller = processes[number % processes.len()].client_with_token(token);
            let books = &books;
            scope.spawn(move || {
                let mut turn = number;
                while Instant::now() < end {
                    let path = format!("/v5/books/{}/transactions", books[turn % BOOKS]);
                    caller.post(&path, &bots::lunch("Lunch")).ok();
                    turn += 3;
                }
            });
        }
    });
    for log in processes.iter().map(|process| process.log()) {
        assert!(!log.contains("group of writes lost"), "{log}");
    }
}
