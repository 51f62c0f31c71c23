//! The last snapshots of deleted resources (behaviour 8.2).

use std::borrow::Cow;

use daybook_domain::access::Access;
use daybook_domain::event::EventType;
use daybook_domain::event::snapshot::Snapshot;

use super::row::{COLUMNS, Row};
use super::{Events, read};
use crate::conn::planner::{Lookup, as_filter};
use crate::conn::sql::{Sql, Value};
use crate::error::{Error, Result};

/// Maximum number of resources in one statement. Their events are sorted with their data.
const MAX_RESOURCES: usize = 1_000;

/// The last snapshots of deleted resources.
#[derive(Debug, Default)]
pub struct Deletions {
    /// The snapshots.
    pub snapshots: Vec<Snapshot>,
    /// The number of resources, from the first, that are covered.
    pub covered: usize,
    /// The size of their data in bytes.
    pub texts: usize,
}

impl Events<'_, '_> {
    /// Reads the last snapshots of resources from the events that deleted them, in their order.
    ///
    /// It stops once their data exceeds `max_bytes`.
    pub fn deletions(
        self,
        access: &Access,
        kind: EventType,
        resources: &[i64],
        max_bytes: usize,
    ) -> Result<Deletions> {
        let book = access.book().id.get();
        let lookup = self.tx.lookup();
        let stop_check = self.tx.stop_check("e.sequence");
        let mut found = Deletions::default();
        for chunk in resources.chunks(MAX_RESOURCES) {
            let sql = of_resources(lookup, stop_check.clone(), book, kind, chunk);
            let left = max_bytes.saturating_sub(found.texts);
            let part = self.tx.flushed()?.load_part(&sql, left, |row: Row| {
                let (resource, number) = (row.resource(), row.sequence());
                let event = row.event_with(number, &access.book().key)?;
                let event = event.ok_or(Error::Corrupt("sequence"))?;
                let texts = event.data.len();
                Ok(((resource, read(event)?.snapshot, texts), texts))
            })?;
            let last = part.rows.last().map(|(resource, _, _)| *resource);
            let last_index = last.and_then(|last| chunk.iter().position(|id| *id == last));
            let covered = match last_index {
                Some(index) if !part.is_whole => index.saturating_add(1),
                Some(_) | None => chunk.len(),
            };
            found.covered = found.covered.saturating_add(covered);
            for (_, snapshot, texts) in part.rows {
                found.texts = found.texts.saturating_add(texts);
                found.snapshots.push(snapshot);
            }
            if found.texts > max_bytes {
                break;
            }
        }
        Ok(found)
    }
}

/// Selects the events of a type about these resources. Each resource may have many other events.
fn of_resources<'a>(
    lookup: Lookup,
    stop_check: Cow<'static, str>,
    book: i64,
    kind: EventType,
    resources: &[i64],
) -> Sql<'a> {
    let numbered = (0..).zip(resources).map(|(index, id)| [Value::Int(index), Value::Int(*id)]);
    let about = Sql::new("e.book_id = {} AND e.resource = n.column2").bind(book);
    let rows = lookup.each_row_of(numbered).look_up("events", "e", about);
    let deleted = as_filter(Sql::new("e.kind = {}").bind(i64::from(kind.number())));
    Sql::new("SELECT {}{} AND {}{} ORDER BY n.column1")
        .bind((Sql::new(COLUMNS), rows.sql(), Sql::new(stop_check), deleted))
        .cached_up_to(resources.len())
}
