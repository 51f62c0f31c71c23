//! Which containers a query wants, and whose totals it needs (behaviour 5.1, 5.2).

use std::collections::BTreeSet;

use crate::account::Account;
use crate::group::Forest;
use crate::id::{AccountId, GroupId};

/// Which containers are wanted, names already resolved.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Scope {
    /// No account or group filter: all root groups, and the accounts in no group (behaviour 5.1).
    Book,
    /// One container for each account and each group named, the same one once (behaviour 5.2). When the filters of
    /// the query matched nothing both are empty, and so is the answer (behaviour 5.1, 1.2.6).
    Named {
        /// What the `account:` filters found.
        accounts: Vec<AccountId>,
        /// What the `group:` filters found.
        groups: Vec<GroupId>,
    },
}

impl Scope {
    /// Of a book's accounts those that count: the named ones and all below the named groups, or all.
    ///
    /// ```
    /// use daybook_domain::balance::Scope;
    /// use daybook_domain::group::Forest;
    /// let nothing = Scope::Named { accounts: vec![], groups: vec![] };
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
                below.extend(forest.downwards(*group));
            }
        }
        accounts.iter().filter(|account| named.contains(&account.id) || !account.groups.is_disjoint(&below)).collect()
    }
}
