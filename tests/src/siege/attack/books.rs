//! Requests that process all of a large book.

use daybook_domain::book::MAX_RESCALED;
use serde_json::{Value, json};

use super::{Traffic, every_second_leaves, get, requests, send};
use crate::encode;
use crate::siege::env::{SiegeEnv, id};
use crate::siege::load::Request;

/// Accounts of a book with entries on many days.
const ACCOUNTS: usize = 300;
/// The days with entries: 28 of each month of three years.
const DAYS: usize = 28 * 12 * 3;
/// Copies of a book whose scale is increased.
const COPIES: u64 = 8;

/// The balances of all accounts on each of these days.
pub(super) fn balances(env: &SiegeEnv) -> anyhow::Result<Traffic> {
    let book = env.book()?;
    let all = json!([{"name": "All"}]);
    env.create(&format!("/v5/books/{book}/groups/batch"), &json!({"items": all}));
    let accounts: Vec<Value> = (0..ACCOUNTS)
        .map(|number| json!({"name": format!("A{number}"), "type": "ASSET", "groups": all}))
        .collect();
    let path = format!("/v5/books/{book}/accounts/batch");
    env.create(&path, &json!({"items": accounts}));
    env.record(&book, env.size.of(60_000), |number| {
        let (day, months) = (number % DAYS % 28 + 1, number % DAYS / 28);
        let date = format!("{}-{:02}-{day:02}", 2023 + months / 12, months % 12 + 1);
        json!({"date": date, "creditAccount": {"name": format!("A{}", number % ACCOUNTS)}})
    })?;
    let query = encode("group:All after:2022-12-31 before:2026-01-01 by:day");
    Ok(requests(move |number| {
        let request = get(format!("/v5/books/{book}/balances?query={query}"));
        Request { then: every_second_leaves(number), ..request }
    }))
}

/// Audits of a book of 20,000 transactions, in sequence.
pub(super) fn audits(env: &SiegeEnv) -> anyhow::Result<Traffic> {
    let book = env.book()?;
    env.record(&book, env.size.of(20_000), |_| json!({}))?;
    Ok(requests(move |_| send("PATCH", format!("/v5/books/{book}/audit"), "")))
}

/// Changes the time zone of a book of 100,000 transactions, and back.
pub(super) fn zones(env: &SiegeEnv) -> anyhow::Result<Traffic> {
    let book = env.book()?;
    env.record(&book, env.size.of(100_000), |_| json!({}))?;
    Ok(requests(move |number| {
        let zone = if number.is_multiple_of(2) { "Asia/Tokyo" } else { "America/Lima" };
        send("PUT", format!("/v5/books/{book}"), json!({"timeZone": zone}).to_string())
    }))
}

/// Increases the fraction digits of copies of the largest allowed book up to the maximum.
pub(super) fn scales(env: &SiegeEnv) -> anyhow::Result<Traffic> {
    let book = env.book()?;
    env.record(&book, env.size.of(MAX_RESCALED), |_| json!({}))?;
    let copies = (0..COPIES).map(|number| {
        let path = format!("/v5/books/{book}/copy?name=C{number}&copyTransactions=true");
        Ok(id(&env.attacker.send("POST", &path, &Value::Null).ok())?.to_owned())
    });
    let books = copies.collect::<anyhow::Result<Vec<String>>>()?;
    Ok(requests(move |number| {
        let (digits, book) = (number / COPIES, number % COPIES);
        let body = json!({"fractionDigits": (3 + digits).min(8)}).to_string();
        let book = usize::try_from(book).map_or("", |book| &books[book]);
        send("PUT", format!("/v5/books/{book}"), body)
    }))
}
