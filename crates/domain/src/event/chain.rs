//! The hash chain of the events of a book (behaviour 8.15).

use std::fmt;

use sha2::{Digest, Sha256};

use crate::instant::Instant;
use crate::json::Json;

use super::{Event, NewEvent, Noun};
use crate::id::{
    AccountId, BookId, BookKey, CollaboratorId, CommentId, FileId, GroupId, IntegrationId,
    ReconciliationId, SavedQueryId, TransactionId, UserId, is_lower_hex,
};

/// A SHA-256 hash, formatted in lower-case hex.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Hash([u8; 32]);

impl Hash {
    /// The hash before the first event of a book.
    pub const ZERO: Self = Self([0; 32]);

    /// Wraps 32 bytes; `None` for any other number of bytes.
    pub fn from_bytes(bytes: &[u8]) -> Option<Self> {
        bytes.try_into().ok().map(Self)
    }

    /// Hashes bytes.
    pub fn of(bytes: &[u8]) -> Self {
        Self(Sha256::digest(bytes).into())
    }

    /// Parses lower-case hex.
    pub fn from_hex(text: &str) -> Option<Self> {
        if text.len() != 64 || !is_lower_hex(text) {
            return None;
        }
        let byte = |start: usize| u8::from_str_radix(text.get(start..start + 2)?, 16).ok();
        let bytes: Option<Vec<u8>> = (0..64).step_by(2).map(byte).collect();
        Self::from_bytes(&bytes?)
    }

    /// Returns the bytes.
    #[must_use]
    pub const fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }
}

impl fmt::Display for Hash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for Hash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")
    }
}

/// The last event of the chain of a book.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Head {
    /// The number of the last event; 0 before the first.
    pub sequence: i64,
    /// The hash of the last event.
    pub hash: Hash,
}

impl Default for Head {
    fn default() -> Self {
        Self { sequence: 0, hash: Hash::ZERO }
    }
}

/// The data that all events of a request share.
#[derive(Debug, Clone, Copy)]
pub struct EventOrigin<'a> {
    /// The book.
    pub book: BookId,
    /// The public id of the book.
    pub key: &'a BookKey,
    /// The caller.
    pub user: UserId,
    /// The app of the request.
    pub agent: Option<&'a str>,
    /// The time of the request.
    pub at: Instant,
    /// The depth of the request in a chain of apps (behaviour 8.11).
    pub depth: i64,
    /// The lease of the delivery whose token the request uses (behaviour 8.9).
    pub cause_lease: Option<i64>,
}

impl EventOrigin<'_> {
    /// Appends new events to the chain that ends at `head`. Returns the events and the new head.
    ///
    /// ```
    /// use daybook_domain::event::{EventType, Head, EventOrigin, NewEvent};
    /// use daybook_domain::id::{BookId, BookKey, UserId};
    /// use daybook_domain::instant::Instant;
    /// use daybook_domain::json::Object;
    /// let key = BookKey::new("k".into());
    /// let origin = EventOrigin {
    ///     book: BookId::new(1),
    ///     key: &key,
    ///     user: UserId::new(1),
    ///     agent: None,
    ///     at: Instant::new(0),
    ///     depth: 0,
    ///     cause_lease: None,
    /// };
    /// let created = NewEvent::new(EventType::BookCreated, 1, Object::new());
    /// let (events, head) = origin.append(Head::default(), vec![created]);
    /// assert_eq!((events[0].sequence, head.sequence), (1, 1));
    /// assert_eq!(events[0].hash, head.hash);
    /// ```
    pub fn append(&self, head: Head, new: Vec<NewEvent>) -> (Vec<Event>, Head) {
        let mut head = head;
        let mut events = Vec::with_capacity(new.len());
        for NewEvent { kind, resource, data, subject: _ } in new {
            let sequence = head.sequence.saturating_add(1);
            let mut event = Event {
                book: self.book,
                sequence,
                kind,
                resource,
                created_at: self.at,
                user: self.user,
                agent: self.agent.map(str::to_owned),
                data,
                hash: Hash::ZERO,
            };
            event.hash = event.hash_after(&head.hash, self.key);
            head = Head { sequence, hash: event.hash };
            events.push(event);
        }
        (events, head)
    }
}

impl Event {
    /// Returns the public id: the number followed by the id of the book, so it is unique and sorts
    /// by time.
    pub fn public_id(&self, key: &BookKey) -> String {
        public_id(self.sequence, key)
    }

    /// Returns the public id of the resource (behaviour 8.4).
    pub fn public_resource(&self, key: &BookKey) -> String {
        match self.kind.noun() {
            Noun::Book => key.as_str().to_owned(),
            Noun::Account => AccountId::new(self.resource).to_string(),
            Noun::Group => GroupId::new(self.resource).to_string(),
            Noun::Transaction => TransactionId::new(self.resource).to_string(),
            Noun::SavedQuery => SavedQueryId::new(self.resource).to_string(),
            Noun::Reconciliation => ReconciliationId::new(self.resource).to_string(),
            Noun::Integration => IntegrationId::new(self.resource).to_string(),
            Noun::File => FileId::new(self.resource).to_string(),
            Noun::Collaborator => CollaboratorId::new(self.resource).to_string(),
            Noun::Comment => CommentId::new(self.resource).to_string(),
        }
    }

    /// Computes the hash of this event from the hash of the previous event.
    pub fn hash_after(&self, previous: &Hash, key: &BookKey) -> Hash {
        let mut digest = Sha256::new();
        digest.update(previous.as_bytes());
        digest.update(self.canonical(key).as_bytes());
        Hash(digest.finalize().into())
    }

    /// Returns the event as canonical JSON, which is hashed. `data` is already canonical (behaviour
    /// 8.15).
    pub fn canonical(&self, key: &BookKey) -> String {
        let text = |value: String| Json::Text(value).canonical();
        format!(
            "{{\"agentId\":{},\"bookId\":{},\"createdAt\":\"{}\",\"data\":{},\"id\":{},\
            \"resource\":{},\"sequence\":{},\"type\":\"{}\",\"userId\":\"{}\"}}",
            text(self.agent.clone().unwrap_or_else(|| "api".to_owned())),
            text(key.as_str().to_owned()),
            self.created_at.milliseconds(),
            self.data,
            text(self.public_id(key)),
            text(self.public_resource(key)),
            self.sequence,
            self.kind.as_str(),
            self.user,
        )
    }
}

/// Returns the public id of the event with that number.
pub fn public_id(sequence: i64, key: &BookKey) -> String {
    format!("{sequence:012x}{key}")
}

/// Parses the number in the public id of an event of that book.
///
/// ```
/// use daybook_domain::event::sequence_of;
/// use daybook_domain::id::BookKey;
/// let key = BookKey::new("0193".into());
/// assert_eq!(sequence_of("00000000000a0193", &key), Some(10));
/// assert_eq!(sequence_of("00000000000a0194", &key), None);
/// ```
pub fn sequence_of(id: &str, key: &BookKey) -> Option<i64> {
    let digits = id.strip_suffix(key.as_str())?;
    let is_number = digits.len() == 12 && is_lower_hex(digits);
    if is_number { i64::from_str_radix(digits, 16).ok() } else { None }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::event::EventType;
    use crate::fixture::{items, shared_cases, text_in};
    use crate::json::Object;

    fn chain(agent: Option<&str>) -> Vec<Event> {
        let key = BookKey::new("book".to_owned());
        let origin = EventOrigin { agent, ..crate::fixture::origin(&key) };
        let event = |kind| NewEvent::new(kind, 42, Object::new().with("name", Json::text("Cash")));
        let new = [EventType::AccountCreated, EventType::AccountDeleted].map(event);
        let (events, head) = origin.append(Head::default(), new.to_vec());
        assert_eq!(head.hash, events[1].hash);
        events
    }

    /// The hash of a published event never changes (behaviour 8.15).
    #[test]
    fn events_match_the_shared_cases() {
        let key = BookKey::new("book".to_owned());
        let cases = shared_cases(include_str!("../../../../tests/cases/chain.json"));
        let events = chain(None);
        assert_eq!(events.len(), items(&cases).len());
        for (event, case) in events.iter().zip(items(&cases)) {
            assert_eq!(event.canonical(&key), text_in(case, "canonical"));
            assert_eq!(event.hash.to_string(), text_in(case, "hash"));
        }
    }

    #[test]
    fn any_change_breaks_the_chain() {
        let key = BookKey::new("book".to_owned());
        let events = chain(Some("bot"));
        assert_eq!(events[1].hash_after(&events[0].hash, &key), events[1].hash);
        let forged =
            Event { data: r#"{"object":{"name":"Till"}}"#.to_owned(), ..events[0].clone() };
        assert_ne!(forged.hash_after(&Hash::ZERO, &key), events[0].hash);
    }
}
