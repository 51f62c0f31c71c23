//! The ids of labelled resources.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::hash::Hash;

use crate::sim::label;

/// A bidirectional map between labels and ids.
pub struct Pairs<L> {
    numbers: HashMap<L, i64>,
    labels: HashMap<i64, L>,
}

impl<L> Default for Pairs<L> {
    fn default() -> Pairs<L> {
        Pairs { numbers: HashMap::new(), labels: HashMap::new() }
    }
}

impl<L: Copy + Eq + Hash + From<u32>> Pairs<L> {
    /// The label of an id; an unknown one prints as `?`.
    pub fn label(&self, number: i64) -> L {
        self.labels.get(&number).copied().unwrap_or_else(|| L::from(u32::MAX))
    }

    pub fn number(&self, label: L) -> Option<i64> {
        self.numbers.get(&label).copied()
    }

    pub fn is_new(&self, number: i64) -> bool {
        !self.labels.contains_key(&number)
    }

    /// Stores the id of a created resource. A known id keeps its label.
    pub fn note(&mut self, number: i64, label: L) {
        if let Entry::Vacant(entry) = self.labels.entry(number) {
            entry.insert(label);
            self.numbers.insert(label, number);
        }
    }
}

/// The ids of all nouns.
#[derive(Default)]
pub struct Labels {
    pub accounts: Pairs<label::Account>,
    pub groups: Pairs<label::Group>,
    pub transactions: Pairs<label::Transaction>,
    pub collaborators: Pairs<label::Collaborator>,
    pub files: Pairs<label::File>,
    pub saved_queries: Pairs<label::SavedQuery>,
    pub collections: Pairs<label::Collection>,
    pub access_requests: Pairs<label::AccessRequest>,
    pub tokens: Pairs<label::Token>,
    pub api_keys: Pairs<label::ApiKey>,
    pub integrations: Pairs<label::Integration>,
    pub connections: Pairs<label::Connection>,
    pub books: Pairs<label::Book>,
    pub keys: HashMap<label::Book, String>,
    /// The user numbers of the books' owners.
    pub owners: HashMap<label::Book, usize>,
}

impl Labels {
    /// The public id of a book.
    pub fn key(&self, book: label::Book) -> String {
        self.keys
            .get(&book)
            .cloned()
            .unwrap_or_else(|| "00000000000000000000000000000000".to_owned())
    }

    pub fn book_of_key(&self, key: &str) -> label::Book {
        self.keys
            .iter()
            .find(|(_, own)| *own == key)
            .map_or(label::Book(u32::MAX), |(book, _)| *book)
    }
}
