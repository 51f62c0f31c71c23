//! An account in scope, with its track.

use super::AccountBalances;
use super::movements::Movements;
use super::slice::Series;
use crate::account::Account;

/// An account in scope and its movements.
#[derive(Debug)]
pub(super) struct AccountMovements<'a> {
    pub(super) account: &'a Account,
    pub(super) track: Movements,
    /// How often an answer shows it at least, if it has moved: in each group that it is in.
    pub(super) times_shown: usize,
}

impl AccountMovements<'_> {
    /// Whether it is shown in a group or the book: all are but archived ones without movement
    /// (behaviour 5.11).
    pub(super) const fn is_shown(&self) -> bool {
        !(self.account.archived && self.track.is_empty())
    }

    pub(super) fn balances(&self, series: &mut dyn FnMut(&Movements) -> Series) -> AccountBalances {
        let Series { slices, truncated } = series(&self.track);
        AccountBalances {
            account: self.account.id,
            empty: self.track.is_empty(),
            figures: self.track.figures(),
            series: slices,
            truncated,
        }
    }
}
