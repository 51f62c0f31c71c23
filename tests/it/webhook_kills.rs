//! Processes that end while they deliver (8.9); `make torture` does it amid 10,000 deliveries.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use daybook_tests::receiver::{Receiver, fine};
use daybook_tests::torture::deliveries::{Plan, run};
use daybook_tests::{CASH_AND_FOOD, Cast, Engine, Server, pause};
use serde_json::json;

use crate::Lone;
use crate::file_sweep::eventually;
use crate::reading::items;
use crate::webhooks::install;

pub fn lone() -> Vec<Lone> {
    crate::lone![rule_8_9_others_take_over_within_a_minute, rule_8_9_every_event_arrives_in_order,]
}

/// Who goes on after a process has ended: the other one, or the next one on the same file.
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

    /// Kills whoever delivers: on PostgreSQL both, as nobody sees which one it is.
    fn kill(&mut self) {
        self.first.kill();
        if let Some(second) = &mut self.second {
            second.kill();
        }
        self.first.restart();
    }
}

/// In real time: the lease of a process that is no more ends by itself.
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
    let killed = Instant::now();
    pair.kill();
    open.store(true, Ordering::SeqCst);
    while receiver.received().len() < 3 {
        assert!(killed.elapsed() < Duration::from_secs(60), "8.9: not within a minute");
        pause(Duration::from_millis(50));
    }
    let sequences: Vec<i64> = receiver
        .received()
        .iter()
        .map(|received| received.body["sequence"].as_i64().expect("a number"))
        .collect();
    let [first, again, second] = sequences[..] else { panic!("8.9: {sequences:?}") };
    assert!(first == again && second == first + 1, "8.9: what was on its way again, in order");
    eventually("8.10: the backlog falls to 0", || {
        cast.owner.get(&cast.path("/events/backlog")).ok()["count"] == 0
    });
    let events = cast.owner.get(&cast.path("/events?type=TRANSACTION_POSTED")).ok();
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
