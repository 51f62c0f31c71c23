//! An account in scope with its movements.

use super::AccountBalances;
use super::movements::Movements;
use super::slice::Series;
use crate::account::Account;

/// An account in scope and its movements.
#[derive(Debug)]
pub(super) struct AccountMovements<'a> {
    pub(super) account: &'a Account,
    pub(super) movements: Movements,
    /// The number of groups in scope that contain it, at least 1. Each shows its series.
    pub(super) occurrences: usize,
}

impl AccountMovements<'_> {
    /// Returns whether a group or the book shows it: unless it is archived and has no movements
    /// (behaviour 5.11).
    pub(super) const fn is_shown(&self) -> bool {
        !(self.account.archived && self.movements.is_empty())
    }

    pub(super) fn balances(&self, series: &mut dyn FnMut(&Movements) -> Series) -> AccountBalances {
        let Series { slices, truncated } = series(&self.movements);
        AccountBalances {
            account: self.account.id,
            empty: self.movements.is_empty(),
            amounts: self.movements.amounts(),
            series: slices,
            truncated,
        }
    }
}
