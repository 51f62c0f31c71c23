//! Rows of `book_state`: the data of a book that changes with every write, apart from its settings.

use std::collections::BTreeMap;

use daybook_domain::event::{Hash, Head};
use daybook_domain::instant::Instant;
use daybook_domain::storage_quota::StorageUsage;
use diesel::prelude::*;

use crate::conn::bulk::Bulk;
use crate::conn::sql::Value;
use crate::error::{Error, Result};
use crate::posted_months::PostedMonths;
use crate::schema::book_state;

/// Changes of the number of counted postings, by posting month (yyyymm).
pub type PostingCounts = BTreeMap<i32, i64>;

/// A row of `book_state`.
#[derive(Debug, Clone, QueryableByName)]
#[diesel(table_name = book_state)]
pub(crate) struct BookStateRow {
    pub(crate) book_id: i64,
    pub(crate) sequence: i64,
    pub(crate) hash: Vec<u8>,
    pub(crate) changed_at: i64,
    pub(crate) posted: i64,
    pub(crate) month: i32,
    pub(crate) month_posted: i64,
    pub(crate) year_posted: i64,
    /// The number of postings in each of the twelve months up to `month`.
    pub(crate) posted_months: String,
    /// The version of the book's accounts and groups.
    pub(crate) chart_version: i64,
    /// The id of the last transaction in the trigram index.
    pub(crate) indexed_until_id: i64,
    pub(crate) indexed_chunks: i64,
    /// The number of transactions that are not indexed yet.
    pub(crate) unindexed: i64,
    /// The instant of the last event.
    pub(crate) last_event_at: i64,
    /// The number of installed apps.
    pub(crate) apps: i64,
    /// The number of stored transactions (behaviour 10.14).
    pub(crate) stored_transactions: i64,
    pub(crate) stored_bytes: i64,
}

impl BookStateRow {
    /// Returns the end of the event log.
    pub(crate) fn head(&self) -> Result<Head> {
        let hash = Hash::from_bytes(&self.hash).ok_or(Error::Corrupt("hash"))?;
        Ok(Head { sequence: self.sequence, hash })
    }

    /// Returns the storage usage of the book.
    pub(crate) const fn stored(&self) -> StorageUsage {
        StorageUsage { transactions: self.stored_transactions, bytes: self.stored_bytes }
    }

    pub(crate) const fn counters(&self) -> BookCounters {
        let Self { changed_at, posted, month, month_posted, year_posted, .. } = *self;
        BookCounters {
            posted,
            month,
            month_posted,
            year_posted,
            changed_at: Instant::new(changed_at),
        }
    }

    /// Moves the head of the log behind new events and adds their postings to the counters.
    ///
    /// Only the current month and year have counters, because no total shows earlier ones
    /// (behaviour 6.10, 6.11).
    pub(crate) fn advance(
        &mut self,
        end: Head,
        at: Instant,
        postings: &PostingCounts,
    ) -> Result<()> {
        self.sequence = end.sequence;
        self.hash = end.hash.as_bytes().to_vec();
        // Requests may arrive out of order, but the time of a book never goes back.
        self.changed_at = at.milliseconds().max(self.changed_at.saturating_add(1));
        if !postings.is_empty() {
            let months = PostedMonths::from_column(self.month, &self.posted_months)?;
            let months =
                postings.iter().fold(months, |all, (month, change)| all.with(*month, *change));
            self.posted_months = months.to_column();
        }
        for (month, change) in postings {
            self.posted = self.posted.saturating_add(*change);
            if *month > self.month {
                let same_year = month.div_euclid(100) == self.month.div_euclid(100);
                self.year_posted = if same_year { self.year_posted } else { 0 };
                self.month_posted = 0;
                self.month = *month;
            }
            if *month == self.month {
                self.month_posted = self.month_posted.saturating_add(*change).max(0);
            }
            if month.div_euclid(100) == self.month.div_euclid(100) {
                self.year_posted = self.year_posted.saturating_add(*change).max(0);
            }
        }
        Ok(())
    }
}

pub(crate) fn rows<'s>(states: impl Iterator<Item = &'s BookStateRow>) -> Bulk<'s> {
    let mut rows = Bulk::new(
        "INSERT INTO book_state (book_id, sequence, hash, changed_at, posted, month, \
         month_posted, year_posted, posted_months, chart_version, indexed_until_id, \
         indexed_chunks, unindexed, last_event_at, apps, stored_transactions, stored_bytes)",
        17,
        " ON CONFLICT (book_id) DO UPDATE SET \
         sequence = excluded.sequence, \
         hash = excluded.hash, \
         changed_at = excluded.changed_at, \
         posted = excluded.posted, \
         month = excluded.month, \
         month_posted = excluded.month_posted, \
         year_posted = excluded.year_posted, \
         posted_months = excluded.posted_months, \
         chart_version = excluded.chart_version, \
         indexed_until_id = excluded.indexed_until_id, \
         indexed_chunks = excluded.indexed_chunks, \
         unindexed = excluded.unindexed, \
         last_event_at = excluded.last_event_at, \
         apps = excluded.apps, \
         stored_transactions = excluded.stored_transactions, \
         stored_bytes = excluded.stored_bytes",
    );
    for state in states {
        rows.row([
            Value::Int(state.book_id),
            Value::Int(state.sequence),
            Value::Bytes(&state.hash),
            Value::Int(state.changed_at),
            Value::Int(state.posted),
            Value::Int(i64::from(state.month)),
            Value::Int(state.month_posted),
            Value::Int(state.year_posted),
            Value::Text(state.posted_months.as_str().into()),
            Value::Int(state.chart_version),
            Value::Int(state.indexed_until_id),
            Value::Int(state.indexed_chunks),
            Value::Int(state.unindexed),
            Value::Int(state.last_event_at),
            Value::Int(state.apps),
            Value::Int(state.stored_transactions),
            Value::Int(state.stored_bytes),
        ]);
    }
    rows
}

/// The number of postings of a book, by posting instant in the book zone (behaviour 6.10), and the
/// instant of its last change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BookCounters {
    /// The number of posted transactions that are not trashed.
    pub posted: i64,
    /// The month of the last counted posting, as yyyymm.
    pub month: i32,
    /// The number of postings in that month.
    pub month_posted: i64,
    /// The number of postings in the year of that month.
    pub year_posted: i64,
    /// The instant of the last change in the book (behaviour 6.11).
    pub changed_at: Instant,
}

impl BookCounters {
    /// Returns the number of postings in a month (yyyymm), and in its year.
    #[must_use]
    pub const fn current(self, month: i32) -> (i64, i64) {
        let in_month = if self.month == month { self.month_posted } else { 0 };
        let in_year =
            if self.month.div_euclid(100) == month.div_euclid(100) { self.year_posted } else { 0 };
        (in_month, in_year)
    }
}
