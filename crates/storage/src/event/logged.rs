//! Reading the log for an audit (behaviour 6.7).

use daybook_domain::access::Access;
use daybook_domain::audit::AuditedEvent;
use daybook_domain::event::Event;
use daybook_domain::id::BookKey;

use super::row::{Row, rows_after};
use crate::commit::tx::Tx;
use crate::error::Result;
use crate::page::MAX_PAGE_TEXT_BYTES;

/// Returns the next events after a number, including unreadable ones.
///
/// It reads up to `limit` rows, and stops earlier once their data exceeds the text limit of a page.
/// The data is compressed, so its size is known only after reading.
pub(crate) fn logged(
    tx: &mut Tx<'_>,
    access: &Access,
    after: i64,
    limit: i64,
) -> Result<Vec<AuditedEvent>> {
    let sql = rows_after(access.book().id, after, limit);
    let part = tx.flushed()?.load_part(&sql, MAX_PAGE_TEXT_BYTES, |row: Row| {
        let audited = audited(row, &access.book().key);
        let texts = |AuditedEvent { event, .. }: &AuditedEvent| {
            event.as_ref().map_or(0, |event: &Event| event.data.len())
        };
        let texts = audited.iter().map(texts).sum();
        Ok((audited, texts))
    })?;
    Ok(part.rows.into_iter().flatten().collect())
}

/// Returns the events of a row. For an unreadable row it returns the numbers that it should have.
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
