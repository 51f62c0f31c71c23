//! Merges of two transactions into a new one (behaviour 3.11).
//!
//! A [`MergePair`] decides which of the two is the *base*: the posted one, or else the later one.
//! The new transaction has the values of the base, and lists and properties of both. The originals
//! go to the trash. If their amounts differ, a draft for the difference is created too
//! ([`Merged`]). A checked or trashed original is refused.

mod submitted;
#[cfg(test)]
mod tests;

use std::collections::HashSet;
use std::hash::Hash;

use crate::comment::count_with;
use crate::id::{AccountId, TransactionId};
use crate::instant::Stamp;
use crate::property::{self, Edits, Properties};

use super::changes::{description, files, remote_ids, urls};
use super::descriptions::join_descriptions;
use super::lifecycle::Transition;
use super::{LifecycleState, Refusal, Standing, Transaction, TransactionRules, check_sides};
pub use submitted::SubmittedFields;

/// Looks up the column `merge` of the transition table (behaviour 3.4).
pub const fn merge_transition(state: LifecycleState) -> Transition {
    match state {
        LifecycleState::Draft | LifecycleState::Unchecked => Transition::Done,
        LifecycleState::Checked => Transition::Refused(Refusal::Checked),
        LifecycleState::Trashed => Transition::Refused(Refusal::Trashed),
    }
}

/// Two transactions that may be merged: the base and the absorbed one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MergePair {
    originals: [Transaction; 2],
    first_is_base: bool,
    /// The fields of the items besides their ids, if an item has any.
    submitted: Option<[SubmittedFields; 2]>,
}

/// The result of a merge.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Merged {
    /// The new transaction.
    pub transaction: Transaction,
    /// The originals in the order of the request, now trashed.
    pub originals: [Transaction; 2],
    /// The draft for the difference of their amounts, if they differ (behaviour 3.11.6).
    pub difference: Option<Transaction>,
}

impl MergePair {
    /// Makes a pair of two transactions. The base is the posted one; if both are posted or both are
    /// drafts, it is the one created later (behaviour 3.11.3).
    ///
    /// # Errors
    /// [`Refusal::NotTwo`], [`Refusal::SameTransaction`], and the column `merge` of the transition
    /// table.
    pub fn new(originals: Vec<Transaction>) -> Result<Self, Refusal> {
        let count = originals.len();
        let originals: [Transaction; 2] =
            originals.try_into().map_err(|_| Refusal::NotTwo(count))?;
        let [first, second] = &originals;
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
        Ok(Self { originals, first_is_base, submitted: None })
    }

    /// Adds the fields of the two items. The first transaction becomes the base, and submitted
    /// values have precedence over stored values (behaviour 3.11.9).
    ///
    /// # Errors
    /// [`Refusal::NotTwo`].
    pub fn with_submitted(self, submitted: Vec<SubmittedFields>) -> Result<Self, Refusal> {
        let count = submitted.len();
        let submitted = submitted.try_into().map_err(|_| Refusal::NotTwo(count))?;
        Ok(Self { first_is_base: true, submitted: Some(submitted), ..self })
    }

    /// Returns the base and the absorbed one.
    const fn roles(&self) -> (&Transaction, &Transaction) {
        let [first, second] = &self.originals;
        if self.first_is_base { (first, second) } else { (second, first) }
    }

    /// Returns the two transactions in the order of the request.
    #[must_use]
    pub const fn originals(&self) -> &[Transaction; 2] {
        &self.originals
    }

    /// Returns the submitted fields, in the order of the items.
    fn submitted(&self) -> impl Iterator<Item = &SubmittedFields> {
        self.submitted.iter().flatten()
    }

    /// Returns the first value that exists: of the submitted fields, of the base, of the absorbed
    /// transaction (behaviour 3.11.5, 3.11.9).
    fn first<T>(
        &self,
        submitted: impl Fn(&SubmittedFields) -> Option<T>,
        stored: impl Fn(&Transaction) -> Option<T>,
    ) -> Option<T> {
        let (base, absorbed) = self.roles();
        self.submitted().find_map(submitted).or_else(|| stored(base)).or_else(|| stored(absorbed))
    }

    /// Returns the union of the lists of the submitted fields, of the base and of the absorbed
    /// transaction, in this order (behaviour 3.11.5, 3.11.9).
    fn union<T: Clone + Eq + Hash>(
        &self,
        submitted: impl Fn(&SubmittedFields) -> &[T],
        stored: impl Fn(&Transaction) -> &[T],
    ) -> Vec<T> {
        let (base, absorbed) = self.roles();
        let mut seen = HashSet::new();
        self.submitted()
            .flat_map(submitted)
            .chain([base, absorbed].into_iter().flat_map(stored))
            .filter(|entry| seen.insert(*entry))
            .cloned()
            .collect()
    }

    /// Returns the remote ids of the result: first one for each original, then those of the items
    /// and of the originals (behaviour 3.11.2).
    fn remote_ids(&self) -> Vec<String> {
        let links = self.originals.iter().map(|original| format!("merged_{}", original.id));
        links.chain(self.union(|fields| &fields.remote_ids, |stored| &stored.remote_ids)).collect()
    }

    /// Returns the first submitted description; if there is none, those of both transactions are
    /// joined (behaviour 3.11.4).
    fn description(&self) -> String {
        let (base, absorbed) = self.roles();
        let description = self.submitted().find_map(|fields| fields.description.clone());
        description.unwrap_or_else(|| join_descriptions(&base.description, &absorbed.description))
    }

    /// Returns the properties of both. Without submitted fields, the values of the absorbed
    /// transaction have precedence (behaviour 3.11.5); with them, the order is that of all fields
    /// (behaviour 3.11.9).
    fn properties(&self) -> Result<Properties, property::Refusal> {
        let (base, absorbed) = self.roles();
        let Some([first, second]) = &self.submitted else {
            return base.properties.merge(&edits(&absorbed.properties));
        };
        let set_by =
            |fields: &SubmittedFields| Ok(edits(&Properties::default().merge(&fields.properties)?));
        let own = base.properties.merge(&first.properties)?;
        let other = absorbed.properties.merge(&second.properties)?;
        other.merge(&edits(&own))?.merge(&set_by(second)?)?.merge(&set_by(first)?)
    }

    /// Returns whether a posted original is on this account: then it may be archived (behaviour
    /// 3.11.7).
    fn was_posted_on(&self, account: AccountId) -> bool {
        self.originals
            .iter()
            .any(|original| original.is_posted() && original.account_ids().any(|id| id == account))
    }
}

/// Edits that set all these properties.
fn edits(properties: &Properties) -> Edits {
    properties.iter().map(|(key, value)| (key.to_owned(), Some(value.to_owned()))).collect()
}

impl TransactionRules<'_> {
    /// Merges a pair: makes a new transaction, trashes both originals, and makes a draft for the
    /// difference of their amounts. The new transaction is posted if an original was posted, whose
    /// fields make it complete. `ids` are the ids of the new transaction and of the draft.
    ///
    /// # Errors
    /// A locked date of an original or of the result; the same account on both sides; a posting on
    /// an archived account on which no original was posted; more text, remote ids, URLs, files,
    /// properties or comments than one transaction may have.
    pub fn merge(
        &self,
        pair: &MergePair,
        ids: [TransactionId; 2],
        agent: Option<&str>,
    ) -> Result<Merged, crate::Refusal> {
        self.check_mergeable(pair)?;
        let [id, difference_id] = ids;
        let stamp = Stamp::new(agent.map(str::to_owned), self.now);
        let transaction = Transaction { id, stamp: stamp.clone(), ..self.merged_fields(pair)? };
        let difference = self.difference(pair, &transaction);
        let difference = difference.map(|draft| Transaction { id: difference_id, stamp, ..draft });
        let [first, second] = &pair.originals;
        Ok(Merged {
            transaction,
            originals: [self.trashed_copy(first), self.trashed_copy(second)],
            difference,
        })
    }

    /// Refuses a pair if the date of one is locked. This does not depend on the submitted fields,
    /// so it is checked before they are read (behaviour 0.30).
    ///
    /// # Errors
    /// A locked date.
    pub fn check_mergeable(&self, pair: &MergePair) -> Result<(), crate::Refusal> {
        // This includes drafts; the date of a draft without date is today (behaviour 3.5.1, 3.5.3).
        let mut dates = pair.originals.iter().map(|original| original.date.unwrap_or(self.today));
        dates.try_for_each(|date| Ok(self.check_unlocked(date)?))
    }

    fn merged_fields(&self, pair: &MergePair) -> Result<Transaction, crate::Refusal> {
        let date = pair.first(|fields| fields.date, |stored| stored.date);
        self.check_unlocked(date.unwrap_or(self.today))?;
        let credit = pair.first(|fields| fields.credit, |stored| stored.credit);
        let debit = pair.first(|fields| fields.debit, |stored| stored.debit);
        check_sides(credit, debit)?;
        let posted = pair.originals.iter().any(Transaction::is_posted);
        if posted {
            let new = [credit, debit].into_iter().flatten().filter(|id| !pair.was_posted_on(*id));
            for account in new.filter_map(|id| self.accounts.get(id)) {
                account.check_postable()?;
            }
        }
        let (base, absorbed) = pair.roles();
        Ok(Transaction {
            date,
            list_day: date.unwrap_or(self.created_on),
            amount: pair.first(|fields| fields.amount, |stored| stored.amount),
            description: description(pair.description())?,
            credit,
            debit,
            standing: if posted { Standing::Unchecked } else { Standing::Draft },
            posted_at: posted.then_some(self.now),
            properties: pair.properties()?,
            urls: urls(pair.union(|fields| &fields.urls, |stored| &stored.urls))?,
            remote_ids: remote_ids(&pair.remote_ids())?,
            files: files(pair.union(|fields| &fields.files, |stored| &stored.files))?,
            comment_count: count_with(base.comment_count, absorbed.comment_count)?,
            created_by: self.access.user(),
            ..base.clone()
        })
    }

    /// Returns the draft for the difference of the amounts: on the accounts of the merged
    /// transaction, with the sides swapped if the amount of the base is greater (behaviour 3.11.6).
    /// There is none if an amount was submitted (behaviour 3.11.9).
    fn difference(&self, pair: &MergePair, merged: &Transaction) -> Option<Transaction> {
        if pair.submitted().any(|fields| fields.amount.is_some()) {
            return None;
        }
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
            properties: Properties::default(),
            urls: Vec::new(),
            remote_ids: Vec::new(),
            files: Vec::new(),
            comment_count: 0,
            ..merged.clone()
        })
    }

    fn trashed_copy(&self, original: &Transaction) -> Transaction {
        let stamp = original.stamp.clone().touch(self.now);
        Transaction { trashed: true, stamp, ..original.clone() }
    }
}
