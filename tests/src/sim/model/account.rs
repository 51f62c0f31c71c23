//! Accounts, from behaviour 4.1 - 4.11.

use std::collections::BTreeSet;

use daybook_domain::account::AccountType;
use daybook_domain::event::EventType;
use daybook_domain::field::Field;

use super::text::{checked_name, merged};
use super::{Book, Tx, amount, chart, each, may};
use crate::sim::body::{AccountBody, Named};
use crate::sim::facts::{Account, Nature, Properties, Refusal, Resource};
use crate::sim::label;

impl Book {
    pub fn find_account(&self, named: &Named<label::Account>) -> Option<&Account> {
        chart::find(&self.accounts, named)
    }

    pub fn accounts_by_name(&self) -> Vec<Account> {
        chart::by_name(&self.accounts)
    }
}

impl Tx {
    pub fn create_accounts(&mut self, items: &[AccountBody]) -> Result<Vec<Account>, Refusal> {
        each(items, |body| {
            let groups = self.named_groups(&body.groups)?.unwrap_or_default();
            self.check_groups_writable(&groups)?;
            chart::check_free(&self.book.accounts, body.name.as_deref(), None)?;
            let account = Account {
                label: body.label,
                name: checked_name(body.name.as_deref())?,
                kind: self.kind_of_new(body, &groups),
                archived: body.archived.unwrap_or(false),
                posted: false,
                min_balance: self.min_balance(body, None)?,
                groups,
                properties: merged(&Properties::new(), &body.properties)?,
                stamp: self.caller.stamp(),
            };
            self.book.accounts.insert(account.label, account.clone());
            self.emit(EventType::AccountCreated, Resource::Account(account.label));
            Ok(account)
        })
    }

    /// The type of a new account (4.1, 4.2): that of its groups, if they agree.
    fn kind_of_new(&self, body: &AccountBody, groups: &BTreeSet<label::Group>) -> AccountType {
        match (body.kind, body.nature) {
            (Some(kind), _) => return kind,
            (None, Some((true, false))) => return AccountType::Asset,
            (None, Some((true, true))) => return AccountType::Liability,
            (None, Some((false, true))) => return AccountType::Incoming,
            (None, Some((false, false))) => return AccountType::Outgoing,
            (None, None) => {}
        }
        let natures: Vec<Nature> = groups.iter().map(|group| self.book.nature(*group)).collect();
        let mut kinds: Vec<AccountType> = natures.iter().filter_map(|nature| nature.kind).collect();
        kinds.dedup();
        match kinds[..] {
            [kind] if natures.iter().all(|nature| !nature.mixed) => kind,
            _ => AccountType::Asset,
        }
    }

    pub fn update_accounts(&mut self, items: &[AccountBody]) -> Result<Vec<Account>, Refusal> {
        let named: Vec<_> = items.iter().map(|body| chart::target(body.id, &body.name)).collect();
        let targets = chart::resolve(&self.book.accounts, &named)?;
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
        self.replace_account(after);
        Ok(())
    }

    fn revised_account(&self, before: &Account, body: &AccountBody) -> Result<Account, Refusal> {
        let name = body.name.as_deref().filter(|_| body.id.is_some());
        chart::check_free(&self.book.accounts, name, Some(before.label))?;
        let groups = self.named_groups(&body.groups)?;
        Ok(Account {
            name: chart::renamed(&before.name, body.id, name)?,
            kind: body.kind.unwrap_or(before.kind),
            archived: body.archived.unwrap_or(before.archived),
            groups: groups.unwrap_or_else(|| before.groups.clone()),
            min_balance: self.min_balance(body, before.min_balance)?,
            properties: merged(&before.properties, &body.properties)?,
            ..before.clone()
        })
    }

    /// The minimum balance after a request (4.24).
    fn min_balance(
        &self,
        body: &AccountBody,
        stored: Option<i128>,
    ) -> Result<Option<i128>, Refusal> {
        let text = match &body.min_balance {
            Field::Keep => return Ok(stored),
            Field::Clear => return Ok(None),
            Field::Set(text) if text.trim().is_empty() => return Ok(None),
            Field::Set(text) => text,
        };
        let (sign, plain) = text.strip_prefix('-').map_or((1, text.as_str()), |rest| (-1, rest));
        let settings = &self.book.settings;
        match amount::read(plain, &settings.separator)? {
            None => Ok(Some(0)),
            Some(units) if stored == Some(sign * units) => Ok(stored),
            Some(units) => Ok(Some(sign * amount::record(units, settings, self.book.scale)?)),
        }
    }

    /// Stores a changed account and emits its event.
    pub fn replace_account(&mut self, mut after: Account) {
        after.stamp.updated = self.caller.now;
        self.emit(EventType::AccountUpdated, Resource::Account(after.label));
        self.book.accounts.insert(after.label, after);
    }

    /// Deletes accounts. Drafts lose that side; an account with postings stays (4.7).
    pub fn delete_accounts(
        &mut self,
        named: &[Named<label::Account>],
    ) -> Result<Vec<Account>, Refusal> {
        let answered = each(chart::resolve(&self.book.accounts, named)?, |label| {
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
                self.replace_transaction(after, true);
            }
        }
        for account in &doomed {
            self.book.accounts.remove(&account.label);
            self.emit(EventType::AccountDeleted, Resource::Account(account.label));
        }
        Ok(answered)
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
        let locked = groups.iter().any(|group| self.book.groups[group].locked);
        if locked && !self.may(may::OWN) { Err(Refusal::forbidden()) } else { Ok(()) }
    }
}
