//! Use cases of accounts (behaviour 4).

use std::collections::BTreeSet;

use daybook_domain::access::Access;
use daybook_domain::account::{
    Account, AccountRef, AccountType, Changes, Directory, MAX_CHART, Refusal,
};
use daybook_domain::event::Previous;
use daybook_domain::field::Field;
use daybook_domain::group::{self, Forest, GroupRef};
use daybook_domain::id::{AccountId, GroupId};
use daybook_domain::instant::Instant;
use daybook_domain::permission::Action;
use daybook_domain::purpose::{Record, WriteChart};
use daybook_storage::Tx;
use daybook_storage::access::AccessTo;

use crate::batch::{BytesLeft, MembershipsLeft};
use crate::context::Context;
use crate::error::{Error, Result};
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

/// The fields of an account in a body; its groups are not yet resolved.
#[derive(Debug, Clone, Default)]
pub struct Input {
    /// Its own fields.
    pub changes: Changes,
    /// The groups it is to be in.
    pub groups: Field<Vec<GroupRef>>,
}

/// listAccounts: by normalized name, archived ones included.
///
/// # Errors
/// What the access step refuses.
pub fn list(tx: &mut Tx<'_>, cx: &Context, book: &str) -> Result<View> {
    let access = access::enter(tx, cx, book, Action::ReadChart)?;
    all(tx, &access)
}

/// getAccount, by id or name (behaviour 4.4).
///
/// # Errors
/// What the access step refuses; [`Refusal::Unknown`].
pub fn get(tx: &mut Tx<'_>, cx: &Context, book: &str, text: &str) -> Result<View> {
    let access = access::enter(tx, cx, book, Action::ReadChart)?;
    let account = find(tx, &access, text)?;
    let forest = Forest::new(tx.groups().by_ids(&access, account.groups.iter().copied())?, []);
    Ok(View { accounts: vec![account], forest })
}

/// listAccountGroups: the direct groups only (behaviour 4.17).
///
/// # Errors
/// What the access step refuses; [`Refusal::Unknown`].
pub fn groups(tx: &mut Tx<'_>, cx: &Context, book: &str, text: &str) -> Result<crate::group::View> {
    let access = access::enter(tx, cx, book, Action::ReadChart)?;
    let account = find(tx, &access, text)?;
    let forest = crate::group::forest(tx, &access)?;
    let groups = forest
        .parents_first()
        .into_iter()
        .filter(|group| account.groups.contains(&group.id))
        .cloned()
        .collect();
    Ok(crate::group::View { groups, forest })
}

/// createAccount and createAccountsBatch.
///
/// # Errors
/// What the access step and the rules of accounts refuse.
pub fn create(tx: &mut Tx<'_>, cx: &Context, book: &str, items: Vec<Input>) -> Result<View> {
    let access = access::enter_to(tx, cx, book, WriteChart)?;
    batch::check_size("items", items.len())?;
    add(tx, cx, &access, items)
}

/// updateAccount and updateAccountsBatch.
///
/// # Errors
/// What the access step and the rules of accounts refuse.
pub fn update(tx: &mut Tx<'_>, cx: &Context, book: &str, mut items: Vec<Input>) -> Result<View> {
    let access = access::enter_to(tx, cx, book, WriteChart)?;
    batch::check_size("items", items.len())?;
    let owner = access.may(Action::WriteLockedGroups);
    let forest = crate::group::forest(tx, &access)?;
    let targets: Vec<AccountRef> =
        items.iter_mut().map(|item| item.changes.take_target()).collect();
    let names: Vec<AccountRef> = items.iter().map(|item| named(&item.changes)).collect();
    let mut known = tx.accounts().directory(&access, targets.iter().chain(&names), [])?;
    let targets = found(&known, targets.into_iter())?;
    let (mut named, mut events) = (BytesLeft::of_named(), EventBatch::new());
    let (mut changed, mut grows) = (Vec::new(), false);
    let (mut memberships, mut regrouped) = (MembershipsLeft::new(), BTreeSet::new());
    batch::each(items.into_iter().zip(&targets), |(input, id)| {
        let before = known.get(*id).cloned().ok_or_else(|| Refusal::Unknown(id.to_string()))?;
        let revision = revised(&known, &forest, before.clone(), input, cx.now);
        if crate::group::needs_permission(&revision) {
            let joined = revision.iter().flat_map(|(after, _)| &after.groups);
            forest.check_writable(before.groups.iter().chain(joined), owner)?;
        }
        cx.check_precondition(&before)?;
        let (texts, groups) = (before.texts(), before.groups.len());
        named.take(texts)?;
        let (after, previous) = revision?;
        grows |= after.texts() > texts || after.groups.len() > groups;
        if after.groups != before.groups {
            memberships.take(after.groups.len())?;
            regrouped.insert(after.id);
        }
        if !previous.is_empty() {
            events.push(after.updated_event(&forest, &previous))?;
            known.put(after.clone());
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
        check_chart(tx, &access)?;
    }
    event_log::append(tx, cx, &access, events.into_events())?;
    // An account that two items name is returned twice, in its final state, as transactions are
    // (behaviour 3.6.3).
    let accounts = targets.iter().filter_map(|id| known.get(*id).cloned()).collect();
    Ok(View { accounts, forest: crate::group::forest(tx, &access)? })
}

/// deleteAccount and deleteAccountsBatch: only accounts that were never posted on. Drafts that name
/// them lose that side (behaviour 4.7).
///
/// # Errors
/// What the access step and the rules of accounts refuse; the first refused item fails the whole
/// batch.
pub fn delete(
    tx: &mut Tx<'_>,
    cx: &Context,
    book: &str,
    references: &[AccountRef],
) -> Result<View> {
    let cx = &cx.beyond_quotas();
    let access = access::enter_to(tx, cx, book, WriteChart)?;
    batch::check_size("items", references.len())?;
    let owner = access.may(Action::WriteLockedGroups);
    let known = tx.accounts().directory(&access, references, [])?;
    let forest = crate::group::forest(tx, &access)?;
    let targets = found(&known, references.iter().cloned())?;
    let mut named = BytesLeft::of_named();
    let accounts = batch::each(targets.iter().copied(), |id| {
        let account = known.get(id).cloned().ok_or_else(|| Refusal::Unknown(id.to_string()))?;
        forest.check_writable(&account.groups, owner)?;
        cx.check_precondition(&account)?;
        named.take(account.texts())?;
        account.check_deletable()?;
        Ok(account)
    })?;
    let mut seen = BTreeSet::new();
    let removed: Vec<&Account> = accounts.iter().filter(|one| seen.insert(one.id)).collect();
    transaction::release_accounts(tx, cx, &access.with_purpose(Record::Edit)?, &seen)?;
    let ids: Vec<AccountId> = seen.into_iter().collect();
    tx.accounts().delete(&access, &ids)?;
    let mut events = EventBatch::new();
    batch::each(removed, |account| events.push(account.deleted_event(&forest)))?;
    event_log::append(tx, cx, &access, events.into_events())?;
    Ok(View { accounts, forest })
}

/// All accounts of the book.
pub(crate) fn all(tx: &mut Tx<'_>, access: &Access) -> Result<View> {
    let mut accounts = tx.accounts().list(access)?;
    accounts.sort_by_cached_key(|account| account.name.normalized());
    Ok(View { accounts, forest: crate::group::forest(tx, access)? })
}

/// Creates accounts; the caller's access was checked.
pub(crate) fn add(
    tx: &mut Tx<'_>,
    cx: &Context,
    access: &AccessTo<WriteChart>,
    items: Vec<Input>,
) -> Result<View> {
    let owner = access.may(Action::WriteLockedGroups);
    let mut forest = crate::group::forest(tx, access)?;
    let references: Vec<AccountRef> = items.iter().map(|item| named(&item.changes)).collect();
    let mut known = tx.accounts().directory(access, &references, [])?;
    let (mut events, mut memberships) = (EventBatch::new(), MembershipsLeft::new());
    let accounts = batch::each(items, |input| {
        let groups = input.groups.try_map(|groups| resolve(&forest, &groups))?;
        let joined = groups.as_ref().value().cloned().unwrap_or_default();
        forest.check_writable(&joined, owner)?;
        memberships.take(joined.len())?;
        input.changes.name.iter().try_for_each(|name| known.check_free(name, None))?;
        let id = AccountId::new(cx.mint());
        let account = Account::create(
            id,
            Changes { groups, ..input.changes },
            &types(&forest, &joined),
            cx.stamp(),
        )?;
        events.push(account.created_event(&forest))?;
        known.put(account.clone());
        // A later item of the batch may take its type from this one (behaviour 4.2).
        account.groups.iter().for_each(|group| forest.add_member(*group, account.kind));
        Ok(account)
    })?;
    tx.accounts().insert(access, &accounts)?;
    check_chart(tx, access)?;
    event_log::append(tx, cx, access, events.into_events())?;
    Ok(View { accounts, forest })
}

/// Refuses what has made the accounts and groups of a book take too much.
///
/// # Errors
/// [`Refusal::ChartTooLarge`].
pub(crate) fn check_chart(tx: &mut Tx<'_>, access: &Access) -> Result<()> {
    match tx.accounts().chart_above(access, MAX_CHART)? {
        None => Ok(()),
        Some(bytes) => Err(Refusal::ChartTooLarge(bytes).into()),
    }
}

fn find(tx: &mut Tx<'_>, access: &Access, text: &str) -> Result<Account> {
    let reference = AccountRef::any(text);
    let directory = tx.accounts().directory(access, [&reference], [])?;
    Ok(directory.find(&reference).cloned().ok_or_else(|| Refusal::Unknown(text.to_owned()))?)
}

/// Resolves references to accounts. The refusal lists all references that name none.
fn found(
    known: &Directory,
    references: impl ExactSizeIterator<Item = AccountRef>,
) -> Result<Vec<AccountId>> {
    let mut unknown = Vec::new();
    let found = batch::each(references, |reference| {
        if reference.is_blank() {
            return Err(Refusal::Unnamed.into());
        }
        let id = known.find(&reference).map(|account| account.id);
        if id.is_none() {
            unknown.push(reference.shown().to_owned());
        }
        Ok(id)
    })?;
    if unknown.is_empty() {
        Ok(found.into_iter().flatten().collect())
    } else {
        Err(Refusal::UnknownIds(unknown).into())
    }
}

/// The account after an update, with the previous values of the fields that changed.
fn revised(
    known: &Directory,
    forest: &Forest,
    before: Account,
    input: Input,
    now: Instant,
) -> Result<(Account, Previous)> {
    input.changes.name.iter().try_for_each(|name| known.check_free(name, Some(before.id)))?;
    let groups = input.groups.try_map(|groups| resolve(forest, &groups))?;
    Ok(before.update(Changes { groups, ..input.changes }, now)?)
}

/// A reference by the name a body gives, to find out whether the name is taken.
fn named(changes: &Changes) -> AccountRef {
    AccountRef { id: None, name: changes.name.clone() }
}

fn resolve(forest: &Forest, references: &[GroupRef]) -> Result<BTreeSet<GroupId>> {
    let found = |reference: &GroupRef| {
        let group = forest.resolve(reference).map(|group| group.id);
        group.ok_or_else(|| {
            Error::from(group::Refusal::UnknownReference(reference.shown().to_owned()))
        })
    };
    references.iter().map(found).collect()
}

/// The types of the groups of a new account without a type (behaviour 4.2). There are none when a
/// group is mixed. An empty group has the type of its nearest ancestor with accounts (behaviour
/// 4.12); without one it is left out.
fn types(forest: &Forest, groups: &BTreeSet<GroupId>) -> BTreeSet<AccountType> {
    let natures: Vec<_> = groups.iter().map(|id| forest.flags(*id)).collect();
    if natures.iter().any(|nature| nature.mixed) {
        return BTreeSet::new();
    }
    natures.into_iter().filter_map(|nature| nature.kind).collect()
}
