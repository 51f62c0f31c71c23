//! Small requests with large answers.

use serde_json::{Value, json};

use super::{Weapon, get, requests, send};
use crate::siege::env::Ground;

/// Events that show two accounts, each with ten groups, each with 64 KB of properties.
pub(super) fn events(ground: &Ground) -> anyhow::Result<Weapon> {
    let book = charted(ground)?;
    Ok(requests(move |_| get(format!("/v5/books/{book}/events?limit=200"))))
}

/// Accounts, each with ten groups, each with 64 KB of properties.
pub(super) fn accounts(ground: &Ground) -> anyhow::Result<Weapon> {
    let book = charted(ground)?;
    Ok(requests(move |_| get(format!("/v5/books/{book}/accounts"))))
}

fn charted(ground: &Ground) -> anyhow::Result<String> {
    let book = ground.book()?;
    ground.chart(&book)?;
    let sides = |number: usize| json!({"creditAccount": {"name": format!("A{}", number % 15)}});
    ground.record_in(&book, (ground.size.of(200), 20), sides)?;
    Ok(book)
}

/// Transactions that show forty files, each with 64 KB of properties.
pub(super) fn files(ground: &Ground) -> anyhow::Result<Weapon> {
    let (book, _) = filed(ground)?;
    Ok(requests(move |_| get(format!("/v5/books/{book}/transactions?limit=1000"))))
}

/// The same transactions, changed all at once.
pub(super) fn put(ground: &Ground) -> anyhow::Result<Weapon> {
    let (book, ids) = filed(ground)?;
    let items: Vec<Value> = ids.iter().map(|id| json!({"id": id})).collect();
    let body = json!({"items": items}).to_string();
    Ok(requests(move |_| {
        send("PUT", format!("/v5/books/{book}/transactions/batch"), body.as_bytes())
    }))
}

/// A book with transactions that hold forty files each, and their ids.
pub(super) fn filed(ground: &Ground) -> anyhow::Result<(String, Vec<String>)> {
    let book = ground.book()?;
    let files = ground.files(&book, 40)?;
    let held = |_| json!({"files": files});
    let ids = ground.record_in(&book, (ground.size.of(200), 10), held)?;
    Ok((book, ids))
}
