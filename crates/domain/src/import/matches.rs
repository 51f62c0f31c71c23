//! The matches of the records of a file.

use super::outcome::{Match, MatchEffect, MatchReason, MatchTarget};
use crate::id::AccountId;

/// The most candidates of a record.
pub const MAX_CANDIDATES: usize = 5;

/// The most candidates of all records; later ones have none.
const MAX_ALL_CANDIDATES: usize = 1_000_000;

/// A match of a record: certain, or one to review.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Row {
    pub(super) number: u32,
    pub(super) reason: MatchReason,
    /// The days between both.
    pub(super) distance: u32,
    pub(super) target: MatchTarget,
    pub(super) effect: MatchEffect,
}

/// The matches and the candidates of the new records of a file.
#[derive(Debug, Default)]
pub struct Matches {
    certain: Vec<Row>,
    candidates: Vec<Row>,
    /// Records that another record was matched with, and the account of that one.
    counterparts: Vec<(u32, u32, AccountId)>,
}

impl Matches {
    /// Adds a match that is taken without a decision.
    pub(super) fn take(&mut self, row: Row) {
        self.certain.push(row);
    }

    /// Adds a record that is recorded with the remote id of another one.
    pub(super) fn join(&mut self, number: u32, other: u32, account: AccountId) {
        self.counterparts.push((number, other, account));
    }

    /// Adds candidates of a record, the best ones.
    pub(super) fn review(&mut self, mut rows: Vec<Row>) {
        if self.candidates.len() >= MAX_ALL_CANDIDATES {
            return;
        }
        rows.sort_unstable();
        self.candidates.extend(rows.into_iter().take(MAX_CANDIDATES));
    }

    /// Sorts the rows for searches.
    pub(super) fn sort(&mut self) {
        self.certain.sort_unstable();
        self.candidates.sort_unstable();
        self.counterparts.sort_unstable();
    }

    /// Returns the match of a record that is taken without a decision.
    pub fn certain(&self, number: u32) -> Option<Match> {
        self.certain_row(number).map(|row| row.to_match())
    }

    pub(super) fn certain_row(&self, number: u32) -> Option<&Row> {
        let found = self.certain.binary_search_by_key(&number, |row| row.number).ok()?;
        self.certain.get(found)
    }

    /// Returns what a record may belong to, the best first. A decision takes one of them.
    pub fn candidates(&self, number: u32) -> Vec<Match> {
        let first = self.candidates.partition_point(|row| row.number < number);
        let rest = self.candidates.get(first..).unwrap_or_default();
        let own = rest.iter().take_while(|row| row.number == number);
        own.take(MAX_CANDIDATES).map(|row| row.to_match()).collect()
    }

    /// Returns the record that was matched with this new one, and its account: the other side of
    /// the transfer that is recorded with both remote ids.
    pub fn counterpart(&self, number: u32) -> Option<(u32, AccountId)> {
        let found = self.counterparts.binary_search_by_key(&number, |(main, ..)| *main).ok()?;
        self.counterparts.get(found).map(|(_, other, account)| (*other, *account))
    }

    /// Returns the number of matches that are taken without a decision.
    pub fn count(&self) -> usize {
        self.certain.len()
    }
}

impl Row {
    const fn to_match(self) -> Match {
        Match { target: self.target, reason: self.reason, effect: self.effect }
    }
}
