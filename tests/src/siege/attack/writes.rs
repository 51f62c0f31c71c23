//! Requests that occupy a writer or the disk.

use serde_json::{Value, json};

use super::answers::book_with_files;
use super::{Traffic, requests, send};
use crate::rng::Rng;
use crate::siege::env::SiegeEnv;
use crate::siege::load::{Request, Then};
use crate::unique;

/// Copies of a book of 20,000 transactions, abandoned by their sender.
pub(super) fn copies(env: &SiegeEnv) -> anyhow::Result<Traffic> {
    let book = env.book()?;
    env.record(&book, env.size.of(20_000), |_| json!({}))?;
    Ok(requests(move |number| {
        let path = format!("/v5/books/{book}/copy?name=Copy%20{number}&copyTransactions=true");
        Request { then: Then::Leave, ..send("POST", path, "") }
    }))
}

/// A batch of 10,000 quick entries, 14 MB in all.
pub(super) fn lines(env: &SiegeEnv) -> anyhow::Result<Traffic> {
    let book = env.book()?;
    let words = "lunch with everybody ".repeat(65);
    let items: Vec<Value> = (0..env.size.of(10_000))
        .map(|number| json!({"description": format!("31/01/2025 {number} Cash Food {words}")}))
        .collect();
    let body = json!({"items": items}).to_string();
    Ok(requests(move |_| {
        send("POST", format!("/v5/books/{book}/transactions/batch"), body.as_bytes())
    }))
}

/// A batch of 10,000 texts with hardly any common trigram.
pub(super) fn texts(env: &SiegeEnv) -> anyhow::Result<Traffic> {
    let book = env.book()?;
    let mut rng = Rng::new(1);
    let mut letter = || char::from_u32(0x4e00 + rng.below(20_000) as u32).unwrap_or('x');
    let items: Vec<Value> = (0..env.size.of(10_000))
        .map(|_| json!({"description": (0..250).map(|_| letter()).collect::<String>()}))
        .collect();
    let body = json!({"items": items}).to_string();
    Ok(requests(move |_| {
        send("POST", format!("/v5/books/{book}/transactions/batch"), body.as_bytes())
    }))
}

/// Small requests with idempotency keys, whose answer is a book with 14 KB that do not compress.
/// Stored answers count towards the storage quota.
pub(super) fn kept_answers(env: &SiegeEnv) -> anyhow::Result<Traffic> {
    let book = env.book()?;
    let mut rng = Rng::new(2);
    let mut letter = || char::from(b'!' + u8::try_from(rng.below(90)).unwrap_or_default());
    let mut text = || (0..7_000).map(|_| letter()).collect::<String>();
    let path = format!("/v5/books/{book}");
    let answer = env.attacker.put(&path, &json!({"properties": {"a": text(), "b": text()}}));
    anyhow::ensure!(answer.status == 200, "the properties: {}", answer.text);
    let prefix = unique("key");
    Ok(requests(move |number| {
        let headers = format!("Idempotency-Key: {prefix}-{number}\r\n");
        Request { headers, ..send("PUT", path.clone(), r#"{"pageSize":100}"#) }
    }))
}

/// Updates without changes, with idempotency keys, of transactions with large answers.
pub(super) fn no_ops(env: &SiegeEnv) -> anyhow::Result<Traffic> {
    let (book, ids) = book_with_files(env)?;
    let items: Vec<Value> = ids.iter().take(20).map(|id| json!({"id": id})).collect();
    let body = json!({"items": items}).to_string();
    let prefix = unique("key");
    Ok(requests(move |number| {
        let path = format!("/v5/books/{book}/transactions/batch");
        let headers = format!("Idempotency-Key: {prefix}-{number}\r\n");
        Request { headers, ..send("PUT", path, body.as_bytes()) }
    }))
}

/// Transactions with URLs of the maximum length, checked and unchecked in the largest batches,
/// alternately.
pub(super) fn urls(env: &SiegeEnv) -> anyhow::Result<Traffic> {
    let book = env.book()?;
    let urls: Vec<String> = (0..64)
        .map(|number| format!("https://example.com/{number}/{}", "x".repeat(2_000)))
        .collect();
    let ids = env.record_in(&book, env.size.of(60), 20, |_| json!({"urls": urls}))?;
    let items: Vec<Value> = ids.iter().map(|id| json!({"id": id})).collect();
    let body = json!({"items": items}).to_string();
    Ok(requests(move |number| {
        let verb = if number.is_multiple_of(2) { "check" } else { "uncheck" };
        send("PATCH", format!("/v5/books/{book}/transactions/{verb}/batch"), body.as_bytes())
    }))
}
