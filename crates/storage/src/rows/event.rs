//! Rows of `events` as they are written.
//!
//! A row has one event, or a **block**: postings of one request whose transactions have consecutive
//! ids, as in a batch. A block costs one row, plus a little compressed data for each event, because
//! events repeat most of the one before.
//!
//! The columns of a block are those of its last event, and `count` is the number of events: the
//! events before it have the preceding numbers and resources. Their hashes follow from their
//! content and from the hash before the block, which is stored with the data. A row is therefore
//! complete by itself. [`crate::event`] reads the rows.

use daybook_domain::event::{Event, EventType, Hash};

use crate::conn::bulk::Bulk;
use crate::conn::sql::Value;
use crate::rows::packed::{pack, pack_block};

/// Maximum number of events in a block. Reading one of them unpacks all.
pub(crate) const MAX_IN_BLOCK: u8 = 16;
/// Maximum size of the data of a block before compression, with a line feed between two events. The
/// data of [`MAX_IN_BLOCK`] plain transactions is half as long.
pub(crate) const MAX_TEXT: usize = 8 * 1024;
/// Maximum size of the compressed data of a block. SQLite moves a row that is longer than a quarter
/// of a page to an overflow page.
pub(crate) const MAX_DATA: usize = 880;

/// A row to insert.
#[derive(Debug)]
pub(crate) struct EventRow {
    /// The event, or the last one of a block; its data is empty.
    pub(crate) last: Event,
    /// The number of events of a block.
    pub(crate) count: Option<usize>,
    /// The compressed data.
    pub(crate) data: Vec<u8>,
}

/// Packs the new events of one request into rows.
///
/// `previous` is the hash of the event before them.
pub(crate) fn event_rows(previous: Hash, mut events: Vec<Event>) -> Vec<EventRow> {
    let mut rows = Vec::new();
    let mut previous = previous;
    let mut rest = events.as_mut_slice();
    while !rest.is_empty() {
        let (block, others) = rest.split_at_mut(block_length(rest));
        let last = block.last().map_or(previous, |event| event.hash);
        push_block(&mut rows, previous, block);
        (previous, rest) = (last, others);
    }
    rows
}

/// Returns how many events at the front may share a block, at least one.
fn block_length(events: &[Event]) -> usize {
    let mut text = events.first().map_or(0, |event| event.data.len());
    let follows = |(event, next): &(&Event, &Event)| {
        let fields = |event: &Event| (event.book, event.created_at, event.user, event.kind);
        text = text.saturating_add(next.data.len()).saturating_add(1);
        text <= MAX_TEXT
            && next.kind == EventType::TransactionPosted
            && fields(event) == fields(next)
            && event.agent == next.agent
            && event.resource.checked_add(1) == Some(next.resource)
    };
    let pairs = events.iter().zip(events.iter().skip(1));
    pairs.take(usize::from(MAX_IN_BLOCK) - 1).take_while(follows).count().saturating_add(1)
}

/// Adds events as a block. It splits them in halves if their data is too long.
fn push_block(rows: &mut Vec<EventRow>, previous: Hash, events: &mut [Event]) {
    match events {
        [] => {}
        [event] => {
            let data = pack(std::mem::take(&mut event.data));
            rows.push(EventRow { last: event.clone(), count: None, data });
        }
        [.., _] => {
            let count = events.len();
            let texts: Vec<&str> = events.iter().map(|event| event.data.as_str()).collect();
            match (pack_block(&previous, &texts), events) {
                (Ok(data), [.., last]) if data.len() <= MAX_DATA => {
                    last.data.clear();
                    rows.push(EventRow { last: last.clone(), count: Some(count), data });
                }
                (_, events) => {
                    let (first, second) = events.split_at_mut(count / 2);
                    let between = first.last().map_or(previous, |event| event.hash);
                    push_block(rows, previous, first);
                    push_block(rows, between, second);
                }
            }
        }
    }
}

/// Returns the inserted rows of events.
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
