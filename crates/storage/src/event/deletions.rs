//! How resources were last that were deleted since (behaviour 8.2).

use std::borrow::Cow;

use daybook_domain::access::Access;
use daybook_domain::event::EventType;
use daybook_domain::event::snapshot::Snapshot;

use super::{COLUMNS, Events, Row, read};
use crate::error::{Error, Result};
use crate::planner::{Lookup, as_filter};
use crate::sql::{Sql, Value};

/// Resources that are looked for at once. Their events are put in order, with their data.
const MAX_LOOKED_FOR: usize = 1_000;

/// The last snapshots of deleted resources.
#[derive(Debug, Default)]
pub struct Deletions {
    /// The snapshots.
    pub snapshots: Vec<Snapshot>,
    /// How many of the resources they are all of, counted from the first.
    pub covered: usize,
    /// Bytes of their data.
    pub texts: usize,
}

impl Events<'_, '_> {
    /// The last snapshots of these resources, from the events that deleted them, in their order:
    /// until their data takes more than `most` bytes.
    pub fn deletions(
        self,
        access: &Access,
        kind: EventType,
        (resources, most): (&[i64], usize),
    ) -> Result<Deletions> {
        let book = access.book().id.get();
        let engine = (self.tx.lookup(), self.tx.stoppable("e.sequence"));
        let mut found = Deletions::default();
        for wanted in resources.chunks(MAX_LOOKED_FOR) {
            let sql = of_resources(engine.clone(), book, kind, wanted);
            let left = most.saturating_sub(found.texts);
            let part = self.tx.flushed()?.load_part(&sql, left, |row: Row| {
                let (resource, number) = (row.resource(), row.sequence());
                let event = row.event_with(number, &access.book().key)?;
                let event = event.ok_or(Error::Corrupt("sequence"))?;
                let texts = event.data.len();
                Ok(((resource, read(event)?.snapshot, texts), texts))
            })?;
            let ended = part.rows.last().filter(|_| !part.is_whole).map(|(last, _, _)| *last);
            let ended = ended.and_then(|last| wanted.iter().position(|id| *id == last));
            let covered = ended.map_or(wanted.len(), |place| place.saturating_add(1));
            found.covered = found.covered.saturating_add(covered);
            for (_, snapshot, texts) in part.rows {
                found.texts = found.texts.saturating_add(texts);
                found.snapshots.push(snapshot);
            }
            if found.texts > most {
                break;
            }
        }
        Ok(found)
    }
}

/// Each resource may have many other events.
fn of_resources<'a>(
    (lookup, stoppable): (Lookup, Cow<'static, str>),
    book: i64,
    kind: EventType,
    resources: &[i64],
) -> Sql<'a> {
    let places = (0..).zip(resources).map(|(place, id)| [Value::Int(place), Value::Int(*id)]);
    let (wanted, _) = Sql::new("(VALUES ").rows(places);
    let about = Sql::new("e.book_id = ").int(book).push(" AND e.resource = n.column2");
    let rows = lookup.rows(wanted.push(") n"), Sql::new("1 = 1")).look_up("events", "e", about);
    let deleted = as_filter(Sql::new("e.kind = ").int(i64::from(kind.number())));
    let sql = Sql::new("SELECT ").push(COLUMNS).append(rows.sql());
    let sql = sql.push(" AND ").push(stoppable).append(deleted);
    sql.push(" ORDER BY n.column1").cached_up_to(resources.len())
}
