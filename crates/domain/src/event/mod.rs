//! Events: the log of changes of a book (behaviour 8).
//!
//! Each change appends an event. The events of a book are numbered without gaps, and each hash
//! covers the previous hash. An event contains a compact snapshot of its resource: derived, false
//! and empty fields are omitted and added again when the event is read. An update also contains the
//! previous values of the changed fields, from the same comparison that decides whether there is an
//! event at all. Checkpoints of the last hashes are stored outside the database, so a rewritten log
//! is detected.

mod chain;
mod checkpoint;
mod read;
pub mod snapshot;

use std::collections::BTreeMap;

pub use chain::{EventOrigin, Hash, Head, public_id, sequence_of};
pub use checkpoint::{CheckpointEntry, LogComparison, LogDifference};
pub use read::ReadEvent;

use crate::id::{BookId, UserId};
use crate::instant::Instant;
use crate::json::{Json, Object};

/// Previous values by field, for `*_UPDATED` events (behaviour 8.3).
pub type Previous = BTreeMap<String, String>;

/// Declares event types with their stored numbers: `types! { Variant = number Noun "NAME" }`.
macro_rules! types {
    ($($variant:ident = $number:literal $noun:ident $name:literal,)*) => {
        /// The types of events (api: Shared enumerations). The numbers are stored; never reuse one.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        #[expect(missing_docs, reason = "each variant is the API's own word for the event")]
        pub enum EventType {
            $($variant,)*
        }

        impl EventType {
            /// All types.
            pub const ALL: &'static [Self] = &[$(Self::$variant,)*];

            /// Returns the name in the API.
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $name,)* }
            }

            /// Returns the stored number.
            pub const fn number(self) -> i32 {
                match self { $(Self::$variant => $number,)* }
            }

            /// Returns the kind of resource.
            pub const fn noun(self) -> Noun {
                match self { $(Self::$variant => Noun::$noun,)* }
            }
        }
    };
}

types! {
    FileCreated = 1 File "FILE_CREATED",
    FileUpdated = 2 File "FILE_UPDATED",
    FileDeleted = 3 File "FILE_DELETED",
    TransactionCreated = 4 Transaction "TRANSACTION_CREATED",
    TransactionUpdated = 5 Transaction "TRANSACTION_UPDATED",
    TransactionDeleted = 6 Transaction "TRANSACTION_DELETED",
    TransactionPosted = 7 Transaction "TRANSACTION_POSTED",
    TransactionChecked = 8 Transaction "TRANSACTION_CHECKED",
    TransactionUnchecked = 9 Transaction "TRANSACTION_UNCHECKED",
    TransactionRestored = 10 Transaction "TRANSACTION_RESTORED",
    AccountCreated = 11 Account "ACCOUNT_CREATED",
    AccountUpdated = 12 Account "ACCOUNT_UPDATED",
    AccountDeleted = 13 Account "ACCOUNT_DELETED",
    QueryCreated = 14 SavedQuery "QUERY_CREATED",
    QueryUpdated = 15 SavedQuery "QUERY_UPDATED",
    QueryDeleted = 16 SavedQuery "QUERY_DELETED",
    GroupCreated = 17 Group "GROUP_CREATED",
    GroupUpdated = 18 Group "GROUP_UPDATED",
    GroupDeleted = 19 Group "GROUP_DELETED",
    CommentCreated = 20 Comment "COMMENT_CREATED",
    CommentDeleted = 21 Comment "COMMENT_DELETED",
    CollaboratorAdded = 22 Collaborator "COLLABORATOR_ADDED",
    CollaboratorUpdated = 23 Collaborator "COLLABORATOR_UPDATED",
    CollaboratorRemoved = 24 Collaborator "COLLABORATOR_REMOVED",
    IntegrationCreated = 25 Integration "INTEGRATION_CREATED",
    IntegrationUpdated = 26 Integration "INTEGRATION_UPDATED",
    IntegrationDeleted = 27 Integration "INTEGRATION_DELETED",
    BookCreated = 28 Book "BOOK_CREATED",
    BookAudited = 29 Book "BOOK_AUDITED",
    BookUpdated = 30 Book "BOOK_UPDATED",
    BookDeleted = 31 Book "BOOK_DELETED",
}

/// The kind of resource of an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Noun {
    /// The book itself.
    Book,
    /// An account.
    Account,
    /// A group.
    Group,
    /// A transaction.
    Transaction,
    /// A collaborator.
    Collaborator,
    /// A saved query.
    SavedQuery,
    /// A file.
    File,
    /// An integration.
    Integration,
    /// A comment on a transaction.
    Comment,
}

impl EventType {
    /// Finds the type with that name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|kind| kind.as_str() == name)
    }

    /// Finds the type with that stored number.
    pub fn from_number(number: i32) -> Option<Self> {
        Self::ALL.iter().copied().find(|kind| kind.number() == number)
    }

    /// Returns whether it is about an integration.
    pub const fn is_about_integration(self) -> bool {
        matches!(
            self,
            Self::IntegrationCreated | Self::IntegrationUpdated | Self::IntegrationDeleted
        )
    }

    /// Returns whether its receivers depend on a subject.
    pub const fn has_subject(self) -> bool {
        matches!(self, Self::FileCreated) || self.is_about_integration()
    }
}

/// An event before it has a number and a hash.
#[must_use]
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewEvent {
    /// The type.
    pub kind: EventType,
    /// The id of the resource.
    pub resource: i64,
    /// The snapshot and the previous values, as canonical JSON.
    pub data: String,
    /// The subject that decides who receives it: the name of a new file, or the app of an
    /// integration (behaviour 8.11).
    pub subject: Option<String>,
}

impl NewEvent {
    /// Creates an event with a snapshot of its resource.
    pub fn new(kind: EventType, resource: i64, object: Object) -> Self {
        Self::with_data(kind, resource, object, |data| data)
    }

    /// Creates an event with a snapshot and the previous values of an update (behaviour 8.3).
    pub fn update(kind: EventType, resource: i64, object: Object, previous: &Previous) -> Self {
        let pairs = previous.iter().map(|(key, value)| (key.as_str(), value.as_str()));
        Self::with_data(kind, resource, object, |data| data.with_map("previousAttributes", pairs))
    }

    /// Creates an event with a snapshot and a report of an audit (behaviour 6.7) or a copy
    /// (behaviour 6.20).
    pub fn with_report(
        kind: EventType,
        resource: i64,
        object: Object,
        name: &str,
        report: Object,
    ) -> Self {
        Self::with_data(kind, resource, object, |data| data.with(name, Json::Object(report)))
    }

    fn with_data(
        kind: EventType,
        resource: i64,
        object: Object,
        add: impl FnOnce(Object) -> Object,
    ) -> Self {
        let subject = subject(kind, &object);
        let data = add(Object::new().with("object", Json::Object(object)));
        Self { kind, resource, data: Json::Object(data).canonical(), subject }
    }
}

/// Returns the subject that decides who receives the event, if there is one.
fn subject(kind: EventType, object: &Object) -> Option<String> {
    if !kind.has_subject() {
        return None;
    }
    let key = if kind == EventType::FileCreated { "name" } else { "agentId" };
    Some(object.get(key)?.as_text()?.to_owned())
}

/// A stored event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Event {
    /// The book.
    pub book: BookId,
    /// The number in the book, from 1 without gaps.
    pub sequence: i64,
    /// The type.
    pub kind: EventType,
    /// The id of the resource.
    pub resource: i64,
    /// The time.
    pub created_at: Instant,
    /// The user who caused it.
    pub user: UserId,
    /// The app that caused it; `None` for the API itself.
    pub agent: Option<String>,
    /// The snapshot and the previous values, as canonical JSON.
    pub data: String,
    /// The hash, which covers the hash of the previous event.
    pub hash: Hash,
}
