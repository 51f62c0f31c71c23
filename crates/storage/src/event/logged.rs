//! The log as an audit reads it (behaviour 6.7).

use daybook_domain::access::Access;
use daybook_domain::audit::AuditedEvent;
use daybook_domain::event::Event;
use daybook_domain::id::BookKey;

use super::{COLUMNS, Row};
use crate::error::Result;
use crate::page::MAX_PAGE_TEXTS;
use crate::sql::Sql;
use crate::tx::Tx;

/// The next events behind a number, those included that cannot be read as events: up to `limit`,
/// with the rest of a block, and no more once their data takes so much as that of a page may. A row
/// keeps its data packed, so how much it is, is known only when it has been read.
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
        let audited = audited(row, &access.book().key);
        let texts = |AuditedEvent { event, .. }: &AuditedEvent| {
            event.as_ref().map_or(0, |event: &Event| event.data.len())
        };
        let texts = audited.iter().map(texts).sum();
        Ok((audited, texts))
    })?;
    Ok(part.rows.into_iter().flatten().collect())
}

/// The events of a row; of one that cannot be read, the numbers that it should have.
fn audited(row: Row, key: &BookKey) -> Vec<AuditedEvent> {
    let (last, count) = (row.sequence(), row.count().unwrap_or(1));
    match row.events(key) {
        Ok(events) => events
            .into_iter()
            .map(|event| AuditedEvent { sequence: event.sequence, event: Some(event) })
            .collect(),
        Err(_) => (0..count)
            .rev()
            .map(|before| AuditedEvent { sequence: last.saturating_sub(before), event: None })
            .collect(),
    }
}
