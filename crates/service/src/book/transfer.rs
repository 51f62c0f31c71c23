//! Giving a book to another owner (behaviour 6.21).

use std::sync::Arc;

use daybook_domain::access;
use daybook_domain::book::{MAX_OWNED_BY_TRANSFER, Refusal};
use daybook_domain::collaborator::Collaborator;
use daybook_domain::email::Email;
use daybook_domain::event::NewEvent;
use daybook_domain::id::CollaboratorId;
use daybook_domain::instant::Instant;
use daybook_domain::permission::{Action, Permission};
use daybook_domain::purpose::{ManageCollaborators, TransferBook};
use daybook_storage::Tx;
use daybook_storage::access::AccessTo;
use daybook_storage::user::User;

use super::{View, check_owned};
use crate::access::{find, owner_of};
use crate::context::Context;
use crate::error::Result;
use crate::ids::Ids;
use crate::{collection, event_log, file, storage_quota, user};

/// transferBook: the user with that address becomes the owner, and the caller an EDITOR.
///
/// # Errors
/// What the access step refuses; an unmet precondition; a malformed address, and one of nobody who
/// could own a book.
pub fn transfer(tx: &mut Tx<'_>, cx: &Context, book: &str, address: Option<&str>) -> Result<View> {
    let found = find(tx, cx, book)?;
    let mut left = found.clone();
    let access = found.admit_to(cx.user.id, TransferBook)?;
    cx.check_precondition(access.book())?;
    let address = Email::parse(address.ok_or(Refusal::NewOwnerRequired)?)?;
    // Nobody deletes them before the book is theirs.
    let known = user::kept(tx, &address)?.filter(|user| user.disabled_at.is_none());
    let owner = known.ok_or(Refusal::NewOwnerUnknown(address))?;
    if owner.id != cx.user.id {
        let (after, previous) = access.book().clone().transferred(owner.username.clone(), cx.now);
        let access = access.with_book(after);
        check_owned(tx, owner.id, MAX_OWNED_BY_TRANSFER)?;
        storage_quota::check_transfer(tx, cx, &access, owner.id)?;
        tx.books().transfer(&access, owner.id)?;
        file::end_addresses(tx, cx, &access)?;
        // Apps reach the books of another collection (behaviour 9.4).
        tx.identity_changes().record();
        let mut events = vec![access.book().updated_event(&previous)];
        events.extend(exchange(tx, cx, &access, &owner)?);
        event_log::append(tx, &cx.beyond_quotas(), &access, events)?;
        left.book = access.book().clone();
        left.granted = Some(Permission::Editor);
        left.activity.changed_at = cx.now;
    }
    let activity = left.activity;
    let access = left.admit(cx.user.id, Action::ReadBook)?;
    let collection = collection::of_book(tx, cx, &access)?;
    Ok(View { collection, ..View::plain(access, activity) })
}

/// What the operator does on the server's machine: the same, in the name of the owner of now, who
/// need not be able to sign in.
///
/// # Errors
/// As [`transfer`]; 404 for an unknown book.
pub fn transfer_by_operator(
    tx: &mut Tx<'_>,
    book: &str,
    address: &str,
    ids: &Arc<Ids>,
    now: Instant,
) -> Result<View> {
    let owner = owner_of(tx, book)?.ok_or(access::Refusal::BookNotFound)?;
    let cx = Context::of_operator(owner, ids, now);
    transfer(tx, &cx, book, Some(address))
}

/// Exchanges the permissions of the two in the list of collaborators; answers its events.
fn exchange(
    tx: &mut Tx<'_>,
    cx: &Context,
    access: &AccessTo<TransferBook>,
    owner: &User,
) -> Result<Vec<NewEvent>> {
    let access = access.with_purpose(ManageCollaborators)?;
    let mut events = Vec::with_capacity(2);
    if let Some(former) = tx.collaborators().find(&access, &cx.user.email)? {
        let (retired, previous) = former.retired(cx.now);
        tx.collaborators().update(&access, &retired)?;
        events.push(retired.updated_event(&previous));
    }
    events.push(match tx.collaborators().find(&access, &owner.email)? {
        Some(known) => {
            let (promoted, previous) = known.promoted(cx.now);
            tx.collaborators().update(&access, &promoted)?;
            promoted.updated_event(&previous)
        }
        None => {
            let added = Collaborator {
                id: CollaboratorId::new(cx.mint()),
                email: owner.email.clone(),
                permission: Permission::Owner,
                stamp: cx.stamp(),
            };
            tx.collaborators().insert(&access, &added)?;
            added.added_event()
        }
    });
    tx.access_requests().close_granted(&access, &owner.email, Permission::Owner)?;
    Ok(events)
}
