//! Transfers between two accounts of a file, which stand in the lists of both.

use std::collections::hash_map::Entry;
use std::collections::{HashMap, VecDeque};

use time::Date;

use crate::read::amount::SignedAmount;

/// A movement between two accounts, the same from both sides.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct Key {
    /// The account that comes first by name.
    first: String,
    second: String,
    date: Date,
    /// The amount into the first account.
    amount: SignedAmount,
}

/// The lines of the records that are kept, by the side that they are on.
#[derive(Debug, Default)]
struct Kept {
    first: VecDeque<u32>,
    second: VecDeque<u32>,
}

/// The transfers whose other side has not been found yet.
#[derive(Debug, Default)]
pub(crate) struct Transfers {
    open: HashMap<Key, Kept>,
}

/// A side of a transfer.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Side<'a> {
    pub(crate) account: &'a str,
    pub(crate) other: &'a str,
    pub(crate) date: Date,
    /// The amount into the account.
    pub(crate) amount: SignedAmount,
    pub(crate) line: u32,
}

impl Transfers {
    /// Adds a side that is kept.
    pub(crate) fn keep(&mut self, side: Side<'_>) {
        let (key, is_first) = key(side);
        let kept = self.open.entry(key).or_default();
        if is_first { &mut kept.first } else { &mut kept.second }.push_back(side.line);
    }

    /// Returns the line of the other side if it was kept; else the side itself is kept.
    pub(crate) fn find_other_side(&mut self, side: Side<'_>) -> Option<u32> {
        let (key, is_first) = key(side);
        let mut open = match self.open.entry(key) {
            Entry::Occupied(open) => open,
            Entry::Vacant(free) => free.insert_entry(Kept::default()),
        };
        let kept = open.get_mut();
        let (own, other) = if is_first {
            (&mut kept.first, &mut kept.second)
        } else {
            (&mut kept.second, &mut kept.first)
        };
        let found = other.pop_front();
        if found.is_none() {
            own.push_back(side.line);
        } else if own.is_empty() && other.is_empty() {
            open.remove();
        }
        found
    }
}

/// Returns the key of a transfer, and whether the side is that of the first account.
fn key(side: Side<'_>) -> (Key, bool) {
    let is_first = side.account <= side.other;
    let (first, second, amount) = if is_first {
        (side.account, side.other, side.amount)
    } else {
        (side.other, side.account, side.amount.negated())
    };
    let key = Key { first: first.to_owned(), second: second.to_owned(), date: side.date, amount };
    (key, is_first)
}
