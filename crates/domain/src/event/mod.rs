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

/// Declares event types with their stored numbers: `types! { Variant = number "NAME" }`.
macro_rules! types {
    ($($variant:ident = $number:literal $name:literal,)*) => {
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
            #[must_use]
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $name,)* }
            }

            /// Returns the stored number.
            #[must_use]
            pub const fn number(self) -> i32 {
                match self { $(Self::$variant => $number,)* }
            }
        }
    };
}

types! {
    FileCreated = 1 "FILE_CREATED",
    FileUpdated = 2 "FILE_UPDATED",
    FileDeleted = 3 "FILE_DELETED",
    TransactionCreated = 4 "TRANSACTION_CREATED",
    TransactionUpdated = 5 "TRANSACTION_UPDATED",
    TransactionDeleted = 6 "TRANSACTION_DELETED",
    TransactionPosted = 7 "TRANSACTION_POSTED",
    TransactionChecked = 8 "TRANSACTION_CHECKED",
    TransactionUnchecked = 9 "TRANSACTION_UNCHECKED",
    TransactionRestored = 10 "TRANSACTION_RESTORED",
    AccountCreated = 11 "ACCOUNT_CREATED",
    AccountUpdated = 12 "ACCOUNT_UPDATED",
    AccountDeleted = 13 "ACCOUNT_DELETED",
    QueryCreated = 14 "QUERY_CREATED",
    QueryUpdated = 15 "QUERY_UPDATED",
    QueryDeleted = 16 "QUERY_DELETED",
    GroupCreated = 17 "GROUP_CREATED",
    GroupUpdated = 18 "GROUP_UPDATED",
    GroupDeleted = 19 "GROUP_DELETED",
    CommentCreated = 20 "COMMENT_CREATED",
    CommentDeleted = 21 "COMMENT_DELETED",
    CollaboratorAdded = 22 "COLLABORATOR_ADDED",
    CollaboratorUpdated = 23 "COLLABORATOR_UPDATED",
    CollaboratorRemoved = 24 "COLLABORATOR_REMOVED",
    IntegrationCreated = 25 "INTEGRATION_CREATED",
    IntegrationUpdated = 26 "INTEGRATION_UPDATED",
    IntegrationDeleted = 27 "INTEGRATION_DELETED",
    BookCreated = 28 "BOOK_CREATED",
    BookAudited = 29 "BOOK_AUDITED",
    BookUpdated = 30 "BOOK_UPDATED",
    BookDeleted = 31 "BOOK_DELETED",
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
    /// A comment, which this version does not have.
    Other,
}

impl EventType {
    /// Finds the type with that name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|kind| kind.as_str() == name)
    }

    /// Finds the type with that stored number.
    #[must_use]
    pub fn from_number(number: i32) -> Option<Self> {
        Self::ALL.iter().copied().find(|kind| kind.number() == number)
    }

    /// Returns whether it is about an integration.
    #[must_use]
    pub const fn is_about_integration(self) -> bool {
        matches!(
            self,
            Self::IntegrationCreated | Self::IntegrationUpdated | Self::IntegrationDeleted
        )
    }

    /// Returns whether its receivers depend on a subject.
    #[must_use]
    pub const fn has_subject(self) -> bool {
        matches!(self, Self::FileCreated) || self.is_about_integration()
    }

    /// Returns the kind of resource.
    #[must_use]
    pub const fn noun(self) -> Noun {
        match self {
            Self::TransactionCreated
            | Self::TransactionUpdated
            | Self::TransactionDeleted
            | Self::TransactionPosted
            | Self::TransactionChecked
            | Self::TransactionUnchecked
            | Self::TransactionRestored => Noun::Transaction,
            Self::AccountCreated | Self::AccountUpdated | Self::AccountDeleted => Noun::Account,
            Self::GroupCreated | Self::GroupUpdated | Self::GroupDeleted => Noun::Group,
            Self::CollaboratorAdded | Self::CollaboratorUpdated | Self::CollaboratorRemoved => {
                Noun::Collaborator
            }
            Self::QueryCreated | Self::QueryUpdated | Self::QueryDeleted => Noun::SavedQuery,
            Self::BookCreated | Self::BookAudited | Self::BookUpdated | Self::BookDeleted => {
                Noun::Book
            }
            Self::FileCreated | Self::FileUpdated | Self::FileDeleted => Noun::File,
            Self::IntegrationCreated | Self::IntegrationUpdated | Self::IntegrationDeleted => {
                Noun::Integration
            }
            Self::CommentCreated | Self::CommentDeleted => Noun::Other,
        }
    }
}

/// An event before it has a number and a hash.
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
    #[must_use]
    pub fn new(kind: EventType, resource: i64, object: Object) -> Self {
        let subject = subject(kind, &object);
        let data = Object::new().with("object", Json::Object(object));
        Self { kind, resource, data: Json::Object(data).canonical(), subject }
    }

    /// Creates an event with a snapshot and the previous values of an update (behaviour 8.3).
    #[must_use]
    pub fn update(kind: EventType, resource: i64, object: Object, previous: &Previous) -> Self {
        let subject = subject(kind, &object);
        let pairs = previous.iter().map(|(key, value)| (key.as_str(), value.as_str()));
        let data = Object::new()
            .with("object", Json::Object(object))
            .with_map("previousAttributes", pairs);
        Self { kind, resource, data: Json::Object(data).canonical(), subject }
    }

    /// Creates an event with a snapshot and a report of an audit (behaviour 6.7) or a copy
    /// (behaviour 6.20).
    #[must_use]
    pub fn with_report(
        kind: EventType,
        resource: i64,
        object: Object,
        name: &str,
        report: Object,
    ) -> Self {
        let data =
            Object::new().with("object", Json::Object(object)).with(name, Json::Object(report));
        Self { kind, resource, data: Json::Object(data).canonical(), subject: None }
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
