//! Merging two transactions, from behaviour 3.11.

use std::collections::BTreeMap;

use daybook_domain::event::EventType;
use daybook_domain::field::Field;
use daybook_domain::property::Edits;
use daybook_domain::transaction::Standing;
use jiff::civil::Date;

use super::text::{merged, tags};
use super::transaction::{check_sides, checked_description};
use super::{Turn, each};
use crate::sim::body::{Id, TransactionBody};
use crate::sim::facts::{Properties, Refused, Resource, Transaction};
use crate::sim::label;

/// What the items say besides their ids, in their order; none of a merge of bare ids.
type Said = Vec<Submitted>;

/// What an item says besides its id (3.11.9).
struct Submitted {
    date: Option<Date>,
    amount: Option<i128>,
    description: Option<String>,
    credit: Option<label::Account>,
    debit: Option<label::Account>,
    urls: Vec<String>,
    remote_ids: Vec<String>,
    files: Vec<label::File>,
    properties: Properties,
    /// The item's own properties, as an update would leave them.
    own: Properties,
}

impl Turn {
    /// `new` are the labels of what is merged and of the draft for the difference.
    pub fn merge(
        &mut self,
        items: &[TransactionBody],
        new: [label::Transaction; 2],
    ) -> Result<Transaction, Refused> {
        if items.len() != 2 {
            return Err(Refused::bad());
        }
        let ids = each(items, |body| body.id.ok_or_else(Refused::bad)).map_err(Refused::alone)?;
        let find = |id: &Id<label::Transaction>| match id {
            Id::Of(label) => self.book.transactions.get(label).cloned(),
            Id::Unknown => None,
        };
        // 3.11.10: an unknown one is a bad request here.
        let given: Vec<Transaction> =
            ids.iter().map(find).collect::<Option<_>>().ok_or_else(Refused::bad)?;
        self.check_mergeable(&given)?;
        let said = if items.iter().any(says_more) {
            let pairs: Vec<_> = items.iter().zip(&given).collect();
            match each(&pairs, |(body, stored)| self.submitted(body, stored)) {
                Ok(said) => said,
                Err(_) if self.ends_on_locked_date(&pairs) => return Err(Refused::locked()),
                Err(refused) => return Err(Refused::alone(refused)),
            }
        } else {
            Said::new()
        };
        let pair = if said.is_empty() { ranked(&given) } else { (&given[0], &given[1]) };
        let merged = self.merged(new[0], &given, pair, &said)?;
        let agreed = said.iter().any(|one| one.amount.is_some());
        let difference = if agreed { None } else { self.difference(new[1], &merged, pair) };
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

    /// Whether the result has a date that is closed to the caller. That is reported before wrong
    /// values, but not before values that cannot be read (0.30).
    fn ends_on_locked_date(&mut self, pairs: &[(&TransactionBody, &Transaction)]) -> bool {
        let readable = |body: &TransactionBody| TransactionBody {
            description: Field::Keep,
            urls: None,
            remote_ids: None,
            properties: Edits::new(),
            ..body.clone()
        };
        let Ok(said) = each(pairs, |(body, stored)| self.submitted(&readable(body), stored)) else {
            return false;
        };
        let dates = said.iter().map(|one| one.date).chain(pairs.iter().map(|(_, one)| one.date));
        let date = dates.flatten().next();
        self.is_locked(date.unwrap_or(self.today))
    }

    /// What an item says, as an update of its transaction would read it.
    fn submitted(
        &mut self,
        body: &TransactionBody,
        stored: &Transaction,
    ) -> Result<Submitted, Refused> {
        // An update of a draft without anything in it keeps nothing but what is said.
        let blank = Transaction {
            date: None,
            description: String::new(),
            credit: None,
            debit: None,
            standing: Standing::Draft,
            ..stored.clone()
        };
        let body = TransactionBody { round_trip: false, ..body.clone() };
        // Sides that clash with each other are judged in the result.
        let (one, other) = (
            TransactionBody { credit: Field::Keep, ..body.clone() },
            TransactionBody { credit: body.credit.clone(), ..TransactionBody::empty(body.label) },
        );
        let credit = self.edited(&blank, &other)?.credit;
        let said = self.edited(&blank, &one)?;
        Ok(Submitted {
            date: said.date,
            amount: said.amount.filter(|_| matches!(body.amount, Field::Set(_))),
            description: Some(said.description).filter(|text| !text.trim().is_empty()),
            credit,
            debit: said.debit,
            urls: body.urls.clone().unwrap_or_default(),
            remote_ids: if body.remote_ids.is_some() { said.remote_ids } else { Vec::new() },
            files: if body.files.is_some() { said.files } else { Vec::new() },
            properties: merged(&Properties::new(), &body.properties)?,
            own: said.properties,
        })
    }

    fn merged(
        &self,
        label: label::Transaction,
        given: &[Transaction],
        (base, absorbed): (&Transaction, &Transaction),
        said: &[Submitted],
    ) -> Result<Transaction, Refused> {
        let stored = [base, absorbed];
        let credit = first(said.iter().map(|one| one.credit), stored.map(|one| one.credit));
        let debit = first(said.iter().map(|one| one.debit), stored.map(|one| one.debit));
        let date = first(said.iter().map(|one| one.date), stored.map(|one| one.date));
        // 0.30: a date that is closed to the caller comes before wrong values.
        if self.is_locked(date.unwrap_or(self.today)) {
            return Err(Refused::locked());
        }
        check_sides(credit, debit)?;
        let description = said
            .iter()
            .find_map(|one| one.description.clone())
            .unwrap_or_else(|| joined(&base.description, &absorbed.description));
        let description = checked_description(&description)?;
        let links = given.iter().map(|one| format!("merged_{:?}", one.label));
        let mut properties: Properties = base.properties.clone();
        properties.extend(absorbed.properties.clone());
        if let [one, other] = said {
            properties = other.own.clone();
            properties.extend(one.own.clone());
            properties.extend(other.properties.clone());
            properties.extend(one.properties.clone());
        }
        let mut merged = Transaction {
            label,
            date,
            day: date.unwrap_or(self.today),
            amount: first(said.iter().map(|one| one.amount), stored.map(|one| one.amount)),
            tags: tags(&description),
            description,
            credit,
            debit,
            standing: Standing::Draft,
            trashed: false,
            posted_at: None,
            properties,
            urls: distinct(
                said.iter()
                    .flat_map(|one| one.urls.clone())
                    .chain(stored.into_iter().flat_map(|one| one.urls.clone())),
            ),
            remote_ids: distinct(
                links
                    .chain(said.iter().flat_map(|one| one.remote_ids.clone()))
                    .chain(stored.into_iter().flat_map(|one| one.remote_ids.clone())),
            ),
            files: distinct(
                said.iter()
                    .flat_map(|one| one.files.clone())
                    .chain(stored.into_iter().flat_map(|one| one.files.clone())),
            ),
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

/// Whether an item carries fields beside its id.
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
    said: impl Iterator<Item = Option<T>>,
    stored: impl IntoIterator<Item = Option<T>>,
) -> Option<T> {
    said.chain(stored).flatten().next()
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
    // With single spaces, also behind a base that ends with some.
    format!("{} {}", base.trim_end(), new.join(" "))
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
