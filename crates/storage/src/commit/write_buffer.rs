//! Rows that units of work have queued and that are not flushed yet.
//!
//! The rows of a whole group are written with one statement per table: new transactions, totals,
//! events, book states. A statement that reads or changes these tables must see them, so the buffer
//! is flushed before it ([`Tx::flushed`](crate::commit::tx::Tx::flushed)). A long buffer is flushed
//! earlier, in the background ([`crate::commit::tx::background`]).

use std::collections::{BTreeMap, HashSet};

use daybook_domain::id::BookId;

use crate::balance::{self, TotalDeltas};
use crate::commit::mark::CommitMark;
use crate::conn::Conn;
use crate::conn::bulk::Bulk;
use crate::error::Result;
use crate::rows::book_state::{self, BookStateRow};
use crate::rows::delivery::{self, NewDelivery};
use crate::rows::event::{self, EventRow};
use crate::rows::month_counts::CountDeltas;
use crate::rows::transaction::{NewTransaction, insert_rows};

/// Number of new transactions from which a background flush pays off. It takes milliseconds.
const BACKGROUND_FLUSH: usize = 250;
/// Number of new transactions from which a buffer is flushed before the next unit of work. Memory
/// is bounded by twice this number, plus the rows of one unit of work.
const MAX_QUEUED: usize = 1_000;
/// Bytes of text from which a buffer is flushed. The text of a transaction also becomes index rows.
const MAX_TEXT: usize = 4 * 1024 * 1024;

/// Queued rows. Methods that add rows are called `queue`, here and in the repositories.
#[derive(Debug, Default)]
pub(crate) struct WriteBuffer {
    transactions: Vec<NewTransaction>,
    /// The remote ids of the new transactions, by book.
    remote_ids: HashSet<(BookId, String)>,
    /// Bytes of text in the buffer.
    text: usize,
    /// Changes of totals, by book, account and day.
    total_deltas: TotalDeltas,
    /// Changes of counts, by book and month.
    count_deltas: CountDeltas,
    events: Vec<EventRow>,
    deliveries: Vec<NewDelivery>,
    /// The states of the books after these changes.
    book_states: BTreeMap<BookId, BookStateRow>,
    /// The commit mark, in the last buffer of a group.
    mark: Option<CommitMark>,
}

impl WriteBuffer {
    pub(crate) fn is_empty(&self) -> bool {
        self.transactions.is_empty()
            && self.total_deltas.is_empty()
            && self.count_deltas.is_empty()
            && self.events.is_empty()
            && self.deliveries.is_empty()
            && self.book_states.is_empty()
    }

    /// Returns whether a background flush pays off.
    pub(crate) const fn is_worth_background_flush(&self) -> bool {
        self.transactions.len() >= BACKGROUND_FLUSH || self.text >= MAX_TEXT
    }

    /// Returns whether the buffer must be flushed before the next unit of work.
    pub(crate) const fn is_large(&self) -> bool {
        self.transactions.len() >= MAX_QUEUED || self.text >= MAX_TEXT
    }

    /// Returns whether a new transaction of the book has any of these remote ids.
    pub(crate) fn has_remote_id(&self, book: BookId, remote_ids: &[&str]) -> bool {
        !self.remote_ids.is_empty()
            && remote_ids.iter().any(|id| self.remote_ids.contains(&(book, (*id).to_owned())))
    }

    /// Queues a new transaction.
    pub(crate) fn queue_transaction(&mut self, new: NewTransaction) {
        let NewTransaction { book, transaction, .. } = &new;
        self.text = self.text.saturating_add(transaction.text_bytes());
        self.remote_ids.extend(transaction.remote_ids.iter().map(|id| (*book, id.clone())));
        self.transactions.push(new);
    }

    /// Queues changes of totals.
    pub(crate) fn queue_totals(&mut self, deltas: TotalDeltas) {
        balance::merge(&mut self.total_deltas, deltas);
    }

    /// Queues changes of counts.
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

    pub(crate) const fn set_mark(&mut self, mark: CommitMark) {
        self.mark = Some(mark);
    }

    /// Queues the state of a book.
    pub(crate) fn queue_book_state(&mut self, book: BookId, state: BookStateRow) {
        self.book_states.insert(book, state);
    }

    /// Returns the queued book states.
    pub(crate) fn book_states(&self) -> impl Iterator<Item = (BookId, &BookStateRow)> {
        self.book_states.iter().map(|(book, state)| (*book, state))
    }

    /// Returns the books whose states are queued.
    pub(crate) fn books(&self) -> impl Iterator<Item = BookId> {
        self.book_states.keys().copied()
    }

    /// Returns the queued state of a book.
    pub(crate) fn book_state(&self, book: BookId) -> Option<&BookStateRow> {
        self.book_states.get(&book)
    }

    /// Returns the queued state of a book for changes. If there is none, it queues `current`.
    pub(crate) fn book_state_mut(
        &mut self,
        book: BookId,
        current: BookStateRow,
    ) -> &mut BookStateRow {
        self.book_states.entry(book).or_insert(current)
    }

    /// Merges the buffer of a later unit of work.
    pub(crate) fn absorb(&mut self, later: Self) {
        let Self {
            transactions,
            remote_ids,
            text,
            total_deltas,
            count_deltas,
            events,
            deliveries,
            book_states,
            mark,
        } = later;
        self.transactions.extend(transactions);
        self.remote_ids.extend(remote_ids);
        self.text = self.text.saturating_add(text);
        balance::merge(&mut self.total_deltas, total_deltas);
        self.count_deltas.merge(count_deltas);
        self.events.extend(events);
        self.deliveries.extend(deliveries);
        self.book_states.extend(book_states);
        self.mark = mark.or(self.mark);
    }

    /// Returns the rows of each table except the totals, which depend on rows in the database.
    pub(crate) fn tables(&self) -> Result<Vec<Bulk<'_>>> {
        let mut tables = Vec::from(insert_rows(&self.transactions)?);
        tables.extend([self.count_deltas.rows(), event::rows(&self.events)]);
        tables.push(book_state::rows(self.book_states.values()));
        tables.extend(self.mark.map(CommitMark::row));
        // The queues come last, because the number of changed rows is returned.
        tables.extend(delivery::rows(&self.deliveries));
        Ok(tables)
    }
}

/// Writes the rows of a buffer; returns whether delivery queues have become due.
///
/// It reads the affected months of the totals and then sends one bulk statement per table, or one
/// for all tables ([`Conn::write_together`]).
pub(crate) fn flush<'b>(
    conn: &mut Conn,
    buffer: &'b WriteBuffer,
    tables: Vec<Bulk<'b>>,
) -> Result<bool> {
    let months = balance::changed_months(&buffer.total_deltas)?;
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
    use daybook_domain::transaction::Transaction;

    use super::*;
    use crate::transaction::fixture::draft;

    #[test]
    fn text_of_transactions_and_events_counts() {
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
        buffer.queue_transaction(NewTransaction {
            book: BookId::new(1),
            scale: 2,
            transaction: Transaction { urls: vec![third()], ..draft() },
        });
        buffer.queue_events(vec![event(third())]);
        assert!(!buffer.is_large());
        let mut later = WriteBuffer::default();
        later.queue_transaction(NewTransaction {
            book: BookId::new(1),
            scale: 2,
            transaction: Transaction { remote_ids: vec![third()], ..draft() },
        });
        buffer.absorb(later);
        assert!(buffer.is_large());
    }
}
