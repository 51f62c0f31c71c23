//! Sample journals have the balances that hledger and beancount compute, by account and month.
//!
//! Of the packages that the tests install, only Debian's ledger ships a journal: Debian's hledger
//! and PyPI's beancount and beanquery ship none, but beancount's `bean-example` makes one.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use daybook_interchange::plan::plan;
use daybook_interchange::read::amount::SignedAmount;
use daybook_interchange::read::beancount;
use daybook_interchange::read::journal::{self, Journal};

use crate::plans::{all, of_plan};

/// The balances at the ends of months, by account, commodity and month; those of zero are left out.
type Balances = BTreeMap<(String, String, String), String>;

fn sample(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/journals").join(name)
}

/// Returns the sample that ledger ships; in CI it must be there (`tests/install-ledger`).
fn sample_of_ledger() -> Option<PathBuf> {
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).parent().expect("the target folder");
    let path = target.join("ledger/sample.journal");
    let is_there = path.exists();
    assert!(is_there || std::env::var_os("CI").is_none(), "run tests/install-ledger");
    is_there.then_some(path)
}

/// Returns the balances of what is recorded of a journal, at the ends of these months.
fn balances(journal: &Journal, months: &[String]) -> Balances {
    assert_eq!(journal.refused, []);
    let plan = plan(journal.clone(), &all()).expect("a plan");
    assert_eq!(plan.refused, []);
    let mut changes: BTreeMap<(String, String), BTreeMap<String, SignedAmount>> = BTreeMap::new();
    for ((account, commodity, day), amount) in of_plan(&plan) {
        let month = format!("{}-{:02}", day.year(), u8::from(day.month()));
        let sum = changes.entry((account, commodity)).or_default().entry(month).or_default();
        *sum = sum.checked_add(amount).expect("small amounts");
    }
    let mut balances = Balances::new();
    for ((account, commodity), changes) in changes {
        for month in months {
            let sum = changes
                .range(..=month.clone())
                .try_fold(SignedAmount::ZERO, |sum, change| sum.checked_add(*change.1));
            let sum = sum.expect("small amounts");
            if !sum.is_zero() {
                let key = (account.clone(), commodity.clone(), month.clone());
                balances.insert(key, sum.to_string());
            }
        }
    }
    balances
}

/// Removes zeros behind the decimal point.
fn plain(number: &str) -> String {
    let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
    let fraction = fraction.trim_end_matches('0');
    if fraction.is_empty() { whole.to_owned() } else { format!("{whole}.{fraction}") }
}

/// Whether hledger is there; in CI it must be (`tests/install-hledger`).
fn has_hledger() -> bool {
    let is_there = Command::new("hledger").arg("--version").output().is_ok();
    assert!(is_there || std::env::var_os("CI").is_none(), "hledger is not installed");
    if !is_there {
        eprintln!("hledger is not installed: run tests/install-hledger");
    }
    is_there
}

#[test]
fn balances_equal_those_of_hledger() {
    if !has_hledger() {
        return;
    }
    let samples = [
        (
            Some(sample("features.journal")),
            &["$1000.0000", "1000.0000 EUR", "1000.0000 \"ABC 1\""][..],
        ),
        (Some(sample("small.journal")), &["1000.0000"]),
        (sample_of_ledger(), &["$1000.0000", "1000.0000\u{20ac}", "1000.0000 AAPL"]),
    ];
    for (path, styles) in samples {
        let Some(path) = path else { continue };
        let name = path.display();
        let mut command = Command::new("hledger");
        command.arg("--file").arg(&path).args([
            "balance",
            "--monthly",
            "--historical",
            "--flat",
            "--no-total",
            "--empty",
            "--layout=bare",
            "--output-format=csv",
        ]);
        for style in styles {
            command.args(["--commodity-style", style]);
        }
        let output = command.output().expect("hledger starts");
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{name}: {errors}");
        let mut rows = csv::ReaderBuilder::new().has_headers(false).from_reader(&output.stdout[..]);
        let mut rows = rows.records().map(|row| row.expect("a row"));
        let header = rows.next().expect("a header");
        let months: Vec<String> = header.iter().skip(2).map(str::to_owned).collect();
        let mut expected = Balances::new();
        for row in rows {
            for (month, number) in months.iter().zip(row.iter().skip(2)) {
                let key = (row[0].to_owned(), row[1].to_owned(), month.clone());
                expected.insert(key, plain(number));
            }
        }
        expected.retain(|_, number| number != "0");
        let journal = journal::read(std::fs::read(&path).expect("a file")).expect("a journal");
        assert!(expected.len() > 10, "{name}");
        assert_eq!(balances(&journal, &months), expected, "{name}");
    }
}

#[test]
fn balances_equal_those_of_beancount() {
    for (name, warnings) in [("features", 2), ("example", 0)] {
        let mut rows = csv::ReaderBuilder::new()
            .has_headers(false)
            .from_path(sample(&format!("{name}.balances.csv")))
            .expect("the balances");
        let mut months = Vec::new();
        let mut expected = Balances::new();
        for row in rows.records().map(|row| row.expect("a row")) {
            months.push(row[2].to_owned());
            let key = (row[0].to_owned(), row[1].to_owned(), row[2].to_owned());
            expected.insert(key, plain(&row[3]));
        }
        months.sort();
        months.dedup();
        let file = std::fs::read(sample(&format!("{name}.beancount"))).expect(name);
        let journal = beancount::read(&file).expect(name);
        assert_eq!(journal.warnings.len(), warnings, "{:?}", journal.warnings);
        assert_eq!(balances(&journal, &months), expected, "{name}");
    }
}
