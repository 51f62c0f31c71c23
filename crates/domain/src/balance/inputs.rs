//! From totals as read to the answer of a balance query.

use time::Date;

use crate::account::Account;
use crate::group::Forest;
use crate::id::AccountId;
use crate::query::Periodicity;

use super::account_track::AccountTrack;
use super::layout::Layout;
use super::segment::is_void;
use super::slice::{Axis, step};
use super::track::Track;
use super::{BalanceAnswer, BalanceScope, PeriodTotal, Sums};

/// All that a balance query is answered from. The module documentation has an example.
#[derive(Debug, Clone)]
pub struct BalanceInputs<'a> {
    /// The accounts of the book, or at least those of [`BalanceScope::accounts`].
    pub accounts: &'a [Account],
    /// The groups of the book.
    pub forest: &'a Forest,
    /// What was read for [`segments`](super::segments), of posted, non-trashed transactions
    /// (behaviour 5.12), in any order. Cells of accounts outside the scope are ignored; fastest
    /// when each account's cells stand together.
    pub cells: Vec<PeriodTotal>,
    /// The first day of the range; open when absent.
    pub from: Option<Date>,
    /// The day after the last day of the range; open when absent.
    pub until: Option<Date>,
    /// The length of a slice.
    pub periodicity: Periodicity,
    /// Today in the book's zone: a range without end lasts until then at least (behaviour 5.7).
    pub today: Date,
}

impl BalanceInputs<'_> {
    /// Folds the totals into the containers of the scope, ordered by normalized name and id
    /// (behaviour 5.11). Where their series together would be too long they leave out zero slices,
    /// and then all slices but the last (behaviour 5.18).
    #[must_use]
    pub fn balances(&self, scope: &BalanceScope) -> BalanceAnswer {
        let (entries, axis) = self.tracks(scope);
        Layout::new(scope, self.forest, &entries).balances(&entries, axis)
    }

    /// What the accounts that count did, and the axis of their series.
    pub(super) fn tracks(&self, scope: &BalanceScope) -> (Vec<AccountTrack<'_>>, Axis) {
        let entries = self.entries(scope);
        let axis = Axis { periodicity: self.periodicity, last: self.last_step(&entries) };
        (entries, axis)
    }

    /// The accounts that count, by name, each with its track.
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
        for cell in &self.cells {
            let sums = Sums { debit: cell.debit, credit: cell.credit };
            found = found.filter(|(id, _)| *id == cell.account).or_else(|| find(cell.account));
            let Some(entry) =
                found.and_then(|(_, place)| entries.get_mut(place)).filter(|_| !sums.is_zero())
            else {
                continue;
            };
            match cell.period {
                Some(day) => entry.track.enter(step(self.periodicity, day), sums),
                None => entry.track.open(sums),
            }
        }
        let start = self.from.map(|day| step(self.periodicity, day));
        for entry in entries {
            entry.track.finish(start, entry.account.kind.is_permanent());
        }
    }

    /// The place of the last slice (behaviour 5.7): that of the range's last day; of a range
    /// without end, the latest of today, the last counted movement in scope, and the first day of
    /// the range.
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
