//! Merging two transactions, from behaviour 3.11, without submitted fields (3.11.9).

use daybook_domain::event::EventType;
use daybook_domain::transaction::Standing;

use super::Tx;
use super::text::tags;
use super::transaction::check_sides;
use crate::sim::body::Id;
use crate::sim::facts::{Properties, Refusal, Resource, Transaction};
use crate::sim::label;

impl Tx {
    /// Merges two transactions. `new` has the labels of the result and of the draft for the
    /// difference, `comments` those of the copied comments.
    pub fn merge(
        &mut self,
        ids: &[Option<Id<label::Transaction>>],
        new: [label::Transaction; 2],
        comments: &[label::Comment],
    ) -> Result<Transaction, Refusal> {
        // 3.11.10: a missing or an unknown id is a bad request here.
        let find = |id: &Option<Id<label::Transaction>>| {
            self.book.transactions.get(&id.and_then(Id::known)?).cloned()
        };
        let given: Option<Vec<Transaction>> = ids.iter().map(find).collect();
        let given = given.filter(|given| given.len() == 2).ok_or_else(Refusal::bad)?;
        self.check_mergeable(&given)?;
        let (base, absorbed) = ranked(&given);
        let merged = self.merged(new[0], &given, base, absorbed)?;
        let difference = self.difference(new[1], &merged, base, absorbed);
        self.add(merged.clone());
        for original in &given {
            self.emit(EventType::TransactionDeleted, Resource::Transaction(original.label));
            self.replace_transaction(Transaction { trashed: true, ..original.clone() }, false);
        }
        if let Some(difference) = difference {
            self.add(difference);
        }
        self.copy_comments(&given, merged.label, comments);
        Ok(merged)
    }

    /// Refuses states by the merge column of 3.4, and drafts on locked dates (3.5.3).
    fn check_mergeable(&self, given: &[Transaction]) -> Result<(), Refusal> {
        if given[0].label == given[1].label {
            return Err(Refusal::bad());
        }
        for one in given {
            if one.trashed {
                return Err(Refusal::bad());
            }
            if one.standing == Standing::Checked {
                return Err(Refusal::checked());
            }
        }
        let locked = given.iter().any(|one| self.is_locked(one.date.unwrap_or(self.today)));
        if locked { Err(Refusal::locked()) } else { Ok(()) }
    }

    fn merged(
        &self,
        label: label::Transaction,
        given: &[Transaction],
        base: &Transaction,
        absorbed: &Transaction,
    ) -> Result<Transaction, Refusal> {
        let credit = base.credit.or(absorbed.credit);
        let debit = base.debit.or(absorbed.debit);
        let date = base.date.or(absorbed.date);
        // 0.30: a locked date is reported before wrong values.
        if self.is_locked(date.unwrap_or(self.today)) {
            return Err(Refusal::locked());
        }
        check_sides(credit, debit)?;
        let description = joined(&base.description, &absorbed.description);
        let links = given.iter().map(|one| format!("merged_{:?}", one.label));
        let remote_ids = base.remote_ids.iter().chain(&absorbed.remote_ids).cloned();
        let mut properties: Properties = base.properties.clone();
        properties.extend(absorbed.properties.clone());
        let mut merged = Transaction {
            label,
            date,
            day: date.unwrap_or(self.today),
            amount: base.amount.or(absorbed.amount),
            tags: tags(&description),
            description,
            credit,
            debit,
            standing: Standing::Draft,
            trashed: false,
            posted_at: None,
            properties,
            urls: distinct(base.urls.iter().chain(&absorbed.urls).cloned()),
            remote_ids: distinct(links.chain(remote_ids)),
            files: distinct(base.files.iter().chain(&absorbed.files).copied()),
            comments: base.comments + absorbed.comments,
            creator: self.caller.who,
            stamp: self.caller.stamp(),
        };
        if merged.is_complete() && given.iter().any(Transaction::is_posted) {
            // 3.11.7: an archived account stays if an original was posted on it.
            let was_posted = |side| {
                given
                    .iter()
                    .any(|one| one.is_posted() && [one.credit, one.debit].contains(&Some(side)))
            };
            let fits =
                |side: label::Account| !self.book.accounts[&side].archived || was_posted(side);
            if !credit.is_none_or(fits) || !debit.is_none_or(fits) {
                return Err(Refusal::bad());
            }
            (merged.standing, merged.posted_at) = (Standing::Unchecked, Some(self.caller.now));
        }
        Ok(merged)
    }

    /// The draft for the difference between the absorbed and the base amount, or `None` (3.11.6).
    fn difference(
        &self,
        label: label::Transaction,
        merged: &Transaction,
        base: &Transaction,
        absorbed: &Transaction,
    ) -> Option<Transaction> {
        let (base_amount, absorbed_amount) = (base.amount?, absorbed.amount?);
        if base_amount == absorbed_amount {
            return None;
        }
        let (credit, debit) = if base_amount > absorbed_amount {
            (merged.debit, merged.credit)
        } else {
            (merged.credit, merged.debit)
        };
        Some(Transaction {
            label,
            date: absorbed.date,
            day: absorbed.date.unwrap_or(self.today),
            amount: Some((absorbed_amount - base_amount).abs()),
            description: absorbed.description.clone(),
            tags: absorbed.tags.clone(),
            credit,
            debit,
            standing: Standing::Draft,
            posted_at: None,
            properties: Properties::new(),
            urls: Vec::new(),
            remote_ids: Vec::new(),
            files: Vec::new(),
            comments: 0,
            ..merged.clone()
        })
    }
}

/// Ranks the originals: a posted one before a draft, then the later created (3.11.3).
fn ranked(given: &[Transaction]) -> (&Transaction, &Transaction) {
    let rank = |one: &Transaction| (one.is_posted(), one.stamp.created, one.label);
    if rank(&given[0]) > rank(&given[1]) { (&given[0], &given[1]) } else { (&given[1], &given[0]) }
}

/// Joins two descriptions without repeating words (3.11.4).
fn joined(base: &str, other: &str) -> String {
    if base.trim().is_empty() || other.trim().is_empty() {
        return if base.trim().is_empty() { other } else { base }.to_owned();
    }
    let contained = base.to_lowercase();
    let bare = |word: &str| {
        word.trim_matches(|c: char| !c.is_alphanumeric() && c != '#' && c != '_').to_lowercase()
    };
    let hashtags = tags(base).into_iter().map(|tag| format!("#{}", tag.to_lowercase()));
    let whole: Vec<String> = base.split_whitespace().map(bare).chain(hashtags).collect();
    let mut new = Vec::new();
    for spaced in other.split_whitespace() {
        if spaced.contains(|c: char| c == '#' || c.is_numeric()) {
            new.extend((!whole.contains(&bare(spaced))).then_some(spaced));
            continue;
        }
        let words = spaced.split(['-', '_']).filter(|word| !word.is_empty());
        new.extend(words.filter(|word| !contained.contains(&word.to_lowercase())));
    }
    if new.is_empty() {
        return base.to_owned();
    }
    // Single spaces, also where the base ends with several.
    format!("{} {}", base.trim_end(), new.join(" "))
}

fn distinct<T: PartialEq>(items: impl Iterator<Item = T>) -> Vec<T> {
    let mut distinct: Vec<T> = Vec::new();
    for item in items {
        if !distinct.contains(&item) {
            distinct.push(item);
        }
    }
    distinct
}
