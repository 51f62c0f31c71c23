//! Batches of the maximum size (3.6.6), because existing clients never split them.

use std::time::Instant as Stopwatch;

use daybook_tests::{Cast, Engine, Server};
use serde_json::{Value, json};

use crate::Case;
use crate::reading::{Faults, batch, expected_totals, items, totals};

const ITEMS: usize = 10_000;
/// The limit of a request with an idempotency key (0.16), which none of these should reach.
const SECONDS: u64 = 30;

pub fn tests() -> Vec<Case> {
    crate::isolated![transactions, chart]
}

struct Fixture {
    cast: Cast,
    faults: Faults,
}

impl Fixture {
    /// Sends a batch and returns the items of the response; none for a 204.
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
    let mut fixture = Fixture { cast, faults: Faults::default() };
    // As an import sends them: each with a remote id.
    let bodies = (0..ITEMS).map(|number| {
        json!({
            "date": format!("2025-{:02}-{:02}", 1 + number % 12, 1 + number % 28), "amount": "1.25",
            "creditAccount": {"name": "Cash"}, "debitAccount": {"name": "Food"},
            "description": format!("Purchase {number} #import"),
            "remoteIds": [format!("row-{number}")], "properties": {"row": number.to_string()},
        })
    });
    let bodies: Vec<Value> = bodies.collect();
    let made = fixture.send("POST", "/transactions/batch", bodies.clone());
    let whole = expected_totals(&[("Cash", "0.00", "12500.00"), ("Food", "12500.00", "0.00")]);
    assert_eq!(totals(&fixture.cast), whole);
    let repeated = fixture.send("POST", "/transactions/batch", bodies);
    fixture.faults.same("3.7.1: the same again", ids(&repeated), ids(&made));
    let changed = made.iter().map(|one| json!({"id": one["id"], "amount": "2.50"})).collect();
    let changed = fixture.send("PUT", "/transactions/batch", changed);
    fixture.faults.same("each has changed", &changed[ITEMS - 1]["amount"], &json!("2.50"));
    for path in ["check", "uncheck", "trash", "untrash"] {
        fixture.send("PATCH", &format!("/transactions/{path}/batch"), ids(&made));
    }
    let doubled = expected_totals(&[("Cash", "0.00", "25000.00"), ("Food", "25000.00", "0.00")]);
    fixture.faults.same("untrashed", totals(&fixture.cast), doubled);
    // Drafts, and the batch that posts them.
    let drafts = (1..=ITEMS).map(|number| json!({"description": format!("Cash Food {number}")}));
    let drafts = fixture.send("POST", "/transactions/batch", drafts.collect());
    let dated = drafts.iter().map(|one| json!({"id": one["id"], "date": "2025-06-30"})).collect();
    fixture.send("PATCH", "/transactions/post/batch", dated);
    let found = fixture.cast.get("/transactions/count?query=is:posted").ok();
    fixture.faults.same("posted", &found["total"], &json!(2 * ITEMS));
    fixture.faults.none();
}

fn chart(engine: Engine) {
    let server = Server::start(engine);
    let mut fixture = Fixture { cast: Cast::new(&server), faults: Faults::default() };
    // Ten groups per parent, five levels deep.
    let groups = (0..ITEMS).map(|number| match number / 10 {
        0 => json!({"name": format!("Group {number}")}),
        parent => json!({
            "name": format!("Group {number}"), "parent": {"name": format!("Group {parent}")},
        }),
    });
    let groups = fixture.send("POST", "/groups/batch", groups.collect());
    let accounts = (0..ITEMS).map(|number| {
        let groups = json!([{"name": format!("Group {number}")}]);
        json!({"name": format!("Account {number}"), "groups": groups})
    });
    let accounts = fixture.send("POST", "/accounts/batch", accounts.collect());
    let renamed = accounts.iter().enumerate().map(|(number, account)| {
        json!({"id": account["id"], "name": format!("Renamed {number}"), "type": "OUTGOING"})
    });
    let renamed = fixture.send("PUT", "/accounts/batch", renamed.collect());
    fixture.faults.same("each has changed", &renamed[ITEMS - 1]["type"], &json!("OUTGOING"));
    let hidden = groups.iter().map(|group| json!({"id": group["id"], "hidden": true}));
    let hidden = fixture.send("PUT", "/groups/batch", hidden.collect());
    fixture.faults.same("each has changed", &hidden[ITEMS - 1]["hidden"], &json!(true));
    fixture.send("POST", "/accounts/delete/batch", ids(&accounts));
    fixture.send("POST", "/groups/delete/batch", ids(&groups));
    for rest in ["/accounts", "/groups"] {
        let left = fixture.cast.get(rest).ok();
        fixture.faults.same(rest, &left["items"], &json!([]));
    }
    fixture.faults.none();
}
