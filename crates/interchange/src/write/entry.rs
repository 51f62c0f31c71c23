//! Entries of journals: the transactions that have the same `entry_id`.
//!
//! An entry of a journal may have any number of postings. The importer splits it into transactions,
//! and marks them with the same property, by which they are joined again. They are recorded
//! together, but other transactions may have been recorded between them.
//!
//! The transactions of an entry have one day, unless a posting has a day of its own. Such a posting
//! moves its amount over the account `In transit`, so the entry is complete when the sum of this
//! account is zero.

use std::collections::{HashMap, HashSet, VecDeque};
use std::hash::Hash;

use daybook_domain::calendar::parse_iso;
use daybook_domain::id::AccountId;
use daybook_domain::transaction::Transaction;
use time::Date;

use super::balances::DayBalances;
use super::model::{ENTRY_ID, Record, units};
use crate::plan::ENTRY_DATE;

/// The transactions that are held back until an entry is complete.
const MAX_HELD: usize = 10_000;
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
    transit: Transit,
}

/// The postings of an entry to the account of amounts between two days.
#[derive(Debug, Clone, Copy, Default)]
struct Transit {
    /// The account, if there are any.
    account: Option<AccountId>,
    /// Their sum.
    units: i128,
}

/// A posting of an entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Posting {
    /// The account; none in a draft without it.
    pub(super) account: Option<AccountId>,
    /// The day, if it is not that of the entry.
    pub(super) day: Option<Date>,
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

    fn last(&self) -> &Transaction {
        &self.others.last().unwrap_or(&self.first).transaction
    }

    /// Returns whether amounts went over the account between two days, and all of them arrived.
    const fn has_arrived(&self) -> bool {
        self.transit.account.is_some() && self.transit.units == 0
    }

    /// Returns whether no transaction of this day or a later one is joined with it.
    fn is_settled(&self, day: Date) -> bool {
        self.property(ENTRY_ID).is_none() || self.transit.units == 0 && self.last().list_day != day
    }

    /// Returns the lines of an entry that does not count, a draft or one in the trash, as comments.
    pub(super) fn commented(&self, text: &str) -> String {
        let state = if self.first().trashed { "trashed" } else { "draft" };
        let lines = std::iter::once(state).chain(text.lines());
        lines.map(|line| format!("; {line}\n")).collect()
    }

    /// Returns the day: that of the imported entry if it is complete, else that of the first
    /// transaction.
    pub(super) fn day(&self) -> Date {
        let stated = |one: &Transaction| one.properties.get(ENTRY_DATE).and_then(parse_iso);
        let stated = self.transactions().find_map(stated).filter(|_| self.has_arrived());
        stated.unwrap_or_else(|| self.first().list_day)
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

    /// Returns the debits and then the credits, with one posting for each account, day and side.
    ///
    /// Amounts between two days are left out if all of them arrived.
    pub(super) fn postings(&self, scale: u32) -> Vec<Posting> {
        let (mut debits, mut credits) = (Vec::new(), Vec::new());
        let day_of_entry = self.day();
        for transaction in self.transactions() {
            let day = Some(transaction.list_day).filter(|day| *day != day_of_entry);
            let units = units(transaction, scale);
            add(&mut debits, Posting { account: transaction.debit, day, units });
            let units = units.saturating_neg();
            add(&mut credits, Posting { account: transaction.credit, day, units });
        }
        debits.append(&mut credits);
        if self.has_arrived() {
            debits.retain(|posting| posting.account != self.transit.account);
        }
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
            let has_own_place =
                |key: &str| OWN_PLACES.contains(&key) || key == ENTRY_DATE && self.has_arrived();
            let properties = transaction.properties.iter();
            for (key, value) in properties.filter(|(key, _)| !has_own_place(key)) {
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

fn add(postings: &mut Vec<Posting>, new: Posting) {
    let is_same = |one: &&mut Posting| one.account == new.account && one.day == new.day;
    match postings.iter_mut().find(is_same) {
        Some(posting) => posting.units = posting.units.saturating_add(new.units),
        None => postings.push(new),
    }
}

/// A part of a journal.
#[derive(Debug, Clone)]
pub(super) enum Part {
    Entry(Box<Entry>),
    /// The balances after the entries before it.
    Balances(DayBalances),
}

impl Part {
    /// Returns whether no transaction of this day or a later one is joined with it.
    fn is_settled(&self, day: Date) -> bool {
        match self {
            Self::Entry(entry) => entry.is_settled(day),
            Self::Balances(_) => true,
        }
    }
}

/// Joins transactions that come in the order of their days.
#[derive(Debug, Default)]
pub(super) struct Entries {
    /// The account of amounts between two days. Without it, transactions of different days are not
    /// joined.
    transit: Option<AccountId>,
    /// The storage scale of the book.
    scale: u32,
    held: VecDeque<Part>,
    /// The number of parts that are complete.
    completed: usize,
    /// The numbers of entries by their `entry_id`.
    by_entry_id: HashMap<String, usize>,
    transactions: usize,
    text_bytes: usize,
}

impl Entries {
    /// Creates a collection that also joins the transactions of several days over this account.
    pub(super) fn over(transit: Option<AccountId>, scale: u32) -> Self {
        Self { transit, scale, ..Self::default() }
    }

    /// Adds the balances of a month that has ended, and then a transaction. Returns the parts that
    /// are complete, in order.
    pub(super) fn push(&mut self, ended: Option<DayBalances>, record: &Record<'_>) -> Vec<Part> {
        let transaction = record.transaction;
        self.held.extend(ended.map(Part::Balances));
        let is_full = self.transactions >= MAX_HELD || self.text_bytes >= MAX_HELD_BYTES;
        let mut complete =
            if is_full { self.take() } else { self.take_complete(transaction.list_day) };
        self.transactions += 1;
        self.text_bytes = self.text_bytes.saturating_add(transaction.text_bytes());
        let entry_id = transaction.properties.get(ENTRY_ID).filter(|_| transaction.counts());
        let transit = self.transit_of(transaction);
        let joined = entry_id.and_then(|id| self.by_entry_id.get(id)).copied();
        let joined = joined.and_then(|number| number.checked_sub(self.completed));
        let joined = joined.and_then(|position| self.held.get_mut(position));
        match joined {
            Some(Part::Entry(entry)) if !entry.is_settled(transaction.list_day) => {
                entry.others.push(Leg::new(record));
                entry.transit.account = entry.transit.account.or(transit.account);
                entry.transit.units = entry.transit.units.saturating_add(transit.units);
            }
            Some(_) | None => {
                let number = self.completed + self.held.len();
                self.by_entry_id.extend(entry_id.map(|id| (id.to_owned(), number)));
                let first = Leg::new(record);
                let entry = Entry { first, others: Vec::new(), transit };
                self.held.push_back(Part::Entry(Box::new(entry)));
            }
        }
        complete.extend(self.take_complete(transaction.list_day));
        complete
    }

    /// Returns the postings of a transaction to the account between two days.
    fn transit_of(&self, transaction: &Transaction) -> Transit {
        let Some(account) = self.transit.filter(|_| transaction.counts()) else {
            return Transit::default();
        };
        let units = units(transaction, self.scale);
        if transaction.debit == Some(account) {
            Transit { account: Some(account), units }
        } else if transaction.credit == Some(account) {
            Transit { account: Some(account), units: units.saturating_neg() }
        } else {
            Transit::default()
        }
    }

    /// Returns the first parts up to one that transactions of this day may be joined with.
    fn take_complete(&mut self, day: Date) -> Vec<Part> {
        let mut complete = Vec::new();
        while let Some(part) = self.held.pop_front_if(|part| part.is_settled(day)) {
            if let Part::Entry(entry) = &part {
                for transaction in entry.transactions() {
                    self.transactions = self.transactions.saturating_sub(1);
                    self.text_bytes = self.text_bytes.saturating_sub(transaction.text_bytes());
                }
                let entry_id = entry.property(ENTRY_ID).unwrap_or_default();
                if self.by_entry_id.get(entry_id) == Some(&self.completed) {
                    self.by_entry_id.remove(entry_id);
                }
            }
            self.completed += 1;
            complete.push(part);
        }
        complete
    }

    /// Returns the parts that are left.
    pub(super) fn take(&mut self) -> Vec<Part> {
        self.completed += self.held.len();
        self.by_entry_id.clear();
        (self.transactions, self.text_bytes) = (0, 0);
        std::mem::take(&mut self.held).into()
    }
}
