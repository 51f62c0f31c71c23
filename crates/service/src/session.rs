//! Use cases of signing in with a browser (behaviour 11.4, 11.14).

use daybook_domain::email::Email;
use daybook_domain::id::SessionId;
use daybook_domain::instant::Instant;
use daybook_domain::session::{
    LinkRequest, LoginLink, Refusal, SecretDigest, Session, kept_since, links_kept_since,
    links_open_since,
};
use daybook_domain::user::Admission;
use daybook_storage::Tx;
use daybook_storage::user::User;

use crate::error::Result;
use crate::ids::Ids;
use crate::{mail, user};

/// How often the use of a session is written down, in milliseconds.
const USE_INTERVAL: i64 = 60 * 60_000;

/// Makes a link by which the holder of an address signs in.
pub fn make_link(tx: &mut Tx<'_>, digest: SecretDigest, email: Email, now: Instant) -> Result<()> {
    tx.login_links().remove_before(links_kept_since(now))?;
    Ok(tx.login_links().insert(&LoginLink::new(digest, email, now))?)
}

/// Mails a link to an address by which somebody may sign in, unless it has enough of them, or all
/// addresses together have. `is_within` says that who asks has asked for few. Nobody learns whether
/// it did (behaviour 11.14).
pub fn mail_link(
    tx: &mut Tx<'_>,
    (digest, link): (SecretDigest, &str),
    (email, is_within): (&Email, bool),
    admission: &Admission,
    (ids, now): (&Ids, Instant),
) -> Result<()> {
    if !user::may_sign_in(tx, email, admission, now)? {
        return Ok(());
    }
    let request = LinkRequest {
        open: tx.login_links().count_open(email, links_open_since(now))?,
        of_day: tx.login_links().count_made(email, links_kept_since(now))?,
        of_minute: mail::links_of_a_minute(tx, now)?,
        is_known: user::is_known(tx, email)?,
        is_within,
    };
    if !request.is_met() {
        return Ok(());
    }
    make_link(tx, digest, email.clone(), now)?;
    mail::write_link(tx, email, link, (ids, now))
}

/// A link that works, to be shown before it is used.
///
/// # Errors
/// [`Refusal::LinkUnusable`]; [`Refusal::Disabled`], and the link stays as it is.
pub fn link(tx: &mut Tx<'_>, digest: &SecretDigest, now: Instant) -> Result<LoginLink> {
    let link = tx.login_links().find(digest)?.ok_or(Refusal::LinkUnusable)?;
    link.check(now)?;
    if tx.users().find(&link.email)?.is_some_and(|user| user.disabled_at.is_some()) {
        return Err(Refusal::Disabled.into());
    }
    Ok(link)
}

/// Uses a link up, and begins a session of the user with its address, who is created at the first
/// one.
///
/// # Errors
/// [`Refusal::LinkUnusable`]; [`Refusal::Disabled`], and the link stays as it is; what admission
/// refuses by now.
pub fn begin(
    tx: &mut Tx<'_>,
    by: &SecretDigest,
    secret: SecretDigest,
    admission: &Admission,
    (ids, now): (&Ids, Instant),
) -> Result<Session> {
    let link = link(tx, by, now)?.use_up(now)?;
    if !tx.login_links().use_up(&link)? {
        return Err(Refusal::LinkUnusable.into());
    }
    let user = user::sign_in_admitted(tx, &link.email, admission, (ids, now))?;
    open(tx, &user, secret, now, (ids, now))
}

/// Begins a session of a user, who has signed in at that instant.
///
/// # Errors
/// [`Refusal::Disabled`].
pub fn open(
    tx: &mut Tx<'_>,
    user: &User,
    secret: SecretDigest,
    signed_in_at: Instant,
    (ids, now): (&Ids, Instant),
) -> Result<Session> {
    if user.disabled_at.is_some() {
        return Err(Refusal::Disabled.into());
    }
    let session = Session::begin(SessionId::new(ids.next(now)), user.id, secret, now);
    let session = session.signed_in(signed_in_at);
    tx.sessions().remove_unused(user.id, kept_since(now))?;
    tx.sessions().insert(&session)?;
    Ok(session)
}

/// A session that a browser shows, and its user.
///
/// # Errors
/// [`Refusal::SignedOut`] when it is unknown, has ended, or the secret is another.
pub fn find(
    tx: &mut Tx<'_>,
    id: SessionId,
    digest: &SecretDigest,
    now: Instant,
) -> Result<(Session, User)> {
    let (session, user) = bearer(tx, id, now)?.ok_or(Refusal::SignedOut)?;
    if session.digest == *digest { Ok((session, user)) } else { Err(Refusal::SignedOut.into()) }
}

/// Whether the use of a session at this moment is worth writing down.
#[must_use]
pub fn is_worth_noting(session: &Session, now: Instant) -> bool {
    now.milliseconds().saturating_sub(session.used_at.milliseconds()) >= USE_INTERVAL
}

/// Notes that a session was used now.
pub fn note_use(tx: &mut Tx<'_>, id: SessionId, now: Instant) -> Result<()> {
    match tx.sessions().find(id)? {
        Some(session) if session.is_active(now) => {
            Ok(tx.sessions().save_use(&session.used(now))?)
        }
        _ => Ok(()),
    }
}

/// Ends a session. The access tokens that it gave end with it.
///
/// # Errors
/// As [`find`].
pub fn end(tx: &mut Tx<'_>, id: SessionId, digest: &SecretDigest, now: Instant) -> Result<()> {
    let (session, _) = find(tx, id, digest, now)?;
    tx.sessions().save_end(&session.end(now))?;
    tx.identity_changes().record();
    Ok(())
}

/// Whom the access tokens of a session let in; nobody when it is unknown or has ended.
pub fn bearer(tx: &mut Tx<'_>, id: SessionId, now: Instant) -> Result<Option<(Session, User)>> {
    let Some(session) = tx.sessions().find(id)?.filter(|session| session.is_active(now)) else {
        return Ok(None);
    };
    let user = tx.users().by_ids(&[session.user])?.into_iter().next();
    Ok(user.map(|user| (session, user)))
}
