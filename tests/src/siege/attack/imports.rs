//! Imports of large files, and exports of a large book.

use std::time::{Duration, Instant};

use anyhow::{Context, ensure};
use serde_json::{Value, json};

use super::{Traffic, every_second_leaves, get, requests, send};
use crate::pause;
use crate::siege::env::{SiegeEnv, id};
use crate::siege::load::Request;

/// The books that files are imported into. A user has at most 20 open imports in each.
const BOOKS: usize = 4;
/// The records of a file.
const RECORDS: usize = 20_000;
/// The time to read a file before the attack.
const READ_TIMEOUT: Duration = Duration::from_secs(120);

/// The confirmation of an import in each book, which records thousands of transactions, and then
/// previews of more files.
pub(super) fn imports(env: &SiegeEnv) -> anyhow::Result<Traffic> {
    let rows = (0..env.size.of(RECORDS))
        .map(|row| format!("2025-01-{:02},Dinner {row},-{}.50\n", row % 28 + 1, row % 90 + 1));
    let file = format!("Date,Description,Amount\n{}", rows.collect::<String>());
    let mut uploads = Vec::new();
    let mut confirmations = Vec::new();
    for _ in 0..BOOKS {
        let imports = format!("/v5/books/{}/imports", env.book()?);
        let upload = format!("{imports}?account=Cash");
        let answer = env.attacker.send_raw("POST", &upload, Some("text/csv"), file.as_bytes());
        ensure!(answer.status == 200, "the file is not read: {}", answer.text);
        let import = id(&answer.ok())?.to_owned();
        read_whole(env, &format!("{imports}/{import}"))?;
        confirmations.push(format!("{imports}/{import}/confirm"));
        uploads.push(upload);
    }
    Ok(requests(move |number| {
        let number = usize::try_from(number).unwrap_or_default();
        match confirmations.get(number) {
            Some(path) => send("POST", path.clone(), "{}"),
            None => send("POST", uploads[number % BOOKS].clone(), file.as_bytes()),
        }
    }))
}

/// Waits until the preview of an import is there.
fn read_whole(env: &SiegeEnv, path: &str) -> anyhow::Result<()> {
    let begun = Instant::now();
    loop {
        let import: Value = env.attacker.get(path).ok();
        let state = import["state"].as_str().context("a state")?;
        if state == "PREVIEW" {
            return Ok(());
        }
        ensure!(state == "READING" && begun.elapsed() < READ_TIMEOUT, "{import}");
        pause(Duration::from_millis(50));
    }
}

/// Exports of a book of 20,000 transactions in every format.
pub(super) fn exports(env: &SiegeEnv) -> anyhow::Result<Traffic> {
    const FORMATS: [&str; 6] = ["jsonl", "zip", "hledger", "beancount", "csv", "xlsx"];
    let book = env.book()?;
    env.record(
        &book,
        env.size.of(RECORDS),
        |number| json!({"date": format!("2025-01-{:02}", number % 28 + 1)}),
    )?;
    Ok(requests(move |number| {
        let format = FORMATS[usize::try_from(number).unwrap_or_default() % FORMATS.len()];
        let request = get(format!("/v5/books/{book}/export?format={format}"));
        // Each format is once read, and once left.
        Request { then: every_second_leaves(number / 6), ..request }
    }))
}
