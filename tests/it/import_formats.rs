//! Imports of files of each format (15.1, 15.12): what the reader finds is what a book gets.

use std::fs;
use std::path::{Path, PathBuf};

use daybook_tests::decimal::units;
use daybook_tests::{Cast, Client, Server, encode, shows};
use serde_json::{Value, json};

use crate::Case;
use crate::imports::{balance, confirm, done, settle};

pub fn tests() -> Vec<Case> {
    crate::cases![
        rule_15_1_statements_of_each_format_are_recorded,
        rule_15_12_journals_of_each_program_are_recorded,
    ]
}

/// Cases of the reader, whose `expected.json` says what is in the file.
const STATEMENTS: [&str; 9] = [
    "09-equal-purchases-on-one-day",
    "21-qif-day-first",
    "23-camt-charges",
    "25-mt940-envelope-and-umlauts",
    "73-ofx-2",
    "80-camt-without-details-or-balances",
    "B0-xlsx-second-sheet-has-the-header",
    "B1-xls",
    "B2-ods",
];

fn samples(folder: &str) -> PathBuf {
    let samples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../crates/interchange/tests");
    samples.join(folder)
}

#[track_caller]
fn preview(caller: &Client, cast: &Cast, query: &str, file: &[u8]) -> Value {
    let path = cast.path(&format!("/imports?{query}"));
    let sent = caller.send_raw("POST", &path, Some("application/octet-stream"), file);
    let read = settle(cast, &sent.ok());
    assert_eq!(read["state"], "PREVIEW", "{read}");
    read
}

/// 15.1, 15.4, 15.5: the records and the refusals of the reader; afterwards the balance is the sum.
fn rule_15_1_statements_of_each_format_are_recorded(server: &Server) {
    for case in STATEMENTS {
        let folder = samples("cases").join(case);
        let file = fs::read(folder.join("input")).expect(case);
        let expected = fs::read_to_string(folder.join("expected.json")).expect(case);
        let expected: Value = serde_json::from_str(&expected).expect(case);
        let cast = Cast::with_settings(server, json!({"fractionDigits": 3}));
        cast.account("Bank", "ASSET");
        let read = preview(&cast.owner, &cast, "account=Bank", &file);
        assert_eq!(read["format"], expected["detected"], "{case}");
        let count = |key: &str| expected[key].as_array().map_or(0, Vec::len);
        let counts = json!({"new": count("records"), "refused": count("refused")});
        shows(&read["counts"], &counts);
        done(&cast, confirm(&cast, &read, &json!({})));
        let statements = expected["statements"].as_array().expect(case);
        let sums = statements.iter().map(|statement| statement["sum"].as_str().expect(case));
        let sum: i128 = sums.map(units).sum();
        assert_eq!(units(&balance(&cast, "Bank")), sum.abs(), "{case}");
    }
}

/// 15.12: a journal of each program makes books whose balances sum to zero.
fn rule_15_12_journals_of_each_program_are_recorded(server: &Server) {
    for (name, format) in [
        ("features.journal", "journal"),
        ("features.beancount", "beancount"),
        ("example.beancount", "beancount"),
        ("sample.gnucash", "GnuCash"),
    ] {
        let file = fs::read(samples("journals").join(name)).expect(name);
        let cast = Cast::with_settings(server, json!({}));
        let query = format!("commodities=ALL&name={}", encode(name));
        let read = preview(&cast.owner, &cast, &query, &file);
        assert!(read["format"].as_str().expect(name).starts_with(format), "{read}");
        let done = done(&cast, confirm(&cast, &read, &json!({})));
        let books = done["bookIds"].as_array().expect(name);
        assert!(books.len() > 1, "{name}: one for each commodity");
        for book in books {
            let book = book.as_str().expect("an id");
            let path = format!("/v5/books/{book}/transactions/count");
            assert!(cast.owner.get(&path).ok()["total"].as_i64() > Some(0), "{name}");
            let query = encode("before:2101");
            let path = format!("/v5/books/{book}/balances?query={query}");
            let balances = cast.owner.get(&path).ok();
            assert_eq!(daybook_tests::bank::whole(&balances), 0, "{name}");
        }
    }
}
