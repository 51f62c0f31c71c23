//! The event log: rows and repository. [`Events::queue`] is the one way to add to it; nothing
//! changes what is there.
//!
//! An event is appended in the unit of work of the change. Its hash covers the hash of the event
//! before and its own content, so the book state, which has the number and hash of the last one, is
//! all that is needed to append. Instants never go back along the log (behaviour 8.18). A period of
//! time is therefore a range of numbers; its ends are found by halving, and there is no index by
//! time.
//!
//! The data of an event is kept compressed ([`packed`]). The index by type leaves out
//! TRANSACTION_POSTED: most events of a log are of this type, so they are found in the log itself.

mod deletions;
mod log_pages;
mod logged;
mod packed;

use daybook_domain::access::Access;
use daybook_domain::app::AppId;
use daybook_domain::event::{Event, EventOrigin, EventType, Hash, NewEvent, ReadEvent};
use daybook_domain::id::{BookId, UserId};
use daybook_domain::instant::Instant;
use diesel::prelude::*;

use crate::access::AccessTo;
use crate::bulk::Bulk;
use crate::column;
use crate::conn::on_engine;
use crate::delivery::{KnownReceiver, NewDelivery};
use crate::error::{Error, Result};
use crate::page::{MAX_PAGE_TEXTS, RowPart};
use crate::schema::events;
use crate::sql::{Sql, Value};
use crate::stored::of_events;
use crate::tx::Tx;
pub use deletions::Deletions;
pub(crate) use logged::logged;
pub(crate) use packed::PackedEvent;
use packed::unpack;

#[derive(Queryable, QueryableByName, Selectable)]
#[diesel(table_name = events)]
struct Row {
    book_id: i64,
    sequence: i64,
    resource: i64,
    created_at: i64,
    user_id: i64,
    kind: i32,
    agent: Option<String>,
    data: Vec<u8>,
    hash: Vec<u8>,
}

impl TryFrom<Row> for Event {
    type Error = Error;

    fn try_from(row: Row) -> Result<Self> {
        let Row { book_id, sequence, resource, created_at, user_id, kind, agent, data, hash } = row;
        Ok(Self {
            book: BookId::new(book_id),
            sequence,
            kind: EventType::from_number(kind).ok_or(Error::Corrupt("kind"))?,
            resource,
            created_at: Instant::new(created_at),
            user: UserId::new(user_id),
            agent,
            data: unpack(data)?,
            hash: Hash::from_bytes(&hash).ok_or(Error::Corrupt("hash"))?,
        })
    }
}

impl Row {
    fn read(self) -> Result<ReadEvent> {
        let event = Event::try_from(self)?;
        let data = column::object_from_text(&event.data, "data")?;
        ReadEvent::new(event, data).map_err(|unreadable| Error::Corrupt(unreadable.0))
    }
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
    /// About this resource only.
    pub resource: Option<i64>,
    /// Before this number: where the page before ended.
    pub below: Option<i64>,
}

/// The rows of events of any books.
pub(crate) fn rows(events: &[PackedEvent]) -> Bulk<'_> {
    let mut rows = Bulk::new(
        "INSERT INTO events \
         (book_id, sequence, resource, created_at, user_id, kind, agent, data, hash)",
        9,
        "",
    );
    for PackedEvent { event, data } in events {
        let Event { book, sequence, kind, resource, created_at, user, agent, data: _, hash } =
            event;
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
        ]);
    }
    rows
}

/// The apps that receive an event, and whether their queues are due.
fn receiving(receivers: &[KnownReceiver], event: &NewEvent) -> Vec<(AppId, bool)> {
    let subject = event.subject.as_deref();
    let receiving = receivers.iter().filter(|known| known.receiver.receives(event.kind, subject));
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
            events.iter().map(|event| receiving(&receivers, event)).collect()
        };
        let state = self.tx.queued_book_state(book)?;
        // Requests may overtake one another on their way here; the log never goes back (behaviour
        // 8.18).
        let last_event_at = origin.at.milliseconds().max(state.last_event_at);
        let (added, end) = EventOrigin { at: Instant::new(last_event_at), ..*origin }
            .append(state.head()?, events);
        state.last_event_at = last_event_at;
        state.advance(end, origin.at, tally)?;
        let deliveries = added.iter().zip(addressed).flat_map(|(event, apps)| {
            let delivery = |(app, is_due)| NewDelivery {
                book,
                app,
                sequence: event.sequence,
                depth: origin.depth,
                due_at: origin.at,
                is_due,
            };
            apps.into_iter().map(delivery)
        });
        let deliveries = deliveries.collect();
        self.tx.buffer().queue_deliveries(deliveries);
        let added: Vec<PackedEvent> = added.into_iter().map(PackedEvent::new).collect();
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
        let page = self.tx.event_page(access, filter, limit)?;
        self.tx.flushed()?.load_part(&page, MAX_PAGE_TEXTS, |row: Row| {
            let read = row.read()?;
            let texts = read.event.data.len();
            Ok((read, texts))
        })
    }

    /// What says who receives those with these numbers, in their order. Data is read one event
    /// after another, where that says it.
    pub fn addressed(self, access: &Access, sequences: &[i64]) -> Result<Vec<AddressedEvent>> {
        let wanted = Sql::new(
            "SELECT book_id, sequence, resource, created_at, user_id, kind, agent, data, hash \
             FROM events WHERE book_id = ",
        );
        let numbers = sequences.iter().copied().map(Value::Int);
        let wanted = wanted.int(access.book().id.get()).push(" AND sequence IN ").list(numbers);
        let wanted = wanted.push(" ORDER BY sequence").uncached();
        let part = self.tx.flushed()?.load_part(&wanted, usize::MAX, |row: Row| {
            let (sequence, number) = (row.sequence, row.kind);
            let kind = EventType::from_number(number).ok_or(Error::Corrupt("kind"))?;
            let subject = if kind.has_subject() { row.read()?.subject() } else { None };
            Ok((AddressedEvent { sequence, kind, subject }, 0))
        })?;
        Ok(part.rows)
    }

    /// The event with that number.
    pub fn find(self, access: &Access, sequence: i64) -> Result<Option<ReadEvent>> {
        let query = events::table.find((access.book().id.get(), sequence));
        let row = on_engine!(
            self.tx.flushed()?,
            c => query.select(Row::as_select()).get_result(c).optional()
        )?;
        row.map(Row::read).transpose()
    }
}
