//! The accounts of a book between which transfers are found.

use std::collections::{HashMap, HashSet};

use super::identity::normalize_number;
use super::record::Record;
use super::text::{normalize, words};
use crate::id::AccountId;

/// A permanent account of the book.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OwnAccount {
    /// The account.
    pub id: AccountId,
    /// Its name.
    pub name: String,
    /// Its number at the bank, from the property [`NUMBER_PROPERTY`](super::NUMBER_PROPERTY).
    pub number: Option<String>,
}

/// The permanent accounts of a book, by number and by the words of their names.
#[derive(Debug, Clone, Default)]
pub struct OwnAccounts {
    ids: HashSet<AccountId>,
    /// The accounts and the words of their names.
    accounts: Vec<(AccountId, Vec<String>)>,
    by_number: HashMap<String, AccountId>,
    /// Positions of accounts by the longest word of their name.
    by_word: HashMap<String, Vec<usize>>,
}

impl OwnAccounts {
    /// Indexes the permanent accounts of a book.
    pub fn new(accounts: impl IntoIterator<Item = OwnAccount>) -> Self {
        let mut index = Self::default();
        for account in accounts {
            if let Some(number) = account.number.as_deref().map(normalize_number)
                && !number.is_empty()
            {
                index.by_number.entry(number).or_insert(account.id);
            }
            let name = normalize(&account.name);
            let all: Vec<String> = words(&name).map(str::to_owned).collect();
            if let Some(longest) = all.iter().max_by_key(|word| (word.len(), *word)) {
                let positions = index.by_word.entry(longest.clone()).or_default();
                positions.push(index.accounts.len());
            }
            index.accounts.push((account.id, all));
            index.ids.insert(account.id);
        }
        index
    }

    /// Returns whether the account is one of them.
    pub fn contains(&self, id: AccountId) -> bool {
        self.ids.contains(&id)
    }

    /// Returns the account with this number; spaces and punctuation do not matter.
    pub fn find_number(&self, number: &str) -> Option<AccountId> {
        self.by_number.get(&normalize_number(number)).copied()
    }

    /// Returns the other account of a record whose counterparty is an account of the book.
    ///
    /// A bank that names the account itself, as for its fees, names no other account.
    pub fn counterparty(&self, record: &Record) -> Option<AccountId> {
        let found = record.counterparty.as_deref().and_then(|number| self.find_number(number));
        found.filter(|id| *id != record.account)
    }

    /// Returns the account that a record probably transfers to or from: that of its rule, of its
    /// counterparty, or the one whose whole name is in its text.
    pub(super) fn transfer_hint(&self, record: &Record) -> Option<AccountId> {
        let by_rule = record.other_account().filter(|id| self.contains(*id));
        by_rule
            .or_else(|| self.counterparty(record))
            .filter(|id| *id != record.account)
            .or_else(|| self.find_in_text(&record.text, record.account))
    }

    /// Returns the account other than `own` whose name has the most words, all of them in the text.
    pub(super) fn find_in_text(&self, text: &str, own: AccountId) -> Option<AccountId> {
        let normalized = normalize(text);
        let present: Vec<&str> = words(&normalized).collect();
        let positions = present.iter().filter_map(|word| self.by_word.get(*word)).flatten();
        positions
            .filter_map(|position| self.accounts.get(*position))
            .filter(|(id, _)| *id != own)
            .filter(|(_, name)| name.iter().all(|word| present.contains(&word.as_str())))
            .max_by_key(|(id, name)| (name.len(), std::cmp::Reverse(*id)))
            .map(|(id, _)| *id)
    }
}
