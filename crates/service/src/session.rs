//! Sign-in with a browser: links by mail, and sessions (behaviour 11.4, 11.14).
//!
//! A user asks for a link, which the server mails to their address ([`mail_link`]). The link works
//! once and for a short time ([`begin`]), and starts a session. The browser keeps the secret of the
//! session; the database keeps digests of secrets only. Access tokens of a session end with it:
//! when its browser signs out ([`end`]), or when the user ends it from elsewhere ([`end_own`]).

use daybook_domain::email::Email;
use daybook_domain::id::{SessionId, UserId};
use daybook_domain::instant::Instant;
use daybook_domain::session::{
    LinkRequest, LoginLink, Refusal, SecretDigest, Session, SignInMethod, expiry_cutoff,
    link_retention_cutoff, open_link_cutoff, retention_cutoff,
};
use daybook_domain::user::Admission;
use daybook_storage::user::User;
use daybook_storage::{ShardKey, Tx};

use crate::context::Context;
use crate::error::Result;
use crate::ids::Ids;
use crate::target::Target;
use crate::{mail, user};

/// The interval in milliseconds after which another use of a session is recorded.
const USE_INTERVAL: i64 = 60 * 60_000;

/// The target of [`end_own`].
pub const TARGET: Target = Target::Caller;

/// Returns the shard key of [`record_use`] and [`end`] of a session of this user.
///
/// A session starts with [`user::find_shard_key`], because it may create its user.
#[must_use]
pub fn shard_key(user: UserId) -> ShardKey {
    ShardKey::of_user(user)
}

/// Stores a link by which the holder of an address can sign in.
pub fn make_link(tx: &mut Tx<'_>, digest: SecretDigest, email: Email, now: Instant) -> Result<()> {
    insert_link(tx, &LoginLink::new(digest, email, now), now)
}

fn insert_link(tx: &mut Tx<'_>, link: &LoginLink, now: Instant) -> Result<()> {
    tx.login_links().remove_before(link_retention_cutoff(now))?;
    Ok(tx.login_links().insert(link)?)
}

/// Stores a link unless too many links of its address work.
fn insert_limited(tx: &mut Tx<'_>, link: LoginLink, now: Instant) -> Result<LoginLink> {
    LoginLink::check_count(tx.login_links().count_open(&link.email, open_link_cutoff(now))?)?;
    insert_link(tx, &link, now)?;
    Ok(link)
}

/// Stores a link by which a user signs in on another device.
///
/// # Errors
/// [`Refusal::TooManyLinks`].
pub fn add_device(
    tx: &mut Tx<'_>,
    user: &User,
    digest: SecretDigest,
    now: Instant,
) -> Result<LoginLink> {
    insert_limited(tx, LoginLink::new(digest, user.email.clone(), now), now)
}

/// Stores a link that invites a new user, who needs no other admission.
///
/// # Errors
/// [`Refusal::AlreadyUser`], [`Refusal::TooManyLinks`].
pub(crate) fn invite(
    tx: &mut Tx<'_>,
    email: Email,
    digest: SecretDigest,
    now: Instant,
) -> Result<LoginLink> {
    if tx.users().find(&email)?.is_some() {
        return Err(Refusal::AlreadyUser(email).into());
    }
    insert_limited(tx, LoginLink::invitation(digest, email, now), now)
}

/// Mails a sign-in link to an address whose holder may sign in.
///
/// It sends nothing if the address, or all addresses together, have had too many links, or if
/// `is_within_limit` is false: the client asked too often. The caller cannot tell whether it sent a
/// mail (behaviour 11.14).
pub fn mail_link(
    tx: &mut Tx<'_>,
    new_link: NewLink<'_>,
    is_within_limit: bool,
    admission: &Admission,
    ids: &Ids,
    now: Instant,
) -> Result<()> {
    let NewLink { email, digest, url } = new_link;
    if !user::may_sign_in(tx, email, admission, now)? {
        return Ok(());
    }
    let request = LinkRequest {
        open: tx.login_links().count_open(email, open_link_cutoff(now))?,
        last_day: tx.login_links().count_made(email, link_retention_cutoff(now))?,
        last_minute: mail::count_recent_links(tx, now)?,
        is_known: user::is_known(tx, email)?,
        is_within_limit,
    };
    if !request.is_granted() {
        return Ok(());
    }
    make_link(tx, digest, email.clone(), now)?;
    mail::write_link(tx, email, url, ids, now)
}

/// A sign-in link to mail.
#[derive(Debug)]
pub struct NewLink<'a> {
    /// The address.
    pub email: &'a Email,
    /// The digest of the link's secret.
    pub digest: SecretDigest,
    /// The link.
    pub url: &'a str,
}

/// Finds a link that still works, without using it.
///
/// # Errors
/// [`Refusal::LinkUnusable`]; [`Refusal::Disabled`], and the link stays usable.
pub fn find_link(tx: &mut Tx<'_>, digest: &SecretDigest, now: Instant) -> Result<LoginLink> {
    let link = tx.login_links().find(digest)?.ok_or(Refusal::LinkUnusable)?;
    link.check(now)?;
    match tx.users().find(&link.email)? {
        Some(_) if link.is_invitation => Err(Refusal::LinkUnusable.into()),
        Some(user) if user.disabled_at.is_some() => Err(Refusal::Disabled.into()),
        Some(_) | None => Ok(link),
    }
}

/// Uses up a link and starts a session of the user with its address. A new user is created.
///
/// # Errors
/// [`Refusal::LinkUnusable`]; [`Refusal::Disabled`], and the link stays usable; refusals of
/// admission, which may have changed since the mail.
pub fn begin(
    tx: &mut Tx<'_>,
    link: &SecretDigest,
    secret: SecretDigest,
    admission: &Admission,
    ids: &Ids,
    now: Instant,
) -> Result<Session> {
    let link = find_link(tx, link, now)?.use_up(now)?;
    if !tx.login_links().use_up(&link)? {
        return Err(Refusal::LinkUnusable.into());
    }
    let user = if link.is_invitation {
        user::create_invited(tx, &link.email, ids, now)?.ok_or(Refusal::LinkUnusable)?
    } else {
        user::sign_in_admitted(tx, &link.email, admission, ids, now)?
    };
    let id = SessionId::new(ids.next(now));
    open(tx, &user, Session::begin(id, user.id, secret, SignInMethod::Link, now), now)
}

/// Creates the first user of this installation and starts a session of them.
///
/// # Errors
/// [`Refusal::LinkUnusable`] if there is a user. Of two processes that create the first user at the
/// same time one fails with a unique violation.
pub fn begin_as_first_user(
    tx: &mut Tx<'_>,
    email: &Email,
    secret: SecretDigest,
    ids: &Ids,
    now: Instant,
) -> Result<Session> {
    let user = user::create_first(tx, email, ids, now)?.ok_or(Refusal::LinkUnusable)?;
    let id = SessionId::new(ids.next(now));
    open(tx, &user, Session::begin(id, user.id, secret, SignInMethod::Link, now), now)
}

/// Starts a session of a user who signed in at an identity provider at `signed_in_at`.
///
/// # Errors
/// [`Refusal::Disabled`].
pub fn begin_verified(
    tx: &mut Tx<'_>,
    user: &User,
    secret: SecretDigest,
    signed_in_at: Instant,
    ids: &Ids,
    now: Instant,
) -> Result<Session> {
    let id = SessionId::new(ids.next(now));
    let session = Session::begin(id, user.id, secret, SignInMethod::Provider, now);
    open(tx, user, session.with_sign_in_at(signed_in_at), now)
}

/// Saves a new session, and removes old ones of the user.
fn open(tx: &mut Tx<'_>, user: &User, session: Session, now: Instant) -> Result<Session> {
    if user.disabled_at.is_some() {
        return Err(Refusal::Disabled.into());
    }
    tx.sessions().remove_unused(user.id, retention_cutoff(now))?;
    tx.sessions().insert(&session)?;
    Ok(session)
}

/// Finds the session that a browser presents, and its user.
///
/// # Errors
/// [`Refusal::SignedOut`] if the session is unknown or has ended, or if the secret does not match.
pub fn find(
    tx: &mut Tx<'_>,
    id: SessionId,
    digest: &SecretDigest,
    now: Instant,
) -> Result<(Session, User)> {
    let (session, user) = authenticate(tx, id, now)?.ok_or(Refusal::SignedOut)?;
    if session.digest == *digest { Ok((session, user)) } else { Err(Refusal::SignedOut.into()) }
}

/// Returns whether the use of a session at this instant should be recorded.
#[must_use]
pub fn should_record_use(session: &Session, now: Instant) -> bool {
    now.milliseconds().saturating_sub(session.used_at.milliseconds()) >= USE_INTERVAL
}

/// Records that a session was used at this instant.
pub fn record_use(tx: &mut Tx<'_>, id: SessionId, now: Instant) -> Result<()> {
    match tx.sessions().find(id)? {
        Some(session) if session.is_active(now) => {
            Ok(tx.sessions().save_use(&session.record_use(now))?)
        }
        _ => Ok(()),
    }
}

/// Ends a session and its access tokens.
///
/// # Errors
/// Those of [`find`].
pub fn end(tx: &mut Tx<'_>, id: SessionId, digest: &SecretDigest, now: Instant) -> Result<()> {
    let (session, _) = find(tx, id, digest, now)?;
    save_end(tx, session, now).map(drop)
}

/// Lists the caller's active sessions, the latest used first (behaviour 11.28).
///
/// # Errors
/// [`daybook_domain::token::Refusal::InsufficientScope`].
pub fn list(tx: &mut Tx<'_>, cx: &Context) -> Result<Vec<Session>> {
    cx.scope.check_outside_books()?;
    Ok(tx.sessions().list(cx.user.id, expiry_cutoff(cx.now))?)
}

/// Ends an active session of the caller and its access tokens (behaviour 11.28).
///
/// # Errors
/// [`Refusal::Unknown`], also for another user's session.
pub fn end_own(tx: &mut Tx<'_>, cx: &Context, id: &str) -> Result<Session> {
    let found = match id.parse() {
        Ok(id) => tx.sessions().find(id)?,
        Err(_) => None,
    };
    let is_own = |session: &Session| session.user == cx.user.id && session.is_active(cx.now);
    let unknown = || Refusal::Unknown(id.chars().take(60).collect());
    let session = found.filter(is_own).ok_or_else(unknown)?;
    save_end(tx, session, cx.now)
}

fn save_end(tx: &mut Tx<'_>, session: Session, now: Instant) -> Result<Session> {
    let ended = session.end(now);
    tx.sessions().save_end(&ended)?;
    tx.identity_changes().increment();
    Ok(ended)
}

/// Authenticates the access tokens of a session. Returns `None` if it is unknown or has ended.
pub fn authenticate(
    tx: &mut Tx<'_>,
    id: SessionId,
    now: Instant,
) -> Result<Option<(Session, User)>> {
    let Some(session) = tx.sessions().find(id)?.filter(|session| session.is_active(now)) else {
        return Ok(None);
    };
    let user = tx.users().by_ids(&[session.user])?.into_iter().next();
    Ok(user.map(|user| (session, user)))
}
