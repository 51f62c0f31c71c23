//! A streaming fold of period totals into balances.
//!
//! The fold keeps no more movements than a result can show (behaviour 5.18). Beyond that limit the
//! result shows each series as one slice, for which the sum and the first and last movement of each
//! account suffice.

use crate::id::AccountId;

use super::account_movements::AccountMovements;
use super::inputs::BalanceInputs;
use super::layout::{Layout, MAX_SLICES};
use super::slice::{PeriodAxis, SeriesDetail, step};
use super::{BalanceResult, BalanceScope, PeriodTotal, Sums};

/// The state of a balance computation.
#[derive(Debug)]
pub struct BalanceFold<'a> {
    inputs: BalanceInputs<'a>,
    scope: &'a BalanceScope,
    /// The accounts in scope by name.
    entries: Vec<AccountMovements<'a>>,
    /// The index of each account in `entries`, sorted by id.
    indexes: Vec<(AccountId, usize)>,
    /// The result of the last lookup.
    last_found: Option<(AccountId, usize)>,
    /// The maximum number of movements in a result.
    max: usize,
    /// The number of stored movements, weighted by the occurrences of their accounts.
    count: usize,
    /// The value of `count` at which movements of the same slices are merged.
    merge_at: usize,
    /// Whether `max` was exceeded, so only sums are kept.
    is_summed: bool,
}

impl<'a> BalanceFold<'a> {
    /// Starts a fold for a scope.
    pub fn new(inputs: BalanceInputs<'a>, scope: &'a BalanceScope) -> Self {
        let entries = inputs.entries(scope);
        let mut indexes: Vec<(AccountId, usize)> =
            entries.iter().enumerate().map(|(index, entry)| (entry.account.id, index)).collect();
        indexes.sort_unstable();
        Self {
            inputs,
            scope,
            entries,
            indexes,
            last_found: None,
            max: MAX_SLICES,
            count: 0,
            merge_at: MAX_SLICES,
            is_summed: false,
        }
    }

    /// Adds one of the totals read for [`segments`](super::segments).
    ///
    /// Totals count posted transactions that are not trashed (behaviour 5.12). They may come in any
    /// order; consecutive totals of one account are fastest. Totals outside the scope are ignored,
    /// and so are all totals of an empty range.
    pub fn add(&mut self, total: &PeriodTotal) {
        let sums = Sums { debit: total.debit, credit: total.credit };
        if sums.is_zero() || self.inputs.is_void() {
            return;
        }
        let same = self.last_found.filter(|(id, _)| *id == total.account);
        self.last_found = same.or_else(|| self.find(total.account));
        let Some(entry) = self.last_found.and_then(|(_, index)| self.entries.get_mut(index)) else {
            return;
        };
        let Some(day) = total.period else { return entry.movements.add_opening(sums) };
        let is_new = entry.movements.add(step(self.inputs.periodicity, day), sums);
        if self.is_summed {
            entry.movements.sum_up();
        } else if is_new {
            self.count = self.count.saturating_add(entry.occurrences);
            if self.count > self.merge_at {
                self.merge();
            }
        }
    }

    /// Sums the accounts into the groups of the scope and returns the result.
    ///
    /// Accounts and groups are ordered by normalized name and id (behaviour 5.11). If all series
    /// together would be too long, they omit slices without movements. If they are still too long,
    /// they omit all slices but the last (behaviour 5.18).
    pub fn finish(mut self) -> BalanceResult {
        self.merge();
        let detail = self.is_summed.then_some(SeriesDetail::Last);
        let (scope, forest) = (self.scope, self.inputs.forest);
        let (entries, axis) = self.into_entries();
        Layout::new(scope, forest, &entries).balances(&entries, axis, detail)
    }

    /// Returns the accounts in scope with complete movements, and the axis of their series.
    pub(super) fn into_entries(self) -> (Vec<AccountMovements<'a>>, PeriodAxis) {
        let Self { inputs, mut entries, .. } = self;
        if !inputs.is_void() {
            let start = inputs.from.map(|day| step(inputs.periodicity, day));
            for entry in &mut entries {
                entry.movements.finish(start, entry.account.kind.is_permanent());
            }
        }
        let axis = PeriodAxis { periodicity: inputs.periodicity, last: inputs.last_step(&entries) };
        (entries, axis)
    }

    fn find(&self, account: AccountId) -> Option<(AccountId, usize)> {
        let found = self.indexes.binary_search_by_key(&account, |(id, _)| *id).ok()?;
        self.indexes.get(found).copied()
    }

    /// Merges movements of the same slices. If too many remain, keeps only sums.
    fn merge(&mut self) {
        if self.is_summed {
            return;
        }
        self.count = 0;
        for entry in &mut self.entries {
            entry.movements.merge();
            let count = entry.movements.len().saturating_mul(entry.occurrences);
            self.count = self.count.saturating_add(count);
        }
        self.merge_at = self.count.saturating_add(self.max);
        self.is_summed = self.count > self.max;
        if self.is_summed {
            self.entries.iter_mut().for_each(|entry| entry.movements.sum_up());
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::super::fixture::{Book, Range, accounts, d, groups, named, range};
    use super::super::laws::{books, ranges};
    use super::*;
    use crate::account::AccountType::{Asset, Outgoing};
    use crate::query::Periodicity::{Daily, Yearly};

    /// Folds totals with a limit of `max` movements.
    fn fold<'a>(
        inputs: &BalanceInputs<'a>,
        scope: &'a BalanceScope,
        totals: &[PeriodTotal],
        max: usize,
    ) -> BalanceFold<'a> {
        let mut fold = BalanceFold { max, merge_at: max, ..BalanceFold::new(*inputs, scope) };
        totals.iter().for_each(|total| fold.add(total));
        fold
    }

    fn scopes() -> impl Strategy<Value = BalanceScope> {
        let some = || prop::collection::btree_set(0_i64..6, 0..3);
        let list = |ids: BTreeSet<i64>| ids.into_iter().collect::<Vec<_>>();
        let named = (some(), some())
            .prop_map(move |(accounts, groups)| named(&list(accounts), &list(groups)));
        prop_oneof![Just(BalanceScope::Book), named]
    }

    proptest! {
        /// The limit only affects results that show a single slice per series anyway.
        #[test]
        fn limit_of_movements_does_not_change_the_result(
            book in books(), range in ranges(), scope in scopes(), max in 0_usize..12,
        ) {
            let totals = book.totals(range);
            book.with_inputs(range, |inputs| {
                let unlimited = || fold(inputs, &scope, &totals, usize::MAX);
                let (entries, axis) = unlimited().into_entries();
                let layout = Layout::new(&scope, inputs.forest, &entries);
                let mut limited = fold(inputs, &scope, &totals, max);
                limited.merge();
                if limited.is_summed {
                    let (_, moved) = layout.lengths(&entries, axis);
                    prop_assert!(moved > max, "{moved} of {max}");
                    let expected = layout.balances(&entries, axis, Some(SeriesDetail::Last));
                    prop_assert_eq!(limited.finish(), expected);
                } else {
                    prop_assert_eq!(limited.finish(), unlimited().finish());
                }
                Ok(())
            })?;
        }
    }

    /// Counts the movements in memory.
    fn count_movements(fold: &BalanceFold<'_>) -> usize {
        fold.entries.iter().map(|entry| entry.movements.len()).sum()
    }

    fn total(account: i64, day: time::Date) -> PeriodTotal {
        PeriodTotal { account: AccountId::new(account), period: Some(day), debit: 0, credit: 1 }
    }

    #[test]
    fn movements_in_memory_are_limited() {
        let book = (1..=100).fold(Book::default(), |book, id| book.account(id, Asset, &[]));
        let scope = BalanceScope::Book;
        let whole = range("", "", Daily);
        book.with_inputs(whole, |inputs| {
            let mut fold = BalanceFold::new(*inputs, &scope);
            let mut max = 0;
            for account in 1..=100 {
                let mut day = d("2000-01-01");
                for _ in 0..4_000 {
                    fold.add(&total(account, day));
                    day = day.next_day().unwrap();
                    max = max.max(count_movements(&fold));
                }
            }
            assert!(max <= MAX_SLICES + 1, "{max} of 400,000");
            assert_eq!(count_movements(&fold), 200, "the first and the last of each account");
            let result = fold.finish();
            let accounts = result.accounts.unwrap();
            assert!(result.truncated && accounts.iter().all(|one| one.series.len() == 1));
            assert!(accounts.iter().all(|one| one.amounts.period.credit == 4_000));
        });
    }

    #[test]
    fn account_counts_once_in_each_group() {
        let mut book = (1..=600).fold(Book::default(), |book, id| book.group(id, None));
        book = book.account(1, Outgoing, &(1..=600).collect::<Vec<_>>());
        let days = |range: Range, count: usize, scope: &BalanceScope| {
            book.with_inputs(range, |inputs| {
                let mut fold = BalanceFold::new(*inputs, scope);
                let mut day = d("2020-01-01");
                for _ in 0..count {
                    fold.add(&total(1, day));
                    day = day.next_day().unwrap();
                }
                count_movements(&fold)
            })
        };
        let daily = range("", "", Daily);
        assert_eq!(days(daily, 416, &BalanceScope::Book), 416, "600 times 416 are shown");
        assert_eq!(days(daily, 417, &BalanceScope::Book), 2);
        assert_eq!(days(daily, 417, &groups(&[1])), 417, "one occurrence");
        assert_eq!(days(daily, 417, &accounts(&[1])), 417);
        assert_eq!(days(range("", "", Yearly), 900, &BalanceScope::Book), 3, "slices count");
    }
}
