//! Collaborators of a book (behaviour 7).

use daybook_domain::collaborator::{Collaborator, MAX_SHARED, Refusal, Sharing, read_message};
use daybook_domain::email::Email;
use daybook_domain::id::CollaboratorId;
use daybook_domain::mail::Invitation;
use daybook_domain::permission::{Action, Permission};
use daybook_domain::purpose::{ManageCollaborators, RemoveCollaborator};
use daybook_storage::Tx;
use daybook_storage::access::AccessTo;

use crate::context::Context;
use crate::error::Result;
use crate::{access, event_log, file, mail};

/// listCollaborators: the owner first, then by address.
pub fn list(tx: &mut Tx<'_>, cx: &Context, book: &str) -> Result<Vec<Collaborator>> {
    let access = access::enter(tx, cx, book, Action::ListCollaborators)?;
    let mut all = tx.collaborators().list(&access)?;
    all.sort_by(|a, b| {
        (a.permission != Permission::Owner, &a.email)
            .cmp(&(b.permission != Permission::Owner, &b.email))
    });
    Ok(all)
}

/// The input of addCollaborator.
#[derive(Debug, Clone, Copy, Default)]
pub struct Input<'a> {
    /// The address.
    pub email: Option<&'a str>,
    /// The permission.
    pub permission: Option<Permission>,
    /// The message in the invitation.
    pub message: Option<&'a str>,
    /// The address of this server, for the invitation.
    pub server: &'a str,
}

/// addCollaborator: adds or changes a collaborator by address. NONE removes them.
///
/// Open access requests that the permission covers are closed (behaviour 7.6). New collaborators
/// get an invitation by mail; so does everyone for whom there is a message.
///
/// # Errors
/// A missing or malformed address; OWNER; any change of the owner's row; a message that is too
/// long.
pub fn add(tx: &mut Tx<'_>, cx: &Context, book: &str, input: Input<'_>) -> Result<Collaborator> {
    let Input { email, permission, message, server } = input;
    let access = access::enter_to(tx, cx, book, ManageCollaborators)?;
    let address = Email::parse(email.ok_or(Refusal::Required("email"))?)?;
    let permission = permission.ok_or(Refusal::Required("permission"))?;
    let message = read_message(message)?;
    let sharing = Sharing::of(tx.collaborators().find(&access, &address)?, permission)?;
    tx.access_requests().close_granted(&access, &address, permission)?;
    if sharing.invites(message.is_some()) {
        let (from, message) = (&cx.user.email, message.as_deref());
        let invitation = Invitation { from, to: &address, permission, message };
        mail::invite(tx, cx, &access, &invitation, server)?;
    }
    if matches!(sharing, Sharing::Add) {
        check_shared(tx, book, &address)?;
    }
    match sharing {
        Sharing::Add => insert(tx, cx, &access, address, permission),
        Sharing::Change(existing) => change(tx, cx, &access, existing, permission),
        Sharing::Keep(existing) => Ok(existing),
        Sharing::Remove(existing) => {
            delete(tx, cx, &access.with_purpose(RemoveCollaborator::Other)?, existing)
        }
    }
}

/// Refuses to share one more book of an owner with a user who has many of them (behaviour 7.12).
fn check_shared(tx: &mut Tx<'_>, book: &str, with: &Email) -> Result<()> {
    let Some(owner) = tx.books().owner(book)? else { return Ok(()) };
    let shared = tx.books().count_shared(owner, with, MAX_SHARED)?;
    if shared < MAX_SHARED { Ok(()) } else { Err(Refusal::TooManyShared(with.clone()).into()) }
}

/// removeCollaborator, by id or address. Collaborators may remove themselves, except the owner.
///
/// # Errors
/// [`Refusal::Unknown`] and [`Refusal::OwnerIsFixed`].
pub fn remove(tx: &mut Tx<'_>, cx: &Context, book: &str, text: &str) -> Result<Collaborator> {
    let access = access::enter_to(tx, cx, book, RemoveCollaborator::Oneself)?;
    remove_from(tx, cx, access, text)
}

/// Removes a collaborator of an entered book, by id or address.
///
/// # Errors
/// [`Refusal::Unknown`] and [`Refusal::OwnerIsFixed`]; 403 for too little permission.
pub(crate) fn remove_from(
    tx: &mut Tx<'_>,
    cx: &Context,
    mut access: AccessTo<RemoveCollaborator>,
    text: &str,
) -> Result<Collaborator> {
    // An invalid address matches no collaborator.
    let email = Email::parse(text).ok();
    let found = match (text.parse::<CollaboratorId>(), &email) {
        (Ok(id), _) => tx.collaborators().find_by_id(&access, id)?,
        (Err(_), Some(email)) => tx.collaborators().find(&access, email)?,
        (Err(_), None) => None,
    };
    let target = found.as_ref().map(|found| &found.email).or(email.as_ref());
    if target != Some(&cx.user.email) {
        access = access.with_purpose(RemoveCollaborator::Other)?;
    }
    let found = found.ok_or(Refusal::Unknown)?;
    found.check_replaceable()?;
    delete(tx, cx, &access, found)
}

fn insert(
    tx: &mut Tx<'_>,
    cx: &Context,
    access: &AccessTo<ManageCollaborators>,
    email: Email,
    permission: Permission,
) -> Result<Collaborator> {
    let added =
        Collaborator { id: CollaboratorId::new(cx.mint()), email, permission, stamp: cx.stamp() };
    tx.collaborators().insert(access, &added)?;
    event_log::append(tx, cx, access, vec![added.added_event()])?;
    Ok(added)
}

fn change(
    tx: &mut Tx<'_>,
    cx: &Context,
    access: &AccessTo<ManageCollaborators>,
    before: Collaborator,
    permission: Permission,
) -> Result<Collaborator> {
    let lowered = !permission.covers(before.permission);
    let (after, previous) = before.with_permission(permission, cx.now);
    tx.collaborators().update(access, &after)?;
    // Lowering a permission must succeed even if a quota is exhausted.
    let exempt = cx.exempt_from_quotas();
    let cx = if lowered { &exempt } else { cx };
    if lowered {
        file::end_addresses(tx, cx, access)?;
    }
    event_log::append(tx, cx, access, vec![after.updated_event(&previous)])?;
    Ok(after)
}

fn delete(
    tx: &mut Tx<'_>,
    cx: &Context,
    access: &AccessTo<RemoveCollaborator>,
    removed: Collaborator,
) -> Result<Collaborator> {
    let cx = &cx.exempt_from_quotas();
    tx.collaborators().delete(access, removed.id)?;
    if tx.events().apps(access) > 0 {
        // The tokens of the apps that they installed here end (behaviour 8.22).
        tx.identity_changes().increment();
    }
    file::end_addresses(tx, cx, access)?;
    event_log::append(tx, cx, access, vec![removed.removed_event()])?;
    Ok(removed)
}
