//! Batches as large as a batch may be (3.6.6): existing clients never split what they send.

use std::time::Instant as Stopwatch;

use daybook_tests::{Cast, Engine, Server};
use serde_json::{Value, json};

use crate::Case;
use crate::reading::{Faults, batch, expected_totals, items, totals};

const ITEMS: usize = 10_000;
/// What a request with an idempotency key may take (0.16), and more than any of these should.
const SECONDS: u64 = 30;

pub fn tests() -> Vec<Case> {
    crate::isolated![transactions, chart]
}

struct Stage {
    cast: Cast,
    faults: Faults,
}

impl Stage {
    /// Sends a batch and returns the items of its answer, none of a 204.
    fn send(&mut self, method: &str, rest: &str, bodies: Vec<Value>) -> Vec<Value> {
        let started = Stopwatch::now();
        let count = bodies.len();
        let keyed = self.cast.owner.header("Idempotency-Key", &daybook_tests::unique("key"));
        let answer = keyed.send(method, &self.cast.path(rest), &batch(bodies));
        let seconds = started.elapsed().as_secs();
        let name = format!("{method} {rest}");
        assert!(
            matches!(answer.status, 200 | 204),
            "{name}: {} {:.300}",
            answer.status,
            answer.text
        );
        self.faults.check(seconds < SECONDS, || format!("{name} took {seconds} s"));
        self.faults.same(&name, answer.headers.get("skipped-items"), None);
        if answer.status == 204 {
            return Vec::new();
        }
        let list = items(&answer.ok()).clone();
        self.faults.same(&name, list.len(), count);
        list
    }
}

fn ids(list: &[Value]) -> Vec<Value> {
    list.iter().map(|item| json!({"id": item["id"]})).collect()
}

fn transactions(engine: Engine) {
    let server = Server::start(engine);
    let cast = Cast::with_accounts(&server, &daybook_tests::CASH_AND_FOOD);
    let mut stage = Stage { cast, faults: Faults::default() };
    // As an import sends them, each with its own remote id.
    let bodies = (0..ITEMS).map(|number| {
        json!({
            "date": format!("2025-{:02}-{:02}", 1 + number % 12, 1 + number % 28), "amount": "1.25",
            "creditAccount": {"name": "Cash"}, "debitAccount": {"name": "Food"},
            "description": format!("Purchase {number} #import"),
            "remoteIds": [format!("row-{number}")], "properties": {"row": number.to_string()},
        })
    });
    let bodies: Vec<Value> = bodies.collect();
    let made = stage.send("POST", "/transactions/batch", bodies.clone());
    let whole = expected_totals(&[("Cash", "0.00", "12500.00"), ("Food", "12500.00", "0.00")]);
    assert_eq!(totals(&stage.cast), whole);
    let again = stage.send("POST", "/transactions/batch", bodies);
    stage.faults.same("3.7.1: the same again", ids(&again), ids(&made));
    let changed = made.iter().map(|one| json!({"id": one["id"], "amount": "2.50"})).collect();
    let changed = stage.send("PUT", "/transactions/batch", changed);
    stage.faults.same("each has changed", &changed[ITEMS - 1]["amount"], &json!("2.50"));
    for path in ["check", "uncheck", "trash", "untrash"] {
        stage.send("PATCH", &format!("/transactions/{path}/batch"), ids(&made));
    }
    let doubled = expected_totals(&[("Cash", "0.00", "25000.00"), ("Food", "25000.00", "0.00")]);
    stage.faults.same("untrashed", totals(&stage.cast), doubled);
    // Drafts, and the batch that posts them.
    let drafts = (1..=ITEMS).map(|number| json!({"description": format!("Cash Food {number}")}));
    let drafts = stage.send("POST", "/transactions/batch", drafts.collect());
    let dated = drafts.iter().map(|one| json!({"id": one["id"], "date": "2025-06-30"})).collect();
    stage.send("PATCH", "/transactions/post/batch", dated);
    let found = stage.cast.owner.get(&stage.cast.path("/transactions/count?query=is:posted")).ok();
    stage.faults.same("posted", &found["total"], &json!(2 * ITEMS));
    stage.faults.none();
}

fn chart(engine: Engine) {
    let server = Server::start(engine);
    let mut stage = Stage { cast: Cast::new(&server), faults: Faults::default() };
    // Ten to a parent, five levels deep.
    let groups = (0..ITEMS).map(|number| match number / 10 {
        0 => json!({"name": format!("Group {number}")}),
        parent => json!({
            "name": format!("Group {number}"), "parent": {"name": format!("Group {parent}")},
        }),
    });
    let groups = stage.send("POST", "/groups/batch", groups.collect());
    let accounts = (0..ITEMS).map(|number| {
        let groups = json!([{"name": format!("Group {number}")}]);
        json!({"name": format!("Account {number}"), "groups": groups})
    });
    let accounts = stage.send("POST", "/accounts/batch", accounts.collect());
    let renamed = accounts.iter().enumerate().map(|(number, account)| {
        json!({"id": account["id"], "name": format!("Renamed {number}"), "type": "OUTGOING"})
    });
    let renamed = stage.send("PUT", "/accounts/batch", renamed.collect());
    stage.faults.same("each has changed", &renamed[ITEMS - 1]["type"], &json!("OUTGOING"));
    let hidden = groups.iter().map(|group| json!({"id": group["id"], "hidden": true}));
    let hidden = stage.send("PUT", "/groups/batch", hidden.collect());
    stage.faults.same("each has changed", &hidden[ITEMS - 1]["hidden"], &json!(true));
    stage.send("POST", "/accounts/delete/batch", ids(&accounts));
    stage.send("POST", "/groups/delete/batch", ids(&groups));
    for rest in ["/accounts", "/groups"] {
        let left = stage.cast.owner.get(&stage.cast.path(rest)).ok();
        stage.faults.same(rest, &left["items"], &json!([]));
    }
    stage.faults.none();
}
