//! Copied transactions, which an audit compares with the log of the copy (behaviour 6.20).

use std::collections::HashMap;

use daybook_domain::access::Access;
use daybook_domain::book::copy::row_digest;
use daybook_domain::event::Hash;
use daybook_domain::id::TransactionId;
use diesel::QueryableByName;
use diesel::prelude::*;
use diesel::sql_types::{BigInt, Binary};

use super::Audits;
use crate::conn::on_engine;
use crate::conn::sql::Sql;
use crate::error::Result;
use crate::event::is_in_block;
use crate::rows::event::MAX_IN_BLOCK;
use crate::transaction::rows_of;

#[derive(QueryableByName)]
struct FirstDigest {
    #[diesel(sql_type = BigInt)]
    transaction_id: i64,
    #[diesel(sql_type = Binary)]
    digest: Vec<u8>,
}

impl Audits<'_, '_> {
    /// Returns the digests of the next copied transactions after an id, in the order of ids.
    ///
    /// They are digests before the first change that has an event. The digest of an unreadable row
    /// is zero. It returns as many as [`rows_of`] loads.
    pub fn copied(
        self,
        access: &Access,
        after: Option<TransactionId>,
        limit: i64,
    ) -> Result<Vec<(TransactionId, Hash)>> {
        let book = access.book();
        let number = book.id.get();
        let after = after.map_or(i64::MIN, TransactionId::get);
        let copied = Sql::new(" WHERE t.book_id = ")
            .int(number)
            .push(" AND t.id > ")
            .int(after)
            .push(" AND t.created_at = ")
            .int(book.stamp.created_at.milliseconds())
            .push(" ORDER BY t.id LIMIT ")
            .int(limit);
        let rows = rows_of(self.tx, book.scale, copied)?;
        let Some((last, _)) = rows.last() else { return Ok(Vec::new()) };
        let id = || Sql::new("o.transaction_id");
        let originals = Sql::new(
            "SELECT o.transaction_id, o.digest FROM copied_transactions o WHERE o.book_id = ",
        )
        .int(number)
        .push(" AND o.transaction_id > ")
        .int(after)
        .push(" AND o.transaction_id <= ")
        .int(*last)
        .push(" AND EXISTS (SELECT 1 FROM events e WHERE e.book_id = ")
        .int(number)
        .push(" AND e.resource = o.transaction_id UNION ALL SELECT 1 FROM ")
        .append(self.tx.lookup().by_index("events b", "events_blocks"))
        .push(" WHERE b.book_id = ")
        .int(number)
        .push(" AND ")
        .append(is_in_block(id(), id().push(format!(" + {MAX_IN_BLOCK}"))))
        .push(")");
        let originals: Vec<FirstDigest> =
            on_engine!(self.tx.flushed()?, c => (&originals).load(c))?;
        let originals: HashMap<i64, Vec<u8>> =
            originals.into_iter().map(|row| (row.transaction_id, row.digest)).collect();
        let digest = |(id, row): (i64, Option<_>)| {
            let original = originals.get(&id).and_then(|digest| Hash::from_bytes(digest));
            let digest = original.or_else(|| row.as_ref().map(row_digest));
            (TransactionId::new(id), digest.unwrap_or(Hash::ZERO))
        };
        Ok(rows.into_iter().map(digest).collect())
    }
}
