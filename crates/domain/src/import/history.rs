//! Suggestions of the other account from the earlier transactions of the same account.
//!
//! The history counts, for each account, direction and word, how often each other account was used.
//! A word suggests an account when it was used at least `MIN_USES` times and mostly with this
//! account. A word of a large part of the account's transactions says nothing about a record with
//! words that the history does not have. If two words suggest different accounts, there is no
//! suggestion. The time is linear in the words.

use std::collections::HashMap;
use std::fmt;

use super::record::Record;
use super::text::{hash64, normalize, words};
use crate::id::AccountId;

/// The most words of a history. Further words are not learned.
pub const MAX_TOKENS: usize = 500_000;

/// The most words of one text that count.
const MAX_WORDS: usize = 12;

/// The fewest uses of a word that suggest an account.
const MIN_USES: u32 = 2;

/// The fewest uses with the suggested account in 100 uses.
const MIN_PERCENT: u32 = 80;

/// The fewest uses that are enough to be sure.
const SURE_USES: u32 = 5;

/// The share of an account's transactions above which a word is common: one in this many.
const COMMON_SHARE: u32 = 3;

/// The fewest transactions of an account with common words.
const MIN_COMMON: u32 = 12;

/// A share of 10,000.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Confidence(u16);

impl Confidence {
    /// Creates the confidence of so many uses of all uses.
    pub fn of(uses: u32, all: u32) -> Self {
        let share = (u64::from(uses) * 10_000).checked_div(u64::from(all)).unwrap_or_default();
        Self(u16::try_from(share.min(10_000)).unwrap_or_default())
    }

    /// Creates a confidence of so many ten-thousandths; at most 10,000.
    pub fn from_ten_thousandths(share: u16) -> Self {
        Self(share.min(10_000))
    }

    /// Returns it in ten-thousandths.
    pub const fn ten_thousandths(self) -> u16 {
        self.0
    }
}

/// A suggested other account and its reason.
///
/// It is shown as `7 of 7 earlier NETFLIX`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Suggestion {
    /// The other account.
    pub account: AccountId,
    /// The word, in capitals.
    pub word: String,
    /// How often the word was used with the account.
    pub uses: u32,
    /// How often the word was used.
    pub all: u32,
}

impl Suggestion {
    /// Returns how sure it is: the share of the uses, of at least five uses.
    pub fn confidence(&self) -> Confidence {
        Confidence::of(self.uses, self.all.max(SURE_USES))
    }

    /// Returns the reason: `7 of 7 earlier NETFLIX from Card`.
    ///
    /// `account` is the name of the account of the record, `units` its amount.
    pub fn reason(&self, account: &str, units: i64) -> String {
        let direction = if units > 0 { "to" } else { "from" };
        format!("{self} {direction} {account}")
    }
}

impl fmt::Display for Suggestion {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{} of {} earlier {}", self.uses, self.all, self.word)
    }
}

/// The uses of a word.
#[derive(Debug, Default)]
struct Uses {
    all: u32,
    /// The other accounts, the first in place because most words have one.
    first: Option<(AccountId, u32)>,
    others: Vec<(AccountId, u32)>,
}

impl Uses {
    fn add(&mut self, account: AccountId) {
        self.all = self.all.saturating_add(1);
        let slot = match &mut self.first {
            Some((first, uses)) if *first == account => uses,
            None => &mut self.first.insert((account, 0)).1,
            Some(_) => {
                let found = self.others.iter().position(|(other, _)| *other == account);
                let at = found.unwrap_or_else(|| {
                    self.others.push((account, 0));
                    self.others.len() - 1
                });
                match self.others.get_mut(at) {
                    Some((_, uses)) => uses,
                    None => return,
                }
            }
        };
        *slot = slot.saturating_add(1);
    }

    /// Returns the account with the most uses; of several the one with the lowest id.
    fn most(&self) -> Option<(AccountId, u32)> {
        let all = self.first.iter().chain(&self.others).copied();
        all.max_by_key(|(account, uses)| (*uses, std::cmp::Reverse(*account)))
    }
}

/// The words of earlier transactions, by account and direction.
#[derive(Debug, Default)]
pub struct History {
    words: HashMap<u64, Uses>,
    /// The number of transactions by account and direction.
    transactions: HashMap<(AccountId, bool), u32>,
}

impl History {
    /// Learns the other account of an earlier transaction. They come in the order of their ids.
    ///
    /// `units` is its effect on `account`, positive into it. Transactions with an unknown other
    /// account are not to be learned.
    pub fn learn(&mut self, account: AccountId, units: i64, description: &str, other: AccountId) {
        let is_inward = units > 0;
        let count = self.transactions.entry((account, is_inward)).or_default();
        *count = count.saturating_add(1);
        for word in distinct_words(&normalize(description)) {
            let key = key(account, is_inward, word);
            if self.words.len() < MAX_TOKENS || self.words.contains_key(&key) {
                self.words.entry(key).or_default().add(other);
            }
        }
    }

    /// Suggests the other account of a record.
    pub fn suggest(&self, record: &Record) -> Option<Suggestion> {
        let is_inward = record.units > 0;
        let count = self.transactions.get(&(record.account, is_inward)).copied()?;
        let normalized = normalize(&format!("{} {}", record.text, record.description));
        let known = |word: &str| self.words.get(&key(record.account, is_inward, word));
        let words = distinct_words(&normalized);
        let has_unknown = words.iter().any(|word| known(word).is_none());
        let mut best: Option<Suggestion> = None;
        for word in words {
            let Some(uses) = known(word) else { continue };
            let is_common = count >= MIN_COMMON && uses.all > count / COMMON_SHARE;
            let most = uses.most().filter(|_| !(is_common && has_unknown));
            let Some((account, own)) = most else { continue };
            let percent = u64::from(own) * 100;
            if own < MIN_USES || percent < u64::from(uses.all) * u64::from(MIN_PERCENT) {
                continue;
            }
            let found = Suggestion { account, word: word.to_uppercase(), uses: own, all: uses.all };
            match &best {
                Some(other) if other.account != account => return None,
                Some(other) if rank(other) >= rank(&found) => {}
                Some(_) | None => best = Some(found),
            }
        }
        best.filter(|found| found.account != record.account)
    }
}

fn key(account: AccountId, is_inward: bool, word: &str) -> u64 {
    hash64(&(account, is_inward, word))
}

fn rank(suggestion: &Suggestion) -> (Confidence, u32, usize) {
    (suggestion.confidence(), suggestion.uses, suggestion.word.len())
}

/// Returns the first distinct words of a normalized text.
fn distinct_words(normalized: &str) -> Vec<&str> {
    let mut found: Vec<&str> = Vec::new();
    for word in words(normalized) {
        if found.len() == MAX_WORDS {
            break;
        }
        if !found.contains(&word) {
            found.push(word);
        }
    }
    found
}
