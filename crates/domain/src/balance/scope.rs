//! The accounts and groups of a balance query (behaviour 5.1, 5.2).

use std::collections::{BTreeMap, BTreeSet};

use crate::account::Account;
use crate::group::Forest;
use crate::id::{AccountId, GroupId};
use crate::query;

/// Limit of containers that are repeated because one named group is below another (behaviour 5.17).
const MAX_REPEATED: usize = 20_000;

/// The accounts and groups of a query, after names are resolved.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BalanceScope {
    /// All root groups and all accounts outside of groups, for a query without filters (behaviour
    /// 5.1).
    Book,
    /// The named accounts and groups, each once (behaviour 5.2). Both lists are empty when the
    /// filters match nothing (behaviour 5.1, 1.2.6).
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

    /// Refuses groups whose nesting repeats too many containers (behaviour 5.17).
    ///
    /// `accounts` are those of [`BalanceScope::accounts`].
    ///
    /// # Errors
    /// [`query::Refusal::TooLarge`].
    pub fn check_size(&self, accounts: &[Account], forest: &Forest) -> Result<(), query::Refusal> {
        let what = "repeated containers, of named groups below each other";
        query::Refusal::check(what, self.count_repeated(accounts, forest), MAX_REPEATED)
    }

    /// Counts the repetitions of accounts and groups because one named group is below another.
    ///
    /// Each named group is a root (behaviour 5.3). `accounts` are those of
    /// [`BalanceScope::accounts`].
    pub fn count_repeated(&self, accounts: &[Account], forest: &Forest) -> usize {
        let Self::Named { groups, .. } = self else { return 0 };
        let mut counts: BTreeMap<GroupId, usize> = BTreeMap::new();
        for group in groups.iter().flat_map(|group| forest.descendants(*group)) {
            let count = counts.entry(group).or_default();
            *count = count.saturating_add(1);
        }
        let memberships = accounts.iter().flat_map(|account| &account.groups);
        let all = counts.values().chain(memberships.filter_map(|group| counts.get(group)));
        all.fold(0, |sum, count| sum.saturating_add(count.saturating_sub(1)))
    }

    /// Selects the accounts in scope: the named ones and all below the named groups, or all.
    pub fn accounts<'a>(&self, accounts: &'a [Account], forest: &Forest) -> Vec<&'a Account> {
        let Self::Named { accounts: named, groups } = self else {
            return accounts.iter().collect();
        };
        let named: BTreeSet<AccountId> = named.iter().copied().collect();
        let groups = with_descendants(groups, forest);
        accounts
            .iter()
            .filter(|account| named.contains(&account.id) || !account.groups.is_disjoint(&groups))
            .collect()
    }

    /// Returns the groups in scope: the named ones and all below them, or all.
    pub(super) fn groups(&self, forest: &Forest) -> BTreeSet<GroupId> {
        match self {
            Self::Book => forest.groups().map(|group| group.id).collect(),
            Self::Named { accounts: _, groups } => {
                let mut groups = with_descendants(groups, forest);
                groups.retain(|group| forest.get(*group).is_some());
                groups
            }
        }
    }
}

fn with_descendants(groups: &[GroupId], forest: &Forest) -> BTreeSet<GroupId> {
    let mut all: BTreeSet<GroupId> = BTreeSet::new();
    for group in groups {
        if !all.contains(group) {
            all.extend(forest.descendants(*group));
        }
    }
    all
}
