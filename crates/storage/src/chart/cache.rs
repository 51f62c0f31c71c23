//! The cache of charts: accounts and groups, shared by all connections of a store.
//!
//! Every write needs some accounts, and they rarely change. The book state has a version that every
//! change of the book's accounts, groups and memberships increments, in any process. The version is
//! read under the book's lock or in the snapshot, so data that was cached at that version is
//! current. A group that has changed a chart does not use the cache for it, because the change may
//! be rolled back. Manual changes in the database are not detected.

use std::collections::{BTreeSet, HashMap};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use daybook_domain::account::Account;
use daybook_domain::chart::{Directory, Item};
use daybook_domain::group::{Forest, Group};
use daybook_domain::id::BookId;

/// Size of the cache in bytes after which it is cleared.
const MAX_BYTES: usize = 32 * 1024 * 1024;
/// Maximum size of the cached group tree or account list of a book. A larger one would evict other
/// books.
const MAX_WHOLE_BYTES: usize = MAX_BYTES / 4;
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
pub(crate) struct Chart {
    version: i64,
    accounts: Directory<Account>,
    groups: Directory<Group>,
    /// All groups, with the account types below each.
    forest: Option<Arc<Forest>>,
    /// All accounts, by normalized name.
    all_accounts: Option<Arc<Vec<Account>>>,
    /// The size in bytes.
    bytes: usize,
}

/// Selects the accounts or the groups of a chart.
pub(crate) type Part<T> = fn(&mut Chart) -> &mut Directory<T>;

pub(crate) const ACCOUNTS: Part<Account> = |chart| &mut chart.accounts;
pub(crate) const GROUPS: Part<Group> = |chart| &mut chart.groups;

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
    /// Removes all charts.
    pub(crate) fn clear(&self) {
        *self.lock() = Charts::default();
    }

    fn lock(&self) -> MutexGuard<'_, Charts> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the cached accounts or groups with these ids or normalized names.
    pub(crate) fn find<T: Item>(
        &self,
        version: ChartVersion,
        part: Part<T>,
        ids: &BTreeSet<T::Id>,
        names: &BTreeSet<String>,
    ) -> Directory<T> {
        let mut charts = self.lock();
        let cached = charts.at(version).map(part);
        cached.map(|cached| cached.select(ids, names)).unwrap_or_default()
    }

    /// Returns all groups, if they are cached.
    pub(crate) fn forest(&self, version: ChartVersion) -> Option<Arc<Forest>> {
        self.lock().at(version)?.forest.clone()
    }

    /// Returns all accounts, if they are cached.
    pub(crate) fn all_accounts(&self, version: ChartVersion) -> Option<Arc<Vec<Account>>> {
        self.lock().at(version)?.all_accounts.clone()
    }

    /// Caches all groups of a version.
    pub(crate) fn insert_forest(&self, version: ChartVersion, forest: &Arc<Forest>) {
        self.insert_whole(version, bytes_of(forest.groups()), |chart| &mut chart.forest, forest);
    }

    /// Caches all accounts of a version.
    pub(crate) fn insert_all_accounts(&self, version: ChartVersion, all: &Arc<Vec<Account>>) {
        self.insert_whole(version, bytes_of(all.iter()), |chart| &mut chart.all_accounts, all);
    }

    fn insert_whole<T>(
        &self,
        version: ChartVersion,
        added: usize,
        place: impl FnOnce(&mut Chart) -> &mut Option<Arc<T>>,
        whole: &Arc<T>,
    ) {
        if added > MAX_WHOLE_BYTES {
            return;
        }
        let mut charts = self.lock();
        let Some(chart) = charts.at(version) else { return };
        let place = place(chart);
        if place.is_none() {
            *place = Some(Arc::clone(whole));
            chart.bytes = chart.bytes.saturating_add(added);
            charts.bytes = charts.bytes.saturating_add(added);
        }
    }

    /// Caches accounts or groups of a version.
    pub(crate) fn insert<T: Item>(&self, version: ChartVersion, part: Part<T>, items: &[Arc<T>]) {
        let mut charts = self.lock();
        if let Some(chart) = charts.at(version) {
            for item in items {
                part(chart).insert(Arc::clone(item));
            }
            let added = bytes_of(items.iter().map(Arc::as_ref));
            chart.bytes = chart.bytes.saturating_add(added);
            charts.bytes = charts.bytes.saturating_add(added);
        }
    }
}

/// Returns the approximate size of accounts or groups.
fn bytes_of<'i, T: Item + 'i>(items: impl Iterator<Item = &'i T>) -> usize {
    let bytes = |item: &T| WITHOUT_PROPERTIES.saturating_add(item.properties().bytes());
    items.map(bytes).fold(0, usize::saturating_add)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use daybook_domain::account::Changes;
    use daybook_domain::amount::{DecimalSeparator, Precision};
    use daybook_domain::id::AccountId;
    use daybook_domain::instant::{Instant, Stamp};
    use daybook_domain::property::Properties;

    use super::*;

    const PRECISION: Precision =
        Precision { fraction_digits: 2, scale: 2, separator: DecimalSeparator::Dot };

    fn cash() -> Account {
        let changes = Changes { name: Some("Cash".to_owned()), ..Changes::default() };
        let stamp = Stamp::new(None, Instant::new(1));
        let (id, groups) = (AccountId::new(7_000_000_000), BTreeSet::new());
        Account::create(id, changes, &groups, PRECISION, stamp).unwrap()
    }

    fn at(book: i64, version: i64) -> ChartVersion {
        ChartVersion { book: BookId::new(book), version }
    }

    fn cached_cash(charts: &ChartCache, version: ChartVersion) -> usize {
        let names = BTreeSet::from(["cash".to_owned()]);
        charts.find(version, ACCOUNTS, &BTreeSet::new(), &names).iter().count()
    }

    #[test]
    fn new_versions_of_one_book_do_not_evict_another() {
        let charts = ChartCache::default();
        charts.insert(at(2, 0), ACCOUNTS, &[cash().into()]);
        let twenty: Vec<_> = (0..20).map(|_| Arc::new(cash())).collect();
        (0..=MAX_BYTES / WITHOUT_PROPERTIES / 20)
            .zip(1..)
            .for_each(|(_, version)| charts.insert(at(1, version), ACCOUNTS, &twenty));
        assert_eq!(cached_cash(&charts, at(2, 0)), 1);
    }

    #[test]
    fn large_properties_fill_the_cache_sooner() {
        let text = BTreeMap::from([("p".to_owned(), "x".repeat(8_000))]);
        let large = Account { properties: Properties::stored(text), ..cash() };
        let charts = ChartCache::default();
        let cached_bytes = || charts.lock().charts.get(&BookId::new(1)).map(|chart| chart.bytes);
        let accounts = |from: i64| {
            let account = |id| Account { id: AccountId::new(id), ..large.clone() };
            (from..from + 1_000).map(|id| Arc::new(account(id))).collect::<Vec<_>>()
        };
        charts.insert(at(1, 0), ACCOUNTS, &accounts(0));
        assert_eq!(cached_bytes(), Some(1_000 * (8_001 + WITHOUT_PROPERTIES)));
        (1..5).for_each(|round| {
            charts.insert(at(1, 0), ACCOUNTS, &accounts(round * 1_000));
        });
        assert!(cached_bytes() > Some(MAX_BYTES));
        charts.insert(at(1, 0), ACCOUNTS, &[cash().into()]);
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
        let cash = Arc::new(cash());
        let charts = ChartCache::default();
        charts.insert(at(1, 5), ACCOUNTS, std::slice::from_ref(&cash));
        assert_eq!(cached_cash(&charts, at(1, 5)), 1);
        assert_eq!(cached_cash(&charts, at(1, 4)), 0, "an older snapshot reads the database");
        charts.insert(at(1, 4), ACCOUNTS, &[cash]);
        assert_eq!(cached_cash(&charts, at(1, 5)), 1, "and adds nothing to the cache");
        assert_eq!(cached_cash(&charts, at(1, 6)), 0, "a new version starts empty");
        assert_eq!(cached_cash(&charts, at(1, 5)), 0);
    }
}
