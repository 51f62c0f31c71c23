//! Rows of `month_counts`: the number of transactions dated in each month.
//!
//! They are updated in the unit of work that changes a transaction, so counts by month and by year
//! scan no transactions (behaviour 9.8).

use std::collections::BTreeMap;

use daybook_domain::id::BookId;
use daybook_domain::transaction::Transaction;

use crate::conn::bulk::Bulk;
use crate::conn::sql::Value;
use crate::rows::column::day_to_column;

const INSERT: &str = "INSERT INTO month_counts (book_id, month, posted, trashed)";
const OR_ADD: &str = " ON CONFLICT (book_id, month) DO UPDATE SET \
     posted = month_counts.posted + excluded.posted, \
     trashed = month_counts.trashed + excluded.trashed";

/// Changes of counts, by book and month (yyyymm).
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct CountDeltas(BTreeMap<(BookId, i32), CountDelta>);

/// The change of the counts of one month.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct CountDelta {
    posted: i64,
    trashed: i64,
}

impl CountDeltas {
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Counts a new transaction.
    pub(crate) fn add(&mut self, book: BookId, added: &Transaction) {
        self.count(book, added, 1);
    }

    /// Counts a changed transaction: it subtracts the old one and adds the new one.
    pub(crate) fn change(
        &mut self,
        book: BookId,
        before: Option<&Transaction>,
        after: &Transaction,
    ) {
        if let Some(before) = before {
            self.count(book, before, -1);
        }
        self.count(book, after, 1);
    }

    fn count(&mut self, book: BookId, transaction: &Transaction, sign: i64) {
        let Some(date) = transaction.date else { return };
        let month = day_to_column(date).div_euclid(100);
        let delta = self.0.entry((book, month)).or_default();
        if transaction.trashed {
            delta.trashed = delta.trashed.saturating_add(sign);
        } else if transaction.counts() {
            delta.posted = delta.posted.saturating_add(sign);
        }
    }

    /// Adds later changes.
    pub(crate) fn merge(&mut self, later: Self) {
        for (key, more) in later.0 {
            let delta = self.0.entry(key).or_default();
            delta.posted = delta.posted.saturating_add(more.posted);
            delta.trashed = delta.trashed.saturating_add(more.trashed);
        }
    }

    /// Returns the rows that add the changes to the stored counts.
    ///
    /// They are in key order, so writers of all processes lock the rows in the same order.
    pub(crate) fn rows<'a>(&self) -> Bulk<'a> {
        let mut rows = Bulk::new(INSERT, 4, OR_ADD);
        for ((book, month), CountDelta { posted, trashed }) in &self.0 {
            if (*posted, *trashed) != (0, 0) {
                rows.row([book.get(), i64::from(*month), *posted, *trashed].map(Value::Int));
            }
        }
        rows
    }
}
