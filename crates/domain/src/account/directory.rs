//! Finding the accounts that bodies and queries name.

use std::collections::{BTreeSet, HashMap};

use super::{Account, Refusal};
use crate::id::AccountId;
use crate::name::normalized;

/// Names an account the way bodies and queries do: by id, by name, or both (behaviour 3.2.6).
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct AccountRef {
    /// The id, tried first.
    pub id: Option<String>,
    /// The name, compared by normalized form.
    pub name: Option<String>,
}

impl AccountRef {
    /// Text that is either an id or a name, as in paths and queries (behaviour 4.4, 1.2.9).
    #[must_use]
    pub fn any(text: &str) -> Self {
        Self { id: Some(text.to_owned()), name: Some(text.to_owned()) }
    }

    /// The id, when the text given can be one.
    #[must_use]
    pub fn account_id(&self) -> Option<AccountId> {
        self.id.as_deref().and_then(|id| id.parse().ok())
    }

    /// The normalized name given, if any.
    #[must_use]
    pub fn normalized_name(&self) -> Option<String> {
        self.name.as_deref().map(normalized).filter(|name| !name.is_empty())
    }

    /// Whether it names nothing at all.
    #[must_use]
    pub fn is_blank(&self) -> bool {
        self.id.as_deref().is_none_or(|id| id.trim().is_empty()) && self.normalized_name().is_none()
    }

    /// What to call it in a message.
    #[must_use]
    pub fn shown(&self) -> &str {
        self.name.as_deref().or(self.id.as_deref()).unwrap_or_default()
    }
}

/// The accounts a request needs, found by id first and then by normalized name.
#[derive(Debug, Clone, Default)]
pub struct Directory {
    by_id: HashMap<AccountId, Account>,
    by_name: HashMap<String, AccountId>,
}

impl Directory {
    /// Indexes accounts.
    #[must_use]
    pub fn new(accounts: Vec<Account>) -> Self {
        let by_name = accounts.iter().map(|account| (account.name.normalized(), account.id)).collect();
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

    /// Notes that something was posted on these accounts (behaviour 4.7).
    pub fn note_posted(&mut self, ids: &BTreeSet<AccountId>) {
        for id in ids {
            if let Some(account) = self.by_id.get_mut(id) {
                account.has_transaction_posted = true;
            }
        }
    }

    /// The account a reference means.
    #[must_use]
    pub fn find(&self, reference: &AccountRef) -> Option<&Account> {
        let by_id = reference.account_id().and_then(|id| self.by_id.get(&id));
        by_id.or_else(|| self.named(&reference.normalized_name()?))
    }

    /// The account of a normalized name.
    #[must_use]
    pub fn named(&self, normalized: &str) -> Option<&Account> {
        self.by_name.get(normalized).and_then(|id| self.by_id.get(id))
    }

    /// Checks that the name is not another account's than `own` (behaviour 4.5).
    ///
    /// # Errors
    /// [`Refusal::AlreadyExists`].
    pub fn check_free(&self, name: &str, own: Option<AccountId>) -> Result<(), Refusal> {
        match self.named(&normalized(name)) {
            Some(other) if own != Some(other.id) => Err(Refusal::AlreadyExists(other.name.as_str().to_owned())),
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
        Account::create(AccountId::new(7_000_000_000), changes, &BTreeSet::new(), Stamp::new(None, Instant::new(1))).unwrap()
    }

    #[test]
    fn references_resolve_by_id_then_by_name() {
        let directory = Directory::new(vec![named("Credit Card")]);
        let find = |id: Option<&str>, name: Option<&str>| {
            directory.find(&AccountRef { id: id.map(str::to_owned), name: name.map(str::to_owned) }).is_some()
        };
        assert!(find(Some("7000000000"), None));
        assert!(find(Some("9000000000"), Some("credit-card")));
        assert!(find(None, Some("CREDIT card")));
        assert!(!find(Some("9000000000"), Some("Cash")));
        assert!(!find(None, None));
    }
}
