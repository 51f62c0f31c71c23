//! Mails (behaviour 7.10).
//!
//! A mail is written into the outbox in the unit of work that causes it. The mail worker takes due
//! mails from the outbox ([`take_due`]), hands them to the mail server, and records the attempt
//! ([`finish`]). A mail that fails for a day is given up ([`sweep`]).

use daybook_domain::access::Access;
use daybook_domain::access_request::AccessRequest;
use daybook_domain::app::App;
use daybook_domain::book::{Book, TransferOffer};
use daybook_domain::email::Email;
use daybook_domain::id::{MailId, UserId};
use daybook_domain::instant::Instant;
use daybook_domain::mail::{
    Invitation, MAX_MAILS_PER_DAY, Mail, MailAttempt, MailCause, MailContent, MailKind,
    access_request_mail, app_paused_mail, one_day_before, one_minute_before, retention_cutoff,
    sign_in_link_mail, transfer_offer_mail,
};
use daybook_storage::access::BookAccess;
use daybook_storage::{ShardKey, Tx};

use crate::context::Context;
use crate::error::{Error, Result};
use crate::ids::Ids;
use crate::user_lock::find_share_locked;

/// The shard key of [`crate::session::mail_link`] and of the use cases of the outbox.
///
/// All use one key, so that the limits of sign-in links count every earlier mail. On PostgreSQL,
/// other writers would not see uncommitted mails.
pub const SHARD_KEY: ShardKey = ShardKey::NO_BOOK;
/// Mails that one unit of work gives up at most.
const SWEPT_AT_ONCE: i64 = 100;

/// Writes the invitation to a book, unless the caller has reached the daily limit (behaviour 7.10).
pub(crate) fn invite(
    tx: &mut Tx<'_>,
    cx: &Context,
    access: &Access,
    invitation: &Invitation<'_>,
    server: &str,
) -> Result<()> {
    let book = access.book();
    let Some(cause) = invitation_cause(tx, cx, book)? else { return Ok(()) };
    // The lock keeps the recipient's address until the mail is written. A change of the address
    // would otherwise miss the mail.
    find_share_locked(tx, invitation.to)?;
    let content = invitation.content(book, server);
    insert(tx, cx, invitation.to.clone(), cause, content).map(drop)
}

/// Writes the mail about an offer of a book, unless the caller has reached the daily limit of
/// invitations, which includes offers (behaviour 7.10).
pub(crate) fn offer(
    tx: &mut Tx<'_>,
    cx: &Context,
    access: &Access,
    offer: &TransferOffer,
    server: &str,
) -> Result<()> {
    let book = access.book();
    let Some(cause) = invitation_cause(tx, cx, book)? else { return Ok(()) };
    insert(tx, cx, offer.to.clone(), cause, transfer_offer_mail(offer, book, server)).map(drop)
}

/// Returns the cause of an invitation, or `None` at the daily limit of the caller (behaviour 7.10).
fn invitation_cause(tx: &mut Tx<'_>, cx: &Context, book: &Book) -> Result<Option<MailCause>> {
    if is_limit_reached(tx, cx, MailKind::Invitation)? {
        return Ok(None);
    }
    let (user, book) = (Some(cx.user.id), Some(book.key.clone()));
    Ok(Some(MailCause { kind: MailKind::Invitation, user, book }))
}

/// Writes the mail about an access request to the owner of the book, once a day (behaviour 7.6).
///
/// For an unknown book it does the same work, adds the mail and removes it again. So the timing of
/// the response does not reveal whether the book exists (behaviour 7.4).
pub(crate) fn notify_owner(
    tx: &mut Tx<'_>,
    cx: &Context,
    found: Option<&BookAccess>,
    request: &AccessRequest,
    server: &str,
) -> Result<()> {
    let key = found.map(|found| found.book.key.clone());
    let owner = tx.books().owner(key.as_ref().map_or("", |key| key.as_str()))?;
    // The lock keeps the owner's address until the mail is written.
    let owner = tx.users().share_lock(owner.unwrap_or(cx.user.id))?;
    let cause = MailCause { kind: MailKind::AccessRequest, user: Some(cx.user.id), book: key };
    if is_limit_reached(tx, cx, MailKind::AccessRequest)?
        || tx.mails().was_notified(&cause, one_day_before(cx.now))?
    {
        return Ok(());
    }
    let Some(owner) = owner else { return Ok(()) };
    let content =
        found.map(|found| access_request_mail(request, &found.book, server)).unwrap_or_default();
    let mail = insert(tx, cx, owner.email, cause, content)?;
    if found.is_none() {
        tx.mails().delete(mail)?;
    }
    Ok(())
}

/// Writes the mail that an app is paused in a book to the user who installed it, unless they are
/// disabled.
pub(crate) fn notify_installer(
    tx: &mut Tx<'_>,
    installer: UserId,
    app: &App,
    book: &Book,
    ids: &Ids,
    server: &str,
    now: Instant,
) -> Result<()> {
    let installer = tx.users().share_lock(installer)?.filter(|user| user.disabled_at.is_none());
    let Some(installer) = installer else { return Ok(()) };
    let cause = MailCause { kind: MailKind::AppPaused, user: None, book: Some(book.key.clone()) };
    let (id, content) = (MailId::new(ids.next(now)), app_paused_mail(app, book, server));
    Ok(tx.mails().insert(&Mail::new(id, installer.email, cause, content, now))?)
}

/// Writes the mail with a sign-in link.
pub(crate) fn write_link(
    tx: &mut Tx<'_>,
    email: &Email,
    link: &str,
    ids: &Ids,
    now: Instant,
) -> Result<()> {
    let cause = MailCause { kind: MailKind::SignInLink, user: None, book: None };
    let (id, content) = (MailId::new(ids.next(now)), sign_in_link_mail(email, link));
    Ok(tx.mails().insert(&Mail::new(id, email.clone(), cause, content, now))?)
}

/// Counts the sign-in links that were mailed in the last minute.
pub(crate) fn count_recent_links(tx: &mut Tx<'_>, now: Instant) -> Result<i64> {
    Ok(tx.mails().count_kind(MailKind::SignInLink, one_minute_before(now))?)
}

/// Returns whether the caller has reached today's limit for mails of a kind.
///
/// Each kind has its own limit. So the delivery of invitations, which recipients see, does not
/// reveal whether access requests caused mails (behaviour 7.4).
fn is_limit_reached(tx: &mut Tx<'_>, cx: &Context, kind: MailKind) -> Result<bool> {
    Ok(tx.mails().count_caused(cx.user.id, kind, one_day_before(cx.now))? >= MAX_MAILS_PER_DAY)
}

fn insert(
    tx: &mut Tx<'_>,
    cx: &Context,
    recipient: Email,
    cause: MailCause,
    content: MailContent,
) -> Result<MailId> {
    let id = MailId::new(cx.mint());
    tx.mails().insert(&Mail::new(id, recipient, cause, content, cx.now))?;
    Ok(id)
}

/// Takes the mail that has been due for longest. No other process gets it while an attempt may
/// last. A restored installation takes none until its operator releases it.
pub fn take_due(tx: &mut Tx<'_>, now: Instant) -> Result<Option<Mail>> {
    if tx.holds_deliveries()? {
        return Ok(None);
    }
    let Some(mail) = tx.mails().lock_next_due(now)? else { return Ok(None) };
    let mail = mail.start_attempt(now);
    tx.mails().save_state(&mail)?;
    Ok(Some(mail))
}

/// Records an attempt. Returns the mail, unless it was discarded meanwhile.
pub fn finish(
    tx: &mut Tx<'_>,
    id: MailId,
    attempt: &MailAttempt,
    now: Instant,
) -> Result<Option<Mail>> {
    let found = tx.mails().find(id)?.filter(|mail| mail.ended.is_none());
    let Some(mail) = found.map(|mail| mail.apply_outcome(attempt, now)) else { return Ok(None) };
    Ok(tx.mails().save_state(&mail)?.then_some(mail))
}

/// Returns the number of mails to send, and whether [`sweep`] has work.
pub fn backlog(tx: &mut Tx<'_>, now: Instant) -> Result<(i64, bool)> {
    let open = tx.mails().count_open()?;
    let stale =
        !tx.mails().overdue(now, 1)?.is_empty() || tx.mails().has_ended(retention_cutoff(now))?;
    Ok((open, stale))
}

/// Gives up mails whose time is over, and removes mails that ended long ago. Returns how many it
/// gave up.
pub fn sweep(tx: &mut Tx<'_>, now: Instant) -> Result<usize> {
    let overdue = tx.mails().overdue(now, SWEPT_AT_ONCE)?;
    let count = overdue.len();
    for mail in overdue {
        tx.mails().save_state(&mail.expire(now))?;
    }
    tx.mails().remove_ended(retention_cutoff(now))?;
    Ok(count)
}

/// Lists the outbox: mails to send, then ended ones. `recipient` filters.
pub fn list(tx: &mut Tx<'_>, recipient: Option<&Email>) -> Result<Vec<Mail>> {
    Ok(tx.mails().list(recipient)?)
}

/// Returns a mail of the outbox.
///
/// # Errors
/// 404 for an unknown mail.
pub fn get(tx: &mut Tx<'_>, id: &str) -> Result<Mail> {
    let found = match id.parse() {
        Ok(id) => tx.mails().find(id)?,
        Err(_) => None,
    };
    found.ok_or(Error::NotFound("mail"))
}

/// Removes a mail from the outbox. It is not sent any more.
///
/// # Errors
/// 404 for an unknown mail.
pub fn discard(tx: &mut Tx<'_>, id: &str) -> Result<Mail> {
    let mail = get(tx, id)?;
    tx.mails().delete(mail.id)?;
    Ok(mail)
}

/// Schedules a mail that was given up for another attempt.
///
/// # Errors
/// 404 for an unknown mail; [`daybook_domain::mail::Refusal`].
pub fn retry(tx: &mut Tx<'_>, id: &str, now: Instant) -> Result<Mail> {
    let mail = get(tx, id)?.retry(now)?;
    tx.mails().save_state(&mail)?;
    Ok(mail)
}
