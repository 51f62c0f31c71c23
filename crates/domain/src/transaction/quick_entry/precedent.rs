//! Learning from history: the accounts that a text leaves open come from an earlier transaction
//! like it (behaviour 3.8.3).

use time::Date;

use super::{QuickEntry, day};
use crate::id::AccountId;
use crate::name::fold;
use crate::property::Properties;
use crate::query::{DateBasis, Filter, MAX_TEXT, Status, Term};
use crate::transaction::tags;

/// The property of a book whose text mode learns, when its value is `true`.
const LEARN_FROM_HISTORY: &str = "learn_from_history";
/// How far back transactions count.
const MONTHS: i32 = 12;

/// Whether the text mode of a book learns from history.
///
/// ```
/// use daybook_domain::property::Properties;
/// use daybook_domain::transaction::quick_entry::learns;
///
/// let set = |value: &str| {
///     let edits = [("learn_from_history".to_owned(), Some(value.to_owned()))].into();
///     Properties::default().merged(&edits).unwrap()
/// };
/// assert!(learns(&set("True")) && !learns(&set("no")) && !learns(&Properties::default()));
/// ```
#[must_use]
pub fn learns(properties: &Properties) -> bool {
    properties.get(LEARN_FROM_HISTORY).is_some_and(|value| value.eq_ignore_ascii_case("true"))
}

/// Which transactions may lend their accounts. The latest of them does.
#[derive(Debug, Clone, PartialEq)]
pub struct Precedent {
    /// What they must match.
    pub filter: Filter,
    /// What their whole description must be, folded; any when there is none.
    pub description: Option<String>,
}

impl QuickEntry {
    /// What to look for, the most telling first: the same description, then the same hashtags.
    /// Nothing when the text names both accounts.
    #[must_use]
    pub fn precedents(&self, today: Date) -> Vec<Precedent> {
        if self.credit.is_some() && self.debit.is_some() {
            return Vec::new();
        }
        let from = day::later(today, -MONTHS);
        let like = |terms: Vec<Term>| {
            let common = [
                Term::Status(Status::Posted),
                Term::Dated { basis: DateBasis::Transaction, from, until: None },
            ];
            Filter::All(terms.into_iter().chain(common).map(Filter::Term).collect())
        };
        let description = fold(&self.description);
        let mut precedents = Vec::new();
        let found = tags::of(&self.description);
        if (1..=MAX_TEXT).contains(&description.chars().count()) {
            precedents.push(Precedent {
                filter: like(vec![Term::Text(description.clone())]),
                description: Some(description),
            });
        }
        if !found.is_empty() {
            let tags = found.iter().map(|tag| Term::Tag(tags::key(tag))).collect();
            precedents.push(Precedent { filter: like(tags), description: None });
        }
        precedents
    }

    /// With the sides of an earlier transaction where its own are open. A side stays open when the
    /// account is on the other side already.
    #[must_use]
    pub fn completed(mut self, credit: AccountId, debit: AccountId) -> Self {
        let free = |side: Option<AccountId>, other: Option<AccountId>, learned: AccountId| {
            side.or(Some(learned).filter(|learned| other != Some(*learned)))
        };
        (self.credit, self.debit) =
            (free(self.credit, self.debit, credit), free(self.debit, self.credit, debit));
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::calendar::parse_iso;

    const ONE: AccountId = AccountId::new(1);
    const TWO: AccountId = AccountId::new(2);
    const THREE: AccountId = AccountId::new(3);

    fn entry(credit: Option<AccountId>, debit: Option<AccountId>) -> QuickEntry {
        QuickEntry { description: "Café #Lunch".into(), credit, debit, ..QuickEntry::default() }
    }

    #[test]
    fn open_sides_are_filled() {
        for (credit, debit, expected) in [
            (None, None, (Some(TWO), Some(THREE))),
            (Some(ONE), None, (Some(ONE), Some(THREE))),
            (None, Some(ONE), (Some(TWO), Some(ONE))),
            (Some(THREE), None, (Some(THREE), None)),
            (None, Some(TWO), (None, Some(TWO))),
        ] {
            let completed = entry(credit, debit).completed(TWO, THREE);
            assert_eq!((completed.credit, completed.debit), expected);
        }
    }

    #[test]
    fn descriptions_come_before_hashtags() {
        let today = parse_iso("2024-02-29").unwrap();
        let found = entry(Some(ONE), None).precedents(today);
        let descriptions: Vec<_> = found.iter().map(|one| one.description.as_deref()).collect();
        assert_eq!(descriptions, [Some("cafe #lunch"), None]);
        let mut from = Vec::new();
        found[1].filter.each_term(&mut |term| {
            if let Term::Dated { from: first, .. } = term {
                from.push(*first);
            }
        });
        assert_eq!(from, [parse_iso("2023-02-28")]);
        assert!(entry(Some(ONE), Some(TWO)).precedents(today).is_empty());
        assert!(QuickEntry::default().precedents(today).is_empty(), "nothing to go by");
    }
}
