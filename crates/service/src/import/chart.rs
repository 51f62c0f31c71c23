//! The groups and accounts that a confirmation creates (behaviour 15.5, 15.12).

use daybook_domain::account::{AccountRef, AccountType, Changes};
use daybook_domain::book;
use daybook_domain::field::Field;
use daybook_domain::group::{self, GroupRef};
use daybook_domain::id::AccountId;
use daybook_domain::import::Import;
use daybook_domain::permission::Action;
use daybook_domain::property::Edits;
use daybook_domain::purpose::{Record, WriteChart};
use daybook_storage::Tx;
use daybook_storage::access::AccessTo;

use super::record::BookEvents;
use super::save::save_at;
use crate::chart::load_forest;
use crate::context::Context;
use crate::error::Result;
use crate::group::Input as GroupInput;
use crate::{access, account, book as service_book};

/// An account to create.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct NewAccount {
    /// The name.
    pub name: String,
    /// The type.
    pub kind: AccountType,
    /// The names of its groups.
    pub groups: Vec<String>,
    /// The properties.
    pub properties: Edits,
}

impl NewAccount {
    pub(super) fn input(&self) -> account::Input {
        let changes = Changes {
            name: Some(self.name.clone()),
            kind: Some(self.kind),
            properties: self.properties.clone(),
            ..Changes::default()
        };
        let groups: Vec<GroupRef> = self.groups.iter().map(|name| group_named(name)).collect();
        let groups = if groups.is_empty() { Field::Keep } else { Field::Set(groups) };
        account::Input { changes, groups }
    }
}

/// A group to create.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct NewGroup {
    /// The name.
    pub name: String,
    /// Whether user interfaces hide it.
    pub is_hidden: bool,
    /// Whether only the owner changes it.
    pub is_locked: bool,
    /// The name of the parent, which exists or precedes it.
    pub parent: Option<String>,
    /// The properties.
    pub properties: Edits,
}

impl NewGroup {
    pub(super) fn input(&self) -> GroupInput {
        let changes = group::Changes {
            name: Some(self.name.clone()),
            hidden: self.is_hidden.then_some(true),
            locked: self.is_locked.then_some(true),
            properties: self.properties.clone(),
            ..group::Changes::default()
        };
        let parent = self.parent.as_deref();
        let parent = parent.map_or(Field::Keep, |parent| Field::Set(group_named(parent)));
        GroupInput { changes, parent }
    }
}

/// The groups and accounts to create in a book.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct NewChart {
    /// The groups; parents precede their groups.
    pub groups: Vec<NewGroup>,
    /// The accounts.
    pub accounts: Vec<NewAccount>,
}

/// Creates the groups and accounts that do not exist yet, takes archived accounts out of the
/// archive, and saves the import with the ids of the created accounts. Before that, the decimal
/// places of the book are raised to `fraction_digits`.
///
/// `update` returns the import with these ids. Returns the saved import; `None` if another worker
/// has changed it.
///
/// # Errors
/// 403 without the permission to write accounts, or to change the book; refusals of the rules of
/// books, groups and accounts.
pub fn create_chart(
    tx: &mut Tx<'_>,
    cx: &Context,
    book: &str,
    import: Import,
    new: &NewChart,
    fraction_digits: Option<u32>,
    update: impl FnOnce(Import, &[AccountId]) -> Import,
) -> Result<Option<Import>> {
    let before = access::enter(tx, cx, book, Action::RecordDraft)?.book().settings.fraction_digits;
    if let Some(digits) = fraction_digits.filter(|digits| *digits > before) {
        let fraction_digits = Some(i64::from(digits));
        let changes = book::Changes { fraction_digits, ..book::Changes::default() };
        service_book::update(tx, cx, book, changes)?;
    }
    let record = access::enter_to(tx, cx, book, Record::Draft)?;
    let references: Vec<AccountRef> =
        new.accounts.iter().map(|account| account_named(&account.name)).collect();
    let known = tx.accounts().directory(&record, &references, [])?;
    let (mut missing, mut archived) = (Vec::new(), Vec::new());
    for (account, reference) in new.accounts.iter().zip(&references) {
        match known.find(reference) {
            None => missing.push(account.input()),
            Some(found) if found.archived => archived.push(archive_input(found.id, false)),
            Some(_) => {}
        }
    }
    if !archived.is_empty() {
        account::update(tx, cx, book, archived)?;
    }
    let created = if missing.is_empty() {
        Vec::new()
    } else {
        let chart = record.with_purpose(WriteChart)?;
        add_groups(tx, cx, &chart, &new.groups)?;
        account::add(tx, cx, &chart, missing)?.accounts
    };
    let ids: Vec<AccountId> = created.iter().map(|account| account.id).collect();
    let version = import.stamp.version;
    let updated = update(import, &ids).touch(cx.now);
    Ok(save_at(tx, &record, version, &updated)?.then_some(updated))
}

/// Creates the groups whose names the book does not have.
fn add_groups(
    tx: &mut Tx<'_>,
    cx: &Context,
    access: &AccessTo<WriteChart>,
    groups: &[NewGroup],
) -> Result<()> {
    let forest = load_forest(tx, access)?;
    let is_missing =
        |group: &&NewGroup| forest.directory().find(&group_named(&group.name)).is_none();
    let missing: Vec<GroupInput> = groups.iter().filter(is_missing).map(NewGroup::input).collect();
    if !missing.is_empty() {
        crate::group::add(tx, cx, access, missing)?;
    }
    Ok(())
}

/// Archives accounts that the journal closes, after its transactions are recorded.
///
/// # Errors
/// Refusals of the rules of accounts.
pub fn close_accounts(
    tx: &mut Tx<'_>,
    cx: &Context,
    book: &str,
    names: &[String],
) -> Result<BookEvents> {
    let access = access::enter_to(tx, cx, book, WriteChart)?;
    let before = tx.events().last_number(&access);
    let references: Vec<AccountRef> = names.iter().map(|name| account_named(name)).collect();
    let known = tx.accounts().directory(&access, &references, [])?;
    let found = references.iter().filter_map(|reference| known.find(reference));
    let open = found.filter(|account| !account.archived);
    let items: Vec<account::Input> = open.map(|account| archive_input(account.id, true)).collect();
    if !items.is_empty() {
        account::update(tx, cx, book, items)?;
    }
    Ok(BookEvents::since(tx, &access, before))
}

/// Returns the change that archives an account, or takes it out of the archive.
pub(super) fn archive_input(id: AccountId, archived: bool) -> account::Input {
    let changes =
        Changes { id: Some(id.to_string()), archived: Some(archived), ..Changes::default() };
    account::Input { changes, ..account::Input::default() }
}

fn account_named(name: &str) -> AccountRef {
    AccountRef { id: None, name: Some(name.to_owned()) }
}

fn group_named(name: &str) -> GroupRef {
    GroupRef { id: None, name: Some(name.to_owned()) }
}
