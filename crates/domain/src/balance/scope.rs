//! Which containers a query wants, and whose totals it needs (behaviour 5.1, 5.2).

use std::collections::{BTreeMap, BTreeSet};

use crate::account::Account;
use crate::group::Forest;
use crate::id::{AccountId, GroupId};

/// Which containers are wanted, names already resolved.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BalanceScope {
    /// No account or group filter: all root groups, and the accounts in no group (behaviour 5.1).
    Book,
    /// One container for each account and each group named, the same one once (behaviour 5.2). When
    /// the filters of the query matched nothing both are empty, and so is the answer (behaviour
    /// 5.1, 1.2.6).
    Named {
        /// What the `account:` filters found.
        accounts: Vec<AccountId>,
        /// What the `group:` filters found.
        groups: Vec<GroupId>,
    },
}

impl BalanceScope {
    /// Filters that matched nothing.
    pub const NOTHING: Self = Self::Named { accounts: Vec::new(), groups: Vec::new() };

    /// How many containers the named groups show again because one lies below another: each is a
    /// root of its own (behaviour 5.3). `accounts` are those of [`BalanceScope::accounts`].
    ///
    /// ```
    /// use daybook_domain::balance::BalanceScope;
    /// use daybook_domain::group::{Changes, Forest, Group};
    /// use daybook_domain::id::GroupId;
    /// use daybook_domain::instant::{Instant, Stamp};
    ///
    /// let group = |id: i64| {
    ///     let named = Changes { name: Some(format!("G{id}")), ..Changes::default() };
    ///     Group::create(GroupId::new(id), named, Stamp::new(None, Instant::new(0))).unwrap()
    /// };
    /// let below = |group: Group, parent| Group { parent: Some(GroupId::new(parent)), ..group };
    /// let forest = Forest::new(vec![group(1), below(group(2), 1), below(group(3), 2)], []);
    /// let named = |ids: &[i64]| BalanceScope::Named {
    ///     accounts: vec![],
    ///     groups: ids.iter().copied().map(GroupId::new).collect(),
    /// };
    /// assert_eq!(named(&[1]).repeated(&[], &forest), 0);
    /// assert_eq!(named(&[1, 2, 3]).repeated(&[], &forest), 3);
    /// ```
    #[must_use]
    pub fn repeated(&self, accounts: &[Account], forest: &Forest) -> usize {
        let Self::Named { groups, .. } = self else { return 0 };
        let mut shown: BTreeMap<GroupId, usize> = BTreeMap::new();
        for group in groups.iter().flat_map(|group| forest.descendants(*group)) {
            let times = shown.entry(group).or_default();
            *times = times.saturating_add(1);
        }
        let inside = accounts.iter().flat_map(|account| &account.groups);
        let times = shown.values().chain(inside.filter_map(|group| shown.get(group)));
        times.fold(0, |sum, times| sum.saturating_add(times.saturating_sub(1)))
    }

    /// Of a book's accounts those that count: the named ones and all below the named groups, or
    /// all.
    ///
    /// ```
    /// use daybook_domain::balance::BalanceScope;
    /// use daybook_domain::group::Forest;
    /// let nothing = BalanceScope::Named { accounts: vec![], groups: vec![] };
    /// assert!(nothing.accounts(&[], &Forest::default()).is_empty());
    /// ```
    #[must_use]
    pub fn accounts<'a>(&self, accounts: &'a [Account], forest: &Forest) -> Vec<&'a Account> {
        let Self::Named { accounts: named, groups } = self else {
            return accounts.iter().collect();
        };
        let named: BTreeSet<AccountId> = named.iter().copied().collect();
        let mut below: BTreeSet<GroupId> = BTreeSet::new();
        for group in groups {
            if !below.contains(group) {
                below.extend(forest.descendants(*group));
            }
        }
        accounts
            .iter()
            .filter(|account| named.contains(&account.id) || !account.groups.is_disjoint(&below))
            .collect()
    }
}
