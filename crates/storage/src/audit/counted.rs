//! The stored counts of a book, which an audit compares.

use daybook_domain::access::Access;
use daybook_domain::audit::{AuditedCounts, DatedCounts};
use daybook_domain::event::{Hash, Head};
use daybook_domain::storage_quota::StorageUsage;
use diesel::QueryableByName;
use diesel::prelude::*;
use diesel::sql_types::{BigInt, Binary, Integer};

use super::Audits;
use crate::conn::on_engine;
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

#[derive(QueryableByName)]
struct MonthRow {
    #[diesel(sql_type = Integer)]
    month: i32,
    #[diesel(sql_type = BigInt)]
    posted: i64,
    #[diesel(sql_type = BigInt)]
    trashed: i64,
}

impl Audits<'_, '_> {
    /// Returns the end of the log according to the book state, if readable, and the stored counts.
    pub fn head(self, access: &Access) -> Result<(Option<Head>, AuditedCounts)> {
        let book = access.book().id.get();
        let sql = Sql::new(
            "SELECT s.sequence, s.hash, s.posted, s.stored_transactions, s.stored_bytes, \
               (SELECT COUNT(*) FROM index_terms m WHERE m.book_id = ",
        )
        .int(book)
        .push(") AS terms FROM book_state s WHERE s.book_id = ")
        .int(book);
        let rows: Vec<CountedRow> = on_engine!(self.tx.flushed()?, c => (&sql).load(c))?;
        let Some(row) = rows.into_iter().next() else {
            return Ok((None, AuditedCounts::default()));
        };
        let CountedRow { sequence, hash, posted, terms, .. } = row;
        let stored =
            StorageUsage { transactions: row.stored_transactions, bytes: row.stored_bytes };
        let sql = Sql::new("SELECT month, posted, trashed FROM month_counts WHERE book_id = ");
        let months: Vec<MonthRow> = on_engine!(self.tx.flushed()?, c => (&sql.int(book)).load(c))?;
        let convert =
            |row: MonthRow| (row.month, DatedCounts { posted: row.posted, trashed: row.trashed });
        let months = months.into_iter().map(convert).collect();
        Ok((
            Hash::from_bytes(&hash).map(|hash| Head { sequence, hash }),
            AuditedCounts { posted, index_terms: terms, stored, months },
        ))
    }
}
