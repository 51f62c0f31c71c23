//! Use cases of mails: they are written into the outbox in the unit of work that causes them, and
//! taken from it by the worker that sends them (behaviour 7.10).

use daybook_domain::access::Access;
use daybook_domain::access_request::AccessRequest;
use daybook_domain::app::App;
use daybook_domain::book::{Book, TransferOffer};
use daybook_domain::email::Email;
use daybook_domain::id::{MailId, UserId};
use daybook_domain::instant::Instant;
use daybook_domain::mail::{
    Invitation, MAX_CAUSED, Mail, MailAttempt, MailCause, MailContent, MailKind, a_minute_before,
    access_asked, app_paused, book_offered, counted_since, kept_since, sign_in_link,
};
use daybook_storage::Tx;
use daybook_storage::access::BookAccess;

use crate::context::Context;
use crate::error::{Error, Result};
use crate::ids::Ids;
use crate::user;

/// Mails that one unit of work gives up at most.
const SWEPT_AT_ONCE: i64 = 100;

/// Writes the invitation to a book, unless the caller has caused too many mails (behaviour 7.10).
pub(crate) fn invite(
    tx: &mut Tx<'_>,
    cx: &Context,
    access: &Access,
    (invitation, server): (&Invitation<'_>, &str),
) -> Result<()> {
    let book = access.book();
    let Some(cause) = invitation_cause(tx, cx, book)? else { return Ok(()) };
    // A user keeps the address until the mail is written, or it would not follow a new one.
    user::kept(tx, invitation.to)?;
    let content = invitation.content(book, server);
    write(tx, cx, (invitation.to.clone(), cause, content)).map(drop)
}

/// Writes to whom a book is offered, unless the caller has caused too many invitations: an offer is
/// one (behaviour 7.10).
pub(crate) fn offer(
    tx: &mut Tx<'_>,
    cx: &Context,
    access: &Access,
    (offer, server): (&TransferOffer, &str),
) -> Result<()> {
    let book = access.book();
    let Some(cause) = invitation_cause(tx, cx, book)? else { return Ok(()) };
    write(tx, cx, (offer.to.clone(), cause, book_offered(offer, book, server))).map(drop)
}

/// The cause of an invitation to a book, unless the caller has caused too many (behaviour 7.10).
fn invitation_cause(tx: &mut Tx<'_>, cx: &Context, book: &Book) -> Result<Option<MailCause>> {
    if is_enough(tx, cx, MailKind::Invitation)? {
        return Ok(None);
    }
    let (user, book) = (Some(cx.user.id), Some(book.key.clone()));
    Ok(Some(MailCause { kind: MailKind::Invitation, user, book }))
}

/// Tells the owner of a book that somebody asks for access, once a day (behaviour 7.6).
///
/// Of no book nobody is told. As much is done all the same, so that the time of the answer does not
/// tell whether there is a book (behaviour 7.4): the mail is added, and removed again.
pub(crate) fn tell_owner(
    tx: &mut Tx<'_>,
    cx: &Context,
    found: Option<&BookAccess>,
    (request, server): (&AccessRequest, &str),
) -> Result<()> {
    let key = found.map(|found| found.book.key.clone());
    let owner = tx.books().owner(key.as_ref().map_or("", |key| key.as_str()))?;
    // Their address stays until the mail is written, or it would go to the one they had.
    let owner = tx.users().keep(owner.unwrap_or(cx.user.id))?;
    let cause = MailCause { kind: MailKind::AccessRequest, user: Some(cx.user.id), book: key };
    if is_enough(tx, cx, MailKind::AccessRequest)?
        || tx.mails().is_told(&cause, counted_since(cx.now))?
    {
        return Ok(());
    }
    let Some(owner) = owner else { return Ok(()) };
    let content = found.map(|found| access_asked(request, &found.book, server)).unwrap_or_default();
    let mail = write(tx, cx, (owner.email, cause, content))?;
    if found.is_none() {
        tx.mails().delete(mail)?;
    }
    Ok(())
}

/// Tells who installed an app in a book, unless they are disabled, that it is paused there. No
/// request causes it.
pub(crate) fn tell_installer(
    tx: &mut Tx<'_>,
    installer: UserId,
    (app, book): (&App, &Book),
    (ids, server, now): (&Ids, &str, Instant),
) -> Result<()> {
    let installer = tx.users().keep(installer)?.filter(|user| user.disabled_at.is_none());
    let Some(installer) = installer else { return Ok(()) };
    let cause = MailCause { kind: MailKind::AppPaused, user: None, book: Some(book.key.clone()) };
    let (id, content) = (MailId::new(ids.next(now)), app_paused(app, book, server));
    Ok(tx.mails().insert(&Mail::new(id, installer.email, cause, content, now))?)
}

/// Writes the mail with a link that signs in.
pub(crate) fn write_link(
    tx: &mut Tx<'_>,
    email: &Email,
    link: &str,
    (ids, now): (&Ids, Instant),
) -> Result<()> {
    let cause = MailCause { kind: MailKind::SignInLink, user: None, book: None };
    let (id, content) = (MailId::new(ids.next(now)), sign_in_link(email, link));
    Ok(tx.mails().insert(&Mail::new(id, email.clone(), cause, content, now))?)
}

/// How many links were mailed in the last minute.
pub(crate) fn links_of_a_minute(tx: &mut Tx<'_>, now: Instant) -> Result<i64> {
    Ok(tx.mails().count_kind(MailKind::SignInLink, a_minute_before(now))?)
}

/// Whether the caller has caused as many mails of a kind today as anybody may. Invitations, which
/// show in what arrives, do not tell whether requests for access have caused any (behaviour 7.4).
fn is_enough(tx: &mut Tx<'_>, cx: &Context, kind: MailKind) -> Result<bool> {
    Ok(tx.mails().count_caused(cx.user.id, kind, counted_since(cx.now))? >= MAX_CAUSED)
}

fn write(
    tx: &mut Tx<'_>,
    cx: &Context,
    (recipient, cause, content): (Email, MailCause, MailContent),
) -> Result<MailId> {
    let id = MailId::new(cx.mint());
    tx.mails().insert(&Mail::new(id, recipient, cause, content, cx.now))?;
    Ok(id)
}

/// Takes the mail that has been due for longest, to send it. Nobody else gets it for as long as an
/// attempt may take.
pub fn take(tx: &mut Tx<'_>, now: Instant) -> Result<Option<Mail>> {
    let Some(mail) = tx.mails().next_due(now)? else { return Ok(None) };
    let mail = mail.tried(now);
    tx.mails().save(&mail)?;
    Ok(Some(mail))
}

/// Notes what an attempt came to; answers the mail, unless it was dropped meanwhile.
pub fn finish(
    tx: &mut Tx<'_>,
    id: MailId,
    attempt: &MailAttempt,
    now: Instant,
) -> Result<Option<Mail>> {
    let found = tx.mails().find(id)?.filter(|mail| mail.ended.is_none());
    let Some(mail) = found.map(|mail| mail.after(attempt, now)) else { return Ok(None) };
    Ok(tx.mails().save(&mail)?.then_some(mail))
}

/// How many mails wait to be sent, and whether [`sweep`] has something to do.
pub fn backlog(tx: &mut Tx<'_>, now: Instant) -> Result<(i64, bool)> {
    let open = tx.mails().count_open()?;
    let stale = !tx.mails().overdue(now, 1)?.is_empty() || tx.mails().has_ended(kept_since(now))?;
    Ok((open, stale))
}

/// Gives up mails whose time is over, and removes those that ended long ago; answers how many were
/// given up.
pub fn sweep(tx: &mut Tx<'_>, now: Instant) -> Result<usize> {
    let overdue = tx.mails().overdue(now, SWEPT_AT_ONCE)?;
    let count = overdue.len();
    for mail in overdue {
        tx.mails().save(&mail.overdue(now))?;
    }
    tx.mails().remove_ended(kept_since(now))?;
    Ok(count)
}

/// The outbox: what is to be sent, then what has ended; with a recipient, only their mails.
pub fn list(tx: &mut Tx<'_>, recipient: Option<&Email>) -> Result<Vec<Mail>> {
    Ok(tx.mails().list(recipient)?)
}

/// A mail of the outbox.
///
/// # Errors
/// 404 for an unknown one.
pub fn get(tx: &mut Tx<'_>, id: &str) -> Result<Mail> {
    let found = match id.parse() {
        Ok(id) => tx.mails().find(id)?,
        Err(_) => None,
    };
    found.ok_or(Error::NotFound("mail"))
}

/// Takes a mail out of the outbox: it is not sent any more.
///
/// # Errors
/// 404 for an unknown one.
pub fn discard(tx: &mut Tx<'_>, id: &str) -> Result<Mail> {
    let mail = get(tx, id)?;
    tx.mails().delete(mail.id)?;
    Ok(mail)
}

/// Tries a mail again that was given up.
///
/// # Errors
/// 404 for an unknown one; [`daybook_domain::mail::Refusal`].
pub fn retry(tx: &mut Tx<'_>, id: &str, now: Instant) -> Result<Mail> {
    let mail = get(tx, id)?.again(now)?;
    tx.mails().save(&mail)?;
    Ok(mail)
}
