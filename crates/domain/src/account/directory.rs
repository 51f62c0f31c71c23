//! An index of accounts by id and name.

use std::collections::{BTreeSet, HashMap};

use super::{Account, AccountRef, Refusal};
use crate::id::AccountId;
use crate::name::normalized;

/// Accounts, indexed by id and by normalized name.
#[derive(Debug, Clone, Default)]
pub struct Directory {
    by_id: HashMap<AccountId, Account>,
    by_name: HashMap<String, AccountId>,
}

impl Directory {
    /// Creates a directory of these accounts.
    pub fn new(accounts: Vec<Account>) -> Self {
        let by_name =
            accounts.iter().map(|account| (account.name.normalized(), account.id)).collect();
        let by_id = accounts.into_iter().map(|account| (account.id, account)).collect();
        Self { by_id, by_name }
    }

    /// Adds or replaces an account, for later items of a batch.
    pub fn insert(&mut self, account: Account) {
        if let Some(old) = self.by_id.get(&account.id) {
            self.by_name.remove(&old.name.normalized());
        }
        self.by_name.insert(account.name.normalized(), account.id);
        self.by_id.insert(account.id, account);
    }

    /// Sets `hasTransactionPosted` of these accounts (behaviour 4.7).
    pub fn mark_posted(&mut self, ids: &BTreeSet<AccountId>) {
        for id in ids {
            if let Some(account) = self.by_id.get_mut(id) {
                account.has_transaction_posted = true;
            }
        }
    }

    /// Finds the account of a reference, by id or else by name.
    pub fn find(&self, reference: &AccountRef) -> Option<&Account> {
        let by_id = reference.parse_id().and_then(|id| self.by_id.get(&id));
        by_id.or_else(|| self.find_normalized(&reference.normalized_name()?))
    }

    /// Finds the account with that normalized name.
    pub fn find_normalized(&self, normalized: &str) -> Option<&Account> {
        self.by_name.get(normalized).and_then(|id| self.by_id.get(id))
    }

    /// Checks that no account other than `own` has the name (behaviour 4.5).
    ///
    /// # Errors
    /// [`Refusal::AlreadyExists`].
    pub fn check_name(&self, name: &str, own: Option<AccountId>) -> Result<(), Refusal> {
        match self.find_normalized(&normalized(name)) {
            Some(other) if own != Some(other.id) => {
                Err(Refusal::AlreadyExists(other.name.as_str().to_owned()))
            }
            _ => Ok(()),
        }
    }

    /// Returns the account with that id.
    pub fn get(&self, id: AccountId) -> Option<&Account> {
        self.by_id.get(&id)
    }

    /// Iterates over all accounts in arbitrary order.
    pub fn accounts(&self) -> impl Iterator<Item = &Account> {
        self.by_id.values()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::account;

    #[test]
    fn reference_resolves_by_id_then_by_name() {
        let directory = Directory::new(vec![account(7_000_000_000, "Credit Card", &[])]);
        let find = |id: Option<&str>, name: Option<&str>| {
            let reference = AccountRef { id: id.map(str::to_owned), name: name.map(str::to_owned) };
            directory.find(&reference).is_some()
        };
        assert!(find(Some("7000000000"), None));
        assert!(find(Some("9000000000"), Some("credit-card")));
        assert!(find(None, Some("CREDIT card")));
        assert!(!find(Some("9000000000"), Some("Cash")));
        assert!(!find(None, None));
    }
}
