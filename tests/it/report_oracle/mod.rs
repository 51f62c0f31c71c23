//! Reports of random books (13), compared with those of hledger.
//!
//! The journals of hledger have their own derivation of the classes and places of accounts
//! ([`daybook_tests::hledger`]). hledger computes everything that is compared, except sums of a few
//! of its amounts. A row without amounts counts as absent in both.

mod book;
mod shown;
mod statements;

use std::collections::BTreeSet;

use daybook_tests::decimal::show;
use daybook_tests::hledger::{Figures, Journal, missing};
use daybook_tests::{Client, Server, encode};
use jiff::ToSpan;
use jiff::civil::{Date, date};
use serde_json::Value;

use book::{FIRST_YEAR, Settings};
use shown::{amount, assert_controls, list};

pub fn tests() -> Vec<crate::Case> {
    let cases = crate::cases![reports_of_years_from_july_equal_those_of_hledger];
    cases.into_iter().map(|case| case.needs(missing)).collect()
}

/// The same comparison for other fiscal years. Each case starts hledger dozens of times.
pub fn nightly() -> Vec<crate::Case> {
    let cases = crate::cases![
        reports_of_calendar_years_equal_those_of_hledger,
        reports_of_years_from_april_equal_those_of_hledger,
    ];
    cases.into_iter().map(|case| case.needs(missing)).collect()
}

fn reports_of_calendar_years_equal_those_of_hledger(server: &Server) {
    compare_book(server, Settings { start: "JANUARY", month: 1, fraction_digits: 2 });
}

fn reports_of_years_from_april_equal_those_of_hledger(server: &Server) {
    compare_book(server, Settings { start: "APRIL", month: 4, fraction_digits: 0 });
}

fn reports_of_years_from_july_equal_those_of_hledger(server: &Server) {
    compare_book(server, Settings { start: "JULY", month: 7, fraction_digits: 3 });
}

fn compare_book(server: &Server, settings: Settings) {
    let cast = book::create(server, settings);
    let oracle = Oracle::new(&cast.owner, &cast.book, settings.month);
    oracle.check_journal();
    oracle.balance_sheets();
    oracle.income_statements();
    oracle.cash_flows();
    oracle.trial_balances();
    oracle.ledger();
    oracle.journal();
}

/// Days of a report, both inclusive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Days {
    first: Date,
    last: Date,
}

impl Days {
    /// The parameter `period`.
    fn period(self) -> String {
        format!("{}..{}", self.first, self.last)
    }

    /// The options of hledger; its end is exclusive.
    fn options(self) -> [String; 2] {
        [begin(self.first), end(self.last)]
    }
}

/// hledger counts from this day.
fn begin(day: Date) -> String {
    format!("--begin={day}")
}

/// hledger counts through this day.
fn end(day: Date) -> String {
    format!("--end={}", next(day))
}

fn next(day: Date) -> Date {
    day.tomorrow().expect("a next day")
}

fn previous(day: Date) -> Date {
    day.yesterday().expect("a day before")
}

/// A book beside its journal.
pub(crate) struct Oracle {
    owner: Client,
    book: String,
    journal: Journal,
    /// The month in which its fiscal years begin.
    month: i8,
}

impl Oracle {
    /// Reads a book.
    #[track_caller]
    pub(crate) fn new(owner: &Client, book: &str, month: i8) -> Oracle {
        let journal = Journal::read(owner, book);
        Oracle { owner: owner.clone(), book: book.to_owned(), journal, month }
    }

    /// The journal that hledger reads.
    pub(crate) fn own_journal(&self) -> &Journal {
        &self.journal
    }

    /// A fiscal year: 0 is the first one of random books.
    fn year(&self, number: i16) -> Days {
        let first = date(FIRST_YEAR + number, self.month, 1);
        Days { first, last: previous(first.saturating_add(1.year())) }
    }

    /// The three fiscal years of a random book.
    fn years(&self) -> Days {
        Days { first: self.year(0).first, last: self.year(2).last }
    }

    /// The first day of the fiscal year of a day.
    fn year_start(&self, day: Date) -> Date {
        let first = date(day.year(), self.month, 1);
        if first <= day { first } else { first.saturating_sub(1.year()) }
    }

    /// A report, of which all controls hold.
    #[track_caller]
    pub(crate) fn report(&self, path: &str) -> Value {
        let report = self.owner.get(&format!("/v5/books/{}/reports/{path}", self.book)).ok();
        assert_controls(&report);
        report
    }

    /// The amounts of a report.
    #[track_caller]
    fn figures(&self, path: &str) -> Figures {
        shown::figures(&self.report(path), &self.journal)
    }

    #[track_caller]
    fn check_journal(&self) {
        assert_eq!(self.journal.print(&[]).len(), self.posted(), "the journal has all");
        let names = self.journal.names().values();
        for class in ["Assets:", "Liabilities:", "Equity:", "Income:", "Expenses:"] {
            let count = names.clone().filter(|name| name.starts_with(class)).count();
            assert!(count > 1, "accounts of {class}");
        }
        let depth = names.map(|name| name.split(':').count()).max();
        assert_eq!(depth, Some(5), "a section, three groups and an account");
    }

    /// How many transactions are posted, by the query language.
    #[track_caller]
    fn posted(&self) -> usize {
        let query = encode("is:posted");
        let path = format!("/v5/books/{}/transactions?limit=1000&query={query}", self.book);
        list(&self.owner.get(&path).ok(), "items").len()
    }

    /// Compares the accounts of a general ledger with `areg`, which has the same order, changes and
    /// balances, and the transactions as codes.
    #[track_caller]
    fn ledger(&self) {
        let days = Days {
            first: self.year(1).first.saturating_sub(75.days()),
            last: self.year(1).first.saturating_add(170.days()),
        };
        let report = self.report(&format!("general-ledger?period={}", days.period()));
        let mut shown: BTreeSet<&str> = BTreeSet::new();
        let mut rows = list(&report, "rows").iter().peekable();
        while let Some(title) = rows.next() {
            assert_eq!(title["kind"], "group", "an account begins: {title}");
            let name = self.journal.name(title["accountId"].as_str().expect("an account"));
            assert!(shown.insert(name), "{name} stands once");
            let mut account: Vec<&Value> = Vec::new();
            while let Some(row) = rows.next_if(|row| row["kind"] != "group") {
                account.push(row);
            }
            self.ledger_account(name, days, &account);
        }
        // The other accounts have neither movements nor a balance.
        let opening = self.journal.figures(&["balance", &end(previous(days.first))]);
        let [begin, end] = days.options();
        let moved = self.journal.figures(&["balance", &begin, &end, "amt:>0"]);
        let paid = self.journal.figures(&["balance", &begin, &end, "amt:<0"]);
        let expected: BTreeSet<&str> =
            [&opening, &moved, &paid].into_iter().flat_map(non_zero).collect();
        assert_eq!(shown, expected, "13.10: the accounts of the ledger");
    }

    /// Compares the rows of an account.
    #[track_caller]
    fn ledger_account(&self, name: &str, days: Days, rows: &[&Value]) {
        let entries = self.journal.register(name, &days.options().each_ref().map(String::as_str));
        let before = self.journal.register(name, &[&end(previous(days.first))]);
        let sign = sign(name);
        let opening = before.last().map_or(0, |entry| sign * entry.balance);
        let [first, rows @ .., last] = rows else { panic!("{name} has no balances: {rows:#?}") };
        let balance = |row: &Value| (row["kind"].clone(), amount(&row["cells"][6]));
        assert_eq!(balance(first), ("balance".into(), opening), "{name}: opening balance");
        let closing = entries.last().map_or(opening, |entry| sign * entry.balance);
        assert_eq!(balance(last), ("balance".into(), closing), "{name}: closing balance");

        let mut expected = entries.iter().peekable();
        let (mut debit, mut credit) = (0, 0);
        for row in rows {
            let cells = &row["cells"];
            let amounts = (amount(&cells[4]), amount(&cells[5]));
            if row["kind"] == "subtotal" {
                assert_eq!(amounts, (debit, credit), "{name}: movements of {}", cells[2]);
                (debit, credit) = (0, 0);
                continue;
            }
            let Some(entry) = expected.next() else { panic!("{name}: one more: {row}") };
            let sides = (entry.change.max(0), (-entry.change).max(0));
            let found = (cells[0].as_str(), cells[1].as_str(), amounts, amount(&cells[6]));
            let wanted = (Some(&*entry.date), Some(&*entry.id), sides, sign * entry.balance);
            assert_eq!(found, wanted, "{name}: {row}");
            (debit, credit) = (debit + sides.0, credit + sides.1);
            let month = &entry.date[..7];
            let is_last = expected.peek().is_none_or(|next| &next.date[..7] != month);
            assert_eq!(is_last, is_before_subtotal(rows, row), "{name}: the end of {month}");
        }
        assert_eq!(expected.next(), None, "{name}: an entry is missing");
    }

    /// Compares the order of a journal with `print`.
    #[track_caller]
    fn journal(&self) {
        let days = Days { first: self.year(0).first, last: self.year(1).last };
        let report = self.report(&format!("journal?period={}", days.period()));
        let shown: Vec<&str> =
            list(&report, "rows").iter().filter_map(|row| row["cells"][1].as_str()).collect();
        let expected = self.journal.print(&days.options().each_ref().map(String::as_str));
        assert_eq!(shown, expected, "13.10: the transactions of the journal");
    }
}

fn is_before_subtotal(rows: &[&Value], row: &Value) -> bool {
    let index = rows.iter().position(|other| std::ptr::eq(*other, row));
    index.and_then(|index| rows.get(index + 1)).is_some_and(|next| next["kind"] == "subtotal")
}

/// The factor from debit minus credit to the sign of reports (13.4).
fn sign(name: &str) -> i128 {
    if name.starts_with("Assets") || name.starts_with("Expenses") { 1 } else { -1 }
}

fn non_zero(figures: &Figures) -> impl Iterator<Item = &str> {
    let rows = figures.iter().filter(|(_, row)| row.iter().any(|amount| *amount != 0));
    rows.map(|(name, _)| name.as_str())
}

/// Asserts that the rows with amounts are equal.
#[track_caller]
fn assert_same(what: &str, shown: &Figures, expected: &Figures) {
    let names: BTreeSet<&str> = non_zero(shown).chain(non_zero(expected)).collect();
    assert!(!names.is_empty(), "{what}: no rows");
    let words = |row: Option<&Vec<i128>>| {
        row.map(|row| row.iter().map(|amount| show(*amount, 0)).collect::<Vec<_>>())
    };
    let different: Vec<String> = names
        .into_iter()
        .filter(|name| shown.get(*name) != expected.get(*name))
        .map(|name| {
            let (shown, expected) = (words(shown.get(name)), words(expected.get(name)));
            format!("{name}: {shown:?}, expected {expected:?}")
        })
        .collect();
    assert!(different.is_empty(), "{what}: {different:#?}");
}
