//! Transfers of a book to another owner, and offers of a transfer (behaviour 6.21).

use std::sync::Arc;

use daybook_domain::access;
use daybook_domain::book::{Book, MAX_OWNED_BY_TRANSFER, Refusal, TransferOffer};
use daybook_domain::collaborator::Collaborator;
use daybook_domain::email::Email;
use daybook_domain::event::NewEvent;
use daybook_domain::id::{CollaboratorId, UserId};
use daybook_domain::instant::Instant;
use daybook_domain::permission::{Action, Permission};
use daybook_domain::purpose::{ManageCollaborators, TransferBook};
use daybook_storage::Tx;
use daybook_storage::access::{AccessTo, BookAccess};
use daybook_storage::user::User;

use super::{View, check_owned};
use crate::access::{find, owner_of};
use crate::context::Context;
use crate::error::Result;
use crate::ids::Ids;
use crate::{collection, event_log, file, mail, storage_quota};

/// A user number that is never assigned.
const NO_USER: UserId = UserId::new(0);

/// The input of transferBook.
#[derive(Debug, Clone, Copy, Default)]
pub struct TransferRequest<'a> {
    /// The address of the new owner.
    pub email: Option<&'a str>,
    /// The address of this server, for the mail.
    pub server: &'a str,
}

/// transferBook: transfers the book to the user with this address, or offers it to them.
///
/// A collaborator who asked for OWNER becomes the owner at once, and the caller an EDITOR. Any
/// other address gets an offer. The response and its timing do not reveal whether the address
/// belongs to a user (behaviour 6.28).
///
/// # Errors
/// An unmet precondition; a malformed address; the limits of the new owner.
pub fn transfer(
    tx: &mut Tx<'_>,
    cx: &Context,
    book: &str,
    request: TransferRequest<'_>,
) -> Result<View> {
    let TransferRequest { email, server } = request;
    cx.scope.check_outside_books()?;
    let found = find(tx, cx, book)?;
    let access = found.clone().admit_to(cx.user.id, TransferBook)?;
    cx.check_precondition(access.book())?;
    let address = Email::parse(email.ok_or(Refusal::NewOwnerRequired)?)?;
    let user = share_lock_user(tx, &address)?;
    let has_asked =
        tx.access_requests().has_open_request(&access, &address, Permission::Owner, cx.now)?;
    if address == cx.user.email {
        return view(tx, cx, found);
    }
    match user.filter(|user| has_asked && user.disabled_at.is_none()) {
        Some(owner) => {
            let book = change_owner(tx, cx, access, &cx.user.email, &owner)?;
            view(tx, cx, after_transfer(found, book, Permission::Editor, cx.now))
        }
        None => {
            make_offer(tx, cx, &access, address, server)?;
            view(tx, cx, found)
        }
    }
}

/// Transfers a book for the operator, in the name of its owner, who need not be able to sign in.
///
/// # Errors
/// 404 for an unknown book; a malformed address; an address without an enabled user; the limits of
/// the new owner.
pub fn transfer_by_operator(
    tx: &mut Tx<'_>,
    book: &str,
    address: &str,
    ids: &Arc<Ids>,
    now: Instant,
) -> Result<View> {
    let owner = owner_of(tx, book)?.ok_or(access::Refusal::BookNotFound)?;
    let cx = Context::for_operator(owner, ids, now);
    let found = find(tx, &cx, book)?;
    let access = found.clone().admit_to(cx.user.id, TransferBook)?;
    let address = Email::parse(address)?;
    // The lock prevents their deletion before the book is theirs.
    let user = share_lock_user(tx, &address)?.filter(|user| user.disabled_at.is_none());
    let owner = user.ok_or(Refusal::NewOwnerUnknown(address))?;
    if owner.id == cx.user.id {
        return view(tx, &cx, found);
    }
    let book = change_owner(tx, &cx, access, &cx.user.email, &owner)?;
    view(tx, &cx, after_transfer(found, book, Permission::Editor, now))
}

/// listBookTransfers: the books that are offered to the caller, the newest offer first.
///
/// # Errors
/// A token that is limited to books.
pub fn list_offers(tx: &mut Tx<'_>, cx: &Context) -> Result<Vec<TransferOffer>> {
    cx.scope.check_outside_books()?;
    Ok(tx.books().offers_to(&cx.user.email, cx.now)?)
}

/// getBookTransfer: the open offer of a book, for its owner and its recipient.
///
/// # Errors
/// [`Refusal::NotOffered`].
pub fn get_offer(tx: &mut Tx<'_>, cx: &Context, book: &str) -> Result<TransferOffer> {
    cx.scope.check_outside_books()?;
    let found = find(tx, cx, book)?;
    visible_offer(tx, cx, &found)
}

/// declineBookTransfer: the owner withdraws the offer, or its recipient declines it.
///
/// # Errors
/// Those of [`get_offer`].
pub fn decline_offer(tx: &mut Tx<'_>, cx: &Context, book: &str) -> Result<TransferOffer> {
    cx.scope.check_outside_books()?;
    let found = find(tx, cx, book)?;
    let offer = visible_offer(tx, cx, &found)?;
    tx.books().delete_offer(found.book.id)?;
    Ok(offer)
}

/// acceptBookTransfer: the caller becomes the owner of a book that is offered to them, and the
/// former owner becomes an EDITOR.
///
/// # Errors
/// [`Refusal::NotOffered`]; the limits of the caller.
pub fn accept_offer(tx: &mut Tx<'_>, cx: &Context, book: &str) -> Result<View> {
    cx.scope.check_outside_books()?;
    let found = find(tx, cx, book)?;
    let cx = &cx.share_lock_caller(tx)?;
    let offer = tx.books().offer(found.book.id, cx.now)?;
    if offer.is_none_or(|offer| offer.to != cx.user.email) {
        found.admit(cx.user.id, Action::ReadBook)?;
        return Err(Refusal::NotOffered.into());
    }
    let former = owner_of(tx, book)?.ok_or(access::Refusal::BookNotFound)?;
    let former = tx.users().share_lock(former.id)?.ok_or(Refusal::NotOffered)?;
    let owned = tx.books().load_for_user(book, &former.email)?.ok_or(Refusal::NotOffered)?;
    let access = owned.admit_to(former.id, TransferBook)?;
    let book = change_owner(tx, cx, access, &former.email, &cx.user)?;
    view(tx, cx, after_transfer(found, book, Permission::Owner, cx.now))
}

/// Takes a shared lock on the user with this address, so they cannot be renamed or deleted.
///
/// It runs the same statements for an address without a user, so its timing reveals nothing.
fn share_lock_user(tx: &mut Tx<'_>, address: &Email) -> Result<Option<User>> {
    let id = tx.users().find(address)?.map_or(NO_USER, |user| user.id);
    Ok(tx.users().share_lock(id)?.filter(|user| user.email == *address))
}

/// Returns the open offer of a book if the caller may see it.
fn visible_offer(tx: &mut Tx<'_>, cx: &Context, found: &BookAccess) -> Result<TransferOffer> {
    match tx.books().offer(found.book.id, cx.now)? {
        Some(offer) if offer.to == cx.user.email => Ok(offer),
        other => {
            found.clone().admit(cx.user.id, Action::TransferBook)?;
            Ok(other.ok_or(Refusal::NotOffered)?)
        }
    }
}

/// Offers the book to an address and replaces any earlier offer.
///
/// It mails the recipient unless the book is offered to them already.
fn make_offer(
    tx: &mut Tx<'_>,
    cx: &Context,
    access: &AccessTo<TransferBook>,
    to: Email,
    server: &str,
) -> Result<()> {
    let book = access.book();
    let before = tx.books().offer(book.id, cx.now)?;
    let offer = TransferOffer {
        book: book.key.clone(),
        name: book.settings.name.as_str().to_owned(),
        from: cx.user.email.clone(),
        to,
        created_at: cx.now,
    };
    tx.books().insert_offer(access, cx.user.id, &offer)?;
    if before.is_some_and(|before| before.to == offer.to) {
        return Ok(());
    }
    mail::offer(tx, cx, access, &offer, server)
}

/// Makes `owner` the owner of a book and returns the changed book. `former` is the address of the
/// owner before.
fn change_owner(
    tx: &mut Tx<'_>,
    cx: &Context,
    access: AccessTo<TransferBook>,
    former: &Email,
    owner: &User,
) -> Result<Book> {
    let (after, previous) = access.book().clone().transfer_to(owner.username.clone(), cx.now);
    let access = access.with_book(after);
    check_owned(tx, owner.id, MAX_OWNED_BY_TRANSFER)?;
    storage_quota::check_transfer(tx, cx, &access, owner.id)?;
    tx.books().transfer(&access, owner.id)?;
    tx.books().delete_offer(access.book().id)?;
    file::end_addresses(tx, cx, &access)?;
    // Apps with access to a whole collection now reach other books (behaviour 9.4).
    tx.identity_changes().increment();
    let mut events = vec![access.book().updated_event(&previous)];
    events.extend(swap_permissions(tx, cx, &access, former, owner)?);
    event_log::append(tx, &cx.exempt_from_quotas(), &access, events)?;
    Ok(access.into_access().book().clone())
}

/// Returns the book after its transfer, with the caller's permission in it.
fn after_transfer(
    mut found: BookAccess,
    book: Book,
    permission: Permission,
    changed_at: Instant,
) -> BookAccess {
    found.book = book;
    found.granted = Some(permission);
    found.counters.changed_at = changed_at;
    found
}

fn view(tx: &mut Tx<'_>, cx: &Context, found: BookAccess) -> Result<View> {
    let counters = found.counters;
    let access = found.admit(cx.user.id, Action::ReadBook)?;
    let collection = collection::of_book(tx, cx, &access)?;
    Ok(View { collection, ..View::plain(access, counters) })
}

/// Swaps the permissions of the former and the new owner, and returns the events.
fn swap_permissions(
    tx: &mut Tx<'_>,
    cx: &Context,
    access: &AccessTo<TransferBook>,
    former: &Email,
    owner: &User,
) -> Result<Vec<NewEvent>> {
    let access = access.with_purpose(ManageCollaborators)?;
    let mut events = Vec::with_capacity(2);
    if let Some(former) = tx.collaborators().find(&access, former)? {
        let (editor, previous) = former.demote_to_editor(cx.now);
        tx.collaborators().update(&access, &editor)?;
        events.push(editor.updated_event(&previous));
    }
    events.push(match tx.collaborators().find(&access, &owner.email)? {
        Some(known) => {
            let (promoted, previous) = known.promote_to_owner(cx.now);
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
