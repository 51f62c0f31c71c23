//! The accounts of a book by id, name and bank account number.

use std::collections::HashMap;

use daybook_domain::account::{Account, AccountRef};
use daybook_domain::id::AccountId;
use daybook_domain::import::NUMBER_PROPERTY;

use super::document::AccountDoc;

/// An index of the accounts of a book.
pub(super) struct Names<'n> {
    by_id: HashMap<AccountId, &'n Account>,
    by_name: HashMap<&'n str, &'n Account>,
    by_number: HashMap<String, &'n Account>,
}

impl<'n> Names<'n> {
    /// Indexes accounts.
    pub(super) fn new(accounts: &'n [Account]) -> Self {
        let number = |account: &'n Account| {
            let number = normalize_number(account.properties.get(NUMBER_PROPERTY)?);
            (!number.is_empty()).then_some((number, account))
        };
        Self {
            by_id: accounts.iter().map(|account| (account.id, account)).collect(),
            by_name: accounts.iter().map(|account| (account.name.normalized(), account)).collect(),
            by_number: accounts.iter().filter_map(number).collect(),
        }
    }

    pub(super) fn get(&self, id: AccountId) -> Option<&'n Account> {
        self.by_id.get(&id).copied()
    }

    /// Finds an account by id or name.
    pub(super) fn find(&self, text: &str) -> Option<&'n Account> {
        let reference = AccountRef::id_or_name(text.trim());
        let by_id = reference.parse_id().and_then(|id| self.get(id));
        by_id.or_else(|| self.by_name.get(reference.normalized_name()?.as_str()).copied())
    }

    /// Finds an account by name alone.
    pub(super) fn find_by_name(&self, name: &str) -> Option<&'n Account> {
        let reference = AccountRef { id: None, name: Some(name.to_owned()) };
        self.by_name.get(reference.normalized_name()?.as_str()).copied()
    }

    /// Finds the account of a statement by its number or name.
    pub(super) fn find_own(&self, text: &str) -> Option<&'n Account> {
        let by_number = self.by_number.get(&normalize_number(text)).copied();
        by_number.or_else(|| self.find(text).filter(|account| account.kind.is_permanent()))
    }
}

/// Returns the document of an account of the book.
pub(super) fn account_document(account: &Account) -> AccountDoc {
    AccountDoc { id: Some(account.id.to_string()), name: account.name.as_str().to_owned() }
}

/// Returns an account number without spaces and punctuation, in capitals.
fn normalize_number(number: &str) -> String {
    number.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_uppercase).collect()
}
