//! Access requests: users ask the owner of a book for a permission (behaviour 7.6). They are not
//! part of the book's log, so no event is recorded.

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

/// The input of requestBookAccess.
#[derive(Debug, Clone, Copy, Default)]
pub struct Request<'a> {
    /// The name of the permission.
    pub permission: Option<&'a str>,
    /// A message to the owner.
    pub message: Option<&'a str>,
    /// The address of this server, for the mail to the owner.
    pub server: &'a str,
}

/// requestBookAccess: stores the request and mails the owner of the book.
///
/// A user without access learns nothing about the book: for an unknown id the response is the same,
/// and nothing is stored (behaviour 7.4).
///
/// # Errors
/// 403 for books outside the scope of the access token; 404 for a malformed id; refusals of the
/// rules of access requests.
pub fn request(tx: &mut Tx<'_>, cx: &Context, book: &str, request: Request<'_>) -> Result<()> {
    let Request { permission, message, server } = request;
    let found = find_known(tx, cx, book)?;
    let cx = &cx.share_lock_caller(tx)?;
    if !BookKey::new(book.to_owned()).is_well_formed() {
        return Err(access::Refusal::BookNotFound.into());
    }
    let input = Input::read(permission, message)?;
    let granted = found.as_ref().and_then(|found| found.granted);
    let (id, email) = (AccessRequestId::new(cx.mint()), cx.user.email.clone());
    let request = AccessRequest::create(id, cx.user.id, email, input, granted, cx.now)?;
    tx.access_requests().submit(found.as_ref(), &request)?;
    mail::notify_owner(tx, cx, found.as_ref(), &request, server)
}

/// listBookAccessRequests: the open requests, newest first.
pub fn list(tx: &mut Tx<'_>, cx: &Context, book: &str) -> Result<Vec<AccessRequest>> {
    let access = enter(tx, cx, book, Action::ManageCollaborators)?;
    Ok(tx.access_requests().list(&access, cx.now)?)
}

/// getBookAccessRequest. It changes nothing.
///
/// # Errors
/// [`Refusal::Unknown`].
pub fn get(tx: &mut Tx<'_>, cx: &Context, book: &str, id: &str) -> Result<AccessRequest> {
    let access = enter(tx, cx, book, Action::ManageCollaborators)?;
    find(tx, cx, &access, id)
}

/// declineBookAccessRequest.
///
/// # Errors
/// [`Refusal::Unknown`].
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
