//! Giving a book to another owner (behaviour 6.21).

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

/// No user has this number.
const NOBODY: UserId = UserId::new(0);

/// What transferBook is given.
#[derive(Debug, Clone, Copy, Default)]
pub struct Giving<'a> {
    /// The address of the new owner.
    pub email: Option<&'a str>,
    /// The address of this server, for the mail.
    pub server: &'a str,
}

/// transferBook: a collaborator with that address who asked for OWNER becomes the owner, and the
/// caller an EDITOR. Anybody else is offered the book. The answer, and what is done for it, do not
/// tell whose address it is (behaviour 6.28).
///
/// # Errors
/// What the access step refuses; an unmet precondition; a malformed address; what the new owner may
/// not own.
pub fn transfer(tx: &mut Tx<'_>, cx: &Context, book: &str, giving: Giving<'_>) -> Result<View> {
    let Giving { email, server } = giving;
    cx.scope.check_outside_books()?;
    let found = find(tx, cx, book)?;
    let access = found.clone().admit_to(cx.user.id, TransferBook)?;
    cx.check_precondition(access.book())?;
    let address = Email::parse(email.ok_or(Refusal::NewOwnerRequired)?)?;
    let known = kept(tx, &address)?;
    let is_asked = tx.access_requests().is_asked(&access, (&address, Permission::Owner), cx.now)?;
    match known.filter(|user| is_asked && user.disabled_at.is_none()) {
        _ if address == cx.user.email => view(tx, cx, found),
        Some(owner) => {
            let book = hand_over(tx, cx, (access, &cx.user.email), &owner)?;
            view(tx, cx, given(found, (book, Permission::Editor), cx.now))
        }
        None => {
            offer(tx, cx, &access, (address, server))?;
            view(tx, cx, found)
        }
    }
}

/// What the operator does on the server's machine: the user with that address becomes the owner at
/// once, in the name of the owner of now, who need not be able to sign in.
///
/// # Errors
/// 404 for an unknown book; a malformed address, and one of nobody who could own a book; what the
/// new owner may not own.
pub fn transfer_by_operator(
    tx: &mut Tx<'_>,
    book: &str,
    address: &str,
    ids: &Arc<Ids>,
    now: Instant,
) -> Result<View> {
    let owner = owner_of(tx, book)?.ok_or(access::Refusal::BookNotFound)?;
    let cx = Context::of_operator(owner, ids, now);
    let found = find(tx, &cx, book)?;
    let access = found.clone().admit_to(cx.user.id, TransferBook)?;
    let address = Email::parse(address)?;
    // Nobody deletes them before the book is theirs.
    let known = kept(tx, &address)?.filter(|user| user.disabled_at.is_none());
    let owner = known.ok_or(Refusal::NewOwnerUnknown(address))?;
    if owner.id == cx.user.id {
        return view(tx, &cx, found);
    }
    let book = hand_over(tx, &cx, (access, &cx.user.email), &owner)?;
    view(tx, &cx, given(found, (book, Permission::Editor), now))
}

/// listBookTransfers: the books that are offered to the caller, the newest offer first.
///
/// # Errors
/// For a token that is limited to books.
pub fn list_offers(tx: &mut Tx<'_>, cx: &Context) -> Result<Vec<TransferOffer>> {
    cx.scope.check_outside_books()?;
    Ok(tx.books().offers_to(&cx.user.email, cx.now)?)
}

/// getBookTransfer: the open offer of a book, for its owner and for whom it is made to.
///
/// # Errors
/// What the access step refuses; [`Refusal::NotOffered`].
pub fn get_offer(tx: &mut Tx<'_>, cx: &Context, book: &str) -> Result<TransferOffer> {
    cx.scope.check_outside_books()?;
    let found = find(tx, cx, book)?;
    offer_for(tx, cx, &found)
}

/// declineBookTransfer: the owner withdraws the offer, or whom it is made to declines it.
///
/// # Errors
/// As [`get_offer`].
pub fn decline_offer(tx: &mut Tx<'_>, cx: &Context, book: &str) -> Result<TransferOffer> {
    cx.scope.check_outside_books()?;
    let found = find(tx, cx, book)?;
    let ended = offer_for(tx, cx, &found)?;
    tx.books().delete_offer(found.book.id)?;
    Ok(ended)
}

/// acceptBookTransfer: the caller becomes the owner of a book that is offered to them, and who
/// offered it an EDITOR.
///
/// # Errors
/// What the access step refuses; [`Refusal::NotOffered`]; what the caller may not own.
pub fn accept_offer(tx: &mut Tx<'_>, cx: &Context, book: &str) -> Result<View> {
    cx.scope.check_outside_books()?;
    let found = find(tx, cx, book)?;
    let cx = &cx.kept(tx)?;
    let offered = tx.books().offer(found.book.id, cx.now)?;
    if offered.is_none_or(|offer| offer.to != cx.user.email) {
        found.admit(cx.user.id, Action::ReadBook)?;
        return Err(Refusal::NotOffered.into());
    }
    let former = owner_of(tx, book)?.ok_or(access::Refusal::BookNotFound)?;
    let former = tx.users().keep(former.id)?.ok_or(Refusal::NotOffered)?;
    let owned = tx.books().load_for_user(book, &former.email)?.ok_or(Refusal::NotOffered)?;
    let access = owned.admit_to(former.id, TransferBook)?;
    let book = hand_over(tx, cx, (access, &former.email), &cx.user)?;
    view(tx, cx, given(found, (book, Permission::Owner), cx.now))
}

/// The user with that address, who keeps it until this unit of work ends, so that nobody deletes
/// them, and what is kept for the address follows a new one. It does as much for an address of
/// nobody.
fn kept(tx: &mut Tx<'_>, address: &Email) -> Result<Option<User>> {
    let known = tx.users().find(address)?.map_or(NOBODY, |user| user.id);
    Ok(tx.users().keep(known)?.filter(|user| user.email == *address))
}

/// The open offer of a book, as far as the caller may see it.
fn offer_for(tx: &mut Tx<'_>, cx: &Context, found: &BookAccess) -> Result<TransferOffer> {
    match tx.books().offer(found.book.id, cx.now)? {
        Some(offer) if offer.to == cx.user.email => Ok(offer),
        other => {
            found.clone().admit(cx.user.id, Action::TransferBook)?;
            Ok(other.ok_or(Refusal::NotOffered)?)
        }
    }
}

/// Offers the book to an address, in place of any offer before. A mail tells of it, unless the same
/// is offered already.
fn offer(
    tx: &mut Tx<'_>,
    cx: &Context,
    access: &AccessTo<TransferBook>,
    (to, server): (Email, &str),
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
    tx.books().insert_offer(access, (cx.user.id, &offer))?;
    if before.is_some_and(|before| before.to == offer.to) {
        return Ok(());
    }
    mail::offer(tx, cx, access, (&offer, server))
}

/// Makes a user the owner of a book; answers the book. Whoever gives it away is named by the
/// address.
fn hand_over(
    tx: &mut Tx<'_>,
    cx: &Context,
    (access, former): (AccessTo<TransferBook>, &Email),
    owner: &User,
) -> Result<Book> {
    let (after, previous) = access.book().clone().transferred(owner.username.clone(), cx.now);
    let access = access.with_book(after);
    check_owned(tx, owner.id, MAX_OWNED_BY_TRANSFER)?;
    storage_quota::check_transfer(tx, cx, &access, owner.id)?;
    tx.books().transfer(&access, owner.id)?;
    tx.books().delete_offer(access.book().id)?;
    file::end_addresses(tx, cx, &access)?;
    // Apps reach the books of another collection (behaviour 9.4).
    tx.identity_changes().record();
    let mut events = vec![access.book().updated_event(&previous)];
    events.extend(exchange(tx, cx, &access, (former, owner))?);
    event_log::append(tx, &cx.beyond_quotas(), &access, events)?;
    Ok(access.into_access().book().clone())
}

/// A book as somebody finds it who has this permission in it now.
fn given(
    mut found: BookAccess,
    (book, permission): (Book, Permission),
    now: Instant,
) -> BookAccess {
    found.book = book;
    found.granted = Some(permission);
    found.activity.changed_at = now;
    found
}

fn view(tx: &mut Tx<'_>, cx: &Context, found: BookAccess) -> Result<View> {
    let activity = found.activity;
    let access = found.admit(cx.user.id, Action::ReadBook)?;
    let collection = collection::of_book(tx, cx, &access)?;
    Ok(View { collection, ..View::plain(access, activity) })
}

/// Exchanges the permissions of the two in the list of collaborators; answers its events.
fn exchange(
    tx: &mut Tx<'_>,
    cx: &Context,
    access: &AccessTo<TransferBook>,
    (former, owner): (&Email, &User),
) -> Result<Vec<NewEvent>> {
    let access = access.with_purpose(ManageCollaborators)?;
    let mut events = Vec::with_capacity(2);
    if let Some(former) = tx.collaborators().find(&access, former)? {
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
