//! Balances of accounts and groups, in total and by period (behaviour 5).
//!
//! A query takes these steps:
//!
//! 1. [`BalanceScope::accounts`] selects the accounts, and [`segments`] the ranges of days.
//! 2. Storage reads the [`PeriodTotal`]s of these accounts and segments.
//! 3. A [`BalanceFold`] sums them into a [`BalanceResult`].
//!
//! The cost depends on the number of accounts and periods, not on the number of transactions. The
//! memory depends on the size of the result. Amounts are integers at the storage scale of the book;
//! the caller formats them as decimals (behaviour 3.12.6).

mod account_movements;
mod container;
mod fold;
mod inputs;
mod layout;
mod movements;
mod running;
mod scope;
mod segment;
mod slice;
mod sums;
mod tree;

#[cfg(test)]
mod fixture;
#[cfg(test)]
mod laws;
#[cfg(test)]
mod tests;

pub use container::{AccountBalances, BalanceResult, GroupBalances};
pub use fold::BalanceFold;
pub use inputs::BalanceInputs;
pub use running::{RunningRow, running_balances};
pub use scope::BalanceScope;
pub use segment::{Level, PeriodTotal, Segment, segments};
pub use slice::{MAX_FILLED_SLICES, Slice};
pub(crate) use slice::{fuzzy_date, slice_date, step};
pub use sums::{Amounts, Sums};
