//! The stored counts of a book, which an audit compares.

use daybook_domain::access::Access;
use daybook_domain::audit::{AuditedCounts, DatedCounts};
use daybook_domain::event::{Hash, Head};
use daybook_domain::storage_quota::StorageUsage;
use diesel::QueryableByName;
use diesel::sql_types::{BigInt, Binary};

use super::Audits;
use crate::conn::sql::Sql;
use crate::error::Result;

#[derive(QueryableByName)]
struct CountedRow {
    #[diesel(sql_type = BigInt)]
    sequence: i64,
    #[diesel(sql_type = Binary)]
    hash: Vec<u8>,
    #[diesel(sql_type = BigInt)]
    posted: i64,
    #[diesel(sql_type = BigInt)]
    terms: i64,
    #[diesel(sql_type = BigInt)]
    stored_transactions: i64,
    #[diesel(sql_type = BigInt)]
    stored_bytes: i64,
}

impl Audits<'_, '_> {
    /// Returns the end of the log according to the book state, if readable, and the stored counts.
    pub fn head(self, access: &Access) -> Result<(Option<Head>, AuditedCounts)> {
        let book = access.book().id.get();
        let sql = Sql::new(
            "SELECT s.sequence, s.hash, s.posted, s.stored_transactions, s.stored_bytes, (SELECT \
             COUNT(*) FROM index_terms m WHERE m.book_id = {}) AS terms FROM book_state s \
             WHERE s.book_id = {}",
        )
        .bind((book, book));
        let rows: Vec<CountedRow> = self.tx.flushed()?.load(&sql)?;
        let Some(row) = rows.into_iter().next() else {
            return Ok((None, AuditedCounts::default()));
        };
        let CountedRow { sequence, hash, posted, terms, .. } = row;
        let stored =
            StorageUsage { transactions: row.stored_transactions, bytes: row.stored_bytes };
        let sql = Sql::new("SELECT month, posted, trashed FROM month_counts WHERE book_id = {}")
            .bind(book);
        let months: Vec<(i32, i64, i64)> = self.tx.flushed()?.rows(&sql)?;
        let convert = |(month, posted, trashed)| (month, DatedCounts { posted, trashed });
        let months = months.into_iter().map(convert).collect();
        Ok((
            Hash::from_bytes(&hash).map(|hash| Head { sequence, hash }),
            AuditedCounts { posted, index_terms: terms, stored, months },
        ))
    }
}
