//! Entries of journals: the transactions of one day that have the same `entry_id`.
//!
//! An entry of a journal may have any number of postings. The importer splits it into transactions,
//! and marks them with the same property, by which they are joined again. They are recorded
//! together, but other transactions may have been recorded between them.

use std::collections::{HashMap, HashSet};
use std::hash::Hash;

use daybook_domain::id::AccountId;
use daybook_domain::transaction::Transaction;
use time::Date;

use super::model::{ENTRY_ID, Record, units};

/// The transactions that are held back until the day is complete, or more come.
const MAX_HELD: usize = 1_000;
/// The bytes of their texts.
const MAX_HELD_BYTES: usize = 8 * 1024 * 1024;

/// The property with a status that transactions do not have.
const STATUS: &str = "status";

/// Properties that are written in another way than as labels.
const OWN_PLACES: [&str; 4] = ["code", "comment", "date2", STATUS];

/// A transaction with the names of its files.
#[derive(Debug, Clone)]
struct Leg {
    transaction: Transaction,
    files: Vec<String>,
}

/// An entry: a transaction, or several that are joined.
#[derive(Debug, Clone)]
pub(super) struct Entry {
    first: Leg,
    others: Vec<Leg>,
}

/// A posting of an entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Posting {
    /// The account; none in a draft without it.
    pub(super) account: Option<AccountId>,
    /// Debits are positive, credits negative; in units of the scale of the book.
    pub(super) units: i128,
}

/// The mark of an entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Mark {
    Unmarked,
    Pending,
    Checked,
}

impl Entry {
    fn new(record: &Record<'_>) -> Self {
        Self { first: Leg::new(record), others: Vec::new() }
    }

    fn legs(&self) -> impl Iterator<Item = &Leg> {
        std::iter::once(&self.first).chain(&self.others)
    }

    fn transactions(&self) -> impl Iterator<Item = &Transaction> {
        self.legs().map(|leg| &leg.transaction)
    }

    /// Returns the transaction that stands for all of them.
    pub(super) const fn first(&self) -> &Transaction {
        &self.first.transaction
    }

    pub(super) const fn day(&self) -> Date {
        self.first().list_day
    }

    /// Returns the mark. One transaction that is not checked keeps the entry unchecked.
    pub(super) fn mark(&self) -> Mark {
        let is_pending =
            |one: &Transaction| one.properties.get(STATUS).is_some_and(|text| text == "pending");
        if self.transactions().all(Transaction::is_checked) {
            Mark::Checked
        } else if self.transactions().any(is_pending) {
            Mark::Pending
        } else {
            Mark::Unmarked
        }
    }

    /// Returns the debits and then the credits, with one posting for each account and side.
    pub(super) fn postings(&self, scale: u32) -> Vec<Posting> {
        let (mut debits, mut credits) = (Vec::new(), Vec::new());
        for transaction in self.transactions() {
            let units = units(transaction, scale);
            add(&mut debits, transaction.debit, units);
            add(&mut credits, transaction.credit, units.saturating_neg());
        }
        debits.append(&mut credits);
        debits
    }

    /// Returns the names and values of everything that has no place of its own: ids, files,
    /// addresses and properties. Equal ones are listed once.
    pub(super) fn labels(&self) -> Vec<(String, String)> {
        let mut labels: Vec<(String, String)> = Vec::new();
        let mut push = |key: &str, value: &str| labels.push((key.to_owned(), value.to_owned()));
        for Leg { transaction, files } in self.legs() {
            push("id", &transaction.id.to_string());
            if transaction.description != self.first().description {
                push("description", &transaction.description);
            }
            transaction.remote_ids.iter().for_each(|id| push("remoteid", id));
            transaction.urls.iter().for_each(|url| push("url", url));
            files.iter().for_each(|name| push("file", name));
            let properties = transaction.properties.iter();
            for (key, value) in properties.filter(|(key, _)| !OWN_PLACES.contains(key)) {
                push(key.strip_prefix("tag_").unwrap_or(key), value);
            }
        }
        unique(labels.into_iter())
    }

    /// Returns the hashtags of all descriptions.
    pub(super) fn tags(&self) -> Vec<String> {
        unique(self.transactions().flat_map(Transaction::tags))
    }

    /// Returns the remote ids of all transactions.
    pub(super) fn remote_ids(&self) -> impl Iterator<Item = &String> {
        self.transactions().flat_map(|transaction| &transaction.remote_ids)
    }

    /// Returns the value of a property of the first transaction.
    pub(super) fn property(&self, key: &str) -> Option<&str> {
        self.first().properties.get(key)
    }
}

impl Leg {
    fn new(record: &Record<'_>) -> Self {
        let Record { transaction, files, .. } = *record;
        let files = transaction.files.iter().filter_map(|id| files.get(*id));
        let files = files.map(|file| file.name.clone()).collect();
        Self { transaction: transaction.clone(), files }
    }
}

/// Returns the items without repetitions.
pub(super) fn unique<T: Clone + Eq + Hash>(items: impl Iterator<Item = T>) -> Vec<T> {
    let mut seen = HashSet::new();
    items.filter(|item| seen.insert(item.clone())).collect()
}

fn add(postings: &mut Vec<Posting>, account: Option<AccountId>, units: i128) {
    match postings.iter_mut().find(|posting| posting.account == account) {
        Some(posting) => posting.units = posting.units.saturating_add(units),
        None => postings.push(Posting { account, units }),
    }
}

/// Joins transactions that come in the order of their days.
#[derive(Debug, Default)]
pub(super) struct Entries {
    held: Vec<Entry>,
    /// The positions of held entries by their `entry_id`.
    by_entry_id: HashMap<String, usize>,
    transactions: usize,
    text_bytes: usize,
}

impl Entries {
    /// Adds a transaction, and returns the entries that are complete, in order.
    pub(super) fn push(&mut self, record: &Record<'_>) -> Vec<Entry> {
        let transaction = record.transaction;
        let is_next_day = self.held.first().is_some_and(|held| held.day() != transaction.list_day);
        let is_full = self.transactions >= MAX_HELD || self.text_bytes >= MAX_HELD_BYTES;
        let mut complete = if is_next_day || is_full { self.take() } else { Vec::new() };
        let entry_id = transaction.properties.get(ENTRY_ID).filter(|_| transaction.counts());
        let joined = entry_id.and_then(|id| self.by_entry_id.get(id)).copied();
        if let Some(entry) = joined.and_then(|position| self.held.get_mut(position)) {
            entry.others.push(Leg::new(record));
        } else if entry_id.is_none() && self.held.is_empty() {
            complete.push(Entry::new(record));
        } else {
            let position = self.held.len();
            self.by_entry_id.extend(entry_id.map(|id| (id.to_owned(), position)));
            self.held.push(Entry::new(record));
        }
        if !self.held.is_empty() {
            self.transactions += 1;
            self.text_bytes = self.text_bytes.saturating_add(transaction.text_bytes());
        }
        complete
    }

    /// Returns the entries that are left.
    pub(super) fn take(&mut self) -> Vec<Entry> {
        std::mem::take(self).held
    }
}
