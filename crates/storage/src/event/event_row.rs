//! Rows of the log. One row has one event, or a **block**: events of one request that say alike
//! that transactions with ids one after another were posted, as those of a batch do. A block costs
//! one row and a little data for each event, which repeats most of the one before.
//!
//! The columns of a block are those of its last event, and `count` says how many there are: the
//! events before it have the numbers and resources before. Their hashes follow from what they say
//! and from the hash before the block, which stands with the data. So a row is complete by itself.
//!
//! Numbers have no gaps, so **the row that has an event** is the first that ends with its number or
//! a later one ([`row_with`]), whether it is a block or not.

use daybook_domain::event::{Event, EventType, Hash};
use daybook_domain::id::{BookId, BookKey, UserId};
use daybook_domain::instant::Instant;
use diesel::prelude::*;

use super::packed::{pack, pack_block, unpack, unpack_block};
use crate::error::{Error, Result};
use crate::schema::events;
use crate::sql::Sql;

/// Most events in a block: to read one of them all are unpacked.
pub(crate) const MAX_IN_BLOCK: u8 = 16;
/// Most bytes of their data before it is packed, with a line feed between two events; those of as
/// many plain transactions are half as much.
const MAX_TEXT: usize = 8 * 1024;
/// Most bytes of data in the row of a block. SQLite keeps a row that is longer than a quarter of a
/// page on a page of its own.
const MAX_DATA: usize = 880;

/// The columns of an event `e`.
pub(super) const COLUMNS: &str = "e.book_id, e.sequence, e.resource, e.created_at, e.user_id, \
     e.kind, e.agent, e.data, e.hash, e.count";

/// A row to be written.
#[derive(Debug)]
pub(crate) struct EventRow {
    /// The event, or the last one of a block; its data is empty.
    pub(crate) last: Event,
    /// How many events a block has.
    pub(crate) count: Option<usize>,
    /// Their data, as the row keeps it.
    pub(crate) data: Vec<u8>,
}

/// The rows of new events of one request, which follow an event with this hash.
pub(crate) fn event_rows(previous: Hash, mut events: Vec<Event>) -> Vec<EventRow> {
    let (mut rows, mut previous) = (Vec::new(), previous);
    let mut rest = events.as_mut_slice();
    while !rest.is_empty() {
        let alike = like_the_first(rest);
        let (block, others) = rest.split_at_mut(alike);
        let last = block.last().map_or(previous, |event| event.hash);
        push_block(&mut rows, previous, block);
        (previous, rest) = (last, others);
    }
    rows
}

/// How many events at the front may stand in a block together; one, if no more.
fn like_the_first(events: &[Event]) -> usize {
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

/// Adds these events as a block, or as two if they take too much.
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

/// A row that was read.
#[derive(QueryableByName)]
#[diesel(table_name = events)]
pub(super) struct Row {
    book_id: i64,
    sequence: i64,
    resource: i64,
    created_at: i64,
    user_id: i64,
    kind: i32,
    pub(super) agent: Option<String>,
    data: Vec<u8>,
    hash: Vec<u8>,
    count: Option<i32>,
}

impl Row {
    /// The number of its last event.
    pub(super) const fn sequence(&self) -> i64 {
        self.sequence
    }

    /// What its last event is about.
    pub(super) const fn resource(&self) -> i64 {
        self.resource
    }

    pub(super) fn kind(&self) -> Result<EventType> {
        EventType::from_number(self.kind).ok_or(Error::Corrupt("kind"))
    }

    /// How many events it should have, read or not.
    pub(super) fn count(&self) -> Result<i64> {
        let Some(count) = self.count else { return Ok(1) };
        let in_block = 2..=i32::from(MAX_IN_BLOCK);
        if in_block.contains(&count) { Ok(count.into()) } else { Err(Error::Corrupt("count")) }
    }

    /// Its events, in the order of their numbers.
    pub(super) fn events(mut self, key: &BookKey) -> Result<Vec<Event>> {
        let stored = Hash::from_bytes(&self.hash).ok_or(Error::Corrupt("hash"))?;
        let (count, data) = (self.count()?, std::mem::take(&mut self.data));
        if self.count.is_none() {
            return Ok(vec![Event { hash: stored, ..self.event(0, unpack(data)?)? }]);
        }
        let (mut previous, lines) = unpack_block(&data, MAX_TEXT)?;
        let texts: Vec<&str> = lines.split('\n').collect();
        if i64::try_from(texts.len()) != Ok(count) {
            return Err(Error::Corrupt("data"));
        }
        let mut events = Vec::with_capacity(texts.len());
        for (before, text) in (0..count).rev().zip(texts) {
            let mut event = self.event(before, text.to_owned())?;
            event.hash = event.chained(&previous, key);
            previous = event.hash;
            events.push(event);
        }
        // An audit sees whether the last one is what the others lead to.
        if let Some(last) = events.last_mut() {
            last.hash = stored;
        }
        Ok(events)
    }

    /// Whether it has the event with that number.
    pub(super) fn has(&self, number: i64) -> Result<bool> {
        Ok(number <= self.sequence && number > self.sequence.saturating_sub(self.count()?))
    }

    /// The event with that number, if it has it.
    pub(super) fn event_with(self, number: i64, key: &BookKey) -> Result<Option<Event>> {
        if !self.has(number)? {
            return Ok(None);
        }
        Ok(self.events(key)?.into_iter().find(|event| event.sequence == number))
    }

    /// The event so many before the last, still without its hash.
    fn event(&self, before: i64, data: String) -> Result<Event> {
        let earlier = |number: i64| number.checked_sub(before).ok_or(Error::Corrupt("count"));
        Ok(Event {
            book: BookId::new(self.book_id),
            sequence: earlier(self.sequence)?,
            kind: self.kind()?,
            resource: earlier(self.resource)?,
            created_at: Instant::new(self.created_at),
            user: UserId::new(self.user_id),
            agent: self.agent.clone(),
            data,
            hash: Hash::ZERO,
        })
    }
}

/// The number of the row that has the event with a number, as an expression.
pub(super) fn row_with<'a>(book: BookId, number: Sql<'a>) -> Sql<'a> {
    let rows = Sql::new("(SELECT h.sequence FROM events h WHERE h.book_id = ").int(book.get());
    rows.push(" AND h.sequence >= ").append(number).push(" ORDER BY h.sequence LIMIT 1)")
}

/// The condition, on its key, that a row has the event with a number.
pub(crate) fn has_event<'a>(row: &'static str, book: BookId, number: Sql<'a>) -> Sql<'a> {
    let of_book = Sql::new(row).push(".book_id = ").int(book.get());
    of_book.push(" AND ").push(row).push(".sequence = ").append(row_with(book, number))
}

/// The condition that a block `b` has an event about a resource before its last one: that one is
/// less than [`MAX_IN_BLOCK`] away, which makes it a range of the index of blocks.
pub(crate) fn is_in_block<'a>(resource: Sql<'a>, beyond: Sql<'a>) -> Sql<'a> {
    let near = Sql::new("b.count IS NOT NULL AND b.resource > ").append(resource.clone());
    let near = near.push(" AND b.resource < ").append(beyond);
    near.push(" AND b.resource - b.count < ").append(resource)
}

#[cfg(test)]
mod tests {
    use daybook_domain::event::{EventOrigin, Head, NewEvent};
    use daybook_domain::json::{Json, Object};
    use proptest::prelude::*;

    use super::*;

    fn key() -> BookKey {
        BookKey::new("book".to_owned())
    }

    fn appended(head: Head, new: Vec<NewEvent>) -> Vec<Event> {
        let key = key();
        let origin = EventOrigin {
            book: BookId::new(3),
            key: &key,
            user: UserId::new(7),
            agent: Some("bot"),
            at: Instant::new(1_700_000_000_000),
            depth: 0,
            cause_lease: None,
        };
        origin.append(head, new).0
    }

    fn posted(resource: i64, description: &str) -> NewEvent {
        let snapshot = Object::new().with("description", Json::text(description));
        NewEvent::new(EventType::TransactionPosted, resource, snapshot)
    }

    fn stored(EventRow { last, count, data }: EventRow) -> Row {
        Row {
            book_id: last.book.get(),
            sequence: last.sequence,
            resource: last.resource,
            created_at: last.created_at.milliseconds(),
            user_id: last.user.get(),
            kind: last.kind.number(),
            agent: last.agent,
            data,
            hash: last.hash.as_bytes().to_vec(),
            count: count.map(|count| i32::try_from(count).unwrap()),
        }
    }

    fn read(row: Row) -> Vec<Event> {
        row.events(&key()).unwrap()
    }

    fn counts(events: &[Event]) -> Vec<Option<usize>> {
        let rows = event_rows(Hash::ZERO, events.to_vec());
        rows.iter().map(|row| row.count).collect()
    }

    fn batch(count: i64) -> Vec<Event> {
        appended(Head::default(), (1..=count).map(|id| posted(id, "Lunch")).collect())
    }

    /// Random letters: nothing to compress.
    fn noise(length: usize) -> String {
        let mut state = 7_u64;
        let letter = |_| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            char::from(b'!' + u8::try_from((state >> 33) % 90).unwrap())
        };
        (0..length).map(letter).collect()
    }

    /// Also what JSON has to escape.
    const TEXT: &str = "\\PC{0,20}|[\n\r\t\"\\\\]{0,9}";

    proptest! {
        /// Whatever is appended is read as it was, in as many rows as it takes.
        #[test]
        fn what_is_written_is_read(
            events in prop::collection::vec(
                (0..3_i64, prop::bool::weighted(0.9), TEXT, 0..60_usize),
                0..60,
            ),
        ) {
            let mut resource = 100;
            let new = events.into_iter().map(|(step, is_posted, text, repeated)| {
                resource += if step == 2 { 5 } else { 1 };
                let kind = posted(resource, &text.repeat(repeated));
                if is_posted {
                    kind
                } else {
                    NewEvent { kind: EventType::TransactionChecked, ..kind }
                }
            });
            let head = Head { sequence: 41, hash: Hash::of(b"before") };
            let events = appended(head, new.collect());
            let rows = event_rows(head.hash, events.clone());
            for row in &rows {
                prop_assert!(row.count.is_none() || row.data.len() <= MAX_DATA);
            }
            let read: Vec<Event> = rows.into_iter().map(stored).flat_map(read).collect();
            prop_assert_eq!(read, events);
        }

        #[test]
        fn whatever_a_block_has_is_no_panic(data: Vec<u8>, count: i32, sequence: i64, body: bool) {
            let mut row = stored(event_rows(Hash::ZERO, batch(3)).remove(0));
            row.data = if body { [&row.data, data.as_slice()].concat() } else { data };
            (row.count, row.sequence) = (Some(count), sequence);
            drop(row.events(&key()));
        }
    }

    #[test]
    fn a_batch_becomes_full_blocks() {
        assert_eq!(counts(&batch(1)), [None]);
        assert_eq!(counts(&batch(2)), [Some(2)]);
        assert_eq!(counts(&batch(33)), [Some(16), Some(16), None]);
    }

    #[test]
    fn what_differs_begins_another_row() {
        let all = batch(6);
        let changed = |change: fn(&mut Event)| {
            let mut events = all.clone();
            events[3..].iter_mut().for_each(change);
            counts(&events)
        };
        let differences: [fn(&mut Event); 5] = [
            |event| event.agent = None,
            |event| event.user = UserId::new(8),
            |event| event.resource += 1,
            |event| event.created_at = Instant::new(0),
            |event| event.book = BookId::new(4),
        ];
        for change in differences {
            assert_eq!(changed(change), [Some(3), Some(3)]);
        }
        let other_type = changed(|event| event.kind = EventType::TransactionChecked);
        assert_eq!(other_type, [Some(3), None, None, None], "only postings share a row");
    }

    #[test]
    fn long_texts_have_rows_of_their_own() {
        let long = |length: usize| {
            let text = noise(length);
            let new = (1..=4).map(|id| posted(id, &format!("{text}{id}"))).collect();
            counts(&appended(Head::default(), new))
        };
        assert_eq!(long(600), [Some(4)], "what repeats is kept once");
        assert_eq!(long(900), [None; 4], "one of them fills a block");
        assert_eq!(long(3000), [None; 4]);
    }

    #[test]
    fn an_event_is_found_in_its_row_alone() {
        let events = batch(20);
        let rows = event_rows(Hash::ZERO, events.clone());
        assert_eq!(rows.iter().map(|row| row.last.sequence).collect::<Vec<_>>(), [16, 20]);
        for event in &events {
            let found = |row: EventRow| stored(row).event_with(event.sequence, &key()).unwrap();
            let found: Vec<Event> =
                event_rows(Hash::ZERO, events.clone()).into_iter().filter_map(found).collect();
            assert_eq!(found, std::slice::from_ref(event));
        }
    }

    #[test]
    fn a_changed_block_is_corrupt_or_breaks_the_chain() {
        let block = || stored(event_rows(Hash::ZERO, batch(5)).remove(0));
        for count in [Some(4), Some(6), Some(1), Some(0), Some(17), Some(-5), None] {
            assert!(Row { count, ..block() }.events(&key()).is_err(), "{count:?}");
        }
        let mut cut = block();
        cut.data.pop();
        assert!(cut.events(&key()).is_err());
        let mut rechained = block();
        rechained.data[1] ^= 1;
        let read = read(rechained);
        assert_ne!(read[0].chained(&Hash::ZERO, &key()), read[0].hash);
        assert_ne!(read[4].chained(&read[3].hash, &key()), read[4].hash, "the last is as stored");
    }
}
