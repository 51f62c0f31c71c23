//! The search for a transaction that was recorded before (behaviour 3.15.4).

use time::Duration;

use super::Transaction;
use crate::query::{Comparison, DateBasis, Filter, Status, Term};

/// The days before and after a transaction in which a duplicate is searched for.
const DAYS: i64 = 3;

/// Maximum number of duplicates in a preview.
pub const MAX_DUPLICATES: i64 = 5;

impl Transaction {
    /// Returns the filter of its probable duplicates (behaviour 3.14.4).
    ///
    /// They have the same amount and accounts, a few days before or after. The filter names the
    /// accounts by id. `None` if the amount or an account is missing.
    pub fn duplicate_filter(&self) -> Option<Filter> {
        let (amount, credit, debit) = (self.amount?, self.credit?, self.debit?);
        let days = Duration::days(DAYS);
        let until = self.list_day.checked_add(days).and_then(time::Date::next_day);
        let terms = [
            Term::From(credit.to_string()),
            Term::To(debit.to_string()),
            Term::Amount { comparison: Comparison::Eq, value: amount.value() },
            Term::Dated {
                basis: DateBasis::Transaction,
                from: self.list_day.checked_sub(days),
                until,
            },
        ];
        let trashed = Filter::Term(Term::Status(Status::Trashed));
        let terms = terms.into_iter().map(Filter::Term);
        Some(Filter::All(terms.chain([Filter::Not(Box::new(trashed))]).collect()))
    }
}
