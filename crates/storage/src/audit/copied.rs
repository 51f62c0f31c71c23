//! Copied transactions, which an audit compares with the log of the copy (behaviour 6.20).

use std::collections::HashMap;

use daybook_domain::access::Access;
use daybook_domain::book::copy::row_digest;
use daybook_domain::event::Hash;
use daybook_domain::id::TransactionId;

use super::Audits;
use crate::conn::sql::Sql;
use crate::error::Result;
use crate::event::is_in_block;
use crate::rows::event::MAX_IN_BLOCK;
use crate::transaction::rows_of;

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
        let copied = Sql::new(
            " WHERE t.book_id = {} AND t.id > {} AND t.created_at = {} ORDER BY t.id LIMIT {}",
        )
        .bind((number, after, book.stamp.created_at, limit));
        let rows = rows_of(self.tx, book.scale, copied)?;
        let Some((last, _)) = rows.last() else { return Ok(Vec::new()) };
        let id = || Sql::new("o.transaction_id");
        let originals = Sql::new(
            "SELECT o.transaction_id, o.digest FROM copied_transactions o WHERE o.book_id = {} \
             AND o.transaction_id > {} AND o.transaction_id <= {} AND EXISTS (SELECT 1 \
             FROM events e WHERE e.book_id = {} AND e.resource = o.transaction_id UNION ALL \
             SELECT 1 FROM {} WHERE b.book_id = {} AND {})",
        )
        .bind((
            number,
            after,
            *last,
            number,
            self.tx.lookup().by_index("events b", "events_blocks"),
            number,
            is_in_block(id(), id().push(format!(" + {MAX_IN_BLOCK}"))),
        ));
        let originals: HashMap<i64, Vec<u8>> =
            self.tx.flushed()?.rows(&originals)?.into_iter().collect();
        let digest = |(id, row): (i64, Option<_>)| {
            let original = originals.get(&id).and_then(|digest| Hash::from_bytes(digest));
            let digest = original.or_else(|| row.as_ref().map(row_digest));
            (TransactionId::new(id), digest.unwrap_or(Hash::ZERO))
        };
        Ok(rows.into_iter().map(digest).collect())
    }
}
