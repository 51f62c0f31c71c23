//! The accounts and groups of an answer, how they nest, and how much of their series it gives.

use std::collections::BTreeSet;

use crate::group::Forest;
use crate::id::{AccountId, GroupId};

use super::account_movements::AccountMovements;
use super::movements::Movements;
use super::slice::{PeriodAxis, Series, SeriesDetail};
use super::tree::{self, Tree};
use super::{BalanceAnswer, BalanceScope};

/// The most slices of all series of one answer together: a few hundred accounts by day over a year,
/// or a few thousand by month over some years (behaviour 5.18).
pub(super) const MAX_SLICES: usize = 250_000;

/// The accounts and groups of a scope. Accounts are given by their index in a list of tracks.
pub(super) struct Layout {
    /// Accounts outside of groups, by name; `None` when the query names no account.
    accounts: Option<Vec<usize>>,
    /// Root groups, by name; `None` when the query names no group.
    trees: Option<Vec<Tree>>,
}

impl Layout {
    /// The layout of a scope; `entries` are in order of names.
    pub(super) fn new(
        scope: &BalanceScope,
        forest: &Forest,
        entries: &[AccountMovements<'_>],
    ) -> Self {
        let is_group = |id: GroupId| forest.get(id).is_some();
        let places = |shown: &dyn Fn(&AccountMovements<'_>) -> bool| {
            entries
                .iter()
                .enumerate()
                .filter(|(_, entry)| shown(entry))
                .map(|(place, _)| place)
                .collect()
        };
        match scope {
            BalanceScope::Book => {
                let roots = forest
                    .groups()
                    .filter(|group| group.parent.is_none_or(|parent| !is_group(parent)))
                    .map(|group| group.id);
                let loose = |entry: &AccountMovements<'_>| {
                    entry.is_shown() && !entry.account.groups.iter().any(|group| is_group(*group))
                };
                Self {
                    accounts: Some(places(&loose)),
                    trees: Some(vec![Tree::new(forest, roots.collect(), entries)]),
                }
            }
            BalanceScope::Named { accounts, groups } => {
                let named: BTreeSet<AccountId> = accounts.iter().copied().collect();
                let known = groups.iter().copied().filter(|group| is_group(*group)).collect();
                // Each named group is a root, also one below another named group (behaviour 5.3).
                let apart = || {
                    tree::by_name(forest, known)
                        .into_iter()
                        .map(|group| Tree::new(forest, vec![group], entries))
                        .collect()
                };
                Self {
                    // Archived accounts without movement too (behaviour 5.11).
                    accounts: (!accounts.is_empty())
                        .then(|| places(&|entry| named.contains(&entry.account.id))),
                    trees: (!groups.is_empty()).then(apart),
                }
            }
        }
    }

    /// The balances, with as much of the series as an answer may have, if that is not known yet.
    pub(super) fn balances(
        &self,
        entries: &[AccountMovements<'_>],
        axis: PeriodAxis,
        detail: Option<SeriesDetail>,
    ) -> BalanceAnswer {
        let detail = detail.unwrap_or_else(|| self.detail(entries, axis));
        let mut truncated = false;
        let answer = self.filled(entries, &mut |track| {
            let series = track.series(axis, detail);
            truncated |= series.truncated;
            series
        });
        BalanceAnswer { truncated, ..answer }
    }

    /// How much of the series the answer may have.
    fn detail(&self, entries: &[AccountMovements<'_>], axis: PeriodAxis) -> SeriesDetail {
        match self.lengths(entries, axis) {
            (..=MAX_SLICES, _) => SeriesDetail::Filled,
            (_, ..=MAX_SLICES) => SeriesDetail::Moved,
            _ => SeriesDetail::Last,
        }
    }

    /// How long all series are together, with their zeros and without.
    pub(super) fn lengths(
        &self,
        entries: &[AccountMovements<'_>],
        axis: PeriodAxis,
    ) -> (usize, usize) {
        let (mut filled, mut moved): (usize, usize) = (0, 0);
        self.filled(entries, &mut |track| {
            filled = filled.saturating_add(track.length(axis, SeriesDetail::Filled));
            moved = moved.saturating_add(track.length(axis, SeriesDetail::Moved));
            Series::default()
        });
        (filled, moved)
    }

    fn filled(
        &self,
        entries: &[AccountMovements<'_>],
        series: &mut dyn FnMut(&Movements) -> Series,
    ) -> BalanceAnswer {
        let accounts = self.accounts.as_ref();
        let accounts = accounts.map(|places| {
            places
                .iter()
                .filter_map(|place| entries.get(*place))
                .map(|entry| entry.balances(series))
                .collect()
        });
        let groups = self
            .trees
            .as_ref()
            .map(|trees| trees.iter().flat_map(|tree| tree.balances(entries, series)).collect());
        BalanceAnswer { accounts, groups, truncated: false }
    }
}

#[cfg(test)]
mod tests {
    use super::super::BalanceFold;
    use super::super::fixture::{Book, accounts, groups, range};
    use super::*;
    use crate::account::AccountType::Asset;
    use crate::query::Periodicity::Daily;

    /// Sixty accounts that moved on the first day of 4,999.
    fn early() -> Book {
        let book = (1..=60).fold(Book::default(), |book, id| book.account(id, Asset, &[]));
        (1..60).fold(book, |book, id| book.posted("2010-01-01", id, id + 1, 1))
    }

    #[test]
    fn zeros_are_left_out_where_the_containers_together_are_too_long() {
        // Behaviour 5.18: 250,000 / 4,999 is a little more than 50.
        let range = range("2010-01-01", "2023-09-09", Daily);
        let lengths = |count: i64| {
            let answer = early().ask(&accounts(&(1..=count).collect::<Vec<_>>()), range);
            let found = answer.accounts.unwrap();
            assert!(found.iter().all(|account| account.truncated == answer.truncated));
            (found.iter().map(|account| account.series.len()).collect::<Vec<_>>(), answer.truncated)
        };
        assert_eq!(lengths(50), (vec![4_999; 50], false));
        assert_eq!(lengths(51), (vec![1; 51], true));
    }

    #[test]
    fn only_totals_are_left_where_even_movements_are_too_many() {
        // An account that moved on 500 days at the foot of a chain of groups: one container more
        // than 500 times 500.
        let ask = |depth: i64| {
            let chain = (1..depth)
                .fold(Book::default().group(0, None), |book, id| book.group(id, Some(id - 1)));
            let chain = chain.account(1, Asset, &[depth - 1]).account(2, Asset, &[]);
            let day = |offset: i64| {
                crate::calendar::format_iso(
                    super::super::fixture::d("2024-01-01") + time::Duration::days(2 * offset),
                )
            };
            let chain = (0..500).fold(chain, |book, offset| book.posted(&day(offset), 2, 1, 1));
            chain
                .ask(&groups(&[0]), range("2024-01-01", "2027-01-01", Daily))
                .groups
                .unwrap()
                .pop()
                .unwrap()
        };
        assert_eq!(ask(499).series.len(), 500);
        let root = ask(500);
        let found: Vec<_> =
            root.series.iter().map(|slice| (slice.fuzzy_date(), slice.figures)).collect();
        assert_eq!((found.as_slice(), root.truncated), (&[(20261231, root.figures)][..], true));
        assert_eq!((root.figures.period.debit, root.outline().len()), (500, 500));
    }

    #[test]
    fn lengths_are_told_before_series_are_made() {
        let book = early().account(99, Asset, &[]).posted("2024-02-01", 1, 99, 5);
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
                let (entries, axis) = fold.finished();
                for (entry, detail) in entries.iter().flat_map(|entry| {
                    [SeriesDetail::Filled, SeriesDetail::Moved, SeriesDetail::Last]
                        .map(|detail| (entry, detail))
                }) {
                    assert_eq!(
                        entry.track.length(axis, detail),
                        entry.track.series(axis, detail).slices.len(),
                        "{from} {until} {detail:?}"
                    );
                }
            });
        }
    }
}
