//! Finds the accounts that bodies and queries name.

use std::collections::{BTreeSet, HashMap};

use super::{Account, AccountRef, Refusal};
use crate::id::AccountId;
use crate::name::normalized;

/// Accounts, found by id or by normalized name.
#[derive(Debug, Clone, Default)]
pub struct Directory {
    by_id: HashMap<AccountId, Account>,
    by_name: HashMap<String, AccountId>,
}

impl Directory {
    /// Holds these accounts.
    #[must_use]
    pub fn new(accounts: Vec<Account>) -> Self {
        let by_name =
            accounts.iter().map(|account| (account.name.normalized(), account.id)).collect();
        let by_id = accounts.into_iter().map(|account| (account.id, account)).collect();
        Self { by_id, by_name }
    }

    /// Adds or replaces an account, so that later items of a batch see it.
    pub fn put(&mut self, account: Account) {
        if let Some(old) = self.by_id.get(&account.id) {
            self.by_name.remove(&old.name.normalized());
        }
        self.by_name.insert(account.name.normalized(), account.id);
        self.by_id.insert(account.id, account);
    }

    /// Sets `hasTransactionPosted` of these accounts (behaviour 4.7).
    pub fn note_posted(&mut self, ids: &BTreeSet<AccountId>) {
        for id in ids {
            if let Some(account) = self.by_id.get_mut(id) {
                account.has_transaction_posted = true;
            }
        }
    }

    /// The account that a reference names: by id, else by name.
    #[must_use]
    pub fn find(&self, reference: &AccountRef) -> Option<&Account> {
        let by_id = reference.id_as().and_then(|id| self.by_id.get(&id));
        by_id.or_else(|| self.named(&reference.normalized_name()?))
    }

    /// The account with that normalized name.
    #[must_use]
    pub fn named(&self, normalized: &str) -> Option<&Account> {
        self.by_name.get(normalized).and_then(|id| self.by_id.get(id))
    }

    /// Checks that no other account than `own` has the name (behaviour 4.5).
    ///
    /// # Errors
    /// [`Refusal::AlreadyExists`].
    pub fn check_free(&self, name: &str, own: Option<AccountId>) -> Result<(), Refusal> {
        match self.named(&normalized(name)) {
            Some(other) if own != Some(other.id) => {
                Err(Refusal::AlreadyExists(other.name.as_str().to_owned()))
            }
            _ => Ok(()),
        }
    }

    /// The account with that id.
    #[must_use]
    pub fn get(&self, id: AccountId) -> Option<&Account> {
        self.by_id.get(&id)
    }

    /// All accounts, in no order.
    pub fn accounts(&self) -> impl Iterator<Item = &Account> {
        self.by_id.values()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::account::Changes;
    use crate::instant::{Instant, Stamp};

    fn named(name: &str) -> Account {
        let changes = Changes { name: Some(name.to_owned()), ..Changes::default() };
        Account::create(
            AccountId::new(7_000_000_000),
            changes,
            &BTreeSet::new(),
            Stamp::new(None, Instant::new(1)),
        )
        .unwrap()
    }

    #[test]
    fn references_resolve_by_id_then_by_name() {
        let directory = Directory::new(vec![named("Credit Card")]);
        let find = |id: Option<&str>, name: Option<&str>| {
            directory
                .find(&AccountRef { id: id.map(str::to_owned), name: name.map(str::to_owned) })
                .is_some()
        };
        assert!(find(Some("7000000000"), None));
        assert!(find(Some("9000000000"), Some("credit-card")));
        assert!(find(None, Some("CREDIT card")));
        assert!(!find(Some("9000000000"), Some("Cash")));
        assert!(!find(None, None));
    }
}
