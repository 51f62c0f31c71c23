//! How quick entry learns from history, from behaviour 3.8.3: accounts of an earlier transaction.

use jiff::ToSpan as _;
use jiff::civil::Date;

use super::text::{folded, tags};
use super::{Tx, may};
use crate::sim::facts::Transaction;
use crate::sim::label;

/// The longest description that is searched for.
const MAX_TEXT: usize = 256;

/// The transactions from before a request, newest first; empty unless the book learns.
pub struct History(Vec<Transaction>);

impl Tx {
    /// The transactions that the caller may see; others are never learned from.
    pub fn history(&self) -> History {
        let learns = self.book.settings.properties.get("learn_from_history");
        if learns.is_none_or(|value| value.to_lowercase() != "true") || !self.may(may::READ) {
            return History(Vec::new());
        }
        let all = self.book.transactions.values().filter(|one| one.counts());
        let mut all: Vec<Transaction> = all.cloned().collect();
        all.sort_by_key(|one| std::cmp::Reverse((one.day, one.label)));
        let active = |side: Option<label::Account>| {
            side.is_some_and(|account| !self.book.accounts[&account].archived)
        };
        all.retain(|one| active(one.credit) && active(one.debit));
        History(all)
    }
}

impl History {
    /// Fills the accounts that a text leaves open.
    pub fn complete(
        &self,
        [credit, debit]: [Option<label::Account>; 2],
        description: &str,
        today: Date,
    ) -> [Option<label::Account>; 2] {
        if credit.is_some() && debit.is_some() {
            return [credit, debit];
        }
        let since = today - 12.months();
        let recent = || self.0.iter().filter(|one| one.date.is_some_and(|date| date >= since));
        let text = folded(description);
        let is_looked_up = !text.is_empty() && text.chars().count() <= MAX_TEXT;
        let same = recent().find(|one| is_looked_up && folded(&one.description) == text);
        let lower = |tags: Vec<String>| -> Vec<String> {
            tags.iter().map(|tag| tag.to_lowercase()).collect()
        };
        let wanted = lower(tags(description));
        let carries = |one: &&Transaction| {
            let own = lower(one.tags.clone());
            !wanted.is_empty() && wanted.iter().all(|tag| own.contains(tag))
        };
        let Some(found) = same.or_else(|| recent().find(carries)) else { return [credit, debit] };
        let fill = |side: Option<label::Account>, other, learned: Option<label::Account>| {
            side.or(learned.filter(|_| learned != other))
        };
        [fill(credit, debit, found.credit), fill(debit, credit, found.debit)]
    }
}
