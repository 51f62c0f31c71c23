//! The ids of labelled resources.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use daybook_domain::id::{
    AccessRequestId, AccountId, BookId, CollaboratorId, CollectionId, CommentId, ConnectionId,
    FileId, GroupId, IntegrationId, SavedQueryId, TokenId, TransactionId,
};

use crate::sim::body::Id;
use crate::sim::label;

/// A number that is never generated: it is older than the first.
const UNKNOWN: i64 = 1_234_567_890;

/// A label of resources with numeric ids.
pub trait Label: Copy + From<u32> {
    const NOUN: &str;

    fn number(self) -> u32;
    /// The public form of an id.
    fn text(id: i64) -> String;
}

macro_rules! numbered {
    ($($label:ident $id:ident),* $(,)?) => {$(
        impl Label for label::$label {
            const NOUN: &str = stringify!($label);

            fn number(self) -> u32 {
                self.0
            }

            fn text(id: i64) -> String {
                $id::new(id).to_string()
            }
        }
    )*};
}

numbered! {
    Book BookId,
    Account AccountId,
    Group GroupId,
    Transaction TransactionId,
    Collaborator CollaboratorId,
    File FileId,
    SavedQuery SavedQueryId,
    Comment CommentId,
    Collection CollectionId,
    AccessRequest AccessRequestId,
    Token TokenId,
    Integration IntegrationId,
    Connection ConnectionId,
}

/// A bidirectional map between labels and ids.
#[derive(Default)]
pub struct Labels {
    ids: HashMap<(&'static str, u32), i64>,
    numbers: HashMap<(&'static str, i64), u32>,
    /// The public ids of books.
    pub keys: HashMap<label::Book, String>,
    /// The user numbers of the books' owners.
    pub owners: HashMap<label::Book, usize>,
}

impl Labels {
    /// The label of an id; an unknown one prints as `?`.
    pub fn label<L: Label>(&self, id: i64) -> L {
        L::from(self.numbers.get(&(L::NOUN, id)).copied().unwrap_or(u32::MAX))
    }

    pub fn id<L: Label>(&self, label: L) -> Option<i64> {
        self.ids.get(&(L::NOUN, label.number())).copied()
    }

    /// The public id of a resource; an id of no resource if it does not exist.
    pub fn text<L: Label>(&self, id: Id<L>) -> String {
        L::text(id.known().and_then(|label| self.id(label)).unwrap_or(UNKNOWN))
    }

    pub fn is_new<L: Label>(&self, id: i64) -> bool {
        !self.numbers.contains_key(&(L::NOUN, id))
    }

    /// Stores the id of a created resource. A known id keeps its label.
    pub fn note<L: Label>(&mut self, id: i64, label: L) {
        if let Entry::Vacant(entry) = self.numbers.entry((L::NOUN, id)) {
            entry.insert(label.number());
            self.ids.insert((L::NOUN, label.number()), id);
        }
    }

    /// The public id of a book.
    pub fn key(&self, book: label::Book) -> String {
        self.keys.get(&book).cloned().unwrap_or_else(|| "0".repeat(32))
    }

    pub fn book_of_key(&self, key: &str) -> label::Book {
        self.keys
            .iter()
            .find(|(_, own)| *own == key)
            .map_or(label::Book(u32::MAX), |(book, _)| *book)
    }
}
