//! Learning from history: accounts that are missing in a quick entry are copied from an earlier,
//! similar transaction (behaviour 3.8.3).

use time::Date;

use super::{QuickEntry, day};
use crate::id::AccountId;
use crate::name::fold;
use crate::property::Properties;
use crate::query::{DateBasis, Filter, MAX_TEXT, Status, Term};
use crate::transaction::tags;

/// A book with this property and the value `true` learns from history.
const LEARN_FROM_HISTORY: &str = "learn_from_history";
/// The age in months up to which transactions are used.
const MONTHS: i32 = 12;

/// Returns whether quick entry in a book learns from history.
///
/// ```
/// use daybook_domain::property::Properties;
/// use daybook_domain::transaction::quick_entry::learns_from_history;
///
/// let set = |value: &str| {
///     let edits = [("learn_from_history".to_owned(), Some(value.to_owned()))].into();
///     Properties::default().merge(&edits).unwrap()
/// };
/// assert!(learns_from_history(&set("True")));
/// assert!(!learns_from_history(&set("no")));
/// assert!(!learns_from_history(&Properties::default()));
/// ```
pub fn learns_from_history(properties: &Properties) -> bool {
    properties.get(LEARN_FROM_HISTORY).is_some_and(|value| value.eq_ignore_ascii_case("true"))
}

/// A search for a similar earlier transaction. The latest match provides the missing accounts.
#[derive(Debug, Clone, PartialEq)]
pub struct SimilarSearch {
    /// The filter that the transaction must match.
    pub filter: Filter,
    /// The whole description of the transaction, folded; `None` for any.
    pub description: Option<String>,
}

impl QuickEntry {
    /// Returns the searches for a similar transaction, in the order in which they are tried: with
    /// the same description, then with the same hashtags. None if the text has both accounts.
    pub fn similar_searches(&self, today: Date) -> Vec<SimilarSearch> {
        if self.credit.is_some() && self.debit.is_some() {
            return Vec::new();
        }
        let from = day::add_months(today, -MONTHS);
        let with_common = |terms: Vec<Term>| {
            let common = [
                Term::Status(Status::Posted),
                Term::Dated { basis: DateBasis::Transaction, from, until: None },
            ];
            Filter::All(terms.into_iter().chain(common).map(Filter::Term).collect())
        };
        let description = fold(&self.description);
        let mut searches = Vec::new();
        let found = tags::of(&self.description);
        if (1..=MAX_TEXT).contains(&description.chars().count()) {
            searches.push(SimilarSearch {
                filter: with_common(vec![Term::Text(description.clone())]),
                description: Some(description),
            });
        }
        if !found.is_empty() {
            let tags = found.iter().map(|tag| Term::Tag(tags::key(tag))).collect();
            searches.push(SimilarSearch { filter: with_common(tags), description: None });
        }
        searches
    }

    /// Fills empty sides with the accounts of an earlier transaction. A side stays empty if its
    /// account is on the other side already.
    #[must_use]
    pub fn fill_accounts(mut self, credit: AccountId, debit: AccountId) -> Self {
        let fill = |side: Option<AccountId>, other: Option<AccountId>, account: AccountId| {
            side.or(Some(account).filter(|account| other != Some(*account)))
        };
        (self.credit, self.debit) =
            (fill(self.credit, self.debit, credit), fill(self.debit, self.credit, debit));
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
    fn empty_sides_are_filled() {
        for (credit, debit, expected) in [
            (None, None, (Some(TWO), Some(THREE))),
            (Some(ONE), None, (Some(ONE), Some(THREE))),
            (None, Some(ONE), (Some(TWO), Some(ONE))),
            (Some(THREE), None, (Some(THREE), None)),
            (None, Some(TWO), (None, Some(TWO))),
        ] {
            let completed = entry(credit, debit).fill_accounts(TWO, THREE);
            assert_eq!((completed.credit, completed.debit), expected);
        }
    }

    #[test]
    fn descriptions_come_before_hashtags() {
        let today = parse_iso("2024-02-29").unwrap();
        let found = entry(Some(ONE), None).similar_searches(today);
        let descriptions: Vec<_> =
            found.iter().map(|search| search.description.as_deref()).collect();
        assert_eq!(descriptions, [Some("cafe #lunch"), None]);
        let mut from = Vec::new();
        found[1].filter.each_term(&mut |term| {
            if let Term::Dated { from: first, .. } = term {
                from.push(*first);
            }
        });
        assert_eq!(from, [parse_iso("2023-02-28")]);
        assert!(entry(Some(ONE), Some(TWO)).similar_searches(today).is_empty());
        assert!(QuickEntry::default().similar_searches(today).is_empty(), "no description");
    }
}
