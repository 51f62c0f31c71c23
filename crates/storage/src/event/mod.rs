//! The event log.
//!
//! [`Events::queue`] is the only way to append to it, and nothing changes existing events. An event
//! is appended in the unit of work of its change. Its hash covers the hash of the event before and
//! its own content, so appending needs only the number and hash of the last event, which are in the
//! book state. Instants never go back along the log (behaviour 8.18). A period of time is therefore
//! a range of numbers, whose ends are found by binary search, and there is no index by time.
//!
//! Similar consecutive events share one row, a block ([`crate::rows::event`]), and their data is
//! compressed ([`crate::rows::packed`]). The index by type omits `TRANSACTION_POSTED`, the type of
//! most events; these are found in the log itself.

mod deletions;
mod last;
mod log_pages;
mod logged;
mod row;

use std::collections::HashMap;

use daybook_domain::access::Access;
use daybook_domain::app::AppId;
use daybook_domain::event::{Event, EventOrigin, EventType, NewEvent, ReadEvent};
use daybook_domain::id::BookId;
use daybook_domain::instant::Instant;

use crate::access::AccessTo;
use crate::commit::tx::Tx;
use crate::conn::sql::{Sql, Value, numbers};
use crate::error::{Error, Result};
use crate::page::{MAX_PAGE_TEXT_BYTES, RowPart};
use crate::rows::column;
use crate::rows::delivery::{NewDelivery, ReceiverQueue};
use crate::rows::event::event_rows;
use crate::storage_quota::size;
use log_pages::PageOf;
use row::{COLUMNS, NumberedRow, Row, rows_after};

pub use crate::rows::book_state::PostingCounts;
pub use deletions::Deletions;
pub(crate) use last::{last_events, last_of_book};
pub(crate) use logged::logged;
pub use row::EventFilter;
pub(crate) use row::{has_event, is_in_block};

/// Parses the data of an event.
fn read(event: Event) -> Result<ReadEvent> {
    let data = column::object_from_text(&event.data, "data")?;
    ReadEvent::new(event, data).map_err(|unreadable| Error::Corrupt(unreadable.0))
}

/// The properties of an event that select its receivers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AddressedEvent {
    /// The number.
    pub sequence: i64,
    /// The type.
    pub kind: EventType,
    /// The subject, for types whose receivers depend on it.
    pub subject: Option<String>,
    /// The app that caused it.
    pub agent: Option<String>,
}

/// Returns the apps that receive an event, and whether their queues are due.
///
/// `agent` is the app that caused it.
fn receivers_of(
    receivers: &[ReceiverQueue],
    event: &NewEvent,
    agent: Option<&str>,
) -> Vec<(AppId, bool)> {
    let subject = event.subject.as_deref();
    receivers
        .iter()
        .filter(|known| known.receiver.receives(event.kind, subject, agent))
        .map(|known| (known.receiver.app.clone(), known.is_due))
        .collect()
}

/// The event log of a book.
pub struct Events<'t, 'a> {
    pub(crate) tx: &'t mut Tx<'a>,
}

impl Events<'_, '_> {
    /// Returns the number of apps that are installed in an entered book.
    pub fn apps(self, access: &Access) -> i64 {
        self.tx.book_state(access.book().id).map_or(0, |state| state.apps)
    }

    /// Queues events for the log, their deliveries, and the book state with the new head of the
    /// chain and the counters (behaviour 6.10, 6.11).
    ///
    /// Every purpose may do so, because each write records its event.
    ///
    /// # Errors
    /// If the book was not entered in this unit of work, so its state is unknown ([`Tx`]).
    pub fn queue<P>(
        self,
        access: &AccessTo<P>,
        origin: &EventOrigin<'_>,
        events: Vec<NewEvent>,
        postings: &PostingCounts,
    ) -> Result<()> {
        let book = access.book().id;
        let has_apps = self.tx.book_state(book).is_some_and(|state| state.apps > 0);
        let receivers = if has_apps { self.tx.receivers(book)? } else { Vec::new() };
        let addressed: Vec<Vec<(AppId, bool)>> = if receivers.is_empty() {
            Vec::new()
        } else {
            events.iter().map(|event| receivers_of(&receivers, event, origin.agent)).collect()
        };
        let state = self.tx.book_state_mut(book)?;
        // Requests may arrive out of order, but instants never go back (behaviour 8.18).
        let last_event_at = origin.at.milliseconds().max(state.last_event_at);
        let head = state.head()?;
        let (added, end) =
            EventOrigin { at: Instant::new(last_event_at), ..*origin }.append(head, events);
        state.last_event_at = last_event_at;
        state.advance(end, origin.at, postings)?;
        self.tx.count_events(added.len());
        let deliveries = added.iter().zip(addressed).flat_map(|(event, apps)| {
            let delivery = |(app, is_due): (AppId, bool)| NewDelivery {
                book,
                sequence: event.sequence,
                depth: origin.depth,
                // An app that writes with the token of a delivery gets its own events only after
                // the lease of that delivery ends. Other apps get them at once.
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
        self.tx.add_usage(book, size::of_events(&added))?;
        self.tx.buffer().queue_events(added);
        Ok(())
    }

    /// Lists events, newest first, up to `limit` and up to the text limit of a page.
    ///
    /// # Errors
    /// [`Error::Corrupt`] for an unreadable event.
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
        let mut left = if page.needs_sifting { usize::MAX } else { limit };
        let part =
            tx.flushed()?.load_part(&page.sql, MAX_PAGE_TEXT_BYTES, |found: NumberedRow| {
                // A block is read only as far as needed.
                if left == 0 {
                    return Ok((Vec::new(), 0));
                }
                let NumberedRow { number, row } = found;
                let events = match page.of {
                    PageOf::Events => row.event_with(number, key)?.into_iter().collect(),
                    PageOf::Rows => row.events(key)?,
                };
                let in_page =
                    events.into_iter().rev().filter(|event| page.contains(event.sequence));
                let read: Vec<ReadEvent> = in_page.take(left).map(read).collect::<Result<_>>()?;
                if !page.needs_sifting {
                    left = left.saturating_sub(read.len());
                }
                let texts = read.iter().map(|read| read.event.data.len()).sum();
                Ok((read, texts))
            })?;
        let (mut rows, is_whole) = (part.rows.into_iter().flatten().collect(), part.is_whole);
        if page.needs_sifting {
            tx.bot_responses().retain_without_error(access, &mut rows)?;
        }
        rows.truncate(limit);
        Ok(RowPart { rows, is_whole })
    }

    /// Lists events after a number, oldest first, up to `limit` and up to the text limit of a page.
    ///
    /// # Errors
    /// [`Error::Corrupt`] for an unreadable event.
    pub fn after(self, access: &Access, number: i64, limit: usize) -> Result<Vec<ReadEvent>> {
        let key = &access.book().key;
        let sql = rows_after(access.book().id, number, i64::try_from(limit).unwrap_or(i64::MAX));
        let mut left = limit;
        let part = self.tx.flushed()?.load_part(&sql, MAX_PAGE_TEXT_BYTES, |row: Row| {
            // A block is read only as far as needed.
            if left == 0 {
                return Ok((Vec::new(), 0));
            }
            let events = row.events(key)?.into_iter().filter(|event| event.sequence > number);
            let read: Vec<ReadEvent> = events.take(left).map(read).collect::<Result<_>>()?;
            left = left.saturating_sub(read.len());
            let texts = read.iter().map(|read| read.event.data.len()).sum();
            Ok((read, texts))
        })?;
        Ok(part.rows.into_iter().flatten().collect())
    }

    /// Returns the number of the last event before an instant, or zero.
    pub fn last_number_before(self, access: &Access, instant: Instant) -> Result<i64> {
        self.tx.last_event_before(access.book().id, instant)
    }

    /// Returns the number of the last event of an entered book, or zero.
    pub fn last_number(self, access: &Access) -> i64 {
        self.tx.book_state(access.book().id).map_or(0, |state| state.sequence)
    }

    /// Returns the number of the last event of each of these books; `None` if it was removed.
    pub fn last_numbers(self, books: &[BookId]) -> Result<Vec<(BookId, Option<i64>)>> {
        let sql = Sql::new("SELECT s.book_id, s.sequence FROM book_state s WHERE s.book_id IN {}")
            .bind(numbers(books.iter().map(|book| book.get())));
        let rows: Vec<(i64, i64)> = self.tx.flushed()?.rows(&sql)?;
        let known: HashMap<i64, i64> = rows.into_iter().collect();
        Ok(books.iter().map(|book| (*book, known.get(&book.get()).copied())).collect())
    }

    /// Returns the properties that select the receivers of these events, in the order of numbers.
    ///
    /// It parses the data only of types whose receivers depend on the subject.
    pub fn addressed(self, access: &Access, sequences: &[i64]) -> Result<Vec<AddressedEvent>> {
        if sequences.is_empty() {
            return Ok(Vec::new());
        }
        let book = access.book();
        let numbers = self.tx.lookup().each_of(sequences.iter().copied().map(Value::Int));
        let event = has_event("e", book.id, Sql::new("n.column1"));
        let rows = numbers.look_up("events", "e", event).sql();
        let sql =
            Sql::new("SELECT n.column1 AS number, {}{}").bind((Sql::new(COLUMNS), rows)).uncached();
        let part = self.tx.flushed()?.load_part(&sql, usize::MAX, |found: NumberedRow| {
            let NumberedRow { number: sequence, row } = found;
            if !row.contains(sequence)? {
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

    /// Finds the event with a number.
    pub fn find(self, access: &Access, sequence: i64) -> Result<Option<ReadEvent>> {
        let book = access.book();
        let sql = Sql::new(
            "SELECT {} FROM events e WHERE e.book_id = {} AND e.sequence >= {} \
             ORDER BY e.sequence LIMIT 1",
        )
        .bind((Sql::new(COLUMNS), book.id, sequence));
        let rows: Vec<Row> = self.tx.flushed()?.load(&sql)?;
        let Some(row) = rows.into_iter().next() else { return Ok(None) };
        row.event_with(sequence, &book.key)?.map(read).transpose()
    }
}
