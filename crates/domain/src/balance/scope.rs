//! The accounts and groups that a query asks for (behaviour 5.1, 5.2).

use std::collections::{BTreeMap, BTreeSet};

use crate::account::Account;
use crate::group::Forest;
use crate::id::{AccountId, GroupId};
use crate::query;

/// Most containers that may be shown again because one named group lies below another (behaviour
/// 5.17).
const MAX_REPEATED: usize = 20_000;

/// The accounts and groups asked for, their names already resolved.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BalanceScope {
    /// No account or group filter: all root groups, and the accounts that are in no group
    /// (behaviour 5.1).
    Book,
    /// Every account and group named, each once (behaviour 5.2). Both lists are empty when the
    /// filters of the query match nothing, and then so is the answer (behaviour 5.1, 1.2.6).
    Named {
        /// The accounts that the `account:` filters match.
        accounts: Vec<AccountId>,
        /// The groups that the `group:` filters match.
        groups: Vec<GroupId>,
    },
}

impl BalanceScope {
    /// The scope of filters that match nothing.
    pub const NOTHING: Self = Self::Named { accounts: Vec::new(), groups: Vec::new() };

    /// Refuses groups that lie below each other so often that too many containers would be shown
    /// again (behaviour 5.17). `accounts` are those of [`BalanceScope::accounts`].
    ///
    /// # Errors
    /// [`query::Refusal::TooLarge`].
    pub fn check_size(&self, accounts: &[Account], forest: &Forest) -> Result<(), query::Refusal> {
        let what = "containers that are shown already, in groups below each other";
        query::Refusal::check(what, self.repeated(accounts, forest), MAX_REPEATED)
    }

    /// How many accounts and groups appear more than once because one named group lies below
    /// another: each named group is a root (behaviour 5.3). `accounts` are those of
    /// [`BalanceScope::accounts`].
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

    /// Those of these accounts that are in scope: the named ones and all below the named groups, or
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
        let below = below(groups, forest);
        accounts
            .iter()
            .filter(|account| named.contains(&account.id) || !account.groups.is_disjoint(&below))
            .collect()
    }

    /// The groups in scope: the named ones and all below them, or all.
    pub(super) fn groups(&self, forest: &Forest) -> BTreeSet<GroupId> {
        match self {
            Self::Book => forest.groups().map(|group| group.id).collect(),
            Self::Named { accounts: _, groups } => {
                let mut below = below(groups, forest);
                below.retain(|group| forest.get(*group).is_some());
                below
            }
        }
    }
}

/// Groups and all below them.
fn below(groups: &[GroupId], forest: &Forest) -> BTreeSet<GroupId> {
    let mut below: BTreeSet<GroupId> = BTreeSet::new();
    for group in groups {
        if !below.contains(group) {
            below.extend(forest.descendants(*group));
        }
    }
    below
}
