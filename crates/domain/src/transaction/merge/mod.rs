//! Merges of two transactions into a new one (behaviour 3.11).

#[cfg(test)]
mod tests;

use std::collections::HashSet;
use std::hash::Hash;

use crate::id::TransactionId;
use crate::instant::Stamp;
use crate::property::Edits;

use super::changes::{description, files, remote_ids, urls};
use super::joined::joined;
use super::lifecycle::Transition;
use super::{PostingRules, Refusal, Standing, State, Transaction, check_sides};

/// The column `merge` of the transition table (behaviour 3.4).
///
/// ```
/// use daybook_domain::transaction::{Transition, Refusal, State, merge_transition};
/// assert_eq!(merge_transition(State::Unchecked), Transition::Done);
/// assert_eq!(merge_transition(State::Checked), Transition::Refused(Refusal::Checked));
/// ```
#[must_use]
pub const fn merge_transition(state: State) -> Transition {
    match state {
        State::Draft | State::Unchecked => Transition::Done,
        State::Checked => Transition::Refused(Refusal::Checked),
        State::Trashed => Transition::Refused(Refusal::Trashed),
    }
}

/// Two transactions that may be merged: a base, and the one it absorbs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MergePair {
    given: [Transaction; 2],
    first_is_base: bool,
}

/// The result of a merge.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Merged {
    /// The new transaction.
    pub transaction: Transaction,
    /// The originals in the order given, now trashed.
    pub originals: [Transaction; 2],
    /// The draft for the difference of their amounts, if they differ (behaviour 3.11.6).
    pub difference: Option<Transaction>,
}

impl MergePair {
    /// Makes a pair of the two transactions. The base is the posted one, else the one created later
    /// (behaviour 3.11.3).
    ///
    /// # Errors
    /// [`Refusal::NotTwo`], [`Refusal::SameTransaction`], and the column `merge` of the transition
    /// table.
    pub fn new(given: Vec<Transaction>) -> Result<Self, Refusal> {
        let count = given.len();
        let given: [Transaction; 2] = given.try_into().map_err(|_| Refusal::NotTwo(count))?;
        let [first, second] = &given;
        if first.id == second.id {
            return Err(Refusal::SameTransaction);
        }
        for transaction in [first, second] {
            if let Transition::Refused(refusal) = merge_transition(transaction.state()) {
                return Err(refusal);
            }
        }
        let rank = |transaction: &Transaction| {
            (transaction.is_posted(), transaction.stamp.created_at, transaction.id)
        };
        let first_is_base = rank(first) > rank(second);
        Ok(Self { given, first_is_base })
    }

    /// The base and the absorbed one.
    const fn roles(&self) -> (&Transaction, &Transaction) {
        let [first, second] = &self.given;
        if self.first_is_base { (first, second) } else { (second, first) }
    }

    /// The two as given.
    #[must_use]
    pub const fn given(&self) -> &[Transaction; 2] {
        &self.given
    }

    /// The lists of both, that of the base first, each entry once (behaviour 3.11.5).
    fn merged_list<T: Clone + Eq + Hash>(&self, list: impl Fn(&Transaction) -> &[T]) -> Vec<T> {
        let (base, absorbed) = self.roles();
        let mut seen = HashSet::new();
        list(base)
            .iter()
            .chain(list(absorbed))
            .filter(|entry| seen.insert(*entry))
            .cloned()
            .collect()
    }

    /// The remote ids of the result: first the links from the originals to it, then those of the
    /// originals (behaviour 3.11.2).
    fn remote_ids(&self) -> Vec<String> {
        let links = self.given.iter().map(|original| format!("merged_{}", original.id));
        links.chain(self.merged_list(|transaction| &transaction.remote_ids)).collect()
    }
}

impl PostingRules<'_> {
    /// Merges a pair: makes a new transaction, trashes both originals, and makes a draft for the
    /// difference of their amounts. The new one is posted when either was, and then has the
    /// accounts, date and amount of the posted one; so an archived account in it was posted on
    /// before and is allowed (behaviour 3.11.7). `ids` are those of the new transaction and of the
    /// draft.
    ///
    /// # Errors
    /// A locked date of either; the same account on both sides; more text, remote ids, URLs, files
    /// or properties than one transaction may have.
    pub fn merge(
        &self,
        pair: &MergePair,
        ids: [TransactionId; 2],
        agent: Option<&str>,
    ) -> Result<Merged, crate::Refusal> {
        for original in &pair.given {
            // Drafts too; one without date counts as dated today (behaviour 3.5.1, 3.5.3).
            self.check_open(original.date.unwrap_or(self.today))?;
        }
        let [id, difference_id] = ids;
        let stamp = Stamp::new(agent.map(str::to_owned), self.now);
        let transaction = Transaction { id, stamp: stamp.clone(), ..self.merged_fields(pair)? };
        let difference = self.difference(pair, &transaction);
        let difference = difference.map(|draft| Transaction { id: difference_id, stamp, ..draft });
        let [first, second] = &pair.given;
        Ok(Merged {
            transaction,
            originals: [self.trashed_copy(first), self.trashed_copy(second)],
            difference,
        })
    }

    fn merged_fields(&self, pair: &MergePair) -> Result<Transaction, crate::Refusal> {
        let (base, absorbed) = pair.roles();
        let date = base.date.or(absorbed.date);
        let (credit, debit) = (base.credit.or(absorbed.credit), base.debit.or(absorbed.debit));
        check_sides(credit, debit)?;
        let other: Edits = absorbed
            .properties
            .iter()
            .map(|(key, value)| (key.to_owned(), Some(value.to_owned())))
            .collect();
        Ok(Transaction {
            date,
            list_day: date.unwrap_or(self.created_on),
            amount: base.amount.or(absorbed.amount),
            description: description(joined(&base.description, &absorbed.description))?,
            credit,
            debit,
            standing: if base.is_posted() { Standing::Unchecked } else { Standing::Draft },
            posted_at: base.is_posted().then_some(self.now),
            properties: base.properties.merged(&other)?,
            urls: urls(pair.merged_list(|transaction| &transaction.urls))?,
            remote_ids: remote_ids(&pair.remote_ids())?,
            files: files(pair.merged_list(|transaction| &transaction.files))?,
            created_by: self.access.user(),
            ..base.clone()
        })
    }

    /// The draft that makes up the absorbed amount together with the merged transaction: on the
    /// same accounts, with the sides swapped when the amount of the base is greater (behaviour
    /// 3.11.6).
    fn difference(&self, pair: &MergePair, merged: &Transaction) -> Option<Transaction> {
        let (_, absorbed) = pair.roles();
        let (kept, dropped) = (merged.amount?, absorbed.amount?);
        let amount = kept.difference(dropped)?;
        let (credit, debit) = if kept > dropped {
            (merged.debit, merged.credit)
        } else {
            (merged.credit, merged.debit)
        };
        Some(Transaction {
            date: absorbed.date,
            list_day: absorbed.date.unwrap_or(self.created_on),
            amount: Some(amount),
            description: absorbed.description.clone(),
            credit,
            debit,
            standing: Standing::Draft,
            posted_at: None,
            properties: crate::property::Properties::default(),
            urls: Vec::new(),
            remote_ids: Vec::new(),
            files: Vec::new(),
            ..merged.clone()
        })
    }

    fn trashed_copy(&self, original: &Transaction) -> Transaction {
        let stamp = original.stamp.clone().touched(self.now);
        Transaction { trashed: true, stamp, ..original.clone() }
    }
}
