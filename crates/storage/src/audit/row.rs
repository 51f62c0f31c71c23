//! Rows and last events of resources, which an audit compares (behaviour 6.25).

use std::collections::BTreeSet;

use daybook_domain::access::Access;
use daybook_domain::audit::{AuditedEvent, LastEvent};
use daybook_domain::event::Noun;
use daybook_domain::id::TransactionId;
use daybook_domain::transaction::Transaction;

use super::Audits;
use crate::conn::sql::{Sql, Value, rows};
use crate::error::Result;
use crate::event::{last_events, last_of_book};
use crate::transaction::rows_of;

/// Maximum number of transactions in one statement.
const MAX_TRANSACTIONS: usize = 500;

impl Audits<'_, '_> {
    /// Lists the next transactions after an id, by id, with the limits of [`Audits::records`].
    ///
    /// An unreadable row is `None`.
    pub fn transactions(
        self,
        access: &Access,
        after: Option<TransactionId>,
        limit: i64,
    ) -> Result<Vec<(TransactionId, Option<Transaction>)>> {
        let after = after.map_or(i64::MIN, TransactionId::get);
        let condition = Sql::new(" WHERE t.book_id = {} AND t.id > {} ORDER BY t.id LIMIT {}")
            .bind((access.book().id, after, limit));
        let rows = rows_of(self.tx, access.book().scale, condition)?;
        Ok(rows.into_iter().map(|(id, row)| (TransactionId::new(id), row)).collect())
    }

    /// Calls `each` with the last event of each resource that has one, in no order.
    ///
    /// An unreadable event is passed as `None`.
    pub fn last_events(
        self,
        access: &Access,
        resources: &[i64],
        each: impl FnMut(i64, Option<LastEvent>),
    ) -> Result<()> {
        last_events(self.tx, access, resources, each)
    }

    /// Returns the last event that changed the book itself.
    pub fn last_of_book(self, access: &Access) -> Result<Option<LastEvent>> {
        last_of_book(self.tx, access)
    }

    /// Returns the blocks of a chunk of the trigram index in which a search may miss a text, or
    /// nothing after the last chunk.
    pub fn unsearchable_blocks(self, access: &Access, chunk: i64) -> Result<Option<BTreeSet<i64>>> {
        self.tx.unsearchable_blocks(access.book().id, chunk)
    }

    /// Returns the transactions of these events that have no row.
    pub fn without_row(self, access: &Access, events: &[AuditedEvent]) -> Result<Vec<i64>> {
        let of_transaction = |event: &AuditedEvent| {
            let event = event.event.as_ref()?;
            (event.kind.noun() == Noun::Transaction).then_some(event.resource)
        };
        let ids: BTreeSet<i64> = events.iter().filter_map(of_transaction).collect();
        let ids: Vec<i64> = ids.into_iter().collect();
        let mut missing = Vec::new();
        for chunk in ids.chunks(MAX_TRANSACTIONS) {
            let values = rows(chunk.iter().map(|id| [Value::Int(*id)]));
            let sql = Sql::new(
                "SELECT n.column1 AS id, (SELECT t.id FROM transactions t WHERE t.book_id = {} \
                 AND t.id = n.column1) AS found FROM (VALUES {}) n",
            )
            .bind((access.book().id, values))
            .uncached();
            let rows: Vec<(i64, Option<i64>)> = self.tx.flushed()?.rows(&sql)?;
            missing.extend(rows.iter().filter(|(_, found)| found.is_none()).map(|(id, _)| *id));
        }
        Ok(missing)
    }
}
