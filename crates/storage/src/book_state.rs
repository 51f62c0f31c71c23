//! The state of books: what moves with every write, apart from the settings.

use std::collections::HashMap;

use daybook_domain::event::{Hash, Head};
use daybook_domain::id::{BookId, UserId};
use daybook_domain::instant::Instant;
use daybook_domain::purpose::UpdateBook;
use daybook_domain::storage_quota::StorageUsage;
use diesel::prelude::*;
use diesel::sql_types::BigInt;

use crate::access::AccessTo;
use crate::book::Books;
use crate::bulk::Bulk;
use crate::conn::on_engine;
use crate::error::{Error, Result};
use crate::event::PostingCounts;
use crate::posted_months::{MONTHS, PostedMonths};
use crate::schema::book_state;
use crate::sql::{Sql, Value};

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
    /// What was posted in each of the twelve months up to `month`.
    pub(crate) posted_months: String,
    /// The version of the book's accounts and groups.
    pub(crate) chart_version: i64,
    /// The id of the last transaction in the trigram index.
    pub(crate) indexed_until_id: i64,
    /// How many chunks that index has.
    pub(crate) indexed_chunks: i64,
    /// How many transactions are not in it yet.
    pub(crate) unindexed: i64,
    /// When the last event happened.
    pub(crate) last_event_at: i64,
    /// How many apps are installed.
    pub(crate) apps: i64,
    /// How many transactions are stored (behaviour 10.14).
    pub(crate) stored_transactions: i64,
    /// How many bytes are.
    pub(crate) stored_bytes: i64,
}

impl BookStateRow {
    /// Where the event log ends.
    pub(crate) fn head(&self) -> Result<Head> {
        let hash = Hash::from_bytes(&self.hash).ok_or(Error::Corrupt("hash"))?;
        Ok(Head { sequence: self.sequence, hash })
    }

    /// What is stored of the book.
    pub(crate) const fn stored(&self) -> StorageUsage {
        StorageUsage { transactions: self.stored_transactions, bytes: self.stored_bytes }
    }

    pub(crate) const fn activity(&self) -> BookCounters {
        let Self { changed_at, posted, month, month_posted, year_posted, .. } = *self;
        BookCounters {
            posted,
            month,
            month_posted,
            year_posted,
            changed_at: Instant::new(changed_at),
        }
    }

    /// Moves the head of the log behind new events. Only the current month and year are counted:
    /// postings of earlier ones no longer show in any total (behaviour 6.10, 6.11).
    pub(crate) fn advance(&mut self, end: Head, at: Instant, tally: &PostingCounts) -> Result<()> {
        self.sequence = end.sequence;
        self.hash = end.hash.as_bytes().to_vec();
        // Requests may overtake one another on their way here; the book's own time never goes back.
        self.changed_at = at.milliseconds().max(self.changed_at.saturating_add(1));
        if !tally.is_empty() {
            let months = PostedMonths::from_column(self.month, &self.posted_months)?;
            let months =
                tally.iter().fold(months, |all, (month, change)| all.with(*month, *change));
            self.posted_months = months.to_column();
        }
        for (month, change) in tally {
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

/// The rows of the states of any books.
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
        let BookStateRow {
            book_id,
            sequence,
            hash,
            changed_at,
            posted,
            month,
            month_posted,
            year_posted,
            posted_months,
            chart_version,
            indexed_until_id,
            indexed_chunks,
            unindexed,
            last_event_at,
            apps,
            stored_transactions,
            stored_bytes,
        } = state;
        rows.row([
            Value::Int(*book_id),
            Value::Int(*sequence),
            Value::Bytes(hash),
            Value::Int(*changed_at),
            Value::Int(*posted),
            Value::Int(i64::from(*month)),
            Value::Int(*month_posted),
            Value::Int(*year_posted),
            Value::Text(posted_months.as_str().into()),
            Value::Int(*chart_version),
            Value::Int(*indexed_until_id),
            Value::Int(*indexed_chunks),
            Value::Int(*unindexed),
            Value::Int(*last_event_at),
            Value::Int(*apps),
            Value::Int(*stored_transactions),
            Value::Int(*stored_bytes),
        ]);
    }
    rows
}

/// How much was posted in a book, by posting instant in the book zone (behaviour 6.10), and when it
/// last changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BookCounters {
    /// Posted and not trashed.
    pub posted: i64,
    /// The month of the last counted posting, as yyyymm.
    pub month: i32,
    /// Posted in that month.
    pub month_posted: i64,
    /// Posted in the year of that month.
    pub year_posted: i64,
    /// When anything in the book last changed (behaviour 6.11).
    pub changed_at: Instant,
}

impl BookCounters {
    /// Posted in a month (yyyymm), and in its year.
    #[must_use]
    pub const fn current(self, month: i32) -> (i64, i64) {
        let in_month = if self.month == month { self.month_posted } else { 0 };
        let in_year =
            if self.month.div_euclid(100) == month.div_euclid(100) { self.year_posted } else { 0 };
        (in_month, in_year)
    }
}

/// The month it is in a book zone, and when it and the eleven before it began there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Current {
    /// As yyyymm.
    pub month: i32,
    /// When the twelve months began, oldest first.
    pub starts: [Instant; MONTHS],
}

#[derive(QueryableByName)]
struct Postings {
    /// The month by its place among the twelve.
    #[diesel(sql_type = BigInt)]
    place: i64,
    #[diesel(sql_type = BigInt)]
    posted: i64,
}

#[derive(QueryableByName)]
#[diesel(table_name = book_state)]
struct PostedRow {
    book_id: i64,
    month: i32,
    posted_months: String,
}

impl Books<'_, '_> {
    /// Counts anew what was posted in the last twelve months, because the zone that says which they
    /// are has changed (behaviour 6.10). It reads the whole book; a book hardly ever changes its
    /// zone. The next event saves the counts.
    pub fn recount(self, access: &AccessTo<UpdateBook>, current: &Current) -> Result<BookCounters> {
        let book = access.book().id;
        let months = self.tx.books().count_posted(book, current)?;
        let state = self.tx.queued_book_state(book)?;
        state.month = current.month;
        state.month_posted = months.posted(current.month);
        let year = current.month.div_euclid(100);
        let of_year = PostedMonths::months(current.month).into_iter().zip(months.counts);
        state.year_posted = of_year
            .filter(|(month, _)| month.div_euclid(100) == year)
            .map(|(_, count)| count)
            .sum();
        state.posted_months = months.to_column();
        Ok(state.activity())
    }

    /// Counts what was posted in the last twelve months. It reads the whole book.
    fn count_posted(self, book: BookId, current: &Current) -> Result<PostedMonths> {
        let [first, ..] = current.starts;
        let mut query = Sql::new("SELECT CASE");
        for (place, start) in current.starts.iter().enumerate().skip(1).rev() {
            let place = i64::try_from(place).unwrap_or_default();
            query = query.push(" WHEN t.posted_at >= ").int(start.milliseconds());
            query = query.push(" THEN ").int(place);
        }
        let query = query
            .push(" ELSE 0 END AS place, COUNT(*) AS posted FROM transactions t WHERE t.book_id = ")
            .int(book.get())
            .push(" AND t.standing > 0 AND t.trashed = ")
            .flag(false)
            .push(" AND t.posted_at >= ")
            .int(first.milliseconds())
            .push(" GROUP BY 1");
        let rows: Vec<Postings> = on_engine!(self.tx.flushed()?, c => (&query).load(c))?;
        let mut counts = [0; MONTHS];
        for Postings { place, posted } in rows {
            let count = usize::try_from(place).ok().and_then(|place| counts.get_mut(place));
            *count.ok_or(Error::Corrupt("place"))? = posted;
        }
        Ok(PostedMonths { last: current.month, counts })
    }

    /// What was posted in the twelve months up to the last posting, in each book that a user owns.
    pub fn posted_months(self, owner: UserId) -> Result<HashMap<BookId, PostedMonths>> {
        let query = Sql::new(
            "SELECT s.book_id, s.month, s.posted_months \
             FROM books b JOIN book_state s ON s.book_id = b.id \
             WHERE b.owner_id = ",
        )
        .int(owner.get());
        let rows: Vec<PostedRow> = on_engine!(self.tx.flushed()?, c => (&query).load(c))?;
        let read = |PostedRow { book_id, month, posted_months }: PostedRow| {
            Ok((BookId::new(book_id), PostedMonths::from_column(month, &posted_months)?))
        };
        rows.into_iter().map(read).collect()
    }
}
