//! beancount, an accounting program that reads exported books (behaviour 16.5).
//!
//! `tests/install-beancount` installs it below the target directory.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::Command;

use crate::decimal::units;
use crate::engine::target_dir;
use crate::guard::Folder;
use crate::unique;

/// The sums of the postings by the name of the account in the book and the month, `yyyy-MM`, in
/// units of [`crate::decimal`]: debit minus credit.
pub type Sums = BTreeMap<(String, String), i128>;

fn program(name: &str) -> PathBuf {
    target_dir().join("beancount/bin").join(name)
}

/// Reports a missing beancount and how to install it.
pub fn missing() -> Option<String> {
    let is_missing = |name: &&str| Command::new(program(name)).arg("--version").output().is_err();
    let missing = ["bean-check", "bean-query"].into_iter().find(is_missing)?;
    Some(format!("{missing} is not installed: run tests/install-beancount"))
}

/// Lets `bean-check` verify a journal that Daybook has exported, and returns the sums that
/// `bean-query` finds.
///
/// # Panics
/// A program fails, or reports a fault.
#[track_caller]
pub fn checked_sums(text: &str) -> Sums {
    let name = format!("daybook-beancount-{}-{}", std::process::id(), unique("export"));
    let folder = Folder::create(std::env::temp_dir().join(name));
    let path = folder.path().join("book.beancount");
    std::fs::write(&path, text).expect("a journal");
    let path = path.to_str().expect("UTF-8");
    assert_eq!(run("bean-check", &["--no-cache", path]), "", "bean-check reports nothing");
    let names = opened(text);
    let query = "SELECT account, year, month, sum(number) GROUP BY account, year, month";
    let table = run("bean-query", &["-f", "csv", path, query]);
    let row = |line: &str| {
        let cells: Vec<&str> = line.split(',').map(str::trim).collect();
        let [account, year, month, sum] = cells[..] else { panic!("a row of a sum: {line}") };
        let month: u8 = month.parse().expect("a month");
        ((names[account].clone(), format!("{year}-{month:02}")), units(sum))
    };
    table.lines().skip(1).map(row).collect()
}

/// Returns the names in the book, which are metadata of the accounts, by those in the journal.
fn opened(text: &str) -> BTreeMap<&str, String> {
    let lines: Vec<&str> = text.lines().collect();
    let names = lines.windows(2).filter_map(|lines| {
        let (_, account) = lines[0].split_once(" open ")?;
        let name = lines[1].trim().strip_prefix("name: \"")?.strip_suffix('"')?;
        Some((account.split(' ').next()?, name.replace("\\\"", "\"")))
    });
    names.collect()
}

#[track_caller]
fn run(name: &str, arguments: &[&str]) -> String {
    let output = Command::new(program(name))
        .args(arguments)
        .env("LC_ALL", "C.UTF-8")
        .output()
        .expect("beancount starts");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && errors.is_empty(), "{name} {arguments:?}: {errors}");
    String::from_utf8(output.stdout).expect("beancount writes UTF-8")
}
