//! The accounts and groups of a result, their nesting, and the detail of their series.

use std::collections::BTreeSet;

use crate::group::Forest;
use crate::id::{AccountId, GroupId};

use super::account_movements::AccountMovements;
use super::movements::Movements;
use super::slice::{PeriodAxis, Series, SeriesDetail};
use super::tree::{self, Tree};
use super::{BalanceResult, BalanceScope};

/// Limit of slices of all series of a result (behaviour 5.18).
///
/// It allows a few hundred accounts by day over a year, or a few thousand by month over some years.
pub(super) const MAX_SLICES: usize = 250_000;

/// The accounts and groups of a scope. Accounts are indexes into a list of entries.
pub(super) struct Layout {
    /// Accounts outside of groups, by name; `None` when the query names no account.
    accounts: Option<Vec<usize>>,
    /// Root groups, by name; `None` when the query names no group.
    trees: Option<Vec<Tree>>,
}

impl Layout {
    /// Creates the layout of a scope. `entries` are sorted by name.
    pub(super) fn new(
        scope: &BalanceScope,
        forest: &Forest,
        entries: &[AccountMovements<'_>],
    ) -> Self {
        let is_group = |id: GroupId| forest.get(id).is_some();
        let indexes = |is_shown: &dyn Fn(&AccountMovements<'_>) -> bool| {
            entries
                .iter()
                .enumerate()
                .filter(|(_, entry)| is_shown(entry))
                .map(|(index, _)| index)
                .collect()
        };
        match scope {
            BalanceScope::Book => {
                let roots = forest
                    .groups()
                    .filter(|group| group.parent.is_none_or(|parent| !is_group(parent)))
                    .map(|group| group.id);
                let is_ungrouped = |entry: &AccountMovements<'_>| {
                    entry.is_shown() && !entry.account.groups.iter().any(|group| is_group(*group))
                };
                Self {
                    accounts: Some(indexes(&is_ungrouped)),
                    trees: Some(vec![Tree::new(forest, roots.collect(), entries)]),
                }
            }
            BalanceScope::Named { accounts, groups } => {
                let named: BTreeSet<AccountId> = accounts.iter().copied().collect();
                let known = groups.iter().copied().filter(|group| is_group(*group)).collect();
                // Each named group is a root, even below another named group (behaviour 5.3).
                let roots = || {
                    tree::by_name(forest, known)
                        .into_iter()
                        .map(|group| Tree::new(forest, vec![group], entries))
                        .collect()
                };
                Self {
                    // Including archived accounts without movements (behaviour 5.11).
                    accounts: (!accounts.is_empty())
                        .then(|| indexes(&|entry| named.contains(&entry.account.id))),
                    trees: (!groups.is_empty()).then(roots),
                }
            }
        }
    }

    /// Computes the balances with series of the given detail, or of the finest allowed one.
    pub(super) fn balances(
        &self,
        entries: &[AccountMovements<'_>],
        axis: PeriodAxis,
        detail: Option<SeriesDetail>,
    ) -> BalanceResult {
        let detail = detail.unwrap_or_else(|| self.finest_detail(entries, axis));
        let mut truncated = false;
        let result = self.build(entries, &mut |movements| {
            let series = movements.series(axis, detail);
            truncated |= series.truncated;
            series
        });
        BalanceResult { truncated, ..result }
    }

    /// Returns the finest detail within [`MAX_SLICES`].
    fn finest_detail(&self, entries: &[AccountMovements<'_>], axis: PeriodAxis) -> SeriesDetail {
        match self.lengths(entries, axis) {
            (..=MAX_SLICES, _) => SeriesDetail::Filled,
            (_, ..=MAX_SLICES) => SeriesDetail::Moved,
            _ => SeriesDetail::Last,
        }
    }

    /// Returns the total length of all series, with and without slices of zero.
    pub(super) fn lengths(
        &self,
        entries: &[AccountMovements<'_>],
        axis: PeriodAxis,
    ) -> (usize, usize) {
        let (mut filled, mut moved): (usize, usize) = (0, 0);
        self.build(entries, &mut |movements| {
            filled = filled.saturating_add(movements.length(axis, SeriesDetail::Filled));
            moved = moved.saturating_add(movements.length(axis, SeriesDetail::Moved));
            Series::default()
        });
        (filled, moved)
    }

    /// Builds the result; `series` makes the series of an account or a group.
    fn build(
        &self,
        entries: &[AccountMovements<'_>],
        series: &mut dyn FnMut(&Movements) -> Series,
    ) -> BalanceResult {
        let accounts = self.accounts.as_ref();
        let accounts = accounts.map(|indexes| {
            indexes
                .iter()
                .filter_map(|index| entries.get(*index))
                .map(|entry| entry.balances(series))
                .collect()
        });
        let groups = self
            .trees
            .as_ref()
            .map(|trees| trees.iter().flat_map(|tree| tree.balances(entries, series)).collect());
        BalanceResult { accounts, groups, truncated: false }
    }
}

#[cfg(test)]
mod tests {
    use super::super::BalanceFold;
    use super::super::fixture::{Book, accounts, d, groups, range};
    use super::*;
    use crate::account::AccountType::Asset;
    use crate::calendar::format_iso;
    use crate::query::Periodicity::Daily;

    /// Creates 60 accounts with movements on the first of 4,999 days only.
    fn book_with_early_movements() -> Book {
        let book = (1..=60).fold(Book::default(), |book, id| book.account(id, Asset, &[]));
        (1..60).fold(book, |book, id| book.posted("2010-01-01", id, id + 1, 1))
    }

    #[test]
    fn zero_slices_are_omitted_beyond_the_limit() {
        // Behaviour 5.18: 250,000 / 4,999 is a little more than 50.
        let range = range("2010-01-01", "2023-09-09", Daily);
        let lengths = |count: i64| {
            let scope = accounts(&(1..=count).collect::<Vec<_>>());
            let result = book_with_early_movements().balances(&scope, range);
            let found = result.accounts.unwrap();
            assert!(found.iter().all(|account| account.truncated == result.truncated));
            (found.iter().map(|account| account.series.len()).collect::<Vec<_>>(), result.truncated)
        };
        assert_eq!(lengths(50), (vec![4_999; 50], false));
        assert_eq!(lengths(51), (vec![1; 51], true));
    }

    #[test]
    fn only_the_last_slice_remains_when_movements_exceed_the_limit() {
        // An account with movements on 500 days below a chain of groups. With 500 groups, the
        // series of the groups and of the account have 501 times 500 movements.
        let balances = |depth: i64| {
            let chain = (1..depth)
                .fold(Book::default().group(0, None), |book, id| book.group(id, Some(id - 1)));
            let chain = chain.account(1, Asset, &[depth - 1]).account(2, Asset, &[]);
            let day = |offset: i64| d("2024-01-01") + time::Duration::days(2 * offset);
            let chain =
                (0..500).fold(chain, |book, offset| book.posted(&format_iso(day(offset)), 2, 1, 1));
            let result = chain.balances(&groups(&[0]), range("2024-01-01", "2027-01-01", Daily));
            result.groups.unwrap().pop().unwrap()
        };
        assert_eq!(balances(499).series.len(), 500);
        let root = balances(500);
        let found: Vec<_> =
            root.series.iter().map(|slice| (slice.fuzzy_date(), slice.amounts)).collect();
        assert_eq!((found.as_slice(), root.truncated), (&[(20261231, root.amounts)][..], true));
        assert_eq!((root.amounts.period.debit, root.outline().len()), (500, 500));
    }

    #[test]
    fn length_equals_that_of_the_series() {
        let book =
            book_with_early_movements().account(99, Asset, &[]).posted("2024-02-01", 1, 99, 5);
        let scope = accounts(&[1, 2, 99]);
        for (from, until) in [
            ("2010-01-01", "2011-01-01"),
            ("", ""),
            ("2015-01-01", ""),
            ("2024-03-01", "2099-01-01"),
            ("2009-01-01", "2009-02-01"),
        ] {
            let range = range(from, until, Daily);
            book.with_inputs(range, |inputs| {
                let mut fold = BalanceFold::new(*inputs, &scope);
                book.totals(range).iter().for_each(|total| fold.add(total));
                let (entries, axis) = fold.into_entries();
                for entry in &entries {
                    for detail in [SeriesDetail::Filled, SeriesDetail::Moved, SeriesDetail::Last] {
                        let length = entry.movements.length(axis, detail);
                        let series = entry.movements.series(axis, detail);
                        assert_eq!(length, series.slices.len(), "{from} {until} {detail:?}");
                    }
                }
            });
        }
    }
}
