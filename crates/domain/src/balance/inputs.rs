//! Makes the answer of a balance query from the totals read.

use time::Date;

use crate::account::Account;
use crate::calendar::is_void;
use crate::group::Forest;
use crate::id::AccountId;
use crate::query::Periodicity;

use super::account_track::AccountTrack;
use super::layout::Layout;
use super::slice::{Axis, step};
use super::track::Track;
use super::{BalanceAnswer, BalanceScope, PeriodTotal, Sums};

/// Everything a balance query is answered from. The module documentation has an example.
#[derive(Debug, Clone)]
pub struct BalanceInputs<'a> {
    /// The accounts of the book, at least those of [`BalanceScope::accounts`].
    pub accounts: &'a [Account],
    /// The groups of the book.
    pub forest: &'a Forest,
    /// The totals read for [`segments`](super::segments), of posted and not trashed transactions
    /// (behaviour 5.12), in any order. Those of accounts outside the scope are ignored. Fastest
    /// when the totals of an account stand together.
    pub totals: Vec<PeriodTotal>,
    /// The first day of the range; open when absent.
    pub from: Option<Date>,
    /// The day after the last day of the range; open when absent.
    pub until: Option<Date>,
    /// The length of a slice.
    pub periodicity: Periodicity,
    /// Today in the time zone of the book: a range without end lasts at least until today
    /// (behaviour 5.7).
    pub today: Date,
}

impl BalanceInputs<'_> {
    /// Adds the totals up into the accounts and groups of the scope, ordered by normalized name and
    /// id (behaviour 5.11). When all series together would be too long, they leave out slices
    /// without movement, and if that is not enough, all slices but the last (behaviour 5.18).
    #[must_use]
    pub fn balances(&self, scope: &BalanceScope) -> BalanceAnswer {
        let (entries, axis) = self.tracks(scope);
        Layout::new(scope, self.forest, &entries).balances(&entries, axis)
    }

    /// The accounts in scope with their tracks, and the axis of their series.
    pub(super) fn tracks(&self, scope: &BalanceScope) -> (Vec<AccountTrack<'_>>, Axis) {
        let entries = self.entries(scope);
        let axis = Axis { periodicity: self.periodicity, last: self.last_step(&entries) };
        (entries, axis)
    }

    /// The accounts in scope by name, each with its track.
    fn entries(&self, scope: &BalanceScope) -> Vec<AccountTrack<'_>> {
        let mut accounts = scope.accounts(self.accounts, self.forest);
        accounts.sort_by_cached_key(|account| (account.name.normalized(), account.id));
        let mut entries: Vec<AccountTrack<'_>> = accounts
            .into_iter()
            .map(|account| AccountTrack { account, track: Track::default() })
            .collect();
        if !is_void(self.from, self.until) {
            self.fill(&mut entries);
        }
        entries
    }

    fn fill(&self, entries: &mut [AccountTrack<'_>]) {
        let mut places: Vec<(AccountId, usize)> =
            entries.iter().enumerate().map(|(place, entry)| (entry.account.id, place)).collect();
        places.sort_unstable();
        let find = |id: AccountId| {
            places
                .binary_search_by_key(&id, |(id, _)| *id)
                .ok()
                .and_then(|found| places.get(found))
                .copied()
        };
        let mut found: Option<(AccountId, usize)> = None;
        for total in &self.totals {
            let sums = Sums { debit: total.debit, credit: total.credit };
            found = found.filter(|(id, _)| *id == total.account).or_else(|| find(total.account));
            let Some(entry) =
                found.and_then(|(_, place)| entries.get_mut(place)).filter(|_| !sums.is_zero())
            else {
                continue;
            };
            match total.period {
                Some(day) => entry.track.enter(step(self.periodicity, day), sums),
                None => entry.track.open(sums),
            }
        }
        let start = self.from.map(|day| step(self.periodicity, day));
        for entry in entries {
            entry.track.finish(start, entry.account.kind.is_permanent());
        }
    }

    /// The step of the last slice (behaviour 5.7): that of the last day of the range; for a range
    /// without end, the latest of today, the last movement in scope and the first day of the range.
    fn last_step(&self, entries: &[AccountTrack<'_>]) -> Option<i32> {
        if is_void(self.from, self.until) {
            return None;
        }
        if let Some(until) = self.until {
            return until.previous_day().map(|day| step(self.periodicity, day));
        }
        let days = [Some(self.today), self.from]
            .into_iter()
            .flatten()
            .map(|day| step(self.periodicity, day));
        entries.iter().filter_map(|entry| entry.track.last_moved()).chain(days).max()
    }
}
