//! Journals, row by row.

use time::Date;

use super::period::Period;
use super::request::Request;
use super::sums::PeriodSums;
use super::table::{Cell, Column, ColumnKind, Control, Row, RowKind, Subject};
use crate::id::TransactionId;
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
    /// The credits of the period, from the totals of the book; `None` with some of the accounts.
    credits: Option<i128>,
    amounts: i128,
    entries: u64,
}

impl Journal {
    /// Starts a journal. `sums` are those of the only read of [`Request::plan`].
    ///
    /// If the query names accounts or groups, `sums` may be empty.
    pub fn new(request: &Request, sums: &PeriodSums) -> Self {
        let Period { first, last } = request.period();
        let credits = || sums.of_all(0, first.previous_day(), last).credit;
        let credits = (!request.is_filtered()).then(credits);
        Self { credits, amounts: 0, entries: 0 }
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

    /// Adds a transaction and returns its row.
    pub fn push(&mut self, entry: &JournalEntry<'_>) -> Row {
        self.amounts = self.amounts.saturating_add(entry.amount);
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
        Row { kind: RowKind::Entry, depth: 0, subject, cells, sums: 0 }
    }

    /// Ends the journal. Returns the control, which has the number of transactions.
    ///
    /// Without accounts and groups in the query, the credits are those from the totals of the book.
    pub fn finish(self) -> Vec<Control> {
        let label = format!("Debits = credits (transactions: {})", self.entries);
        let right = self.credits.unwrap_or(self.amounts);
        vec![Control::of_amounts(label, self.amounts, right)]
    }
}
