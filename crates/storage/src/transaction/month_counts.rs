//! How many transactions are dated in each month, kept in the unit of work that changes it: so
//! counts by month and by year pass no transactions (behaviour 9.8).

use std::collections::BTreeMap;

use daybook_domain::id::BookId;
use daybook_domain::transaction::Transaction;

use super::Change;
use crate::bulk::Bulk;
use crate::column::day_to_column;
use crate::sql::Value;

const INSERT: &str = "INSERT INTO month_counts (book_id, month, posted, trashed)";
const OR_ADD: &str = " ON CONFLICT (book_id, month) DO UPDATE SET \
     posted = month_counts.posted + excluded.posted, \
     trashed = month_counts.trashed + excluded.trashed";

/// How counts move, by book and month (yyyymm): the posted ones, and the trashed ones.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct CountDeltas(BTreeMap<(BookId, i32), (i64, i64)>);

impl CountDeltas {
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Counts a new transaction.
    pub(super) fn add(&mut self, book: BookId, added: &Transaction) {
        self.count(book, added, 1);
    }

    /// Counts a transaction as it is now, and no longer as it was.
    pub(super) fn change(&mut self, book: BookId, change: &Change) {
        if let Some(before) = &change.before {
            self.count(book, before, -1);
        }
        self.count(book, &change.after, 1);
    }

    fn count(&mut self, book: BookId, transaction: &Transaction, sign: i64) {
        let Some(date) = transaction.date else { return };
        let month = day_to_column(date).div_euclid(100);
        let (posted, trashed) = self.0.entry((book, month)).or_default();
        if transaction.trashed {
            *trashed = trashed.saturating_add(sign);
        } else if transaction.counts() {
            *posted = posted.saturating_add(sign);
        }
    }

    /// Adds later ones.
    pub(crate) fn merge(&mut self, later: Self) {
        for (place, (more_posted, more_trashed)) in later.0 {
            let (posted, trashed) = self.0.entry(place).or_default();
            *posted = posted.saturating_add(more_posted);
            *trashed = trashed.saturating_add(more_trashed);
        }
    }

    /// The rows that add them to the counts, in the order of their keys, so that writers of all
    /// processes lock the rows in the same order.
    pub(crate) fn rows<'a>(&self) -> Bulk<'a> {
        let mut rows = Bulk::new(INSERT, 4, OR_ADD);
        for ((book, month), (posted, trashed)) in self.0.iter().filter(|(_, by)| **by != (0, 0)) {
            rows.row([book.get(), i64::from(*month), *posted, *trashed].map(Value::Int));
        }
        rows
    }
}
