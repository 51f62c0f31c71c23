//! Use cases of access requests (behaviour 7.6). They are no part of the book's log: no event is
//! recorded.

use daybook_domain::access;
use daybook_domain::access_request::{AccessRequest, Input, Refusal};
use daybook_domain::id::{AccessRequestId, BookKey};
use daybook_domain::permission::Action;
use daybook_domain::purpose::ManageCollaborators;
use daybook_storage::Tx;

use crate::access::{enter, enter_to, find_known};
use crate::context::Context;
use crate::error::Result;
use crate::mail;

/// What requestBookAccess is given.
#[derive(Debug, Clone, Copy, Default)]
pub struct Request<'a> {
    /// The name of the permission.
    pub permission: Option<&'a str>,
    /// What the user says to the owner.
    pub message: Option<&'a str>,
    /// The address of this server, for the mail to the owner.
    pub server: &'a str,
}

/// requestBookAccess. The owner gets a mail. Somebody who may not see the book learns nothing of
/// it: an id that no book has is answered alike, and then nothing is kept (behaviour 7.4).
///
/// # Errors
/// 403 for books that the access token does not reach; 404 for what cannot be the id of a book;
/// what the rules of access requests refuse.
pub fn request(tx: &mut Tx<'_>, cx: &Context, book: &str, asked: Request<'_>) -> Result<()> {
    let Request { permission, message, server } = asked;
    let found = find_known(tx, cx, book)?;
    let cx = &cx.kept(tx)?;
    if !BookKey::new(book.to_owned()).is_well_formed() {
        return Err(access::Refusal::BookNotFound.into());
    }
    let input = Input::read(permission, message)?;
    let granted = found.as_ref().and_then(|found| found.granted);
    let (id, user) = (AccessRequestId::new(cx.mint()), (cx.user.id, cx.user.email.clone()));
    let request = AccessRequest::ask(id, user, input, granted, cx.now)?;
    tx.access_requests().submit(found.as_ref(), &request)?;
    mail::tell_owner(tx, cx, found.as_ref(), (&request, server))
}

/// listBookAccessRequests: those that are open, the newest first.
///
/// # Errors
/// What the access step refuses.
pub fn list(tx: &mut Tx<'_>, cx: &Context, book: &str) -> Result<Vec<AccessRequest>> {
    let access = enter(tx, cx, book, Action::ManageCollaborators)?;
    Ok(tx.access_requests().list(&access, cx.now)?)
}

/// getBookAccessRequest. It grants nothing.
///
/// # Errors
/// What the access step refuses; [`Refusal::Unknown`].
pub fn get(tx: &mut Tx<'_>, cx: &Context, book: &str, id: &str) -> Result<AccessRequest> {
    let access = enter(tx, cx, book, Action::ManageCollaborators)?;
    find(tx, cx, &access, id)
}

/// declineBookAccessRequest.
///
/// # Errors
/// What the access step refuses; [`Refusal::Unknown`].
pub fn decline(tx: &mut Tx<'_>, cx: &Context, book: &str, id: &str) -> Result<AccessRequest> {
    let access = enter_to(tx, cx, book, ManageCollaborators)?;
    let declined = find(tx, cx, &access, id)?;
    tx.access_requests().delete(&access, declined.id)?;
    Ok(declined)
}

fn find(
    tx: &mut Tx<'_>,
    cx: &Context,
    access: &access::Access,
    text: &str,
) -> Result<AccessRequest> {
    let found = match text.parse() {
        Ok(id) => tx.access_requests().find(access, id, cx.now)?,
        Err(_) => None,
    };
    Ok(found.ok_or(Refusal::Unknown)?)
}
