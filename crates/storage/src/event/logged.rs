//! The log as an audit reads it (behaviour 6.7).

use daybook_domain::access::Access;
use daybook_domain::audit::AuditedEvent;
use daybook_domain::event::Event;

use super::Row;
use super::log_pages::COLUMNS;
use crate::error::Result;
use crate::page::MAX_PAGE_TEXTS;
use crate::sql::Sql;
use crate::tx::Tx;

/// The next events behind a number, those included that cannot be read as events: up to `limit`,
/// and no more once their data takes so much as that of a page may. A row keeps its data packed, so
/// how much it is, is known only when it has been read.
pub(crate) fn logged(
    tx: &mut Tx<'_>,
    access: &Access,
    after: i64,
    limit: i64,
) -> Result<Vec<AuditedEvent>> {
    let sql = Sql::new("SELECT ").push(COLUMNS).push(" FROM events e WHERE e.book_id = ");
    let sql = sql.int(access.book().id.get()).push(" AND e.sequence > ").int(after);
    let sql = sql.push(" ORDER BY e.sequence LIMIT ").int(limit);
    let part = tx.flushed()?.load_part(&sql, MAX_PAGE_TEXTS, |row: Row| {
        let (sequence, event) = (row.sequence, Event::try_from(row).ok());
        let texts = event.as_ref().map_or(0, |event| event.data.len());
        Ok((AuditedEvent { sequence, event }, texts))
    })?;
    Ok(part.rows)
}
