//! Rows of `events` as they are read, and the conditions that find them.
//!
//! A row may be a block of several events ([`crate::rows::event`]). Event numbers have no gaps, so
//! the row that contains an event is the first one whose last number is not smaller
//! ([`row_with`]).

use daybook_domain::event::{Event, EventType, Hash};
use daybook_domain::id::{BookId, BookKey, UserId};
use daybook_domain::instant::Instant;
use diesel::prelude::*;
use diesel::sql_types::BigInt;

use crate::conn::sql::Sql;
use crate::error::{Error, Result};
use crate::rows::event::{MAX_IN_BLOCK, MAX_TEXT};
use crate::rows::packed::{unpack, unpack_block};
use crate::schema::events;

/// The columns of a [`Row`], of the table `e`.
pub(super) const COLUMNS: &str = "e.book_id, e.sequence, e.resource, e.created_at, e.user_id, \
     e.kind, e.agent, e.data, e.hash, e.count";

/// The events to list (behaviour 8.5).
#[derive(Debug, Clone, Default)]
pub struct EventFilter {
    /// From this instant.
    pub after: Option<Instant>,
    /// Before this instant.
    pub before: Option<Instant>,
    /// Only of this type.
    pub kind: Option<EventType>,
    /// Not of these types.
    pub hidden: &'static [EventType],
    /// Only with (`true`) or without (`false`) an error response of an app.
    pub error: Option<bool>,
    /// Only about this resource. `error` is ignored then.
    pub resource: Option<i64>,
    /// Before this number, where the previous page ended.
    pub below: Option<i64>,
}

/// A row with the number of the event that it was looked up for.
#[derive(QueryableByName)]
pub(super) struct NumberedRow {
    #[diesel(sql_type = BigInt)]
    pub(super) number: i64,
    #[diesel(embed)]
    pub(super) row: Row,
}

/// A row of the log.
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
    /// Returns the number of the last event.
    pub(super) const fn sequence(&self) -> i64 {
        self.sequence
    }

    /// Returns the resource of the last event.
    pub(super) const fn resource(&self) -> i64 {
        self.resource
    }

    pub(super) fn kind(&self) -> Result<EventType> {
        EventType::from_number(self.kind).ok_or(Error::Corrupt("kind"))
    }

    /// Returns the number of events according to the columns, whether they can be read or not.
    pub(super) fn count(&self) -> Result<i64> {
        let Some(count) = self.count else { return Ok(1) };
        let in_block = 2..=i32::from(MAX_IN_BLOCK);
        if in_block.contains(&count) { Ok(count.into()) } else { Err(Error::Corrupt("count")) }
    }

    /// Unpacks the events, in the order of their numbers.
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
            event.hash = event.hash_after(&previous, key);
            previous = event.hash;
            events.push(event);
        }
        // The stored hash of the last event lets an audit check the recomputed ones.
        if let Some(last) = events.last_mut() {
            last.hash = stored;
        }
        Ok(events)
    }

    /// Returns whether the row contains the event with a number.
    pub(super) fn contains(&self, number: i64) -> Result<bool> {
        Ok(number <= self.sequence && number > self.sequence.saturating_sub(self.count()?))
    }

    /// Unpacks the event with a number, if the row contains it.
    pub(super) fn event_with(self, number: i64, key: &BookKey) -> Result<Option<Event>> {
        if !self.contains(number)? {
            return Ok(None);
        }
        Ok(self.events(key)?.into_iter().find(|event| event.sequence == number))
    }

    /// Returns the event `before` positions before the last one, without its hash.
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

/// Selects the rows with events after a number, in order.
///
/// The first row may be a block that begins before it.
pub(super) fn rows_after(book: BookId, number: i64, limit: i64) -> Sql<'static> {
    Sql::new(
        "SELECT {} FROM events e WHERE e.book_id = {} AND e.sequence > {} ORDER BY e.sequence \
         LIMIT {}",
    )
    .bind((Sql::new(COLUMNS), book, number, limit))
}

/// Returns an expression for the key of the row that contains the event with a number.
pub(super) fn row_with<'a>(book: BookId, number: Sql<'a>) -> Sql<'a> {
    Sql::new(
        "(SELECT h.sequence FROM events h WHERE h.book_id = {} AND h.sequence >= {} \
         ORDER BY h.sequence LIMIT 1)",
    )
    .bind((book, number))
}

/// Returns the condition that a row contains the event with a number.
pub(crate) fn has_event<'a>(row: &'static str, book: BookId, number: Sql<'a>) -> Sql<'a> {
    Sql::new(row).push(".book_id = {} AND {}.sequence = {}").bind((
        book,
        Sql::new(row),
        row_with(book, number),
    ))
}

/// Returns the condition that a block `b` contains an event about a resource, except as its last.
///
/// The last resource is less than [`MAX_IN_BLOCK`] away, so this is a range of the index of blocks.
/// `end` is the resource plus that number.
pub(crate) fn is_in_block<'a>(resource: Sql<'a>, end: Sql<'a>) -> Sql<'a> {
    Sql::new(
        "b.count IS NOT NULL AND b.resource > {} AND b.resource < {} \
         AND b.resource - b.count < {}",
    )
    .bind((resource.clone(), end, resource))
}

#[cfg(test)]
mod tests {
    use daybook_domain::event::{EventOrigin, Head, NewEvent};
    use daybook_domain::json::{Json, Object};
    use proptest::prelude::*;

    use super::*;
    use crate::rows::event::{EventRow, MAX_DATA, event_rows};

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

    /// Returns incompressible text.
    fn noise(length: usize) -> String {
        let mut state = 7_u64;
        let letter = |_| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            char::from(b'!' + u8::try_from((state >> 33) % 90).unwrap())
        };
        (0..length).map(letter).collect()
    }

    /// Includes characters that JSON escapes.
    const TEXT: &str = "\\PC{0,20}|[\n\r\t\"\\\\]{0,9}";

    proptest! {
        #[test]
        fn written_events_are_read_back(
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
        fn arbitrary_data_never_panics(data: Vec<u8>, count: i32, sequence: i64, body: bool) {
            let mut row = stored(event_rows(Hash::ZERO, batch(3)).remove(0));
            row.data = if body { [&row.data, data.as_slice()].concat() } else { data };
            (row.count, row.sequence) = (Some(count), sequence);
            drop(row.events(&key()));
        }
    }

    #[test]
    fn batch_is_packed_into_full_blocks() {
        assert_eq!(counts(&batch(1)), [None]);
        assert_eq!(counts(&batch(2)), [Some(2)]);
        assert_eq!(counts(&batch(33)), [Some(16), Some(16), None]);
    }

    #[test]
    fn different_event_starts_another_row() {
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
    fn long_texts_get_rows_of_their_own() {
        let long = |length: usize| {
            let text = noise(length);
            let new = (1..=4).map(|id| posted(id, &format!("{text}{id}"))).collect();
            counts(&appended(Head::default(), new))
        };
        assert_eq!(long(600), [Some(4)], "repeated text is compressed");
        assert_eq!(long(900), [None; 4], "one event fills a block");
        assert_eq!(long(3000), [None; 4]);
    }

    #[test]
    fn event_is_found_only_in_its_row() {
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
    fn changed_block_is_corrupt_or_breaks_the_chain() {
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
        assert_ne!(read[0].hash_after(&Hash::ZERO, &key()), read[0].hash);
        assert_ne!(
            read[4].hash_after(&read[3].hash, &key()),
            read[4].hash,
            "the last is as stored"
        );
    }
}
