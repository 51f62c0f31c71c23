//! Merging two transactions, from behaviour 3.11.

use std::collections::BTreeMap;

use daybook_domain::event::EventType;
use daybook_domain::transaction::Standing;

use super::text::tags;
use super::transaction::{check_sides, checked_description};
use super::{Turn, each};
use crate::sim::body::Id;
use crate::sim::facts::{Properties, Refused, Resource, Transaction};
use crate::sim::label;

impl Turn {
    /// `new` are the labels of what is merged and of the draft for the difference.
    pub fn merge(
        &mut self,
        ids: &[Option<Id<label::Transaction>>],
        new: [label::Transaction; 2],
    ) -> Result<Transaction, Refused> {
        if ids.len() != 2 {
            return Err(Refused::bad());
        }
        let ids = each(ids, |id| id.ok_or_else(Refused::bad)).map_err(Refused::alone)?;
        let find = |id: &Id<label::Transaction>| match id {
            Id::Of(label) => self.book.transactions.get(label).cloned(),
            Id::Unknown => None,
        };
        let given: Vec<Transaction> =
            ids.iter().map(find).collect::<Option<_>>().ok_or_else(Refused::missing)?;
        self.check_mergeable(&given)?;
        let (base, absorbed) = ranked(&given);
        let merged = self.merged(new[0], &given, (base, absorbed))?;
        let difference = self.difference(new[1], &merged, (base, absorbed));
        let kind = if merged.is_posted() {
            EventType::TransactionPosted
        } else {
            EventType::TransactionCreated
        };
        self.emit(kind, Resource::Transaction(merged.label), BTreeMap::new());
        self.book.put(merged.clone());
        for original in &given {
            self.emit(
                EventType::TransactionDeleted,
                Resource::Transaction(original.label),
                BTreeMap::new(),
            );
            self.replace_transaction(
                original,
                Transaction { trashed: true, ..original.clone() },
                false,
            );
        }
        if let Some(difference) = difference {
            self.emit(
                EventType::TransactionCreated,
                Resource::Transaction(difference.label),
                BTreeMap::new(),
            );
            self.book.put(difference);
        }
        Ok(merged)
    }

    /// The column merge of behaviour 3.4, and 3.5.3: drafts on locked dates are not merged either.
    fn check_mergeable(&self, given: &[Transaction]) -> Result<(), Refused> {
        if given[0].label == given[1].label {
            return Err(Refused::bad());
        }
        for one in given {
            if one.trashed {
                return Err(Refused::bad());
            }
            if one.standing == Standing::Checked {
                return Err(Refused::checked());
            }
        }
        let locked = given.iter().any(|one| self.is_locked(one.date.unwrap_or(self.today)));
        if locked { Err(Refused::locked()) } else { Ok(()) }
    }

    fn merged(
        &self,
        label: label::Transaction,
        given: &[Transaction],
        (base, absorbed): (&Transaction, &Transaction),
    ) -> Result<Transaction, Refused> {
        let (credit, debit) = (base.credit.or(absorbed.credit), base.debit.or(absorbed.debit));
        check_sides(credit, debit)?;
        let date = base.date.or(absorbed.date);
        let description = checked_description(&joined(&base.description, &absorbed.description))?;
        let links = given.iter().map(|one| format!("merged_{:?}", one.label));
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
            remote_ids: distinct(
                links.chain(base.remote_ids.iter().chain(&absorbed.remote_ids).cloned()),
            ),
            files: distinct(base.files.iter().chain(&absorbed.files).copied()),
            creator: self.caller.who,
            stamp: self.caller.stamp(),
        };
        if merged.is_complete() && given.iter().any(Transaction::is_posted) {
            // 3.11.7: an archived account stays where an original was posted on it.
            let was_posted = |side| {
                given
                    .iter()
                    .any(|one| one.is_posted() && [one.credit, one.debit].contains(&Some(side)))
            };
            let fits =
                |side: label::Account| !self.book.accounts[&side].archived || was_posted(side);
            if !credit.is_none_or(fits) || !debit.is_none_or(fits) {
                return Err(Refused::bad());
            }
            (merged.standing, merged.posted_at) = (Standing::Unchecked, Some(self.caller.now));
        }
        Ok(merged)
    }

    /// 3.11.6: what the absorbed amount has more, or the other way round what it has less.
    fn difference(
        &self,
        label: label::Transaction,
        merged: &Transaction,
        (base, absorbed): (&Transaction, &Transaction),
    ) -> Option<Transaction> {
        let (kept, other) = (base.amount?, absorbed.amount?);
        if kept == other {
            return None;
        }
        let (credit, debit) = if kept > other {
            (merged.debit, merged.credit)
        } else {
            (merged.credit, merged.debit)
        };
        Some(Transaction {
            label,
            date: absorbed.date,
            day: absorbed.date.unwrap_or(self.today),
            amount: Some((other - kept).abs()),
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
            ..merged.clone()
        })
    }
}

/// 3.11.3: a posted one beats a draft, else the one created later.
fn ranked(given: &[Transaction]) -> (&Transaction, &Transaction) {
    let rank = |one: &Transaction| (one.is_posted(), one.stamp.created, one.label);
    if rank(&given[0]) > rank(&given[1]) { (&given[0], &given[1]) } else { (&given[1], &given[0]) }
}

/// 3.11.4.
fn joined(base: &str, other: &str) -> String {
    if base.trim().is_empty() || other.trim().is_empty() {
        return if base.trim().is_empty() { other } else { base }.to_owned();
    }
    let contained = base.to_lowercase();
    let words = other
        .split(|c: char| c.is_whitespace() || c == '-' || c == '_')
        .filter(|word| !word.is_empty());
    let new = words.filter(|word| !contained.contains(&word.to_lowercase()));
    [base].into_iter().chain(new).collect::<Vec<_>>().join(" ")
}

fn distinct<T: PartialEq>(items: impl Iterator<Item = T>) -> Vec<T> {
    let mut kept: Vec<T> = Vec::new();
    for item in items {
        if !kept.contains(&item) {
            kept.push(item);
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::joined;

    #[test]
    fn descriptions_of_3_11_4() {
        assert_eq!(joined("Monthly income", "Salary payment"), "Monthly income Salary payment");
        let expected = "INT DAS-SIMPLES NACIONA #impostos Nacional Mensal";
        assert_eq!(
            joined("INT DAS-SIMPLES NACIONA", "DAS #impostos Simples Nacional Mensal"),
            expected
        );
    }
}
