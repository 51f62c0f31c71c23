//! The write buffer: rows that units of work have queued and that are not flushed yet. A group of
//! units of work is so written with the statements of one: new transactions, totals, events, book
//! states. A statement that reads or changes these tables must see the rows, so the buffer is
//! flushed before it ([`Tx::flushed`](crate::tx::Tx::flushed)). One with many rows is flushed
//! earlier, in the background ([`crate::tx::background`]).

use std::collections::{BTreeMap, HashSet};

use daybook_domain::id::BookId;
use daybook_domain::transaction::Transaction;

use crate::balance::{self, TotalDeltas};
use crate::book_state::{self, BookStateRow};
use crate::bulk::Bulk;
use crate::commit_mark::CommitMark;
use crate::conn::Conn;
use crate::delivery::NewDelivery;
use crate::error::Result;
use crate::event::EventRow;
use crate::transaction::CountDeltas;
use crate::{delivery, event, transaction};

/// New transactions that are worth a thread. To flush them takes milliseconds.
const WORTH_A_THREAD: usize = 250;
/// Most new transactions in a write buffer when the next unit of work of a group begins. While
/// they are flushed, as many may be queued again. What one unit of work queues comes on top.
const MAX_QUEUED: usize = 1_000;
/// Most bytes of text in them and in the events; a transaction's text becomes rows of indexes, too.
const MAX_TEXT: usize = 4 * 1024 * 1024;

/// A new transaction.
#[derive(Debug)]
pub(crate) struct Added {
    pub(crate) book: BookId,
    pub(crate) scale: u32,
    pub(crate) transaction: Transaction,
}

/// Rows that are queued. What adds one is called `queue`, here and in the repositories.
#[derive(Debug, Default)]
pub(crate) struct WriteBuffer {
    added: Vec<Added>,
    /// The remote ids of these, by book.
    remote_ids: HashSet<(BookId, String)>,
    /// Bytes of text in the buffer.
    text: usize,
    /// Changes of totals, by book, account and day.
    total_deltas: TotalDeltas,
    /// Changes of counts, by book and month.
    count_deltas: CountDeltas,
    events: Vec<EventRow>,
    /// To whom these go.
    deliveries: Vec<NewDelivery>,
    /// The states of the books after all of this.
    book_states: BTreeMap<BookId, BookStateRow>,
    /// The mark of the commit, in the last buffer of a group.
    mark: Option<CommitMark>,
}

impl WriteBuffer {
    pub(crate) fn is_empty(&self) -> bool {
        self.added.is_empty()
            && self.total_deltas.is_empty()
            && self.count_deltas.is_empty()
            && self.events.is_empty()
            && self.deliveries.is_empty()
            && self.book_states.is_empty()
    }

    /// Whether the buffer takes so long to flush that it is worth a thread.
    pub(crate) const fn is_worth_a_thread(&self) -> bool {
        self.added.len() >= WORTH_A_THREAD || self.text >= MAX_TEXT
    }

    /// Whether the buffer has to be flushed although the group goes on.
    pub(crate) const fn is_large(&self) -> bool {
        self.added.len() >= MAX_QUEUED || self.text >= MAX_TEXT
    }

    /// Whether a new transaction of the book carries any of these remote ids.
    pub(crate) fn has_remote_id(&self, book: BookId, remote_ids: &[&str]) -> bool {
        !self.remote_ids.is_empty()
            && remote_ids.iter().any(|id| self.remote_ids.contains(&(book, (*id).to_owned())))
    }

    /// Queues a new transaction.
    pub(crate) fn queue_transaction(&mut self, added: Added) {
        let Added { book, transaction, .. } = &added;
        self.text = self.text.saturating_add(transaction.texts());
        self.remote_ids.extend(transaction.remote_ids.iter().map(|id| (*book, id.clone())));
        self.added.push(added);
    }

    /// Queues what is added to totals.
    pub(crate) fn queue_totals(&mut self, deltas: TotalDeltas) {
        balance::merge(&mut self.total_deltas, deltas);
    }

    /// Queues what is added to counts.
    pub(crate) fn queue_counts(&mut self, deltas: CountDeltas) {
        self.count_deltas.merge(deltas);
    }

    /// Queues events.
    pub(crate) fn queue_events(&mut self, events: Vec<EventRow>) {
        self.text =
            events.iter().fold(self.text, |sum, event| sum.saturating_add(event.data.len()));
        self.events.extend(events);
    }

    /// Queues deliveries of queued events.
    pub(crate) fn queue_deliveries(&mut self, deliveries: Vec<NewDelivery>) {
        self.deliveries.extend(deliveries);
    }

    /// Adds the mark of the commit.
    pub(crate) const fn mark(&mut self, mark: CommitMark) {
        self.mark = Some(mark);
    }

    /// Queues the state of a book.
    pub(crate) fn queue_book_state(&mut self, book: BookId, state: BookStateRow) {
        self.book_states.insert(book, state);
    }

    /// The states of the books.
    pub(crate) fn book_states(&self) -> impl Iterator<Item = (BookId, &BookStateRow)> {
        self.book_states.iter().map(|(book, state)| (*book, state))
    }

    /// The books whose states are queued.
    pub(crate) fn books(&self) -> impl Iterator<Item = BookId> {
        self.book_states.keys().copied()
    }

    /// The queued state of a book.
    pub(crate) fn book_state(&self, book: BookId) -> Option<&BookStateRow> {
        self.book_states.get(&book)
    }

    /// The same, to be changed; `current` is queued when none is.
    pub(crate) fn queued_book_state(
        &mut self,
        book: BookId,
        current: BookStateRow,
    ) -> &mut BookStateRow {
        self.book_states.entry(book).or_insert(current)
    }

    /// Takes over the buffer of a later unit of work.
    pub(crate) fn absorb(&mut self, later: Self) {
        let Self {
            added,
            remote_ids,
            text,
            total_deltas,
            count_deltas,
            events,
            deliveries,
            book_states,
            mark,
        } = later;
        self.added.extend(added);
        self.remote_ids.extend(remote_ids);
        self.text = self.text.saturating_add(text);
        balance::merge(&mut self.total_deltas, total_deltas);
        self.count_deltas.merge(count_deltas);
        self.events.extend(events);
        self.deliveries.extend(deliveries);
        self.book_states.extend(book_states);
        self.mark = mark.or(self.mark);
    }

    /// The rows of each table but the totals, which are read first.
    pub(crate) fn tables(&self) -> Result<Vec<Bulk<'_>>> {
        let mut tables = Vec::from(transaction::added_rows(&self.added)?);
        tables.extend([self.count_deltas.rows(), event::rows(&self.events)]);
        tables.push(book_state::rows(self.book_states.values()));
        tables.extend(self.mark.map(CommitMark::row));
        // Those of the queues come last: they are counted.
        tables.extend(delivery::rows(&self.deliveries));
        Ok(tables)
    }
}

/// Writes the rows of a write buffer, with one bulk statement for each table, or for all of them,
/// after it has read the days of the totals; whether queues of deliveries have become due.
pub(crate) fn flush<'b>(
    conn: &mut Conn,
    buffer: &'b WriteBuffer,
    tables: Vec<Bulk<'b>>,
) -> Result<bool> {
    let months = balance::moved_months(&buffer.total_deltas)?;
    let mut portions = months.portions().peekable();
    while let Some(portion) = portions.next() {
        let rows = portion.rows(conn)?;
        if portions.peek().is_some() {
            conn.write(rows.bulk())?;
            continue;
        }
        let tables = std::iter::once(rows.bulk()).chain(tables).collect();
        return Ok(conn.write_together(tables)? > 0);
    }
    Ok(conn.write_together(tables)? > 0)
}

#[cfg(test)]
mod tests {
    use daybook_domain::event::{Event, EventType, Hash};
    use daybook_domain::id::UserId;
    use daybook_domain::instant::Instant;

    use super::*;
    use crate::transaction::fixture::draft;

    #[test]
    fn all_queued_text_counts() {
        let third = || "x".repeat(MAX_TEXT / 3 + 1);
        let event = |data: String| EventRow {
            last: Event {
                book: BookId::new(1),
                sequence: 1,
                kind: EventType::BookUpdated,
                resource: 1,
                created_at: Instant::new(1),
                user: UserId::new(1),
                agent: None,
                data: String::new(),
                hash: Hash::ZERO,
            },
            count: None,
            data: data.into_bytes(),
        };
        let mut buffer = WriteBuffer::default();
        buffer.queue_transaction(Added {
            book: BookId::new(1),
            scale: 2,
            transaction: Transaction { urls: vec![third()], ..draft() },
        });
        buffer.queue_events(vec![event(third())]);
        assert!(!buffer.is_large());
        let mut later = WriteBuffer::default();
        later.queue_transaction(Added {
            book: BookId::new(1),
            scale: 2,
            transaction: Transaction { remote_ids: vec![third()], ..draft() },
        });
        buffer.absorb(later);
        assert!(buffer.is_large());
    }
}
