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
//!
//! ```
//! use daybook_domain::account::{Account, AccountType, Changes};
//! use daybook_domain::balance::{BalanceFold, BalanceInputs, BalanceScope, PeriodTotal, segments};
//! use daybook_domain::calendar::parse_iso;
//! use daybook_domain::group::Forest;
//! use daybook_domain::id::AccountId;
//! use daybook_domain::instant::{Instant, Stamp};
//! use daybook_domain::query::Periodicity;
//!
//! let id = AccountId::new(1);
//! let named = Changes { name: Some("Cash".to_owned()), ..Changes::default() };
//! let cash =
//!     Account::create(id, named, &[AccountType::Asset].into(), Stamp::new(None, Instant::new(0)))
//!         .unwrap();
//!
//! let (from, until) = (parse_iso("2025-01-01"), parse_iso("2025-04-01"));
//! assert_eq!(segments(from, until, Periodicity::Monthly).len(), 2); // opening, range
//! let today = parse_iso("2025-05-20").unwrap();
//! let inputs = BalanceInputs {
//!     accounts: &[cash],
//!     forest: &Forest::default(),
//!     from,
//!     until,
//!     periodicity: Periodicity::Monthly,
//!     today,
//! };
//! let scope = BalanceScope::Named { accounts: vec![id], groups: vec![] };
//! let mut fold = BalanceFold::new(inputs, &scope);
//! for total in [
//!     PeriodTotal { account: id, period: None, debit: 100, credit: 0 },
//!     PeriodTotal { account: id, period: parse_iso("2025-02-01"), debit: 0, credit: 30 },
//! ] {
//!     fold.add(&total);
//! }
//! let balances = fold.finish();
//!
//! let cash = &balances.accounts.unwrap()[0];
//! assert_eq!((cash.amounts.cumulative.balance(), cash.amounts.period.balance()), (-70, 30));
//! let series: Vec<_> = cash
//!     .series
//!     .iter()
//!     .map(|slice| (slice.fuzzy_date(), slice.amounts.cumulative.balance()))
//!     .collect();
//! assert_eq!(series, [(20250100, -100), (20250200, -70), (20250300, -70)]);
//! assert_eq!(balances.groups, None);
//! ```

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
