//! Accounts (behaviour 4).

use std::collections::BTreeSet;

use daybook_domain::access::Access;
use daybook_domain::account::{Account, AccountRef, AccountType, Changes, Directory};
use daybook_domain::event::Previous;
use daybook_domain::field::Field;
use daybook_domain::group::{Forest, GroupRef};
use daybook_domain::id::{AccountId, GroupId};
use daybook_domain::instant::Instant;
use daybook_domain::permission::Action;
use daybook_domain::purpose::{Record, WriteChart};
use daybook_storage::Tx;
use daybook_storage::access::AccessTo;

use crate::batch::{BytesLeft, MembershipsLeft};
use crate::chart::{self, load_forest};
use crate::context::Context;
use crate::error::Result;
use crate::event_log::EventBatch;
use crate::{access, batch, event_log, transaction};

/// Accounts as the caller sees them.
#[derive(Debug, Clone)]
pub struct View {
    /// The requested accounts, in order.
    pub accounts: Vec<Account>,
    /// All groups of the book.
    pub forest: Forest,
}

/// The fields of an account in a body. Its groups are not resolved yet.
#[derive(Debug, Clone, Default)]
pub struct Input {
    /// Its own fields.
    pub changes: Changes,
    /// The groups of the account.
    pub groups: Field<Vec<GroupRef>>,
}

/// listAccounts: by normalized name, including archived accounts.
pub fn list(tx: &mut Tx<'_>, cx: &Context, book: &str) -> Result<View> {
    let access = access::enter(tx, cx, book, Action::ReadChart)?;
    all(tx, &access)
}

/// getAccount, by id or name (behaviour 4.4).
///
/// # Errors
/// [`Refusal::Unknown`](daybook_domain::chart::Refusal::Unknown).
pub fn get(tx: &mut Tx<'_>, cx: &Context, book: &str, text: &str) -> Result<View> {
    let access = access::enter(tx, cx, book, Action::ReadChart)?;
    let account = find(tx, &access, text)?;
    let forest = Forest::new(tx.groups().by_ids(&access, account.groups.iter().copied())?, []);
    Ok(View { accounts: vec![account], forest })
}

/// listAccountGroups: only the direct groups (behaviour 4.17).
///
/// # Errors
/// [`Refusal::Unknown`](daybook_domain::chart::Refusal::Unknown).
pub fn groups(tx: &mut Tx<'_>, cx: &Context, book: &str, text: &str) -> Result<crate::group::View> {
    let access = access::enter(tx, cx, book, Action::ReadChart)?;
    let account = find(tx, &access, text)?;
    let forest = load_forest(tx, &access)?;
    let groups = forest
        .parents_first()
        .into_iter()
        .filter(|group| account.groups.contains(&group.id))
        .cloned()
        .collect();
    Ok(crate::group::View { groups, forest })
}

/// listGroupAccounts: the accounts of the group and of all groups below it (behaviour 4.17).
///
/// # Errors
/// [`Refusal::Unknown`](daybook_domain::chart::Refusal::Unknown).
pub fn list_in_group(tx: &mut Tx<'_>, cx: &Context, book: &str, text: &str) -> Result<View> {
    let access = access::enter(tx, cx, book, Action::ReadChart)?;
    let forest = load_forest(tx, &access)?;
    let group = forest.directory().require_text(text)?;
    let mut accounts = tx.accounts().in_groups(&access, &forest.descendants(group.id))?;
    accounts.sort_by(|one, other| one.name.normalized().cmp(other.name.normalized()));
    Ok(View { accounts, forest })
}

/// createAccount and createAccountsBatch.
///
/// # Errors
/// Refusals of the rules of accounts.
pub fn create(tx: &mut Tx<'_>, cx: &Context, book: &str, items: Vec<Input>) -> Result<View> {
    let access = access::enter_to(tx, cx, book, WriteChart)?;
    batch::check_size("items", items.len())?;
    add(tx, cx, &access, items)
}

/// updateAccount and updateAccountsBatch.
///
/// # Errors
/// Refusals of the rules of accounts.
pub fn update(tx: &mut Tx<'_>, cx: &Context, book: &str, mut items: Vec<Input>) -> Result<View> {
    let access = access::enter_to(tx, cx, book, WriteChart)?;
    batch::check_size("items", items.len())?;
    let owner = access.may(Action::WriteLockedGroups);
    let forest = load_forest(tx, &access)?;
    let targets: Vec<AccountRef> = items
        .iter_mut()
        .map(|Input { changes, .. }| {
            AccountRef::of_target(changes.id.as_deref(), &mut changes.name)
        })
        .collect();
    let names: Vec<AccountRef> = items.iter().map(|item| new_name(&item.changes)).collect();
    let mut known = tx.accounts().directory(&access, targets.iter().chain(&names), [])?;
    let targets = chart::resolve_targets(&known, &targets)?;
    let (mut named_bytes, mut events) = (BytesLeft::for_named_chart(), EventBatch::new());
    let (mut changed, mut grows) = (Vec::new(), false);
    let (mut memberships, mut regrouped) = (MembershipsLeft::new(), BTreeSet::new());
    batch::each(items.into_iter().zip(&targets), |(input, id)| {
        let before = known.require(*id)?.clone();
        let revision = revise(&access, &known, &forest, before.clone(), input, cx.now);
        if chart::needs_permission(&revision) {
            let joined = revision.iter().flat_map(|(after, _)| &after.groups);
            forest.check_writable(before.groups.iter().chain(joined), owner)?;
        }
        cx.check_precondition(&before)?;
        let (text_bytes, groups) = (before.text_bytes(), before.groups.len());
        named_bytes.take(text_bytes)?;
        let (after, previous) = revision?;
        grows |= after.text_bytes() > text_bytes || after.groups.len() > groups;
        if after.groups != before.groups {
            memberships.take(after.groups.len())?;
            regrouped.insert(after.id);
        }
        if !previous.is_empty() {
            events.push(after.updated_event(&forest, &previous))?;
            known.insert(after.clone());
            changed.push(after);
        }
        Ok(())
    })?;
    let regrouped: Vec<AccountId> = regrouped.into_iter().collect();
    tx.accounts().update(
        &access,
        &batch::last_of_each(changed, |account| account.id),
        &regrouped,
    )?;
    if grows {
        chart::check_size(tx, &access)?;
    }
    event_log::append(tx, cx, &access, events.into_events())?;
    // An account that two items name is returned twice, in its final state (behaviour 3.6.3).
    let accounts = targets.iter().filter_map(|id| known.get(*id).cloned()).collect();
    Ok(View { accounts, forest: load_forest(tx, &access)? })
}

/// deleteAccount and deleteAccountsBatch: deletes accounts that were never posted on. Drafts that
/// name them lose that side (behaviour 4.7).
///
/// # Errors
/// Refusals of the rules of accounts. The first refused item fails the whole batch.
pub fn delete(
    tx: &mut Tx<'_>,
    cx: &Context,
    book: &str,
    references: &[AccountRef],
) -> Result<View> {
    let cx = &cx.exempt_from_quotas();
    let access = access::enter_to(tx, cx, book, WriteChart)?;
    batch::check_size("items", references.len())?;
    let owner = access.may(Action::WriteLockedGroups);
    let known = tx.accounts().directory(&access, references, [])?;
    let forest = load_forest(tx, &access)?;
    let targets = chart::resolve_targets(&known, references)?;
    let reconciled = tx.reconciliations().accounts_among(&access, &targets)?;
    let mut named_bytes = BytesLeft::for_named_chart();
    let accounts = batch::each(targets.iter().copied(), |id| {
        let account = known.require(id)?.clone();
        forest.check_writable(&account.groups, owner)?;
        cx.check_precondition(&account)?;
        named_bytes.take(account.text_bytes())?;
        account.check_deletable(reconciled.contains(&id))?;
        Ok(account)
    })?;
    let mut seen = BTreeSet::new();
    let removed: Vec<&Account> =
        accounts.iter().filter(|account| seen.insert(account.id)).collect();
    transaction::release_accounts(tx, cx, &access.with_purpose(Record::Edit)?, &seen)?;
    let ids: Vec<AccountId> = seen.into_iter().collect();
    tx.accounts().delete(&access, &ids)?;
    let mut events = EventBatch::new();
    batch::each(removed, |account| events.push(account.deleted_event(&forest)))?;
    event_log::append(tx, cx, &access, events.into_events())?;
    Ok(View { accounts, forest })
}

/// Loads all accounts of the book, by normalized name.
pub(crate) fn all(tx: &mut Tx<'_>, access: &Access) -> Result<View> {
    let accounts = tx.accounts().all(access)?.to_vec();
    Ok(View { accounts, forest: load_forest(tx, access)? })
}

/// Creates accounts in an entered book.
pub(crate) fn add(
    tx: &mut Tx<'_>,
    cx: &Context,
    access: &AccessTo<WriteChart>,
    items: Vec<Input>,
) -> Result<View> {
    let owner = access.may(Action::WriteLockedGroups);
    let mut forest = load_forest(tx, access)?;
    let references: Vec<AccountRef> = items.iter().map(|item| new_name(&item.changes)).collect();
    let mut known = tx.accounts().directory(access, &references, [])?;
    let (mut events, mut memberships) = (EventBatch::new(), MembershipsLeft::new());
    let accounts = batch::each(items, |input| {
        let groups = input.groups.try_map(|groups| resolve(&forest, &groups))?;
        let joined = groups.as_ref().value().cloned().unwrap_or_default();
        forest.check_writable(&joined, owner)?;
        memberships.take(joined.len())?;
        known.check_name(input.changes.name.as_deref(), None)?;
        let id = AccountId::new(cx.mint());
        let account = Account::create(
            id,
            Changes { groups, ..input.changes },
            &group_types(&forest, &joined),
            access.book().precision(),
            cx.stamp(),
        )?;
        events.push(account.created_event(&forest))?;
        known.insert(account.clone());
        // A later item of the batch may take its type from this one (behaviour 4.2).
        account.groups.iter().for_each(|group| forest.add_member(*group, account.kind));
        Ok(account)
    })?;
    tx.accounts().insert(access, &accounts)?;
    chart::check_size(tx, access)?;
    event_log::append(tx, cx, access, events.into_events())?;
    Ok(View { accounts, forest })
}

fn find(tx: &mut Tx<'_>, access: &Access, text: &str) -> Result<Account> {
    let reference = AccountRef::id_or_name(text);
    let directory = tx.accounts().directory(access, [&reference], [])?;
    Ok(directory.require_text(text)?.clone())
}

/// Applies an update, and returns the previous values of the fields that changed too.
fn revise(
    access: &Access,
    known: &Directory,
    forest: &Forest,
    before: Account,
    input: Input,
    now: Instant,
) -> Result<(Account, Previous)> {
    known.check_name(input.changes.name.as_deref(), Some(before.id))?;
    let groups = input.groups.try_map(|groups| resolve(forest, &groups))?;
    let precision = access.book().precision();
    Ok(before.update(Changes { groups, ..input.changes }, precision, now)?)
}

/// Returns a reference by the name in a body, to find out whether the name is taken.
fn new_name(changes: &Changes) -> AccountRef {
    AccountRef { id: None, name: changes.name.clone() }
}

fn resolve(forest: &Forest, references: &[GroupRef]) -> Result<BTreeSet<GroupId>> {
    references.iter().map(|reference| Ok(forest.directory().resolve(reference)?)).collect()
}

/// Returns the types that a new account without a type may take from its groups (behaviour 4.2).
///
/// The result is empty if a group is mixed. An empty group has the type of its nearest ancestor
/// with accounts (behaviour 4.12), and is left out if there is none.
fn group_types(forest: &Forest, groups: &BTreeSet<GroupId>) -> BTreeSet<AccountType> {
    let flags: Vec<_> = groups.iter().map(|id| forest.flags(*id)).collect();
    if flags.iter().any(|flags| flags.mixed) {
        return BTreeSet::new();
    }
    flags.into_iter().filter_map(|flags| flags.kind).collect()
}
