//! ledger reads the journals of hledger and computes the same figures.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use daybook_domain::id::AccountId;

use crate::book::{Fixture, Sums};
use crate::program::{Scratch, find, run};

pub(crate) fn program() -> Option<PathBuf> {
    find(PathBuf::from("ledger"), "tests/install-ledger")
}

/// Asks ledger for the postings, and sums them by account and month.
#[track_caller]
pub(crate) fn figures(
    program: &Path,
    fixture: &Fixture,
    names: &HashMap<String, AccountId>,
    file: &Scratch,
) -> Sums {
    let row = "%(format_date(date, \"%Y-%m\"))\t%(account)\t%(quantity(amount))\n";
    // ledger checks assertions in the order of the file, whatever the days of the postings.
    let options = ["--args-only", "--permissive", "-f", file.path()];
    let printed = run(program, &[&options[..], &["csv", "--csv-format", row]].concat());
    let mut sums = Sums::new();
    for line in printed.lines() {
        let [month, account, amount]: [&str; 3] =
            line.split('\t').collect::<Vec<_>>().try_into().unwrap();
        let (year, month) = month.split_once('-').unwrap();
        let month = (year.parse().unwrap(), month.parse().unwrap());
        *sums.entry((names[account], month)).or_default() += fixture.units(amount);
    }
    sums.retain(|_, sum| *sum != 0);
    sums
}
