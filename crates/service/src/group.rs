//! Use cases of groups (behaviour 4.12 - 4.19).

use std::collections::HashSet;
use std::sync::Arc;

use daybook_domain::access::Access;
use daybook_domain::event::Previous;
use daybook_domain::field::Field;
use daybook_domain::group::{
    Changes, Forest, Group, GroupRef, MAX_PASSED, Refusal, Removal, Removed,
};
use daybook_domain::id::GroupId;
use daybook_domain::instant::Instant;
use daybook_domain::permission::Action;
use daybook_domain::purpose::WriteChart;
use daybook_storage::Tx;
use daybook_storage::access::AccessTo;

use crate::batch::BytesLeft;
use crate::context::Context;
use crate::error::{Error, Result};
use crate::event_log::EventBatch;
use crate::{access, account, batch, event_log};

/// Groups as the caller sees them.
#[derive(Debug, Clone)]
pub struct View {
    /// The requested groups, in order.
    pub groups: Vec<Group>,
    /// All groups of the book, for parents and derived flags.
    pub forest: Forest,
}

/// The fields of a group in a body; its parent is not yet resolved.
#[derive(Debug, Clone, Default)]
pub struct Input {
    /// Its own fields.
    pub changes: Changes,
    /// The parent.
    pub parent: Field<GroupRef>,
}

/// listGroups: parents before children, then by name.
///
/// # Errors
/// What the access step refuses.
pub fn list(tx: &mut Tx<'_>, cx: &Context, book: &str) -> Result<View> {
    let access = access::enter(tx, cx, book, Action::ReadChart)?;
    all(tx, &access)
}

/// getGroup, by id or name.
///
/// # Errors
/// What the access step refuses; [`Refusal::Unknown`].
pub fn get(tx: &mut Tx<'_>, cx: &Context, book: &str, text: &str) -> Result<View> {
    let access = access::enter(tx, cx, book, Action::ReadChart)?;
    let forest = forest(tx, &access)?;
    let group = forest.find(text).cloned().ok_or_else(|| Refusal::Unknown(text.to_owned()))?;
    Ok(View { groups: vec![group], forest })
}

/// createGroup and createGroupsBatch: an item's parent may be an earlier item (behaviour 4.16).
///
/// # Errors
/// What the access step and the rules of groups refuse.
pub fn create(tx: &mut Tx<'_>, cx: &Context, book: &str, items: Vec<Input>) -> Result<View> {
    let access = access::enter_to(tx, cx, book, WriteChart)?;
    batch::check_size("items", items.len())?;
    add(tx, cx, &access, items)
}

/// updateGroup and its batch form.
///
/// # Errors
/// What the access step and the rules of groups refuse.
pub fn update(tx: &mut Tx<'_>, cx: &Context, book: &str, mut items: Vec<Input>) -> Result<View> {
    let access = access::enter_to(tx, cx, book, WriteChart)?;
    batch::check_size("items", items.len())?;
    let owner = access.may(Action::WriteLockedGroups);
    let mut forest = forest(tx, &access)?;
    let (mut changed, mut grows) = (Vec::new(), false);
    let (mut named, mut events) = (BytesLeft::of_named(), EventBatch::new());
    let mut left = MAX_PASSED;
    let targets = found(&forest, items.iter_mut().map(|item| item.changes.take_target()))?;
    batch::each(items.into_iter().zip(&targets), |(input, id)| {
        let before = forest.get(*id).cloned().ok_or_else(|| Refusal::Unknown(id.to_string()))?;
        input.changes.check_lock(before.locked, owner)?;
        let revision = revised(&forest, before.clone(), input, (cx.now, &mut left));
        if needs_permission(&revision) {
            before.check_writable(owner)?;
        }
        cx.check_precondition(&before)?;
        let texts = before.texts();
        named.take(texts)?;
        let (after, previous) = revision?;
        grows |= after.texts() > texts;
        if !previous.is_empty() {
            forest.put(after.clone());
            events.push(after.updated_event(&forest, &previous))?;
            changed.push(after);
        }
        Ok(())
    })?;
    tx.groups().update(&access, &batch::last_of_each(changed, |group| group.id))?;
    if grows {
        account::check_chart(tx, &access)?;
    }
    event_log::append(tx, cx, &access, events.into_events())?;
    let forest = self::forest(tx, &access)?;
    let groups = targets.iter().filter_map(|id| forest.get(*id).cloned()).collect();
    Ok(View { groups, forest })
}

/// deleteGroup and its batch form: accounts lose the membership, child groups move up (behaviour
/// 4.14).
///
/// # Errors
/// What the access step and the rules of groups refuse.
pub fn delete(tx: &mut Tx<'_>, cx: &Context, book: &str, references: &[GroupRef]) -> Result<View> {
    let cx = &cx.beyond_quotas();
    let access = access::enter_to(tx, cx, book, WriteChart)?;
    batch::check_size("items", references.len())?;
    let owner = access.may(Action::WriteLockedGroups);
    let before = forest(tx, &access)?;
    let targets = found(&before, references.iter().cloned())?;
    let mut removal = Removal::new(before.clone(), tx.accounts().in_groups(&access, &targets)?);
    let mut named = BytesLeft::of_named();
    let named_groups = batch::each(targets.iter().copied(), |id| {
        let group = before.get(id).cloned().ok_or_else(|| Refusal::Unknown(id.to_string()))?;
        removal.check(id, owner)?;
        cx.check_precondition(&group)?;
        named.take(group.texts())?;
        Ok(group)
    })?;
    let mut seen = HashSet::new();
    let ids = named_groups.iter().map(|group| group.id);
    let ids: Vec<GroupId> = ids.filter(|id| seen.insert(*id)).collect();
    ids.iter().try_for_each(|id| removal.take_out(*id, cx.now))?;
    let Removed { freed, moved, events } = removal.finish();
    // Their memberships go with the groups.
    tx.accounts().update(&access, &freed, &[])?;
    tx.groups().update(&access, &moved)?;
    tx.groups().delete(&access, &ids)?;
    event_log::append(tx, cx, &access, events)?;
    Ok(View { groups: named_groups, forest: before })
}

/// listGroupAccounts: the accounts of the group and of all groups below (behaviour 4.17).
///
/// # Errors
/// What the access step refuses; [`Refusal::Unknown`].
pub fn accounts(tx: &mut Tx<'_>, cx: &Context, book: &str, text: &str) -> Result<account::View> {
    let access = access::enter(tx, cx, book, Action::ReadChart)?;
    let forest = forest(tx, &access)?;
    let group = forest.find(text).ok_or_else(|| Refusal::Unknown(text.to_owned()))?;
    let mut accounts = tx.accounts().in_groups(&access, &forest.descendants(group.id))?;
    accounts.sort_by_cached_key(|account| account.name.normalized());
    Ok(account::View { accounts, forest })
}

/// All groups of the book.
pub(crate) fn all(tx: &mut Tx<'_>, access: &Access) -> Result<View> {
    let forest = forest(tx, access)?;
    Ok(View { groups: forest.parents_first().into_iter().cloned().collect(), forest })
}

/// The groups of the book with the types of their accounts.
pub(crate) fn forest(tx: &mut Tx<'_>, access: &Access) -> Result<Forest> {
    Ok(Arc::unwrap_or_clone(tx.groups().forest(access)?))
}

/// Creates groups; the caller's access was checked.
pub(crate) fn add(
    tx: &mut Tx<'_>,
    cx: &Context,
    access: &AccessTo<WriteChart>,
    items: Vec<Input>,
) -> Result<View> {
    let owner = access.may(Action::WriteLockedGroups);
    let mut forest = forest(tx, access)?;
    forest.check_room(items.len())?;
    let mut events = Vec::new();
    let groups = batch::each(items, |input| {
        input.changes.check_lock(false, owner)?;
        input.changes.name.iter().try_for_each(|name| forest.check_free(name, None))?;
        let parent = input.parent.try_map(|parent| resolve(&forest, &parent))?;
        let group = Group::create(
            GroupId::new(cx.mint()),
            Changes { parent, ..input.changes },
            cx.stamp(),
        )?;
        forest.put(group.clone());
        events.push(group.created_event(&forest));
        Ok(group)
    })?;
    tx.groups().insert(access, &groups)?;
    account::check_chart(tx, access)?;
    event_log::append(tx, cx, access, events)?;
    forest.cache_inherited();
    Ok(View { groups, forest })
}

/// Whether a revision of a group or an account needs the permission to write there. What changes
/// nothing needs none; values that are wrong count as a change, because the missing permission is
/// told before them (behaviour 0.30).
pub(crate) fn needs_permission<T>(revision: &Result<(T, Previous)>) -> bool {
    !revision.as_ref().is_ok_and(|(_, previous)| previous.is_empty())
}

/// The group after an update, with the previous values of the fields that changed. Groups above
/// the new parent are taken from those that are `left`.
fn revised(
    forest: &Forest,
    before: Group,
    input: Input,
    (now, left): (Instant, &mut usize),
) -> Result<(Group, Previous)> {
    input.changes.name.iter().try_for_each(|name| forest.check_free(name, Some(before.id)))?;
    let parent = input.parent.try_map(|parent| resolve(forest, &parent))?;
    if let Field::Set(parent) = parent {
        forest.check_parent(before.id, parent, left)?;
    }
    Ok(before.update(Changes { parent, ..input.changes }, now)?)
}

/// Resolves references to groups. The refusal lists all references that name none.
fn found(
    forest: &Forest,
    references: impl ExactSizeIterator<Item = GroupRef>,
) -> Result<Vec<GroupId>> {
    let mut unknown = Vec::new();
    let found = batch::each(references, |reference| {
        if reference.is_blank() {
            return Err(Refusal::Unnamed.into());
        }
        let id = forest.resolve(&reference).map(|group| group.id);
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

fn resolve(forest: &Forest, reference: &GroupRef) -> Result<GroupId> {
    let found = forest.resolve(reference).map(|group| group.id);
    found.ok_or_else(|| Error::from(Refusal::UnknownReference(reference.shown().to_owned())))
}
