//! Requests about the whole of a large book.

use daybook_domain::book::MAX_RESCALED;
use serde_json::{Value, json};

use super::{Weapon, every_second_leaves, get, requests, send};
use crate::encode;
use crate::siege::env::{Ground, id};
use crate::siege::load::Request;

/// Accounts of a book with movements on many days.
const ACCOUNTS: usize = 300;
/// The days on which something moves: 28 of each month of three years.
const DAYS: usize = 28 * 12 * 3;
/// Copies of a book whose scale grows.
const COPIES: u64 = 8;

/// The balances of all accounts on each of these days.
pub(super) fn balances(ground: &Ground) -> anyhow::Result<Weapon> {
    let book = ground.book()?;
    let all = json!([{"name": "All"}]);
    ground.made(&format!("/v5/books/{book}/groups/batch"), &json!({"items": all}));
    let accounts: Vec<Value> = (0..ACCOUNTS)
        .map(|number| json!({"name": format!("A{number}"), "type": "ASSET", "groups": all}))
        .collect();
    let path = format!("/v5/books/{book}/accounts/batch");
    ground.made(&path, &json!({"items": accounts}));
    ground.record(&book, ground.size.of(60_000), |number| {
        let (day, months) = (number % DAYS % 28 + 1, number % DAYS / 28);
        let date = format!("{}-{:02}-{day:02}", 2023 + months / 12, months % 12 + 1);
        json!({"date": date, "creditAccount": {"name": format!("A{}", number % ACCOUNTS)}})
    })?;
    let query = encode("group:All after:2022-12-31 before:2026-01-01 by:day");
    Ok(requests(move |turn| {
        let request = get(format!("/v5/books/{book}/balances?query={query}"));
        Request { then: every_second_leaves(turn), ..request }
    }))
}

/// Audits of a book of 20,000 transactions, one after another.
pub(super) fn audits(ground: &Ground) -> anyhow::Result<Weapon> {
    let book = ground.book()?;
    ground.record(&book, ground.size.of(20_000), |_| json!({}))?;
    Ok(requests(move |_| send("PATCH", format!("/v5/books/{book}/audit"), "")))
}

/// Another time zone for a book of 100,000 transactions, and back.
pub(super) fn zones(ground: &Ground) -> anyhow::Result<Weapon> {
    let book = ground.book()?;
    ground.record(&book, ground.size.of(100_000), |_| json!({}))?;
    Ok(requests(move |turn| {
        let zone = if turn.is_multiple_of(2) { "Asia/Tokyo" } else { "America/Lima" };
        send("PUT", format!("/v5/books/{book}"), json!({"timeZone": zone}).to_string())
    }))
}

/// Another fraction digit for copies of the largest book that may have it, until they have all.
pub(super) fn scales(ground: &Ground) -> anyhow::Result<Weapon> {
    let book = ground.book()?;
    ground.record(&book, ground.size.of(MAX_RESCALED), |_| json!({}))?;
    let copies = (0..COPIES).map(|number| {
        let path = format!("/v5/books/{book}/copy?name=C{number}&copyTransactions=true");
        Ok(id(&ground.attacker.send("POST", &path, &Value::Null).ok())?.to_owned())
    });
    let books = copies.collect::<anyhow::Result<Vec<String>>>()?;
    Ok(requests(move |turn| {
        let (digits, book) = (turn / COPIES, turn % COPIES);
        let body = json!({"fractionDigits": (3 + digits).min(8)}).to_string();
        let book = usize::try_from(book).map_or("", |book| &books[book]);
        send("PUT", format!("/v5/books/{book}"), body)
    }))
}
