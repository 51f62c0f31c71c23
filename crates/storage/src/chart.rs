//! The cache of charts: accounts and groups, shared by all connections of a store.
//!
//! Every write needs some accounts, and they rarely change. The book state has a version that every
//! change of the book's accounts, groups and memberships increments, in any process. The version is
//! read under the book's lock or in the snapshot, so data that was cached at that version is
//! current. A group that has changed a chart does not use the cache for it, because the change may
//! be rolled back. Manual changes in the database are not detected.

use std::collections::{BTreeSet, HashMap};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use daybook_domain::account::{Account, Directory};
use daybook_domain::group::{Forest, Group};
use daybook_domain::id::{AccountId, BookId, GroupId};
use daybook_domain::property::Properties;

/// Size of the cache in bytes after which it is cleared.
const MAX_BYTES: usize = 32 * 1024 * 1024;
/// Maximum size of a cached group tree. A larger one would evict other books.
const MAX_FOREST_BYTES: usize = MAX_BYTES / 4;
/// Approximate size of an account or group without its properties.
const WITHOUT_PROPERTIES: usize = 300;

/// A version of a book's accounts, groups and memberships.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ChartVersion {
    pub(crate) book: BookId,
    pub(crate) version: i64,
}

/// The cached accounts and groups of one book.
#[derive(Debug, Default)]
struct Chart {
    version: i64,
    accounts: Directory,
    groups: HashMap<GroupId, Group>,
    /// All groups, with the account types below each.
    forest: Option<Arc<Forest>>,
    /// The size in bytes.
    bytes: usize,
}

#[derive(Debug, Default)]
struct Charts {
    charts: HashMap<BookId, Chart>,
    /// The size of all charts in bytes.
    bytes: usize,
}

impl Charts {
    /// Returns the chart of a version, or nothing if a newer version is cached.
    ///
    /// It replaces an older version by an empty chart.
    fn at(&mut self, ChartVersion { book, version }: ChartVersion) -> Option<&mut Chart> {
        if self.bytes > MAX_BYTES {
            *self = Self::default();
        }
        let chart = self.charts.entry(book).or_default();
        if chart.version < version {
            self.bytes = self.bytes.saturating_sub(chart.bytes);
            *chart = Chart { version, ..Chart::default() };
        }
        (chart.version == version).then_some(chart)
    }
}

/// The cache, shared by all connections of a store.
#[derive(Debug, Default)]
pub(crate) struct ChartCache(Mutex<Charts>);

impl ChartCache {
    /// Removes all charts. After a failover the database may lack the last changes, and their
    /// versions may be used again.
    pub(crate) fn clear(&self) {
        *self.lock() = Charts::default();
    }

    fn lock(&self) -> MutexGuard<'_, Charts> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the cached accounts with these ids or normalized names.
    pub(crate) fn accounts(
        &self,
        version: ChartVersion,
        ids: &BTreeSet<i64>,
        names: &BTreeSet<String>,
    ) -> Vec<Account> {
        let mut charts = self.lock();
        let Some(chart) = charts.at(version) else { return Vec::new() };
        let by_id = ids.iter().filter_map(|id| chart.accounts.get(AccountId::new(*id)));
        by_id
            .chain(names.iter().filter_map(|name| chart.accounts.find_normalized(name)))
            .cloned()
            .collect()
    }

    /// Returns the cached groups with these ids.
    pub(crate) fn groups(&self, version: ChartVersion, ids: &BTreeSet<GroupId>) -> Vec<Group> {
        let mut charts = self.lock();
        let Some(chart) = charts.at(version) else { return Vec::new() };
        ids.iter().filter_map(|id| chart.groups.get(id)).cloned().collect()
    }

    /// Returns all groups, if they are cached.
    pub(crate) fn forest(&self, version: ChartVersion) -> Option<Arc<Forest>> {
        let mut charts = self.lock();
        charts.at(version)?.forest.clone()
    }

    /// Caches all groups of a version.
    pub(crate) fn insert_forest(&self, version: ChartVersion, forest: &Arc<Forest>) {
        let all = forest.groups().map(|group| bytes_with(&group.properties));
        let added = all.fold(0, usize::saturating_add);
        let mut charts = self.lock();
        if added <= MAX_FOREST_BYTES
            && let Some(chart) = charts.at(version)
            && chart.forest.is_none()
        {
            chart.forest = Some(Arc::clone(forest));
            chart.bytes = chart.bytes.saturating_add(added);
            charts.bytes = charts.bytes.saturating_add(added);
        }
    }

    /// Caches accounts and groups of a version.
    pub(crate) fn insert(&self, version: ChartVersion, accounts: &[Account], groups: &[Group]) {
        let mut charts = self.lock();
        if let Some(chart) = charts.at(version) {
            accounts.iter().for_each(|account| chart.accounts.insert(account.clone()));
            chart.groups.extend(groups.iter().map(|group| (group.id, group.clone())));
            let all = accounts.iter().map(|account| &account.properties);
            let all = all.chain(groups.iter().map(|group| &group.properties));
            let added = all.map(bytes_with).fold(0, usize::saturating_add);
            chart.bytes = chart.bytes.saturating_add(added);
            charts.bytes = charts.bytes.saturating_add(added);
        }
    }
}

/// Returns the approximate size of an account or group with these properties.
fn bytes_with(properties: &Properties) -> usize {
    WITHOUT_PROPERTIES.saturating_add(properties.bytes())
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use daybook_domain::account::Changes;
    use daybook_domain::instant::{Instant, Stamp};

    use super::*;

    fn cash() -> Account {
        let changes = Changes { name: Some("Cash".to_owned()), ..Changes::default() };
        let stamp = Stamp::new(None, Instant::new(1));
        Account::create(AccountId::new(7_000_000_000), changes, &BTreeSet::new(), stamp).unwrap()
    }

    fn at(book: i64, version: i64) -> ChartVersion {
        ChartVersion { book: BookId::new(book), version }
    }

    fn cached_cash(charts: &ChartCache, version: ChartVersion) -> usize {
        charts.accounts(version, &BTreeSet::new(), &BTreeSet::from(["cash".to_owned()])).len()
    }

    #[test]
    fn new_versions_of_one_book_do_not_evict_another() {
        let charts = ChartCache::default();
        charts.insert(at(2, 0), &[cash()], &[]);
        let twenty = vec![cash(); 20];
        (0..=MAX_BYTES / WITHOUT_PROPERTIES / 20)
            .zip(1..)
            .for_each(|(_, version)| charts.insert(at(1, version), &twenty, &[]));
        assert_eq!(cached_cash(&charts, at(2, 0)), 1);
    }

    #[test]
    fn large_properties_fill_the_cache_sooner() {
        let text = BTreeMap::from([("p".to_owned(), "x".repeat(8_000))]);
        let large = Account { properties: Properties::stored(text), ..cash() };
        let charts = ChartCache::default();
        let cached_bytes = || charts.lock().charts.get(&BookId::new(1)).map(|chart| chart.bytes);
        let accounts = |from: i64| {
            (from..from + 1_000).map(|id| Account { id: AccountId::new(id), ..large.clone() })
        };
        charts.insert(at(1, 0), &accounts(0).collect::<Vec<_>>(), &[]);
        assert_eq!(cached_bytes(), Some(1_000 * (8_001 + WITHOUT_PROPERTIES)));
        (1..5).for_each(|round| {
            charts.insert(at(1, 0), &accounts(round * 1_000).collect::<Vec<_>>(), &[]);
        });
        assert!(cached_bytes() > Some(MAX_BYTES));
        charts.insert(at(1, 0), &[cash()], &[]);
        assert_eq!(cached_bytes(), Some(WITHOUT_PROPERTIES));
    }

    #[test]
    fn forest_is_cached_for_its_version() {
        let charts = ChartCache::default();
        let forest = Arc::new(Forest::default());
        charts.insert_forest(at(1, 5), &forest);
        assert!(Arc::ptr_eq(&charts.forest(at(1, 5)).unwrap(), &forest));
        assert!(charts.forest(at(1, 4)).is_none());
        assert!(charts.forest(at(1, 6)).is_none());
        assert!(charts.forest(at(1, 5)).is_none());
    }

    #[test]
    fn accounts_are_cached_for_their_version() {
        let cash = cash();
        let charts = ChartCache::default();
        charts.insert(at(1, 5), std::slice::from_ref(&cash), &[]);
        assert_eq!(cached_cash(&charts, at(1, 5)), 1);
        assert_eq!(cached_cash(&charts, at(1, 4)), 0, "an older snapshot reads the database");
        charts.insert(at(1, 4), &[cash], &[]);
        assert_eq!(cached_cash(&charts, at(1, 5)), 1, "and adds nothing to the cache");
        assert_eq!(cached_cash(&charts, at(1, 6)), 0, "a new version starts empty");
        assert_eq!(cached_cash(&charts, at(1, 5)), 0);
    }
}
