//! Merging two transactions, from behaviour 3.11.

use std::collections::BTreeMap;

use daybook_domain::event::EventType;
use daybook_domain::field::Field;
use daybook_domain::property::Edits;
use daybook_domain::transaction::Standing;
use jiff::civil::Date;

use super::text::{merged, tags};
use super::transaction::{check_sides, checked_description};
use super::{Tx, each};
use crate::sim::body::{Id, TransactionBody};
use crate::sim::facts::{Properties, Refusal, Resource, Transaction};
use crate::sim::label;

/// The submitted fields of the items, in order; empty for a merge of bare ids.
type SubmittedItems = Vec<SubmittedFields>;

/// The fields of an item besides its id (3.11.9).
struct SubmittedFields {
    date: Option<Date>,
    amount: Option<i128>,
    description: Option<String>,
    credit: Option<label::Account>,
    debit: Option<label::Account>,
    urls: Vec<String>,
    remote_ids: Vec<String>,
    files: Vec<label::File>,
    properties: Properties,
    /// The item's own properties, after an update with the submitted ones.
    own: Properties,
}

impl Tx {
    /// Merges two transactions. `new` has the labels of the result and of the draft for the
    /// difference.
    pub fn merge(
        &mut self,
        items: &[TransactionBody],
        new: [label::Transaction; 2],
    ) -> Result<Transaction, Refusal> {
        if items.len() != 2 {
            return Err(Refusal::bad());
        }
        let ids = each(items, |body| body.id.ok_or_else(Refusal::bad)).map_err(Refusal::alone)?;
        let find = |id: &Id<label::Transaction>| match id {
            Id::Of(label) => self.book.transactions.get(label).cloned(),
            Id::Unknown => None,
        };
        // 3.11.10: an unknown id is a bad request here.
        let given: Vec<Transaction> =
            ids.iter().map(find).collect::<Option<_>>().ok_or_else(Refusal::bad)?;
        self.check_mergeable(&given)?;
        let submitted = if items.iter().any(says_more) {
            let pairs: Vec<_> = items.iter().zip(&given).collect();
            match each(&pairs, |(body, stored)| self.submitted(body, stored)) {
                Ok(submitted) => submitted,
                Err(_) if self.ends_on_locked_date(&pairs) => return Err(Refusal::locked()),
                Err(refused) => return Err(Refusal::alone(refused)),
            }
        } else {
            SubmittedItems::new()
        };
        let (base, absorbed) =
            if submitted.is_empty() { ranked(&given) } else { (&given[0], &given[1]) };
        let merged = self.merged(new[0], &given, base, absorbed, &submitted)?;
        let agreed = submitted.iter().any(|one| one.amount.is_some());
        let difference =
            if agreed { None } else { self.difference(new[1], &merged, base, absorbed) };
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

    /// Whether the caller may not write on the date of the result. This is reported before wrong
    /// values, but after values that cannot be parsed (0.30).
    fn ends_on_locked_date(&mut self, pairs: &[(&TransactionBody, &Transaction)]) -> bool {
        let readable = |body: &TransactionBody| TransactionBody {
            description: Field::Keep,
            urls: None,
            remote_ids: None,
            properties: Edits::new(),
            ..body.clone()
        };
        let Ok(submitted) = each(pairs, |(body, stored)| self.submitted(&readable(body), stored))
        else {
            return false;
        };
        let dates =
            submitted.iter().map(|one| one.date).chain(pairs.iter().map(|(_, one)| one.date));
        let date = dates.flatten().next();
        self.is_locked(date.unwrap_or(self.today))
    }

    /// Parses the submitted fields as an update of the transaction would.
    fn submitted(
        &mut self,
        body: &TransactionBody,
        stored: &Transaction,
    ) -> Result<SubmittedFields, Refusal> {
        // An update of an empty draft keeps only the submitted fields.
        let blank = Transaction {
            date: None,
            description: String::new(),
            credit: None,
            debit: None,
            standing: Standing::Draft,
            ..stored.clone()
        };
        let body = TransactionBody { round_trip: false, ..body.clone() };
        // Conflicting sides are reported for the result, not here.
        let (one, other) = (
            TransactionBody { credit: Field::Keep, ..body.clone() },
            TransactionBody { credit: body.credit.clone(), ..TransactionBody::empty(body.label) },
        );
        let credit = self.edited(&blank, &other)?.credit;
        let submitted = self.edited(&blank, &one)?;
        Ok(SubmittedFields {
            date: submitted.date,
            amount: submitted.amount.filter(|_| matches!(body.amount, Field::Set(_))),
            description: Some(submitted.description).filter(|text| !text.trim().is_empty()),
            credit,
            debit: submitted.debit,
            urls: body.urls.clone().unwrap_or_default(),
            remote_ids: if body.remote_ids.is_some() { submitted.remote_ids } else { Vec::new() },
            files: if body.files.is_some() { submitted.files } else { Vec::new() },
            properties: merged(&Properties::new(), &body.properties)?,
            own: submitted.properties,
        })
    }

    fn merged(
        &self,
        label: label::Transaction,
        given: &[Transaction],
        base: &Transaction,
        absorbed: &Transaction,
        submitted: &[SubmittedFields],
    ) -> Result<Transaction, Refusal> {
        let stored = [base, absorbed];
        let credit = first(submitted.iter().map(|one| one.credit), stored.map(|one| one.credit));
        let debit = first(submitted.iter().map(|one| one.debit), stored.map(|one| one.debit));
        let date = first(submitted.iter().map(|one| one.date), stored.map(|one| one.date));
        // 0.30: a locked date is reported before wrong values.
        if self.is_locked(date.unwrap_or(self.today)) {
            return Err(Refusal::locked());
        }
        check_sides(credit, debit)?;
        let description = submitted
            .iter()
            .find_map(|one| one.description.clone())
            .unwrap_or_else(|| joined(&base.description, &absorbed.description));
        let description = checked_description(&description)?;
        let links = given.iter().map(|one| format!("merged_{:?}", one.label));
        let mut properties: Properties = base.properties.clone();
        properties.extend(absorbed.properties.clone());
        if let [one, other] = submitted {
            properties = other.own.clone();
            properties.extend(one.own.clone());
            properties.extend(other.properties.clone());
            properties.extend(one.properties.clone());
        }
        let mut merged = Transaction {
            label,
            date,
            day: date.unwrap_or(self.today),
            amount: first(submitted.iter().map(|one| one.amount), stored.map(|one| one.amount)),
            tags: tags(&description),
            description,
            credit,
            debit,
            standing: Standing::Draft,
            trashed: false,
            posted_at: None,
            properties,
            urls: distinct(
                submitted
                    .iter()
                    .flat_map(|one| one.urls.clone())
                    .chain(stored.into_iter().flat_map(|one| one.urls.clone())),
            ),
            remote_ids: distinct(
                links
                    .chain(submitted.iter().flat_map(|one| one.remote_ids.clone()))
                    .chain(stored.into_iter().flat_map(|one| one.remote_ids.clone())),
            ),
            files: distinct(
                submitted
                    .iter()
                    .flat_map(|one| one.files.clone())
                    .chain(stored.into_iter().flat_map(|one| one.files.clone())),
            ),
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
            ..merged.clone()
        })
    }
}

/// Whether an item has fields besides its id.
fn says_more(body: &TransactionBody) -> bool {
    fn is_there<T>(field: &Field<T>) -> bool {
        !matches!(field, Field::Keep)
    }
    is_there(&body.date)
        || is_there(&body.amount)
        || is_there(&body.description)
        || is_there(&body.credit)
        || is_there(&body.debit)
        || body.urls.is_some()
        || body.remote_ids.is_some()
        || body.files.is_some()
        || !body.properties.is_empty()
}

fn first<T>(
    submitted: impl Iterator<Item = Option<T>>,
    stored: impl IntoIterator<Item = Option<T>>,
) -> Option<T> {
    submitted.chain(stored).flatten().next()
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
