//! The export of 49,102 real bank transactions (16.5): hledger finds the figures of the
//! transactions.

use std::collections::BTreeMap;

use daybook_tests::Client;
use daybook_tests::decimal::units;
use daybook_tests::hledger::{Figures, Journal};
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

/// The changes of each account by month, from the first month of all to the last: debit minus
/// credit.
fn changes(transactions: &[Value]) -> Figures {
    let mut sums: BTreeMap<&str, BTreeMap<&str, i128>> = BTreeMap::new();
    let mut months: Vec<&str> = Vec::new();
    for transaction in transactions {
        let month = &transaction["date"].as_str().expect("a date")[..7];
        let amount = units(transaction["amount"].as_str().expect("an amount"));
        months.push(month);
        for (side, change) in [("creditAccount", -amount), ("debitAccount", amount)] {
            let name = transaction[side]["name"].as_str().expect("a name");
            *sums.entry(name).or_default().entry(month).or_default() += change;
        }
    }
    months.sort_unstable();
    months.dedup();
    let row = |by_month: &BTreeMap<&str, i128>| -> Vec<i128> {
        months.iter().map(|month| by_month.get(month).copied().unwrap_or_default()).collect()
    };
    let rows = sums.iter().map(|(name, by_month)| ((*name).to_owned(), row(by_month)));
    without_zeros(rows.collect())
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
