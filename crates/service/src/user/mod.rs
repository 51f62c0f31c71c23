//! Users. The first valid token of an address creates its user (behaviour 11.2), one of an identity
//! provider only when the address is admitted (behaviour 11.11).

pub mod billing;
mod operator;

pub use operator::{UserReport, delete, readdress, report};

use daybook_domain::email::Email;
use daybook_domain::id::UserId;
use daybook_domain::instant::Instant;
use daybook_domain::session;
use daybook_domain::user::{Admission, MAX_NEWCOMERS, Profile, Refusal, newcomers_since};
use daybook_storage::Tx;
use daybook_storage::user::User;

use crate::context::Context;
use crate::error::{Error, Result};
use crate::ids::Ids;
use crate::{book, storage_quota};

/// How many numbered usernames are tried before the number is that of the user.
const MAX_ATTEMPTS: u32 = 1_000;

/// All users, by address.
pub fn list(tx: &mut Tx<'_>) -> Result<Vec<User>> {
    Ok(tx.users().list()?)
}

/// Disables a user, whose tokens are refused from then on, or enables them again (behaviour 11.10).
///
/// # Errors
/// 404 for an unknown address.
pub fn set_disabled(tx: &mut Tx<'_>, email: &Email, disabled: bool, now: Instant) -> Result<User> {
    let user = locked(tx, email)?.ok_or(Error::NotFound("user"))?;
    let disabled_at = if disabled { user.disabled_at.or(Some(now)) } else { None };
    let user = User { disabled_at, ..user };
    tx.users().save_disabled(&user)?;
    tx.identity_changes().record();
    Ok(user)
}

/// A user as they see themselves.
#[derive(Debug, Clone)]
pub struct View {
    /// The user.
    pub user: User,
    /// How much was posted this month in the books they own.
    pub posted_this_month: i64,
    /// How much was posted this year in these books.
    pub posted_this_year: i64,
    /// Whether they ever had a connection to a bank (behaviour 9.5).
    pub bank_connections: bool,
    /// What these books hold together, and how much they may (behaviour 10.14).
    pub storage: storage_quota::View,
}

/// getUser: the caller as they are now.
pub fn get(tx: &mut Tx<'_>, cx: &Context) -> Result<View> {
    let now = tx.users().by_ids(&[cx.user.id])?.into_iter().next();
    let user = now.unwrap_or_else(|| User::clone(&cx.user));
    let (posted_this_month, posted_this_year) = book::postings_of_owner(tx, cx)?;
    let bank_connections = tx.users().has_bank_connections(cx.user.id)?;
    let storage = storage_quota::of_caller(tx, cx)?;
    Ok(View { user, posted_this_month, posted_this_year, bank_connections, storage })
}

/// Finds the user with that verified address.
pub fn find(tx: &mut Tx<'_>, email: &Email) -> Result<Option<User>> {
    Ok(tx.users().find(email)?)
}

/// The user with that verified address, who keeps it until this unit of work ends. Whose address
/// was taken away while it waited is not found.
pub(crate) fn kept(tx: &mut Tx<'_>, email: &Email) -> Result<Option<User>> {
    held(tx, email, |tx, id| tx.users().keep(id))
}

/// As [`kept`], for a change of what is kept for them or told about them: other such changes wait.
pub(crate) fn locked(tx: &mut Tx<'_>, email: &Email) -> Result<Option<User>> {
    held(tx, email, |tx, id| tx.users().lock(id))
}

/// The user with that verified address, with the lock that `hold` takes.
fn held(
    tx: &mut Tx<'_>,
    email: &Email,
    hold: impl FnOnce(&mut Tx<'_>, UserId) -> daybook_storage::Result<Option<User>>,
) -> Result<Option<User>> {
    let Some(user) = tx.users().find(email)? else { return Ok(None) };
    Ok(hold(tx, user.id)?.filter(|user| user.email == *email))
}

/// A user for whom something is kept.
///
/// # Errors
/// [`session::Refusal::Disabled`] for who is disabled, or deleted.
pub(crate) fn enabled(user: Option<User>) -> Result<User> {
    let user = user.ok_or(Error::NotFound("user"))?;
    if user.disabled_at.is_some() { Err(session::Refusal::Disabled.into()) } else { Ok(user) }
}

/// Finds the user with that id.
pub fn find_by_id(tx: &mut Tx<'_>, id: UserId) -> Result<Option<User>> {
    Ok(tx.users().by_ids(&[id])?.into_iter().next())
}

/// Somebody whom an identity provider has verified.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VerifiedUser {
    /// The verified address.
    pub email: Email,
    /// What the provider tells about them now; what does not fit is left out (behaviour 9.11).
    pub profile: Profile,
}

/// The user that an identity provider has verified, if they are known and nothing has changed: then
/// [`sign_in_verified`] has nothing to write.
///
/// # Errors
/// What [`sign_in_verified`] refuses.
pub fn find_verified(
    tx: &mut Tx<'_>,
    verified: &VerifiedUser,
    admission: &Admission,
    now: Instant,
) -> Result<Option<User>> {
    let Some(user) = tx.users().find(&verified.email)? else {
        admit(tx, &verified.email, admission, now)?;
        return Ok(None);
    };
    let told = user.profile.clone().with(verified.profile.clone());
    Ok((told == user.profile).then_some(user))
}

/// Whether somebody with that address may sign in: a user who is not disabled, or somebody who
/// becomes a user then (behaviour 11.11).
pub(crate) fn may_sign_in(
    tx: &mut Tx<'_>,
    email: &Email,
    admission: &Admission,
    now: Instant,
) -> Result<bool> {
    if let Some(user) = kept(tx, email)? {
        return Ok(user.disabled_at.is_none());
    }
    match admit(tx, email, admission, now) {
        Ok(_) => Ok(true),
        Err(Error::Refused(_)) => Ok(false),
        Err(failure) => Err(failure),
    }
}

/// Whether that is the address of a user, or of somebody with whom a book is shared.
pub(crate) fn is_known(tx: &mut Tx<'_>, email: &Email) -> Result<bool> {
    Ok(kept(tx, email)?.is_some() || tx.collaborators().is_pending(email)?)
}

/// Admits somebody who is no user yet; answers by whose sharing, where the operator does not name
/// them (behaviour 11.11).
fn admit(
    tx: &mut Tx<'_>,
    email: &Email,
    admission: &Admission,
    now: Instant,
) -> Result<Option<UserId>> {
    if admission.admits(email) {
        return Ok(None);
    }
    if !admission.by_sharing() || !tx.collaborators().is_pending(email)? {
        return Err(Refusal::NotAdmitted(email.clone()).into());
    }
    let since = newcomers_since(now);
    for inviter in tx.users().inviters(email, since)? {
        if tx.users().count_newcomers(inviter, since)? < MAX_NEWCOMERS {
            return Ok(Some(inviter));
        }
    }
    Err(Refusal::TooManyNewcomers(email.clone()).into())
}

/// The user that an identity provider has verified, with the profile of now. They are created when
/// they are admitted, or when a book is shared with them (behaviour 11.11).
///
/// # Errors
/// [`Refusal::NotAdmitted`], [`Refusal::TooManyNewcomers`]; then nothing is kept.
pub fn sign_in_verified(
    tx: &mut Tx<'_>,
    verified: &VerifiedUser,
    admission: &Admission,
    ids: &Ids,
    now: Instant,
) -> Result<User> {
    let VerifiedUser { email, profile } = verified;
    let Some(user) = locked(tx, email)? else {
        let by = admit(tx, email, admission, now)?;
        return create(tx, (email, by), profile.clone().fitting(), ids, now);
    };
    let told = user.profile.clone().with(profile.clone());
    if told == user.profile {
        return Ok(user);
    }
    let user = User { profile: told, ..user };
    // No change that processes must learn of: it lets in nobody else, and getUser reads it anew.
    tx.users().save_profile(&user)?;
    Ok(user)
}

/// The user with that verified address, created on the first request.
pub fn sign_in(tx: &mut Tx<'_>, email: &Email, ids: &Ids, now: Instant) -> Result<User> {
    match kept(tx, email)? {
        Some(user) => Ok(user),
        None => create(tx, (email, None), Profile::default(), ids, now),
    }
}

/// The user with that verified address, created on the first request when they are admitted.
///
/// # Errors
/// [`Refusal::NotAdmitted`], [`Refusal::TooManyNewcomers`]; then nothing is kept.
pub fn sign_in_admitted(
    tx: &mut Tx<'_>,
    email: &Email,
    admission: &Admission,
    (ids, now): (&Ids, Instant),
) -> Result<User> {
    if let Some(user) = kept(tx, email)? {
        return Ok(user);
    }
    let by = admit(tx, email, admission, now)?;
    create(tx, (email, by), Profile::default(), ids, now)
}

fn create(
    tx: &mut Tx<'_>,
    (email, admitted_by): (&Email, Option<UserId>),
    profile: Profile,
    ids: &Ids,
    now: Instant,
) -> Result<User> {
    let id = UserId::new(ids.next(now));
    let user = User {
        id,
        email: email.clone(),
        username: free_username(tx, email, id)?,
        created_at: now,
        disabled_at: None,
        profile,
    };
    tx.users().insert(&user, admitted_by)?;
    Ok(user)
}

/// The local part of the address, with a number when it is taken, or named by an app (behaviour
/// 9.11).
fn free_username(tx: &mut Tx<'_>, email: &Email, id: UserId) -> Result<String> {
    let local = email.local();
    let candidates: Vec<String> = (1..MAX_ATTEMPTS)
        .map(|attempt| if attempt == 1 { local.to_owned() } else { format!("{local}{attempt}") })
        .collect();
    let mut taken = tx.users().taken(&candidates)?;
    // Whom a manifest names was meant to be somebody else.
    taken.extend(tx.apps().named(&candidates)?);
    Ok(candidates
        .into_iter()
        .find(|candidate| !taken.contains(candidate))
        .unwrap_or_else(|| format!("{local}{id}")))
}
