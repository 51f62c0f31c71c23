//! beancount reads the journals and computes the same figures.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use daybook_domain::id::AccountId;
use daybook_interchange::write::Format;

use crate::book::{Fixture, Sums};
use crate::program::{Scratch, find, run, table};

/// Returns a program of beancount, which is installed below the target directory.
pub(crate) fn program(name: &str) -> Option<PathBuf> {
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).parent().unwrap();
    find(target.join("beancount/bin").join(name), "tests/install-beancount")
}

#[test]
fn random_books_pass_bean_check_with_the_same_figures() {
    let (Some(check), Some(query)) = (program("bean-check"), program("bean-query")) else { return };
    for (seed, currency, digits) in
        [(1, Some("EUR"), 2), (2, None, 0), (3, Some("US$"), 3), (4, Some("btc"), 8)]
    {
        let fixture = Fixture::random(seed, currency, digits);
        let journal = String::from_utf8(fixture.write(Format::Beancount)).unwrap();
        let file = Scratch::new(&format!("{seed}.beancount"), journal.as_bytes());
        assert_eq!(run(&check, &["--no-cache", file.path()]), "", "seed {seed}");
        let names: HashMap<&str, AccountId> = opened(&journal);
        assert_eq!(names.len(), fixture.accounts.len());
        let sums = figures(&query, &fixture, &names, &file);
        assert_eq!(sums, fixture.sums(), "seed {seed}");
    }
}

/// Asks `bean-query` for the sums by account and month.
#[track_caller]
pub(crate) fn figures(
    query: &Path,
    fixture: &Fixture,
    names: &HashMap<&str, AccountId>,
    file: &Scratch,
) -> Sums {
    let asked = "SELECT account, year, month, sum(number) GROUP BY account, year, month";
    let printed = run(query, &["-f", "csv", "--no-errors", file.path(), asked]);
    let mut sums = Sums::new();
    for row in table(&printed).iter().skip(1) {
        let month = (row[1].parse().unwrap(), row[2].parse().unwrap());
        sums.insert((names[row[0].as_str()], month), fixture.units(&row[3]));
    }
    sums.retain(|_, sum| *sum != 0);
    sums
}

/// Returns the accounts by the names with which they are opened.
pub(crate) fn opened(journal: &str) -> HashMap<&str, AccountId> {
    let lines: Vec<&str> = journal.lines().collect();
    let directives = lines.windows(3).filter(|lines| lines[0].contains(" open "));
    directives
        .map(|lines| {
            let id = lines[2].trim().trim_start_matches("id: \"").trim_end_matches('"');
            (lines[0].split(' ').nth(2).unwrap(), id.parse().unwrap())
        })
        .collect()
}

#[test]
fn wrong_balance_fails_the_check() {
    let Some(check) = program("bean-check") else { return };
    let journal = String::from_utf8(Fixture::random(5, Some("EUR"), 2).write(Format::Beancount));
    let journal = journal.unwrap();
    let line = journal.lines().rfind(|line| line.contains(" balance Assets:")).unwrap();
    let changed = journal.replace(line, &line.replace(" EUR", "1 EUR").replace(".", "1."));
    let file = Scratch::new("wrong.beancount", changed.as_bytes());
    let output = std::process::Command::new(check).args(["--no-cache", file.path()]).output();
    assert!(!output.unwrap().status.success());
}
