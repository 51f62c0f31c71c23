//! The cache of charts: accounts and groups that were read before, shared by all connections of a
//! store. Every write needs some of them, and they hardly ever change.
//!
//! The book state carries a version that grows with every change of the book's accounts, groups and
//! memberships, in whichever process. It is read under the book's lock or in the snapshot, and what
//! was cached at that version is still true. A group of units of work that has changed a chart does
//! not use the cache for it, because the change may yet be undone. A change that somebody makes in
//! the database by hand is not noticed.

use std::collections::{BTreeSet, HashMap};
use std::sync::{Arc, Mutex, PoisonError};

use daybook_domain::account::{Account, Directory};
use daybook_domain::group::{Forest, Group};
use daybook_domain::id::{AccountId, BookId, GroupId};
use daybook_domain::property::Properties;

/// Bytes of accounts and groups in the cache; beyond that it is emptied.
const MAX_REMEMBERED: usize = 32 * 1024 * 1024;
/// Bytes of the groups of one book that are cached together: more would drive out what is known of
/// other books.
const MAX_FOREST: usize = MAX_REMEMBERED / 4;
/// Bytes that an account or group takes beside its properties, about.
const WITHOUT_PROPERTIES: usize = 300;

/// What is known of one book's accounts and groups.
#[derive(Debug, Default)]
struct Chart {
    version: i64,
    accounts: Directory,
    groups: HashMap<GroupId, Group>,
    /// All groups, with the types of the accounts below each.
    forest: Option<Arc<Forest>>,
    /// Bytes that it takes, as it was learnt.
    bytes: usize,
}

#[derive(Debug, Default)]
struct Remembered {
    charts: HashMap<BookId, Chart>,
    /// Bytes that all of them take.
    bytes: usize,
}

impl Remembered {
    /// The chart at that version, begun anew when an older one is remembered; none when a newer one
    /// is.
    fn at(&mut self, book: BookId, version: i64) -> Option<&mut Chart> {
        if self.bytes > MAX_REMEMBERED {
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
pub(crate) struct ChartCache(Mutex<Remembered>);

impl ChartCache {
    /// Forgets all charts: a server that has taken over may lack the last changes, and would give
    /// their versions to others.
    pub(crate) fn forget(&self) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Remembered::default();
    }

    /// The accounts among these ids and normalized names that are remembered.
    pub(crate) fn accounts(
        &self,
        (book, version): (BookId, i64),
        ids: &BTreeSet<i64>,
        names: &BTreeSet<String>,
    ) -> Vec<Account> {
        let mut remembered = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(chart) = remembered.at(book, version) else { return Vec::new() };
        let by_id = ids.iter().filter_map(|id| chart.accounts.get(AccountId::new(*id)));
        by_id.chain(names.iter().filter_map(|name| chart.accounts.named(name))).cloned().collect()
    }

    /// The groups among these ids that are remembered.
    pub(crate) fn groups(
        &self,
        (book, version): (BookId, i64),
        ids: &BTreeSet<GroupId>,
    ) -> Vec<Group> {
        let mut remembered = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(chart) = remembered.at(book, version) else { return Vec::new() };
        ids.iter().filter_map(|id| chart.groups.get(id)).cloned().collect()
    }

    /// All groups, if they are remembered.
    pub(crate) fn forest(&self, (book, version): (BookId, i64)) -> Option<Arc<Forest>> {
        let mut remembered = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        remembered.at(book, version)?.forest.clone()
    }

    /// Caches all groups as they were read at a version.
    pub(crate) fn learn_forest(&self, (book, version): (BookId, i64), forest: &Arc<Forest>) {
        let all = forest.groups().map(|group| bytes_with(&group.properties));
        let learnt = all.fold(0, usize::saturating_add);
        let mut remembered = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if learnt <= MAX_FOREST
            && let Some(chart) = remembered.at(book, version)
            && chart.forest.is_none()
        {
            chart.forest = Some(Arc::clone(forest));
            chart.bytes = chart.bytes.saturating_add(learnt);
            remembered.bytes = remembered.bytes.saturating_add(learnt);
        }
    }

    /// Caches what was read at a version.
    pub(crate) fn learn(
        &self,
        (book, version): (BookId, i64),
        accounts: &[Account],
        groups: &[Group],
    ) {
        let mut remembered = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(chart) = remembered.at(book, version) {
            accounts.iter().for_each(|account| chart.accounts.put(account.clone()));
            chart.groups.extend(groups.iter().map(|group| (group.id, group.clone())));
            let all = accounts.iter().map(|account| &account.properties);
            let all = all.chain(groups.iter().map(|group| &group.properties));
            let learnt = all.map(bytes_with).fold(0, usize::saturating_add);
            chart.bytes = chart.bytes.saturating_add(learnt);
            remembered.bytes = remembered.bytes.saturating_add(learnt);
        }
    }
}

/// Bytes that an account or group with these properties takes, about.
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

    #[test]
    fn what_is_forgotten_of_one_book_makes_no_other_forgotten() {
        let (charts, changing, quiet) = (ChartCache::default(), BookId::new(1), BookId::new(2));
        charts.learn((quiet, 0), &[cash()], &[]);
        let twenty = vec![cash(); 20];
        (0..=MAX_REMEMBERED / WITHOUT_PROPERTIES / 20)
            .zip(1..)
            .for_each(|(_, version)| charts.learn((changing, version), &twenty, &[]));
        assert_eq!(
            charts
                .accounts((quiet, 0), &BTreeSet::new(), &BTreeSet::from(["cash".to_owned()]))
                .len(),
            1
        );
    }

    #[test]
    fn what_has_large_properties_is_forgotten_sooner() {
        let text = BTreeMap::from([("p".to_owned(), "x".repeat(8_000))]);
        let large = Account { properties: Properties::stored(text), ..cash() };
        let (charts, book) = (ChartCache::default(), BookId::new(1));
        let remembered = || charts.0.lock().unwrap().charts.get(&book).map(|chart| chart.bytes);
        let accounts = |from: i64| {
            (from..from + 1_000).map(|id| Account { id: AccountId::new(id), ..large.clone() })
        };
        charts.learn((book, 0), &accounts(0).collect::<Vec<_>>(), &[]);
        assert_eq!(remembered(), Some(1_000 * (8_001 + WITHOUT_PROPERTIES)));
        (1..5).for_each(|turn| {
            charts.learn((book, 0), &accounts(turn * 1_000).collect::<Vec<_>>(), &[]);
        });
        assert!(remembered() > Some(MAX_REMEMBERED));
        charts.learn((book, 0), &[cash()], &[]);
        assert_eq!(remembered(), Some(WITHOUT_PROPERTIES));
    }

    #[test]
    fn groups_are_remembered_while_the_chart_stays() {
        let (charts, book) = (ChartCache::default(), BookId::new(1));
        let forest = Arc::new(Forest::default());
        charts.learn_forest((book, 5), &forest);
        assert!(Arc::ptr_eq(&charts.forest((book, 5)).unwrap(), &forest));
        assert!(charts.forest((book, 4)).is_none());
        assert!(charts.forest((book, 6)).is_none());
        assert!(charts.forest((book, 5)).is_none());
    }

    #[test]
    fn only_what_was_read_of_the_same_version_is_remembered() {
        let cash = cash();
        let (charts, book) = (ChartCache::default(), BookId::new(1));
        let found = |version| {
            charts
                .accounts((book, version), &BTreeSet::new(), &BTreeSet::from(["cash".to_owned()]))
                .len()
        };
        charts.learn((book, 5), std::slice::from_ref(&cash), &[]);
        assert_eq!(found(5), 1);
        assert_eq!(found(4), 0, "a snapshot from before the change reads for itself");
        charts.learn((book, 4), &[cash], &[]);
        assert_eq!(found(5), 1, "and teaches nothing");
        assert_eq!(found(6), 0, "a change makes the memory start anew");
        assert_eq!(found(5), 0);
    }
}
