//! Accounts, from behaviour 4.1 - 4.11.

use std::collections::{BTreeMap, BTreeSet};

use daybook_domain::account::AccountType;
use daybook_domain::event::EventType;
use daybook_domain::field::Field;

use super::text::{checked_name, list_text, merged, normalized, note_properties};
use super::{Book, Tx, each, may};
use crate::sim::body::{AccountBody, Id, Named};
use crate::sim::facts::{Account, Properties, Refusal, Resource};
use crate::sim::label;

impl Book {
    /// Resolves an account reference: the id first, then the normalized name (3.2.6, 4.4).
    pub fn find_account(&self, named: &Named<label::Account>) -> Option<&Account> {
        let by_id = match named.id {
            Some(Id::Of(label)) => self.accounts.get(&label),
            Some(Id::Unknown) | None => None,
        };
        by_id.or_else(|| self.account_called(named.name.as_deref()?))
    }

    fn account_called(&self, name: &str) -> Option<&Account> {
        let name = normalized(name);
        self.accounts.values().find(|account| !name.is_empty() && normalized(&account.name) == name)
    }

    /// The accounts ordered by normalized name (4.19).
    pub fn accounts_by_name(&self) -> Vec<Account> {
        let mut accounts: Vec<Account> = self.accounts.values().cloned().collect();
        accounts.sort_by_key(|account| normalized(&account.name));
        accounts
    }
}

impl Tx {
    pub fn create_accounts(&mut self, items: &[AccountBody]) -> Result<Vec<Account>, Refusal> {
        each(items, |body| {
            let groups = self.named_groups(&body.groups)?.unwrap_or_default();
            self.check_groups_writable(&groups)?;
            self.check_account_name(body.name.as_deref(), None)?;
            let account = Account {
                label: body.label,
                name: checked_name(body.name.as_deref())?,
                kind: self.kind_of_new(body, &groups),
                archived: body.archived.unwrap_or(false),
                posted: false,
                groups,
                properties: merged(&Properties::new(), &body.properties)?,
                stamp: self.caller.stamp(),
            };
            self.book.accounts.insert(account.label, account.clone());
            self.emit(EventType::AccountCreated, Resource::Account(account.label), BTreeMap::new());
            Ok(account)
        })
    }

    /// The type of a new account (4.1, 4.2).
    fn kind_of_new(&self, body: &AccountBody, groups: &BTreeSet<label::Group>) -> AccountType {
        if let Some(kind) = body.kind {
            return kind;
        }
        match body.nature {
            Some((true, false)) => return AccountType::Asset,
            Some((true, true)) => return AccountType::Liability,
            Some((false, true)) => return AccountType::Incoming,
            Some((false, false)) => return AccountType::Outgoing,
            None => {}
        }
        let natures: Vec<_> = groups.iter().map(|group| self.book.nature(*group)).collect();
        let kinds: BTreeSet<&str> =
            natures.iter().filter_map(|nature| nature.kind).map(AccountType::as_str).collect();
        let agreed = natures.iter().all(|nature| !nature.mixed) && kinds.len() == 1;
        natures
            .iter()
            .filter(|_| agreed)
            .find_map(|nature| nature.kind)
            .unwrap_or(AccountType::Asset)
    }

    pub fn update_accounts(&mut self, items: &[AccountBody]) -> Result<Vec<Account>, Refusal> {
        let named = |body: &AccountBody| Named {
            id: body.id,
            name: body.name.clone().filter(|_| body.id.is_none()),
        };
        let targets = self.known_accounts(&items.iter().map(named).collect::<Vec<_>>())?;
        each(items.iter().zip(&targets), |(body, label)| self.update_account(body, *label))?;
        Ok(targets.iter().map(|label| self.book.accounts[label].clone()).collect())
    }

    fn update_account(&mut self, body: &AccountBody, label: label::Account) -> Result<(), Refusal> {
        let before = self.book.accounts[&label].clone();
        let revised = self.revised_account(&before, body);
        if revised.as_ref() == Ok(&before) {
            return Ok(());
        }
        // A missing permission is reported before invalid values (0.17).
        self.check_groups_writable(&before.groups)?;
        let after = revised?;
        self.check_groups_writable(&after.groups)?;
        self.replace_account(before, after);
        Ok(())
    }

    fn revised_account(&self, before: &Account, body: &AccountBody) -> Result<Account, Refusal> {
        // A name without an id only looks the account up (4.21).
        let name = body.name.as_deref().filter(|_| body.id.is_some());
        self.check_account_name(name, Some(before.label))?;
        let groups = self.named_groups(&body.groups)?;
        let mut after = before.clone();
        if name.is_some() {
            after.name = checked_name(name)?;
        }
        after.kind = body.kind.unwrap_or(before.kind);
        after.archived = body.archived.unwrap_or(before.archived);
        after.groups = groups.unwrap_or_else(|| before.groups.clone());
        after.properties = merged(&before.properties, &body.properties)?;
        Ok(after)
    }

    /// Stores a changed account and emits its event.
    pub fn replace_account(&mut self, before: Account, mut after: Account) {
        after.stamp.updated = self.caller.now;
        let mut previous = BTreeMap::new();
        if before.name != after.name {
            previous.insert("name".to_owned(), before.name.clone());
        }
        if before.kind != after.kind {
            previous.insert("type".to_owned(), before.kind.as_str().to_owned());
        }
        if before.archived != after.archived {
            previous.insert("archived".to_owned(), before.archived.to_string());
            previous.insert("active".to_owned(), after.archived.to_string());
        }
        if before.groups != after.groups {
            previous.insert(
                "groups".to_owned(),
                list_text(before.groups.iter().map(|group| format!("{group:?}"))),
            );
        }
        note_properties(&before.properties, &after.properties, &mut previous);
        self.emit(EventType::AccountUpdated, Resource::Account(after.label), previous);
        self.book.accounts.insert(after.label, after);
    }

    /// Deletes accounts. Drafts lose that side; an account with postings stays (4.7).
    pub fn delete_accounts(
        &mut self,
        named: &[Named<label::Account>],
    ) -> Result<Vec<Account>, Refusal> {
        let targets = self.known_accounts(named)?;
        let answered: Vec<Account> = each(targets, |label| {
            let account = self.book.accounts[&label].clone();
            self.check_groups_writable(&account.groups)?;
            if account.posted { Err(Refusal::bad()) } else { Ok(account) }
        })?;
        let mut seen = BTreeSet::new();
        let mut doomed = answered.clone();
        doomed.retain(|account| seen.insert(account.label));
        for draft in self.book.transactions.values().cloned().collect::<Vec<_>>() {
            let remaining = |side: Option<label::Account>| side.filter(|side| !seen.contains(side));
            let mut after = draft.clone();
            (after.credit, after.debit) = (remaining(draft.credit), remaining(draft.debit));
            if after != draft {
                self.replace_transaction(&draft, after, true);
            }
        }
        for account in &doomed {
            self.book.accounts.remove(&account.label);
            self.emit(EventType::AccountDeleted, Resource::Account(account.label), BTreeMap::new());
        }
        Ok(answered)
    }

    /// Resolves references before any change: an empty one is 400, an unknown one 404 (4.20).
    fn known_accounts(
        &self,
        named: &[Named<label::Account>],
    ) -> Result<Vec<label::Account>, Refusal> {
        let found = each(named, |named| {
            let says_nothing = named.id.is_none()
                && normalized(named.name.as_deref().unwrap_or_default()).is_empty();
            if says_nothing {
                Err(Refusal::bad())
            } else {
                Ok(self.book.find_account(named).map(|account| account.label))
            }
        })?;
        found.into_iter().collect::<Option<Vec<_>>>().ok_or_else(Refusal::missing)
    }

    /// Refuses a name that another account has (4.5).
    fn check_account_name(
        &self,
        name: Option<&str>,
        own: Option<label::Account>,
    ) -> Result<(), Refusal> {
        let taken = name
            .and_then(|name| self.book.account_called(name))
            .is_some_and(|account| Some(account.label) != own);
        if taken { Err(Refusal::bad()) } else { Ok(()) }
    }

    /// Resolves the groups of an account body; an unknown one is 400 (4.9).
    fn named_groups(
        &self,
        groups: &Field<Vec<Named<label::Group>>>,
    ) -> Result<Option<BTreeSet<label::Group>>, Refusal> {
        let Field::Set(named) = groups else { return Ok(None) };
        let find =
            |named| self.book.find_group(named).map(|group| group.label).ok_or_else(Refusal::bad);
        named.iter().map(find).collect::<Result<_, _>>().map(Some)
    }

    /// Refuses changes to accounts of a locked group, except by the OWNER (4.15).
    fn check_groups_writable(&self, groups: &BTreeSet<label::Group>) -> Result<(), Refusal> {
        let locked = groups
            .iter()
            .any(|group| self.book.groups.get(group).is_some_and(|group| group.locked));
        if locked && !self.may(may::OWN) { Err(Refusal::forbidden()) } else { Ok(()) }
    }
}
