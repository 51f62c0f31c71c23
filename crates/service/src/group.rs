//! Groups of accounts (behaviour 4.12 - 4.19).

use std::collections::HashSet;

use daybook_domain::access::Access;
use daybook_domain::event::Previous;
use daybook_domain::field::Field;
use daybook_domain::group::{
    Changes, Forest, Group, GroupRef, MAX_VISITED, Removal, RemovalEffects,
};
use daybook_domain::id::GroupId;
use daybook_domain::instant::Instant;
use daybook_domain::permission::Action;
use daybook_domain::purpose::WriteChart;
use daybook_storage::Tx;
use daybook_storage::access::AccessTo;

use crate::batch::BytesLeft;
use crate::chart::{self, load_forest};
use crate::context::Context;
use crate::error::Result;
use crate::event_log::EventBatch;
use crate::{access, batch, event_log};

/// Groups as the caller sees them.
#[derive(Debug, Clone)]
pub struct View {
    /// The requested groups, in order.
    pub groups: Vec<Group>,
    /// All groups of the book, for parents and derived flags.
    pub forest: Forest,
}

/// The fields of a group in a body. Its parent is not resolved yet.
#[derive(Debug, Clone, Default)]
pub struct Input {
    /// Its own fields.
    pub changes: Changes,
    /// The parent.
    pub parent: Field<GroupRef>,
}

/// listGroups: parents before children, then by name.
pub fn list(tx: &mut Tx<'_>, cx: &Context, book: &str) -> Result<View> {
    let access = access::enter(tx, cx, book, Action::ReadChart)?;
    all(tx, &access)
}

/// getGroup, by id or name.
///
/// # Errors
/// [`Refusal::Unknown`](daybook_domain::chart::Refusal::Unknown).
pub fn get(tx: &mut Tx<'_>, cx: &Context, book: &str, text: &str) -> Result<View> {
    let access = access::enter(tx, cx, book, Action::ReadChart)?;
    let forest = load_forest(tx, &access)?;
    let group = forest.directory().require_text(text)?.clone();
    Ok(View { groups: vec![group], forest })
}

/// createGroup and createGroupsBatch. The parent of an item may be an earlier item (behaviour
/// 4.16).
///
/// # Errors
/// Refusals of the rules of groups.
pub fn create(tx: &mut Tx<'_>, cx: &Context, book: &str, items: Vec<Input>) -> Result<View> {
    let access = access::enter_to(tx, cx, book, WriteChart)?;
    batch::check_size("items", items.len())?;
    add(tx, cx, &access, items)
}

/// updateGroup and updateGroupsBatch.
///
/// # Errors
/// Refusals of the rules of groups.
pub fn update(tx: &mut Tx<'_>, cx: &Context, book: &str, mut items: Vec<Input>) -> Result<View> {
    let access = access::enter_to(tx, cx, book, WriteChart)?;
    batch::check_size("items", items.len())?;
    let owner = access.may(Action::WriteLockedGroups);
    let mut forest = load_forest(tx, &access)?;
    let (mut changed, mut grows) = (Vec::new(), false);
    let (mut named_bytes, mut events) = (BytesLeft::for_named_chart(), EventBatch::new());
    let mut ancestors_left = MAX_VISITED;
    let targets: Vec<GroupRef> = items
        .iter_mut()
        .map(|Input { changes, .. }| GroupRef::of_target(changes.id.as_deref(), &mut changes.name))
        .collect();
    let targets = chart::resolve_targets(forest.directory(), &targets)?;
    batch::each(items.into_iter().zip(&targets), |(input, id)| {
        let before = forest.directory().require(*id)?.clone();
        input.changes.check_lock(before.locked, owner)?;
        let revision = revise(&forest, before.clone(), input, cx.now, &mut ancestors_left);
        if chart::needs_permission(&revision) {
            before.check_writable(owner)?;
        }
        cx.check_precondition(&before)?;
        let text_bytes = before.text_bytes();
        named_bytes.take(text_bytes)?;
        let (after, previous) = revision?;
        grows |= after.text_bytes() > text_bytes;
        if !previous.is_empty() {
            forest.insert(after.clone());
            events.push(after.updated_event(&forest, &previous))?;
            changed.push(after);
        }
        Ok(())
    })?;
    tx.groups().update(&access, &batch::last_of_each(changed, |group| group.id))?;
    if grows {
        chart::check_size(tx, &access)?;
    }
    event_log::append(tx, cx, &access, events.into_events())?;
    let forest = load_forest(tx, &access)?;
    let groups = targets.iter().filter_map(|id| forest.get(*id).cloned()).collect();
    Ok(View { groups, forest })
}

/// deleteGroup and deleteGroupsBatch: accounts lose the membership, and child groups move up
/// (behaviour 4.14).
///
/// # Errors
/// Refusals of the rules of groups.
pub fn delete(tx: &mut Tx<'_>, cx: &Context, book: &str, references: &[GroupRef]) -> Result<View> {
    let cx = &cx.exempt_from_quotas();
    let access = access::enter_to(tx, cx, book, WriteChart)?;
    batch::check_size("items", references.len())?;
    let owner = access.may(Action::WriteLockedGroups);
    let before = load_forest(tx, &access)?;
    let targets = chart::resolve_targets(before.directory(), references)?;
    let mut removal = Removal::new(before.clone(), tx.accounts().in_groups(&access, &targets)?);
    let mut named_bytes = BytesLeft::for_named_chart();
    let groups = batch::each(targets.iter().copied(), |id| {
        let group = before.directory().require(id)?.clone();
        removal.check(id, owner)?;
        cx.check_precondition(&group)?;
        named_bytes.take(group.text_bytes())?;
        Ok(group)
    })?;
    let mut seen = HashSet::new();
    let ids = groups.iter().map(|group| group.id);
    let ids: Vec<GroupId> = ids.filter(|id| seen.insert(*id)).collect();
    ids.iter().try_for_each(|id| removal.delete(*id, cx.now))?;
    let RemovalEffects { accounts, groups: moved, events } = removal.finish();
    // Deleting a group deletes its memberships.
    tx.accounts().update(&access, &accounts, &[])?;
    tx.groups().update(&access, &moved)?;
    tx.groups().delete(&access, &ids)?;
    event_log::append(tx, cx, &access, events)?;
    Ok(View { groups, forest: before })
}

/// Loads all groups of the book, parents before children.
pub(crate) fn all(tx: &mut Tx<'_>, access: &Access) -> Result<View> {
    let forest = load_forest(tx, access)?;
    Ok(View { groups: forest.parents_first().into_iter().cloned().collect(), forest })
}

/// Creates groups in an entered book.
pub(crate) fn add(
    tx: &mut Tx<'_>,
    cx: &Context,
    access: &AccessTo<WriteChart>,
    items: Vec<Input>,
) -> Result<View> {
    let owner = access.may(Action::WriteLockedGroups);
    let mut forest = load_forest(tx, access)?;
    forest.check_count(items.len())?;
    let mut events = Vec::new();
    let groups = batch::each(items, |input| {
        input.changes.check_lock(false, owner)?;
        let known = forest.directory();
        known.check_name(input.changes.name.as_deref(), None)?;
        let parent = input.parent.try_map(|parent| known.resolve(&parent))?;
        let group = Group::create(
            GroupId::new(cx.mint()),
            Changes { parent, ..input.changes },
            cx.stamp(),
        )?;
        forest.insert(group.clone());
        events.push(group.created_event(&forest));
        Ok(group)
    })?;
    tx.groups().insert(access, &groups)?;
    chart::check_size(tx, access)?;
    event_log::append(tx, cx, access, events)?;
    forest.cache_inherited();
    Ok(View { groups, forest })
}

/// Applies an update, and returns the previous values of the fields that changed too.
///
/// The ancestors of the new parent are subtracted from `ancestors_left`.
fn revise(
    forest: &Forest,
    before: Group,
    input: Input,
    now: Instant,
    ancestors_left: &mut usize,
) -> Result<(Group, Previous)> {
    let known = forest.directory();
    known.check_name(input.changes.name.as_deref(), Some(before.id))?;
    let parent = input.parent.try_map(|parent| known.resolve(&parent))?;
    if let Field::Set(parent) = parent {
        forest.check_parent(before.id, parent, ancestors_left)?;
    }
    Ok(before.update(Changes { parent, ..input.changes }, now)?)
}
