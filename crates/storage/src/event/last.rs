//! The last events of many resources, which an audit compares with their rows (behaviour 6.25).

use std::collections::BTreeMap;

use daybook_domain::access::Access;
use daybook_domain::audit::LastEvent;
use daybook_domain::event::{Event, EventType};
use daybook_domain::json::Json;

use super::row::{COLUMNS, NumberedRow, has_event, is_in_block};
use crate::commit::tx::Tx;
use crate::conn::sql::{Sql, Value, list, rows};
use crate::error::Result;
use crate::rows::column;
use crate::rows::event::MAX_IN_BLOCK;

/// Maximum number of resources in one statement.
const MAX_RESOURCES: usize = 500;

/// Calls `each` with the last event of each resource that has one, in no order.
///
/// An unreadable event is passed as `None`; the check of the hash chain reports it.
pub(crate) fn last_events(
    tx: &mut Tx<'_>,
    access: &Access,
    resources: &[i64],
    mut each: impl FnMut(i64, Option<LastEvent>),
) -> Result<()> {
    for chunk in resources.chunks(MAX_RESOURCES) {
        let sql = last_numbers(tx, access, chunk);
        let rows: Vec<(i64, Option<i64>, Option<i64>)> = tx.flushed()?.rows(&sql)?;
        let last = |(resource, own, in_block): (i64, Option<i64>, Option<i64>)| {
            Some((own.max(in_block)?, resource))
        };
        let mut resource_by_number: BTreeMap<i64, i64> =
            rows.into_iter().filter_map(last).collect();
        let numbers: Vec<i64> = resource_by_number.keys().copied().collect();
        read_each(tx, access, &numbers, |event| {
            if let Some(resource) = resource_by_number.remove(&event.sequence) {
                each(resource, last_event(&event).filter(|_| event.resource == resource));
            }
        })?;
        resource_by_number.into_values().for_each(|resource| each(resource, None));
    }
    Ok(())
}

/// Returns the last event that has a snapshot of the book itself.
///
/// Audit events are not considered, because they repeat the row.
pub(crate) fn last_of_book(tx: &mut Tx<'_>, access: &Access) -> Result<Option<LastEvent>> {
    let kinds = [EventType::BookCreated, EventType::BookUpdated, EventType::BookDeleted];
    let kinds = kinds.map(|kind| Value::Int(i64::from(kind.number())));
    let sql = Sql::new(
        "SELECT COALESCE(MAX(e.resource), 0) AS resource, MAX(e.sequence) AS own, CAST(NULL AS \
         BIGINT) AS in_block FROM events e WHERE e.kind <> 7 AND e.book_id = {} AND e.kind IN {}",
    )
    .bind((access.book().id, list(kinds)));
    let rows: Vec<(i64, Option<i64>, Option<i64>)> = tx.flushed()?.rows(&sql)?;
    let numbers: Vec<i64> = rows.into_iter().filter_map(|(_, own, _)| own).collect();
    let mut last = None;
    read_each(tx, access, &numbers, |event| last = last_event(&event))?;
    Ok(last)
}

/// Selects the numbers of the last events of resources.
fn last_numbers<'a>(tx: &Tx<'_>, access: &Access, resources: &'a [i64]) -> Sql<'a> {
    let (book, id) = (access.book().id.get(), || Sql::new("n.column1"));
    let values = rows(resources.iter().map(|id| [Value::Int(*id)]));
    let own = Sql::new(
        "SELECT n.column1 AS resource, (SELECT MAX(e.sequence) FROM events e \
         WHERE e.book_id = {} AND e.resource = n.column1) AS own, (SELECT MAX(b.sequence - \
         b.resource + n.column1) FROM {} WHERE b.book_id = {} AND ",
    )
    .bind((book, tx.lookup().by_index("events b", "events_blocks"), book));
    let in_block = is_in_block(id(), id().push(format!(" + {MAX_IN_BLOCK}")));
    own.append(in_block).push(") AS in_block FROM (VALUES {}) n").bind(values).uncached()
}

/// Calls `each` with the readable events with these numbers. A block is unpacked once for
/// consecutive events.
fn read_each(
    tx: &mut Tx<'_>,
    access: &Access,
    numbers: &[i64],
    mut each: impl FnMut(Event),
) -> Result<()> {
    if numbers.is_empty() {
        return Ok(());
    }
    let book = access.book();
    let events = tx.lookup().each_of(numbers.iter().copied().map(Value::Int));
    let event = has_event("e", book.id, Sql::new("n.column1"));
    let rows = events.look_up("events", "e", event).sql();
    let sql =
        Sql::new("SELECT n.column1 AS number, {}{}").bind((Sql::new(COLUMNS), rows)).uncached();
    let mut unpacked_row = 0;
    let mut unpacked: Vec<Event> = Vec::new();
    tx.each_row(&sql, |found: NumberedRow| {
        let NumberedRow { number, row } = found;
        let last = row.sequence();
        if unpacked_row != last {
            unpacked_row = last;
            unpacked = row.events(&book.key).unwrap_or_default();
        }
        unpacked.iter().filter(|event| event.sequence == number).cloned().for_each(&mut each);
        Ok(())
    })
}

fn last_event(event: &Event) -> Option<LastEvent> {
    let mut data = column::object_from_text(&event.data, "data").ok()?;
    let object = data.remove("object").and_then(Json::into_object)?;
    Some(LastEvent { kind: event.kind, user: event.user, object })
}
