//! Merges of two transactions into a new one (behaviour 3.11).

mod submitted;
#[cfg(test)]
mod tests;

use std::collections::HashSet;
use std::hash::Hash;

use crate::id::{AccountId, TransactionId};
use crate::instant::Stamp;
use crate::property::{self, Edits, Properties};

use super::changes::{description, files, remote_ids, urls};
use super::joined::joined;
use super::lifecycle::Transition;
use super::{LifecycleState, Refusal, Standing, Transaction, TransactionRules, check_sides};
pub use submitted::Submitted;

/// The column `merge` of the transition table (behaviour 3.4).
///
/// ```
/// use daybook_domain::transaction::{Transition, Refusal, LifecycleState, merge_transition};
/// assert_eq!(merge_transition(LifecycleState::Unchecked), Transition::Done);
/// assert_eq!(merge_transition(LifecycleState::Checked), Transition::Refused(Refusal::Checked));
/// ```
#[must_use]
pub const fn merge_transition(state: LifecycleState) -> Transition {
    match state {
        LifecycleState::Draft | LifecycleState::Unchecked => Transition::Done,
        LifecycleState::Checked => Transition::Refused(Refusal::Checked),
        LifecycleState::Trashed => Transition::Refused(Refusal::Trashed),
    }
}

/// Two transactions that may be merged: a base, and the one it absorbs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MergePair {
    given: [Transaction; 2],
    first_is_base: bool,
    /// What the items say besides their ids, when one says anything.
    submitted: Option<[Submitted; 2]>,
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
        Ok(Self { given, first_is_base, submitted: None })
    }

    /// The pair with what its two items say: then the first is the base, whatever it is, and what
    /// is said goes before what is stored (behaviour 3.11.9).
    ///
    /// # Errors
    /// [`Refusal::NotTwo`].
    pub fn submitting(self, submitted: Vec<Submitted>) -> Result<Self, Refusal> {
        let count = submitted.len();
        let submitted = submitted.try_into().map_err(|_| Refusal::NotTwo(count))?;
        Ok(Self { first_is_base: true, submitted: Some(submitted), ..self })
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

    /// What the items say, in their order.
    fn submitted(&self) -> impl Iterator<Item = &Submitted> {
        self.submitted.iter().flatten()
    }

    /// The first value that an item says, else that of the base, else that of the absorbed one
    /// (behaviour 3.11.5, 3.11.9).
    fn first<T>(
        &self,
        said: impl Fn(&Submitted) -> Option<T>,
        stored: impl Fn(&Transaction) -> Option<T>,
    ) -> Option<T> {
        let (base, absorbed) = self.roles();
        self.submitted().find_map(said).or_else(|| stored(base)).or_else(|| stored(absorbed))
    }

    /// The lists of the items, then that of the base, then that of the absorbed one, each entry
    /// once (behaviour 3.11.5, 3.11.9).
    fn united<T: Clone + Eq + Hash>(
        &self,
        said: impl Fn(&Submitted) -> &[T],
        stored: impl Fn(&Transaction) -> &[T],
    ) -> Vec<T> {
        let (base, absorbed) = self.roles();
        let mut seen = HashSet::new();
        self.submitted()
            .flat_map(said)
            .chain([base, absorbed].into_iter().flat_map(stored))
            .filter(|entry| seen.insert(*entry))
            .cloned()
            .collect()
    }

    /// The remote ids of the result: first the links from the originals to it, then those of the
    /// items and of the originals (behaviour 3.11.2).
    fn remote_ids(&self) -> Vec<String> {
        let links = self.given.iter().map(|original| format!("merged_{}", original.id));
        links.chain(self.united(|said| &said.remote_ids, |stored| &stored.remote_ids)).collect()
    }

    /// The description: one that an item says stands whole, else those of both are joined
    /// (behaviour 3.11.4).
    fn description(&self) -> String {
        let (base, absorbed) = self.roles();
        let said = self.submitted().find_map(|said| said.description.clone());
        said.unwrap_or_else(|| joined(&base.description, &absorbed.description))
    }

    /// The properties of both. Of ids alone the absorbed one's values win (behaviour 3.11.5); else
    /// the order is that of all fields (behaviour 3.11.9).
    fn properties(&self) -> Result<Properties, property::Refusal> {
        let (base, absorbed) = self.roles();
        let Some([first, second]) = &self.submitted else {
            return base.properties.merged(&edits(&absorbed.properties));
        };
        let said = |submitted: &Submitted| {
            Ok(edits(&Properties::default().merged(&submitted.properties)?))
        };
        let own = base.properties.merged(&first.properties)?;
        let other = absorbed.properties.merged(&second.properties)?;
        other.merged(&edits(&own))?.merged(&said(second)?)?.merged(&said(first)?)
    }

    /// Whether the account is on a side of an original that is posted: it stays usable when it is
    /// archived (behaviour 3.11.7).
    fn was_posted_on(&self, account: AccountId) -> bool {
        self.given
            .iter()
            .any(|one| one.is_posted() && one.account_ids().any(|side| side == account))
    }
}

/// Edits that set all these properties.
fn edits(properties: &Properties) -> Edits {
    properties.iter().map(|(key, value)| (key.to_owned(), Some(value.to_owned()))).collect()
}

impl TransactionRules<'_> {
    /// Merges a pair: makes a new transaction, trashes both originals, and makes a draft for the
    /// difference of their amounts. The new one is posted when either was; it is complete then,
    /// because it has all that the posted one has. `ids` are those of the new transaction and of
    /// the draft.
    ///
    /// # Errors
    /// A locked date of either or of the result; the same account on both sides; a posting on an
    /// archived account that neither was posted on; more text, remote ids, URLs, files or
    /// properties than one transaction may have.
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
        let [first, second] = &pair.given;
        Ok(Merged {
            transaction,
            originals: [self.trashed_copy(first), self.trashed_copy(second)],
            difference,
        })
    }

    /// Refuses a pair of which one is on a locked date. It does not depend on what the items say,
    /// so it is asked before that is read (behaviour 0.30).
    ///
    /// # Errors
    /// A locked date.
    pub fn check_mergeable(&self, pair: &MergePair) -> Result<(), crate::Refusal> {
        // Drafts too; one without date counts as dated today (behaviour 3.5.1, 3.5.3).
        let mut dates = pair.given.iter().map(|original| original.date.unwrap_or(self.today));
        dates.try_for_each(|date| Ok(self.check_open(date)?))
    }

    fn merged_fields(&self, pair: &MergePair) -> Result<Transaction, crate::Refusal> {
        let date = pair.first(|said| said.date, |stored| stored.date);
        self.check_open(date.unwrap_or(self.today))?;
        let credit = pair.first(|said| said.credit, |stored| stored.credit);
        let debit = pair.first(|said| said.debit, |stored| stored.debit);
        check_sides(credit, debit)?;
        let posted = pair.given.iter().any(Transaction::is_posted);
        if posted {
            let new = [credit, debit].into_iter().flatten().filter(|id| !pair.was_posted_on(*id));
            for account in new.filter_map(|id| self.accounts.get(id)) {
                account.check_postable()?;
            }
        }
        let (base, _) = pair.roles();
        Ok(Transaction {
            date,
            list_day: date.unwrap_or(self.created_on),
            amount: pair.first(|said| said.amount, |stored| stored.amount),
            description: description(pair.description())?,
            credit,
            debit,
            standing: if posted { Standing::Unchecked } else { Standing::Draft },
            posted_at: posted.then_some(self.now),
            properties: pair.properties()?,
            urls: urls(pair.united(|said| &said.urls, |stored| &stored.urls))?,
            remote_ids: remote_ids(&pair.remote_ids())?,
            files: files(pair.united(|said| &said.files, |stored| &stored.files))?,
            created_by: self.access.user(),
            ..base.clone()
        })
    }

    /// The draft that makes up the absorbed amount together with the merged transaction: on the
    /// same accounts, with the sides swapped when the amount of the base is greater (behaviour
    /// 3.11.6). An amount that an item says leaves none (behaviour 3.11.9).
    fn difference(&self, pair: &MergePair, merged: &Transaction) -> Option<Transaction> {
        if pair.submitted().any(|said| said.amount.is_some()) {
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
            ..merged.clone()
        })
    }

    fn trashed_copy(&self, original: &Transaction) -> Transaction {
        let stamp = original.stamp.clone().touched(self.now);
        Transaction { trashed: true, stamp, ..original.clone() }
    }
}
