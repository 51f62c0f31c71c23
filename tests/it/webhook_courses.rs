//! Deliveries until their end (8.8, 8.9): given up after the last attempt, and beside an app that
//! answers nothing in many books.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use daybook_tests::receiver::{Receiver, fine};
use daybook_tests::{Backdoor, CASH_AND_FOOD, Cast, Engine, Server, bots, pause};
use serde_json::{Value, json};

use crate::Lone;
use crate::file_sweep::eventually;
use crate::reading::items;
use crate::webhooks::install;

pub fn lone() -> Vec<Lone> {
    crate::lone![rule_8_8_given_up_after_five_attempts, rule_8_9_a_silent_app_delays_nobody]
}

/// The pauses are over as soon as they begin; how long they are is a matter of `webhooks.rs` and of
/// the domain.
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
    let mut database = Backdoor::open(&server);
    let backlog = || cast.owner.get(&cast.path("/events/backlog")).ok()["count"].clone();
    eventually("8.10: the backlog falls to 0", || {
        database
            .execute("UPDATE delivery_queues SET due_at = 0 WHERE lease IS NULL AND due_at > 0");
        backlog() == 0
    });
    assert_eq!(receiver.received().len(), 6, "8.8: five times the first, then the second");
    let events = cast.owner.get(&cast.path("/events?type=TRANSACTION_POSTED")).ok();
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

/// Books of the silent app: more than a process delivers at once.
const BOOKS: usize = 70;
/// Events of each of them.
const EVENTS: usize = 4;
/// What waits for a silent app waits a minute; a busy machine is not as slow.
const PROMPT: Duration = Duration::from_secs(5);

fn rule_8_9_a_silent_app_delays_nobody(engine: Engine) {
    let server = Server::start(engine);
    let owner = server.client("owner@example.com");
    let (open, at_once) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicUsize::new(0)));
    let (gate, counted) = (Arc::clone(&open), Arc::clone(&at_once));
    let silent = Receiver::answering(move |_| {
        counted.fetch_add(1, Ordering::SeqCst);
        while !gate.load(Ordering::SeqCst) {
            pause(Duration::from_millis(20));
        }
        fine("{}")
    });
    let prompt = Receiver::start();
    let apps = [&silent, &prompt].map(|receiver| bots::register(&owner, &receiver.url()));
    let busy: Vec<String> = (0..BOOKS).map(|_| bots::book(&owner, &apps[..1])).collect();
    for book in &busy {
        bots::record(&owner, book, EVENTS);
    }
    let other = bots::book(&owner, &apps[1..]);
    for number in 1..=5 {
        let begun = Instant::now();
        bots::record(&owner, &other, 1);
        prompt.wait_for(number);
        let took = begun.elapsed();
        assert!(took < PROMPT, "8.9: {took:?} while another app is silent");
    }
    assert_eq!(at_once.load(Ordering::SeqCst), 8, "8.9: it has its own places and no others");
    open.store(true, Ordering::SeqCst);
    let waiting = |book: &String| bots::backlog(&owner, book) > 0;
    eventually("8.10: all of it is delivered", || !busy.iter().any(waiting));
    assert_eq!(silent.received().len(), BOOKS * EVENTS);
}
