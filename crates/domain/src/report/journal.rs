//! Journals, row by row.

use std::collections::HashSet;

use time::Date;

use super::period::Period;
use super::request::Request;
use super::sums::PeriodSums;
use super::table::{Cell, Column, ColumnKind, Control, Row, RowKind, Subject};
use crate::balance::Sums;
use crate::id::{AccountId, TransactionId};
use crate::instant::Instant;

/// A transaction in a journal.
#[derive(Debug, Clone, Copy)]
pub struct JournalEntry<'a> {
    /// The transaction.
    pub transaction: TransactionId,
    /// The day.
    pub day: Date,
    /// The description.
    pub text: &'a str,
    /// Both accounts.
    pub accounts: [Option<AccountId>; 2],
    /// The name of the debit account.
    pub debit_account: &'a str,
    /// The name of the credit account.
    pub credit_account: &'a str,
    /// The amount at the storage scale of the book.
    pub amount: i128,
    /// The name of the user who recorded it.
    pub recorded_by: &'a str,
    /// When it was recorded.
    pub recorded_at: Instant,
}

/// Builds the rows of a journal, which are pushed by date and id.
#[derive(Debug)]
pub struct Journal {
    /// The accounts of the query; `None` without accounts and groups in it.
    accounts: Option<HashSet<AccountId>>,
    /// The credits of the book in the period, or the debits and credits of the accounts of the
    /// query, from the totals of the book.
    expected: i128,
    /// The same from the transactions.
    counted: i128,
    entries: u64,
}

impl Journal {
    /// Starts a journal. `sums` are those of the only read of [`Request::plan`].
    ///
    /// `accounts` are the accounts of a query that names accounts or groups.
    pub fn new(request: &Request, sums: &PeriodSums, accounts: Option<HashSet<AccountId>>) -> Self {
        let Period { first, last } = request.period();
        let before = first.previous_day();
        let expected = match &accounts {
            None => sums.of_all(0, before, last).credit,
            Some(accounts) => {
                let of_each = accounts.iter().map(|id| sums.between(0, *id, before, last));
                let Sums { debit, credit } = of_each.sum();
                debit.saturating_add(credit)
            }
        };
        Self { accounts, expected, counted: 0, entries: 0 }
    }

    /// Returns the columns.
    pub fn columns() -> Vec<Column> {
        vec![
            Column::new("date", "Date", ColumnKind::Date),
            Column::new("id", "ID", ColumnKind::Text),
            Column::new("text", "Text", ColumnKind::Text),
            Column::new("debitAccount", "Debit account", ColumnKind::Text),
            Column::new("creditAccount", "Credit account", ColumnKind::Text),
            Column::of_amount("amount", "Amount"),
            Column::new("recordedBy", "Recorded by", ColumnKind::Text),
            Column::new("recordedAt", "Recorded at", ColumnKind::Instant),
        ]
    }

    /// Adds a transaction. Returns its row unless it has none of the accounts of the query.
    pub fn push(&mut self, entry: &JournalEntry<'_>) -> Option<Row> {
        let sides: i128 = match &self.accounts {
            None => 1,
            Some(accounts) => {
                let sides = entry.accounts.iter().flatten();
                sides.map(|id| i128::from(accounts.contains(id))).sum()
            }
        };
        if sides == 0 {
            return None;
        }
        self.counted = self.counted.saturating_add(entry.amount.saturating_mul(sides));
        self.entries = self.entries.saturating_add(1);
        let text = |text: &str| Cell::Text(text.to_owned());
        let cells = vec![
            Cell::Date(entry.day),
            Cell::Text(entry.transaction.to_string()),
            text(entry.text),
            text(entry.debit_account),
            text(entry.credit_account),
            Cell::Amount(entry.amount),
            text(entry.recorded_by),
            Cell::Instant(entry.recorded_at),
        ];
        let subject = Some(Subject::Transaction(entry.transaction));
        Some(Row { kind: RowKind::Entry, depth: 0, subject, cells, sums: 0 })
    }

    /// Ends the journal. Returns the control, which has the number of transactions.
    ///
    /// It compares the transactions with the totals of the book, or of the accounts of the query.
    pub fn finish(self) -> Vec<Control> {
        let label = match self.accounts {
            None => "Debits = credits",
            Some(_) => "Entries of the accounts = their movements",
        };
        let label = format!("{label} (transactions: {})", self.entries);
        vec![Control::of_amounts(label, self.counted, self.expected)]
    }
}
