//! Counts of the books that a user owns or shares, which bound lists of books.

use daybook_domain::email::Email;
use daybook_domain::id::UserId;
use daybook_domain::instant::Instant;
use diesel::prelude::*;
use diesel::sql_types::{BigInt, Integer, Text};

use super::Books;
use crate::commit::tx::Tx;
use crate::conn::sql::Sql;
use crate::error::Result;
use crate::rows::book_state::BookCounters;

#[derive(QueryableByName)]
struct OwnedRow {
    #[diesel(sql_type = BigInt)]
    changed_at: i64,
    #[diesel(sql_type = BigInt)]
    posted: i64,
    #[diesel(sql_type = Integer)]
    month: i32,
    #[diesel(sql_type = BigInt)]
    month_posted: i64,
    #[diesel(sql_type = BigInt)]
    year_posted: i64,
    #[diesel(sql_type = Text)]
    time_zone: String,
}

impl OwnedRow {
    fn into_counters(self) -> (BookCounters, String) {
        let Self { changed_at, posted, month, month_posted, year_posted, time_zone } = self;
        let changed_at = Instant::new(changed_at);
        (BookCounters { posted, month, month_posted, year_posted, changed_at }, time_zone)
    }
}

impl Books<'_, '_> {
    /// Counts the books of an owner, including deleted ones that are not removed, up to `limit`.
    pub fn count_owned(self, owner: UserId, limit: usize) -> Result<usize> {
        let owned = Sql::new("SELECT b.id FROM books b WHERE b.owner_id = {}").bind(owner);
        self.tx.count_up_to(limit, owned)
    }

    /// Counts the books of an owner of which an address is a collaborator, up to `limit`.
    pub fn count_shared(self, owner: UserId, with: &Email, limit: usize) -> Result<usize> {
        let shared = Sql::new(
            "SELECT c.id FROM collaborators c JOIN books b ON b.id = c.book_id \
             WHERE c.email = {} AND b.owner_id = {}",
        )
        .bind((with.as_str(), owner));
        self.tx.count_up_to(limit, shared)
    }

    /// Lists the posting counters and the time zone of each book of an owner that is not deleted.
    pub fn counters_of_owned(self, owner: UserId) -> Result<Vec<(BookCounters, String)>> {
        let query = Sql::new(
            "SELECT s.changed_at, s.posted, s.month, s.month_posted, s.year_posted, b.time_zone \
             FROM books b JOIN book_state s ON s.book_id = b.id WHERE b.deleted_at IS NULL \
             AND b.owner_id = {}",
        )
        .bind(owner);
        let rows: Vec<OwnedRow> = self.tx.flushed()?.load(&query)?;
        Ok(rows.into_iter().map(OwnedRow::into_counters).collect())
    }
}

impl Tx<'_> {
    fn count_up_to(&mut self, limit: usize, rows: Sql<'_>) -> Result<usize> {
        let limit = i64::try_from(limit).unwrap_or(i64::MAX);
        let query = Sql::new("SELECT COUNT(*) FROM ({} LIMIT {}) AS counted").bind((rows, limit));
        let count = self.flushed()?.row::<i64>(&query)?.unwrap_or_default();
        Ok(usize::try_from(count).unwrap_or_default())
    }
}
