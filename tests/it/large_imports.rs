//! The memory that the largest import takes (15.1).

use std::fmt::Write as _;
use std::time::Duration;

use daybook_tests::{Cast, Engine, Server, peak_memory};
use serde_json::{Value, json};

use crate::Case;
use crate::imports::{confirm, upload, wait_until};

pub fn tests() -> Vec<Case> {
    crate::isolated![
        rule_15_1_largest_file_takes_less_than_200_megabytes,
        rule_15_12_largest_journal_takes_less_than_200_megabytes,
    ]
}

const RECORDS: usize = 1_000_000;
/// Twenty blocks.
const SOME_RECORDS: u64 = 10_000;
const MAX_BYTES: usize = 64 * 1024 * 1024;
const MAX_MEBIBYTES: f64 = 200.0;

/// For a server without optimizations, beside other tests.
const TIMEOUT: Duration = Duration::from_secs(1_200);

/// A statement with as many records as a file may have, and nearly as many bytes.
fn largest_file() -> String {
    let mut file = "Date,Description,Amount\n".to_owned();
    for row in 0..RECORDS {
        let (year, month, day) = (2010 + row % 15, row % 12 + 1, row % 28 + 1);
        let text = format!("Shop {} card {row} ref {:x}", row % 5_000, row * 7_919 % 1_000_003);
        let (units, cents) = (row % 900 + 1, row % 90 + 10);
        writeln!(file, "{year}-{month:02}-{day:02},{text:x<47},-{units}.{cents}").expect("a text");
    }
    assert!((MAX_BYTES * 15 / 16..MAX_BYTES).contains(&file.len()), "{} bytes", file.len());
    file
}

/// A journal with as many entries and nearly as many bytes. The entries are not in the order of
/// their days, and one in a thousand has an assertion.
fn largest_journal() -> String {
    let mut file = String::new();
    for row in 0..RECORDS {
        let (year, month, day) = (2010 + row % 15, row % 12 + 1, row % 28 + 1);
        let text = format!("Shop {} card {row}", row % 5_000);
        let (units, cents) = (row % 900 + 1, row % 90 + 10);
        let assertion = if row % 1_000 == 0 { " = 1" } else { "" };
        writeln!(
            file,
            "{year}-{month:02}-{day:02} {text:x<37}\n a  {units}.{cents}{assertion}\n b"
        )
        .expect("a text");
    }
    assert!((MAX_BYTES * 7 / 8..MAX_BYTES).contains(&file.len()), "{} bytes", file.len());
    file
}

fn rule_15_1_largest_file_takes_less_than_200_megabytes(engine: Engine) {
    largest_takes_less_than_200_megabytes(engine, "account=Bank", &largest_file());
}

fn rule_15_12_largest_journal_takes_less_than_200_megabytes(engine: Engine) {
    largest_takes_less_than_200_megabytes(engine, "name=a.journal", &largest_journal());
}

fn largest_takes_less_than_200_megabytes(engine: Engine, query: &str, file: &str) {
    let server = Server::start(engine);
    let cast = Cast::with_accounts(&server, &[("Bank", "ASSET")]);
    let check = |phase: &str| {
        let peak = peak_memory(server.pid());
        assert!(peak < MAX_MEBIBYTES, "{peak:.0} MiB after {phase}");
    };
    let made = upload(&cast.owner, &cast, query, file).ok();
    check("receiving");
    let read = wait_until(&cast, &made, TIMEOUT, |read| read["state"] != "READING");
    assert_eq!(read["state"], "PREVIEW", "{read}");
    assert_eq!(read["counts"]["new"], RECORDS, "{read}");
    check("reading");
    // The decisions are applied to all records at once; then each block is recorded alone.
    confirm(&cast, &made, &json!({})).ok();
    let is_recording = |read: &Value| read["progress"]["done"].as_u64() >= Some(SOME_RECORDS);
    wait_until(&cast, &made, TIMEOUT, is_recording);
    check("the beginning of recording");
}
