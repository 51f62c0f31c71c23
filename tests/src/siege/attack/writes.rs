//! Requests that keep a writer busy, or the disk.

use serde_json::{Value, json};

use super::answers::filed;
use super::{Weapon, requests, send};
use crate::rng::Dice;
use crate::siege::env::Ground;
use crate::siege::load::{Request, Then};
use crate::unique;

/// Copies of a book of 20,000 transactions that nobody waits for.
pub(super) fn copies(ground: &Ground) -> anyhow::Result<Weapon> {
    let book = ground.book()?;
    ground.record(&book, ground.size.of(20_000), |_| json!({}))?;
    Ok(requests(move |turn| {
        let path = format!("/v5/books/{book}/copy?name=Copy%20{turn}&copyTransactions=true");
        Request { then: Then::Leave, ..send("POST", path, "") }
    }))
}

/// A batch of typed lines: 10,000, and 14 MB.
pub(super) fn lines(ground: &Ground) -> anyhow::Result<Weapon> {
    let book = ground.book()?;
    let words = "lunch with everybody ".repeat(65);
    let items: Vec<Value> = (0..ground.size.of(10_000))
        .map(|number| json!({"description": format!("31/01/2025 {number} Cash Food {words}")}))
        .collect();
    let body = json!({"items": items}).to_string();
    Ok(requests(move |_| {
        send("POST", format!("/v5/books/{book}/transactions/batch"), body.as_bytes())
    }))
}

/// A batch of 10,000 texts that have hardly three letters in a row in common.
pub(super) fn texts(ground: &Ground) -> anyhow::Result<Weapon> {
    let book = ground.book()?;
    let mut dice = Dice::new(1);
    let mut letter = || char::from_u32(0x4e00 + dice.below(20_000) as u32).unwrap_or('x');
    let items: Vec<Value> = (0..ground.size.of(10_000))
        .map(|_| json!({"description": (0..250).map(|_| letter()).collect::<String>()}))
        .collect();
    let body = json!({"items": items}).to_string();
    Ok(requests(move |_| {
        send("POST", format!("/v5/books/{book}/transactions/batch"), body.as_bytes())
    }))
}

/// Small requests, each with a key of its own, whose answer is the book with 14 KB that do not
/// compress. What is kept of the answers counts for the storage quota.
pub(super) fn kept_answers(ground: &Ground) -> anyhow::Result<Weapon> {
    let book = ground.book()?;
    let mut dice = Dice::new(2);
    let mut letter = || char::from(b'!' + u8::try_from(dice.below(90)).unwrap_or_default());
    let mut text = || (0..7_000).map(|_| letter()).collect::<String>();
    let path = format!("/v5/books/{book}");
    let answer = ground.attacker.put(&path, &json!({"properties": {"a": text(), "b": text()}}));
    anyhow::ensure!(answer.status == 200, "the properties: {}", answer.text);
    let prefix = unique("key");
    Ok(requests(move |turn| {
        let headers = format!("Idempotency-Key: {prefix}-{turn}\r\n");
        Request { headers, ..send("PUT", path.clone(), r#"{"pageSize":100}"#) }
    }))
}

/// Changes that change nothing, each with a key of its own, of transactions that show much.
pub(super) fn no_ops(ground: &Ground) -> anyhow::Result<Weapon> {
    let (book, ids) = filed(ground)?;
    let items: Vec<Value> = ids.iter().take(20).map(|id| json!({"id": id})).collect();
    let body = json!({"items": items}).to_string();
    let prefix = unique("key");
    Ok(requests(move |turn| {
        let path = format!("/v5/books/{book}/transactions/batch");
        let headers = format!("Idempotency-Key: {prefix}-{turn}\r\n");
        Request { headers, ..send("PUT", path, body.as_bytes()) }
    }))
}

/// Transactions with as long URLs as there may be, as many as may be changed at once, checked and
/// unchecked in turn.
pub(super) fn urls(ground: &Ground) -> anyhow::Result<Weapon> {
    let book = ground.book()?;
    let urls: Vec<String> = (0..64)
        .map(|number| format!("https://example.com/{number}/{}", "x".repeat(2_000)))
        .collect();
    let ids = ground.record_in(&book, (ground.size.of(60), 20), |_| json!({"urls": urls}))?;
    let items: Vec<Value> = ids.iter().map(|id| json!({"id": id})).collect();
    let body = json!({"items": items}).to_string();
    Ok(requests(move |turn| {
        let verb = if turn.is_multiple_of(2) { "check" } else { "uncheck" };
        send("PATCH", format!("/v5/books/{book}/transactions/{verb}/batch"), body.as_bytes())
    }))
}
