//! The event log: rows and repository. [`Events::queue`] is the one way to add to it; nothing
//! changes what is there.
//!
//! An event is appended in the unit of work of the change. Its hash covers the hash of the event
//! before and its own content, so the book state, which has the number and hash of the last one, is
//! all that is needed to append. Instants never go back along the log (behaviour 8.18). A period of
//! time is therefore a range of numbers; its ends are found by halving, and there is no index by
//! time.
//!
//! Events that follow one another and are much alike stand in one row together ([`event_row`]).
//! Their data is kept compressed ([`packed`]). The index by type leaves out TRANSACTION_POSTED:
//! most events of a log are of this type, so they are found in the log itself.

mod deletions;
mod event_row;
mod last;
mod log_pages;
mod logged;
mod packed;

use daybook_domain::access::Access;
use daybook_domain::app::AppId;
use daybook_domain::event::{Event, EventOrigin, EventType, NewEvent, ReadEvent};
use daybook_domain::instant::Instant;
use diesel::prelude::*;
use diesel::sql_types::BigInt;

use crate::access::AccessTo;
use crate::bulk::Bulk;
use crate::column;
use crate::conn::on_engine;
use crate::delivery::{KnownReceiver, NewDelivery};
use crate::error::{Error, Result};
use crate::page::{MAX_PAGE_TEXTS, RowPart};
use crate::sql::{Sql, Value};
use crate::stored::of_events;
use crate::tx::Tx;
pub use deletions::Deletions;
use event_row::{COLUMNS, Row, event_rows, row_with};
pub(crate) use event_row::{EventRow, MAX_IN_BLOCK, has_event, is_in_block};
pub(crate) use last::{last_events, last_of_book};
use log_pages::PageOf;
pub(crate) use logged::logged;

/// The event that a row is asked for by its number.
#[derive(QueryableByName)]
struct NumberedRow {
    #[diesel(sql_type = BigInt)]
    number: i64,
    #[diesel(embed)]
    row: Row,
}

fn read(event: Event) -> Result<ReadEvent> {
    let data = column::object_from_text(&event.data, "data")?;
    ReadEvent::new(event, data).map_err(|unreadable| Error::Corrupt(unreadable.0))
}

/// What says who receives an event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AddressedEvent {
    /// Its number.
    pub sequence: i64,
    /// Its type.
    pub kind: EventType,
    /// What it is about, where that counts.
    pub subject: Option<String>,
    /// The app it was caused with.
    pub agent: Option<String>,
}

/// How the number of postings changed in this unit of work: by posting month (yyyymm), how many
/// more or fewer count.
pub type PostingCounts = std::collections::BTreeMap<i32, i64>;

/// Which events to list (behaviour 8.5).
#[derive(Debug, Clone, Default)]
pub struct EventFilter {
    /// From this instant on.
    pub after: Option<Instant>,
    /// Up to, not including, this instant.
    pub before: Option<Instant>,
    /// Of this type only.
    pub kind: Option<EventType>,
    /// Not of these types.
    pub hidden: &'static [EventType],
    /// Only with (true) or without (false) an error response of an app.
    pub error: Option<bool>,
    /// About this resource only, whatever apps answered.
    pub resource: Option<i64>,
    /// Before this number: where the page before ended.
    pub below: Option<i64>,
}

/// The rows of events of any books.
pub(crate) fn rows(events: &[EventRow]) -> Bulk<'_> {
    let mut rows = Bulk::new(
        "INSERT INTO events \
         (book_id, sequence, resource, created_at, user_id, kind, agent, data, hash, count)",
        10,
        "",
    );
    for EventRow { last, count, data } in events {
        let Event { book, sequence, kind, resource, created_at, user, agent, data: _, hash } = last;
        rows.row([
            Value::Int(book.get()),
            Value::Int(*sequence),
            Value::Int(*resource),
            Value::Int(created_at.milliseconds()),
            Value::Int(user.get()),
            Value::Int(i64::from(kind.number())),
            Value::SomeText(agent.as_deref().map(Into::into)),
            Value::Bytes(data),
            Value::Bytes(hash.as_bytes()),
            Value::SomeInt(count.and_then(|count| i64::try_from(count).ok())),
        ]);
    }
    rows
}

/// The apps that receive an event which an agent caused, and whether their queues are due.
fn receiving(
    receivers: &[KnownReceiver],
    event: &NewEvent,
    agent: Option<&str>,
) -> Vec<(AppId, bool)> {
    let subject = event.subject.as_deref();
    let receives = |known: &&KnownReceiver| known.receiver.receives(event.kind, subject, agent);
    let receiving = receivers.iter().filter(receives);
    receiving.map(|known| (known.receiver.app.clone(), known.is_due)).collect()
}

/// The event log of a book.
pub struct Events<'t, 'a> {
    pub(crate) tx: &'t mut Tx<'a>,
}

impl Events<'_, '_> {
    /// How many apps are installed in an entered book: each may receive what happens in it.
    pub fn apps(self, access: &Access) -> i64 {
        self.tx.book_state(access.book().id).map_or(0, |state| state.apps)
    }

    /// Queues what happened, to be appended to the log, and the moved book state with the head of
    /// the chain and the counts (behaviour 6.10, 6.11). Every purpose may do so, because each write
    /// leaves its event.
    ///
    /// # Errors
    /// When the book was not entered in this unit of work.
    pub fn queue<P>(
        self,
        access: &AccessTo<P>,
        origin: &EventOrigin<'_>,
        events: Vec<NewEvent>,
        tally: &PostingCounts,
    ) -> Result<()> {
        let book = access.book().id;
        let has_apps = self.tx.book_state(book).is_some_and(|state| state.apps > 0);
        let receivers = if has_apps { self.tx.receivers(book)? } else { Vec::new() };
        let addressed: Vec<Vec<(AppId, bool)>> = if receivers.is_empty() {
            Vec::new()
        } else {
            events.iter().map(|event| receiving(&receivers, event, origin.agent)).collect()
        };
        let state = self.tx.queued_book_state(book)?;
        // Requests may overtake one another on their way here; the log never goes back (behaviour
        // 8.18).
        let last_event_at = origin.at.milliseconds().max(state.last_event_at);
        let head = state.head()?;
        let (added, end) =
            EventOrigin { at: Instant::new(last_event_at), ..*origin }.append(head, events);
        state.last_event_at = last_event_at;
        state.advance(end, origin.at, tally)?;
        let deliveries = added.iter().zip(addressed).flat_map(|(event, apps)| {
            let delivery = |(app, is_due): (AppId, bool)| NewDelivery {
                book,
                sequence: event.sequence,
                depth: origin.depth,
                // Other apps need not wait for it.
                cause_lease: origin.cause_lease.filter(|_| origin.agent == Some(app.as_str())),
                app,
                due_at: origin.at,
                is_due,
            };
            apps.into_iter().map(delivery)
        });
        let deliveries = deliveries.collect();
        self.tx.buffer().queue_deliveries(deliveries);
        let added = event_rows(head.hash, added);
        self.tx.note_stored(book, of_events(&added))?;
        self.tx.buffer().queue_events(added);
        Ok(())
    }

    /// Events newest first, up to `limit`, as far as their texts have room in a page.
    ///
    /// # Errors
    /// [`Error::Corrupt`] for an event that cannot be read.
    pub fn list(
        self,
        access: &Access,
        filter: &EventFilter,
        limit: i64,
    ) -> Result<RowPart<ReadEvent>> {
        let tx = self.tx;
        let page = tx.event_page(access, filter, limit)?;
        let key = &access.book().key;
        let limit = usize::try_from(limit).unwrap_or_default();
        let mut left = if page.is_sifted { usize::MAX } else { limit };
        let part = tx.flushed()?.load_part(&page.sql, MAX_PAGE_TEXTS, |found: NumberedRow| {
            // Of a block only what has room is read.
            if left == 0 {
                return Ok((Vec::new(), 0));
            }
            let NumberedRow { number, row } = found;
            let events = match page.of {
                PageOf::Events => row.event_with(number, key)?.into_iter().collect(),
                PageOf::Rows => row.events(key)?,
            };
            let within = events.into_iter().rev().filter(|event| page.has(event.sequence));
            let read: Vec<ReadEvent> = within.take(left).map(read).collect::<Result<_>>()?;
            if !page.is_sifted {
                left = left.saturating_sub(read.len());
            }
            let texts = read.iter().map(|read| read.event.data.len()).sum();
            Ok((read, texts))
        })?;
        let (mut rows, is_whole) = (part.rows.into_iter().flatten().collect(), part.is_whole);
        if page.is_sifted {
            tx.bot_responses().retain_without_error(access, &mut rows)?;
        }
        rows.truncate(limit);
        Ok(RowPart { rows, is_whole })
    }

    /// What says who receives those with these numbers, in their order. Data is read one event
    /// after another, where that says it.
    pub fn addressed(self, access: &Access, sequences: &[i64]) -> Result<Vec<AddressedEvent>> {
        if sequences.is_empty() {
            return Ok(Vec::new());
        }
        let book = access.book();
        let wanted = self.tx.lookup().each_of(sequences.iter().copied().map(Value::Int));
        let event = has_event("e", book.id, Sql::new("n.column1"));
        let rows = wanted.look_up("events", "e", event).sql();
        let sql = Sql::new("SELECT n.column1 AS number, ").push(COLUMNS).append(rows).uncached();
        let part = self.tx.flushed()?.load_part(&sql, usize::MAX, |found: NumberedRow| {
            let NumberedRow { number: sequence, row } = found;
            if !row.has(sequence)? {
                return Ok((None, 0));
            }
            let (kind, agent) = (row.kind()?, row.agent.clone());
            let subject = if kind.has_subject() {
                row.event_with(sequence, &book.key)?.map(read).transpose()?
            } else {
                None
            };
            let subject = subject.and_then(|read| read.subject());
            Ok((Some(AddressedEvent { sequence, kind, subject, agent }), 0))
        })?;
        let mut rows: Vec<AddressedEvent> = part.rows.into_iter().flatten().collect();
        rows.sort_unstable_by_key(|event| event.sequence);
        rows.dedup_by_key(|event| event.sequence);
        Ok(rows)
    }

    /// The event with that number.
    pub fn find(self, access: &Access, sequence: i64) -> Result<Option<ReadEvent>> {
        let book = access.book();
        let sql = Sql::new("SELECT ").push(COLUMNS).push(" FROM events e WHERE e.book_id = ");
        let sql = sql.int(book.id.get()).push(" AND e.sequence >= ").int(sequence);
        let sql = sql.push(" ORDER BY e.sequence LIMIT 1");
        let rows: Vec<Row> = on_engine!(self.tx.flushed()?, c => (&sql).load(c))?;
        let Some(row) = rows.into_iter().next() else { return Ok(None) };
        row.event_with(sequence, &book.key)?.map(read).transpose()
    }
}
