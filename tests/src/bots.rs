//! Apps with a webhook and books in which they are installed, for benchmarks and the torture test.

use serde_json::{Value, json};

use crate::{Client, id, unique};

/// Creates an app of the caller that is subscribed to postings; returns its id.
#[track_caller]
pub fn register(owner: &Client, url: &str) -> String {
    let app = json!({"id": unique("bot"), "name": "Bot", "webhookUrl": url,
        "events": ["TRANSACTION_POSTED"]});
    id(&owner.post("/v5/apps", &app).ok()).to_owned()
}

/// Installs an app in a book; returns the id of the integration.
#[track_caller]
pub fn install(owner: &Client, book: &str, app: &str) -> String {
    let path = format!("/v5/books/{book}/integrations");
    id(&owner.post(&path, &json!({"agentId": app})).ok()).to_owned()
}

/// Creates a book with the accounts Cash and Food and these apps; returns its id.
#[track_caller]
pub fn book(owner: &Client, apps: &[String]) -> String {
    let accounts = json!([{"name": "Cash", "type": "ASSET"}, {"name": "Food", "type": "OUTGOING"}]);
    let body = json!({"name": unique("Book"), "accounts": accounts});
    let book = id(&owner.post("/v5/books", &body).ok()).to_owned();
    for app in apps {
        install(owner, &book, app);
    }
    book
}

/// The body of a transaction in such a book.
pub fn lunch(description: &str) -> Value {
    json!({"date": "2026-01-05", "amount": "1", "creditAccount": {"name": "Cash"},
        "debitAccount": {"name": "Food"}, "description": description})
}

/// Records a number of transactions in one batch.
#[track_caller]
pub fn record(owner: &Client, book: &str, count: usize) {
    let items = vec![lunch("Lunch"); count];
    let path = format!("/v5/books/{book}/transactions/batch");
    owner.post(&path, &json!({"items": items})).ok();
}

/// The number of events of a book that wait for delivery (8.10).
#[track_caller]
pub fn backlog(reader: &Client, book: &str) -> u64 {
    let count = &reader.get(&format!("/v5/books/{book}/events/backlog")).ok()["count"];
    count.as_u64().unwrap_or_else(|| panic!("a number: {count}"))
}
