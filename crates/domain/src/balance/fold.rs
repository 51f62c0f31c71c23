//! Adds totals up one after another, as they are read. Of the movements no more is kept than an
//! answer can show (behaviour 5.18): where there are more, it shows each series as one entry, and
//! for that it is enough to know of each account what it has moved, and when first and last.

use crate::id::AccountId;

use super::account_movements::AccountMovements;
use super::inputs::BalanceInputs;
use super::layout::{Layout, MAX_SLICES};
use super::slice::{PeriodAxis, SeriesDetail, step};
use super::{BalanceAnswer, BalanceScope, PeriodTotal, Sums};

/// A balance answer in the making.
#[derive(Debug)]
pub struct BalanceFold<'a> {
    inputs: BalanceInputs<'a>,
    scope: &'a BalanceScope,
    /// The accounts in scope by name, each with its track.
    entries: Vec<AccountMovements<'a>>,
    /// Where each account is among them.
    places: Vec<(AccountId, usize)>,
    /// The last account that was found.
    found: Option<(AccountId, usize)>,
    /// Movements that all series of an answer may have.
    most: usize,
    /// Movements that are kept, each as often as it would be shown at least.
    kept: usize,
    /// How many may be kept until those of the same slices are added up.
    limit: usize,
    /// Whether there are more than an answer shows, so that no slice but the last is known.
    summed: bool,
}

impl<'a> BalanceFold<'a> {
    /// Begins to add totals up for a scope.
    #[must_use]
    pub fn new(inputs: BalanceInputs<'a>, scope: &'a BalanceScope) -> Self {
        let entries = inputs.entries(scope);
        let mut places: Vec<(AccountId, usize)> =
            entries.iter().enumerate().map(|(place, entry)| (entry.account.id, place)).collect();
        places.sort_unstable();
        let (most, limit) = (MAX_SLICES, MAX_SLICES);
        Self { inputs, scope, entries, places, found: None, most, kept: 0, limit, summed: false }
    }

    /// Adds a total, one of those read for [`segments`](super::segments), of posted and not trashed
    /// transactions (behaviour 5.12). They come in any order, and fastest when those of an account
    /// stand together. Those of accounts outside the scope are ignored, and so are all of a range
    /// that ends before it starts.
    pub fn add(&mut self, total: &PeriodTotal) {
        let sums = Sums { debit: total.debit, credit: total.credit };
        if sums.is_zero() || self.inputs.is_void() {
            return;
        }
        let known = self.found.filter(|(id, _)| *id == total.account);
        self.found = known.or_else(|| self.place(total.account));
        let Some(entry) = self.found.and_then(|(_, place)| self.entries.get_mut(place)) else {
            return;
        };
        let Some(day) = total.period else { return entry.track.open(sums) };
        let is_new = entry.track.enter(step(self.inputs.periodicity, day), sums);
        if self.summed {
            entry.track.sum_up();
        } else if is_new {
            self.kept = self.kept.saturating_add(entry.times_shown);
            if self.kept > self.limit {
                self.condense();
            }
        }
    }

    /// Adds the accounts up into the groups of the scope, ordered by normalized name and id
    /// (behaviour 5.11). When all series together would be too long, they leave out slices without
    /// movement, and if that is not enough, all slices but the last (behaviour 5.18).
    #[must_use]
    pub fn answer(mut self) -> BalanceAnswer {
        self.condense();
        let detail = self.summed.then_some(SeriesDetail::Last);
        let (scope, forest) = (self.scope, self.inputs.forest);
        let (entries, axis) = self.finished();
        Layout::new(scope, forest, &entries).balances(&entries, axis, detail)
    }

    /// The accounts in scope with their tracks, and the axis of their series.
    pub(super) fn finished(self) -> (Vec<AccountMovements<'a>>, PeriodAxis) {
        let Self { inputs, mut entries, .. } = self;
        if !inputs.is_void() {
            let start = inputs.from.map(|day| step(inputs.periodicity, day));
            for entry in &mut entries {
                entry.track.finish(start, entry.account.kind.is_permanent());
            }
        }
        let axis = PeriodAxis { periodicity: inputs.periodicity, last: inputs.last_step(&entries) };
        (entries, axis)
    }

    fn place(&self, account: AccountId) -> Option<(AccountId, usize)> {
        let found = self.places.binary_search_by_key(&account, |(id, _)| *id).ok()?;
        self.places.get(found).copied()
    }

    /// Adds up what moved in the same slices. Where the rest is more than an answer shows, no
    /// slices are kept.
    fn condense(&mut self) {
        if self.summed {
            return;
        }
        self.kept = 0;
        for entry in &mut self.entries {
            entry.track.merge();
            let shown = entry.track.moved().saturating_mul(entry.times_shown);
            self.kept = self.kept.saturating_add(shown);
        }
        self.limit = self.kept.saturating_add(self.most);
        self.summed = self.kept > self.most;
        if self.summed {
            self.entries.iter_mut().for_each(|entry| entry.track.sum_up());
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::fixture::{Book, Range, accounts, d, groups, range};
    use super::super::laws::{books, ranges};
    use super::*;
    use crate::account::AccountType::{Asset, Outgoing};
    use crate::query::Periodicity::{Daily, Yearly};

    /// How the answer is made when so many movements are kept.
    fn fold<'a>(
        inputs: &BalanceInputs<'a>,
        (scope, totals): (&'a BalanceScope, &[PeriodTotal]),
        most: usize,
    ) -> BalanceFold<'a> {
        let mut fold = BalanceFold { most, limit: most, ..BalanceFold::new(*inputs, scope) };
        totals.iter().for_each(|total| fold.add(total));
        fold
    }

    fn scopes() -> impl Strategy<Value = BalanceScope> {
        let some = || prop::collection::vec(0_i64..6, 0..3);
        let named = (some(), some()).prop_map(|(named, grouped)| {
            let [named, grouped] = [named, grouped]
                .map(|ids| ids.into_iter().collect::<std::collections::BTreeSet<_>>());
            BalanceScope::Named {
                accounts: named.into_iter().map(AccountId::new).collect(),
                groups: grouped.into_iter().map(crate::id::GroupId::new).collect(),
            }
        });
        prop_oneof![Just(BalanceScope::Book), named]
    }

    proptest! {
        /// Without the slices the answer is the one that is given without them, and they are only
        /// given up where the answer shows none.
        #[test]
        fn what_is_not_kept_is_not_shown(
            book in books(), range in ranges(), scope in scopes(), most in 0_usize..12,
        ) {
            let totals = book.totals(range);
            book.with_inputs(range, |inputs| {
                let whole = || fold(inputs, (&scope, &totals), usize::MAX);
                let (entries, axis) = whole().finished();
                let layout = Layout::new(&scope, inputs.forest, &entries);
                let mut bounded = fold(inputs, (&scope, &totals), most);
                bounded.condense();
                if bounded.summed {
                    let (_, moved) = layout.lengths(&entries, axis);
                    prop_assert!(moved > most, "{moved} of {most}");
                    let expected = layout.balances(&entries, axis, Some(SeriesDetail::Last));
                    prop_assert_eq!(bounded.answer(), expected);
                } else {
                    prop_assert_eq!(bounded.answer(), whole().answer());
                }
                Ok(())
            })?;
        }
    }

    /// Movements in memory.
    fn held(fold: &BalanceFold<'_>) -> usize {
        fold.entries.iter().map(|entry| entry.track.moved()).sum()
    }

    fn total(account: i64, day: time::Date) -> PeriodTotal {
        PeriodTotal { account: AccountId::new(account), period: Some(day), debit: 0, credit: 1 }
    }

    #[test]
    fn rule_5_18_no_more_is_kept_than_an_answer_shows() {
        let book = (1..=100).fold(Book::default(), |book, id| book.account(id, Asset, &[]));
        let scope = BalanceScope::Book;
        let whole = range("", "", Daily);
        book.with_inputs(whole, |inputs| {
            let mut fold = BalanceFold::new(*inputs, &scope);
            let mut most = 0;
            for account in 1..=100 {
                let mut day = d("2000-01-01");
                for _ in 0..4_000 {
                    fold.add(&total(account, day));
                    day = day.next_day().unwrap();
                    most = most.max(held(&fold));
                }
            }
            assert!(most <= MAX_SLICES + 1, "{most} of 400,000");
            assert_eq!(held(&fold), 200, "when first and last");
            let answer = fold.answer();
            let shown = answer.accounts.unwrap();
            assert!(answer.truncated && shown.iter().all(|one| one.series.len() == 1));
            assert!(shown.iter().all(|one| one.figures.period.credit == 4_000));
        });
    }

    #[test]
    fn an_account_counts_once_in_each_group() {
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
                held(&fold)
            })
        };
        let daily = range("", "", Daily);
        assert_eq!(days(daily, 416, &BalanceScope::Book), 416, "600 times 416 are shown");
        assert_eq!(days(daily, 417, &BalanceScope::Book), 2);
        assert_eq!(days(daily, 417, &groups(&[1])), 417, "alone it is shown");
        assert_eq!(days(daily, 417, &accounts(&[1])), 417);
        assert_eq!(days(range("", "", Yearly), 900, &BalanceScope::Book), 3, "slices count");
    }
}
