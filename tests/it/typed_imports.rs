//! Batches of many quick entries, which are parsed before their unit of work starts (3.8, 0.36).

use daybook_tests::{Cast, Server, unique};
use serde_json::{Value, json};

use crate::Case;
use crate::limited_callers::issued;
use crate::reading::{batch, items};

pub fn tests() -> Vec<Case> {
    crate::cases![many_lines_are_read_as_few, many_lines_are_refused_as_few]
}

/// Lines of 200 bytes: few are parsed in the writer, many before.
const FEW: usize = 10;
const MANY: usize = 700;

fn cast(server: &Server) -> Cast {
    let cast = Cast::new(server);
    cast.account("Cash", "ASSET");
    cast.account("Taxi", "OUTGOING");
    cast
}

fn lines(count: usize) -> Value {
    let words = "to the airport and back ".repeat(7);
    batch(
        (0..count)
            .map(|at| json!({"description": format!("13/05/2025 cash taxi {at},50 {words}")})),
    )
}

/// The rows without the fields that are unique to each transaction.
fn bare(rows: &[Value]) -> Vec<Value> {
    let names = ["date", "amount", "description", "posted", "draft"];
    let sides = ["creditAccount", "debitAccount"];
    let row = |row: &Value| {
        let fields = names.map(|name| row[name].clone());
        let sides = sides.map(|side| row[side]["name"].clone());
        json!([fields, sides])
    };
    rows.iter().map(row).collect()
}

fn many_lines_are_read_as_few(server: &Server) {
    let cast = cast(server);
    let send = |count| {
        let answer = cast.post("/transactions/batch", &lines(count)).ok();
        bare(items(&answer))
    };
    let (few, many) = (send(FEW), send(MANY));
    assert_eq!(many.len(), MANY);
    assert_eq!(few, many[..FEW], "the same lines become the same transactions");
    assert!(many[0][1] == json!(["Cash", "Taxi"]), "the lines are read: {}", many[0]);

    // A repetition gets the stored response, although the accounts were renamed.
    let keyed = cast.owner.header("Idempotency-Key", &unique("key"));
    let first = keyed.post(&cast.path("/transactions/batch"), &lines(MANY)).ok();
    let taxi = cast.get("/accounts/Taxi").ok();
    cast.put("/accounts", &json!({"id": taxi["id"], "name": "Bus"})).ok();
    let repeated = keyed.post(&cast.path("/transactions/batch"), &lines(MANY)).ok();
    assert_eq!(first, repeated);
}

fn many_lines_are_refused_as_few(server: &Server) {
    let cast = cast(server);
    cast.share("viewer@example.com", "VIEWER");
    let reading = issued(server, &cast.owner, json!({"readOnly": true}));
    let callers = [
        (server.anonymous(), 401),
        (server.client("viewer@example.com"), 403),
        (server.client("stranger@example.com"), 404),
        (reading, 403),
    ];
    for (caller, status) in callers {
        for count in [FEW, MANY] {
            let answer = caller.post(&cast.path("/transactions/batch"), &lines(count));
            assert_eq!(answer.status, status, "{} {count}: {}", caller.email(), answer.text);
        }
    }
    let path = cast.path("/transactions/batch?timeZone=Nowhere");
    let few = cast.owner.post(&path, &lines(FEW)).refused(400, "badRequest");
    assert_eq!(few, cast.owner.post(&path, &lines(MANY)).refused(400, "badRequest"));
}
