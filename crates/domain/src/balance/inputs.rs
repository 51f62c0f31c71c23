//! The inputs of a balance query besides its totals.

use time::Date;

use crate::account::Account;
use crate::calendar::is_void;
use crate::group::Forest;
use crate::query::Periodicity;

use super::BalanceScope;
use super::account_movements::AccountMovements;
use super::movements::Movements;
use super::slice::step;

/// The inputs of a balance query besides its totals. The module documentation has an example.
#[derive(Debug, Clone, Copy)]
pub struct BalanceInputs<'a> {
    /// The accounts of the book, at least those of [`BalanceScope::accounts`].
    pub accounts: &'a [Account],
    /// The groups of the book.
    pub forest: &'a Forest,
    /// The first day of the range; open when absent.
    pub from: Option<Date>,
    /// The day after the last day of the range; open when absent.
    pub until: Option<Date>,
    /// The length of a slice.
    pub periodicity: Periodicity,
    /// Today in the time zone of the book. A range without end lasts at least until today
    /// (behaviour 5.7).
    pub today: Date,
}

impl<'a> BalanceInputs<'a> {
    /// Returns whether the range ends before it starts.
    pub(super) fn is_void(&self) -> bool {
        is_void(self.from, self.until)
    }

    /// Lists the accounts in scope by name, without movements yet.
    pub(super) fn entries(&self, scope: &BalanceScope) -> Vec<AccountMovements<'a>> {
        let mut accounts = scope.accounts(self.accounts, self.forest);
        accounts.sort_by(|one, other| {
            let by_name = one.name.normalized().cmp(other.name.normalized());
            by_name.then(one.id.cmp(&other.id))
        });
        let shown = scope.groups(self.forest);
        let entry = |account: &'a Account| AccountMovements {
            account,
            movements: Movements::default(),
            occurrences: account.groups.intersection(&shown).count().max(1),
        };
        accounts.into_iter().map(entry).collect()
    }

    /// Returns the step of the last slice (behaviour 5.7).
    ///
    /// It contains the last day of the range, or in a range without end the latest of today, the
    /// last movement in scope and the first day of the range.
    pub(super) fn last_step(&self, entries: &[AccountMovements<'_>]) -> Option<i32> {
        if self.is_void() {
            return None;
        }
        if let Some(until) = self.until {
            return until.previous_day().map(|day| step(self.periodicity, day));
        }
        let days = [Some(self.today), self.from]
            .into_iter()
            .flatten()
            .map(|day| step(self.periodicity, day));
        entries.iter().filter_map(|entry| entry.movements.last_step()).chain(days).max()
    }
}
