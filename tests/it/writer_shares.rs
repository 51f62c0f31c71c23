//! Shares of a writer (0.36): nobody waits for more than one unit of another user's work.

use std::sync::mpsc::channel;
use std::thread;
use std::time::Duration;

use daybook_tests::{CASH_AND_FOOD, Cast, Engine, Hold, Server, pause};
use serde_json::{Value, json};

use crate::Lone;
use crate::reading::batch;

pub fn lone() -> Vec<Lone> {
    crate::lone![who_writes_much_does_not_delay_who_writes_little]
}

/// Long enough for requests to reach the writer's queue.
const QUEUED: Duration = Duration::from_millis(1_500);

fn lunch(description: &str) -> Value {
    json!({"date": "2026-01-15", "amount": "1.00", "description": description,
        "creditAccount": {"name": "Cash"}, "debitAccount": {"name": "Food"}})
}

/// Both write in one book, so that they wait for the same writer on either engine.
fn who_writes_much_does_not_delay_who_writes_little(engine: Engine) {
    const BATCHES: usize = 16;
    let server = Server::start(engine);
    let cast = Cast::with_accounts(&server, &CASH_AND_FOOD);
    let (much, little) = (server.client("much@example.com"), server.client("little@example.com"));
    for caller in [&much, &little] {
        cast.share(caller.email(), "EDITOR");
    }
    let many = batch((0..400).map(|at| lunch(&format!("many {at}"))));
    let (sender, answered) = channel();
    thread::scope(|scope| {
        let hold = Hold::book(&server, &cast.book);
        for _ in 0..BATCHES {
            let (sender, many, much, cast) = (sender.clone(), &many, &much, &cast);
            scope.spawn(move || {
                much.post(&cast.path("/transactions/batch"), many).ok();
                sender.send("much").expect("the test listens");
            });
        }
        pause(QUEUED);
        let (sender, little, cast) = (sender.clone(), &little, &cast);
        scope.spawn(move || {
            little.post(&cast.path("/transactions"), &lunch("little")).ok();
            sender.send("little").expect("the test listens");
        });
        pause(QUEUED);
        drop(hold);
    });
    drop(sender);
    let order: Vec<&str> = answered.iter().collect();
    let before = order.iter().take_while(|who| **who == "much").count();
    assert_eq!(order.len(), BATCHES + 1);
    // One was under way, and one more may be answered by its own thread before.
    assert!(before <= 4, "the short write waits for one long one, not for all: {order:?}");
}
