//! The exports of 49,102 real bank transactions (16.5): hledger and beancount find the figures of
//! the transactions.

use std::collections::BTreeSet;

use daybook_tests::decimal::units;
use daybook_tests::hledger::{Figures, Journal};
use daybook_tests::{Client, beancount};
use serde_json::Value;

/// Returns the export of a book. Its balances in hledger are those of the transactions, by account
/// and month.
#[track_caller]
pub(crate) fn compared(owner: &Client, book: &str, transactions: &[Value]) -> Journal {
    let text = owner.download(&format!("/v5/books/{book}/export?format=hledger"));
    let exported = Journal::exported(&String::from_utf8(text).expect("a text"));
    let balances = exported.figures(&["balance", "--monthly", "--flat", "--no-total"]);
    assert_eq!(by_name(balances), changes(transactions));
    exported
}

/// Checks that beancount accepts the export of a book and finds in it the changes of the
/// transactions, by account and month.
#[track_caller]
pub(crate) fn compare_in_beancount(owner: &Client, book: &str, transactions: &[Value]) {
    let text = owner.download(&format!("/v5/books/{book}/export?format=beancount"));
    let mut found = beancount::checked_sums(&String::from_utf8(text).expect("a text"));
    found.retain(|_, sum| *sum != 0);
    let mut expected = sums(transactions);
    expected.retain(|_, sum| *sum != 0);
    assert_eq!(found, expected);
}

/// The change of each account in each month with transactions: debit minus credit.
fn sums(transactions: &[Value]) -> beancount::Sums {
    let mut sums = beancount::Sums::new();
    for transaction in transactions {
        let month = &transaction["date"].as_str().expect("a date")[..7];
        let amount = units(transaction["amount"].as_str().expect("an amount"));
        for (side, change) in [("creditAccount", -amount), ("debitAccount", amount)] {
            let name = transaction[side]["name"].as_str().expect("a name");
            *sums.entry((name.to_owned(), month.to_owned())).or_default() += change;
        }
    }
    sums
}

/// The changes of each account by month, from the first month of all to the last.
fn changes(transactions: &[Value]) -> Figures {
    let sums = sums(transactions);
    let months: BTreeSet<&String> = sums.keys().map(|(_, month)| month).collect();
    let mut figures = Figures::new();
    for ((name, month), sum) in &sums {
        let row = figures.entry(name.clone()).or_insert_with(|| vec![0; months.len()]);
        row[months.range::<String, _>(..month).count()] = *sum;
    }
    without_zeros(figures)
}

/// Figures by the name of the account instead of its path.
pub(crate) fn by_name(figures: Figures) -> Figures {
    let name = |path: &str| path.rsplit(':').next().unwrap_or_default().to_owned();
    without_zeros(figures.into_iter().map(|(path, amounts)| (name(&path), amounts)).collect())
}

fn without_zeros(mut figures: Figures) -> Figures {
    figures.retain(|_, amounts| amounts.iter().any(|amount| *amount != 0));
    figures
}
