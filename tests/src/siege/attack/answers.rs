//! Small requests with large answers.

use serde_json::{Value, json};

use super::{Traffic, get, requests, send};
use crate::siege::env::SiegeEnv;

/// Events with two accounts, each in ten groups with 64 KB of properties.
pub(super) fn events(env: &SiegeEnv) -> anyhow::Result<Traffic> {
    let book = book_with_chart(env)?;
    Ok(requests(move |_| get(format!("/v5/books/{book}/events?limit=200"))))
}

/// Accounts, each in ten groups with 64 KB of properties.
pub(super) fn accounts(env: &SiegeEnv) -> anyhow::Result<Traffic> {
    let book = book_with_chart(env)?;
    Ok(requests(move |_| get(format!("/v5/books/{book}/accounts"))))
}

fn book_with_chart(env: &SiegeEnv) -> anyhow::Result<String> {
    let book = env.book()?;
    env.chart(&book)?;
    let sides = |number: usize| json!({"creditAccount": {"name": format!("A{}", number % 15)}});
    env.record_in(&book, env.size.of(200), 20, sides)?;
    Ok(book)
}

/// Transactions with forty files, each with 64 KB of properties.
pub(super) fn files(env: &SiegeEnv) -> anyhow::Result<Traffic> {
    let (book, _) = book_with_files(env)?;
    Ok(requests(move |_| get(format!("/v5/books/{book}/transactions?limit=1000"))))
}

/// Updates of all these transactions in one request.
pub(super) fn put(env: &SiegeEnv) -> anyhow::Result<Traffic> {
    let (book, ids) = book_with_files(env)?;
    let items: Vec<Value> = ids.iter().map(|id| json!({"id": id})).collect();
    let body = json!({"items": items}).to_string();
    Ok(requests(move |_| {
        send("PUT", format!("/v5/books/{book}/transactions/batch"), body.as_bytes())
    }))
}

/// Creates a book with transactions of forty files each; returns it and their ids.
pub(super) fn book_with_files(env: &SiegeEnv) -> anyhow::Result<(String, Vec<String>)> {
    let book = env.book()?;
    let files = env.files(&book, 40)?;
    let held = |_| json!({"files": files});
    let ids = env.record_in(&book, env.size.of(200), 10, held)?;
    Ok((book, ids))
}
