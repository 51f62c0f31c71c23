//! Users: sign-in, admission, and the user's own view.
//!
//! The first valid token of an address creates its user (behaviour 11.2). A token of an identity
//! provider does so only if the address is admitted (behaviour 11.11): the operator lists it, or a
//! book is shared with it. A user is found by their verified address, takes it along in all rows
//! that name them, and is locked while such rows are written (`user_lock`). Disabling a user keeps
//! their data; deleting one erases the address and the name (behaviour 7.11).

pub mod billing;
mod operator;

pub use operator::{UserReport, change_address, delete, report};

use daybook_domain::email::Email;
use daybook_domain::id::UserId;
use daybook_domain::instant::Instant;
use daybook_domain::user::{Admission, MAX_NEWCOMERS, Profile, Refusal, newcomers_since};
use daybook_storage::user::User;
use daybook_storage::{ShardKey, Tx};

use crate::context::Context;
use crate::error::{Error, Result};
use crate::ids::Ids;
use crate::user_lock::{find_locked, find_share_locked};
use crate::{book, storage_quota};

/// The most numbered usernames that are tried before the user's id is appended.
const MAX_ATTEMPTS: u32 = 1_000;

/// Returns the shard key of operator writes to the user with this address, who may be new.
#[must_use]
pub fn operator_shard_key(email: &Email) -> ShardKey {
    ShardKey::of_new_user(email)
}

/// Finds the shard key for the sign-in of an address.
///
/// It is that of the user if the user exists. The server writes a user's row with one shard key, so
/// that locks are taken in one order.
pub fn find_shard_key(tx: &mut Tx<'_>, email: &Email) -> Result<ShardKey> {
    let existing = find(tx, email)?;
    Ok(existing.map_or_else(|| ShardKey::of_new_user(email), |user| ShardKey::of_user(user.id)))
}

/// Lists all users, by address.
pub fn list(tx: &mut Tx<'_>) -> Result<Vec<User>> {
    Ok(tx.users().list()?)
}

/// Disables a user and refuses their tokens from then on, or enables them again (behaviour 11.10).
///
/// # Errors
/// 404 for an unknown address.
pub fn set_disabled(tx: &mut Tx<'_>, email: &Email, disabled: bool, now: Instant) -> Result<User> {
    let user = find_locked(tx, email)?.ok_or(Error::NotFound("user"))?;
    let disabled_at = if disabled { user.disabled_at.or(Some(now)) } else { None };
    let user = User { disabled_at, ..user };
    tx.users().save_disabled(&user)?;
    tx.identity_changes().increment();
    Ok(user)
}

/// A user as they see themselves.
#[derive(Debug, Clone)]
pub struct View {
    /// The user.
    pub user: User,
    /// The number of transactions posted this month in the books they own.
    pub posted_this_month: i64,
    /// The number of transactions posted this year in these books.
    pub posted_this_year: i64,
    /// Whether they ever had a connection to a bank (behaviour 9.5).
    pub bank_connections: bool,
    /// The storage that these books use, and the quotas (behaviour 10.14).
    pub storage: storage_quota::View,
}

/// getUser: the caller in their current state.
pub fn get(tx: &mut Tx<'_>, cx: &Context) -> Result<View> {
    let user = find_by_id(tx, cx.user.id)?.unwrap_or_else(|| User::clone(&cx.user));
    let (posted_this_month, posted_this_year) = book::count_owner_postings(tx, cx)?;
    let bank_connections = tx.users().has_bank_connections(cx.user.id)?;
    let storage = storage_quota::of_caller(tx, cx)?;
    Ok(View { user, posted_this_month, posted_this_year, bank_connections, storage })
}

/// Finds the user with this verified address.
pub fn find(tx: &mut Tx<'_>, email: &Email) -> Result<Option<User>> {
    Ok(tx.users().find(email)?)
}

/// Finds the user with that id.
pub fn find_by_id(tx: &mut Tx<'_>, id: UserId) -> Result<Option<User>> {
    Ok(tx.users().by_ids(&[id])?.into_iter().next())
}

/// A user whom an identity provider has verified.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VerifiedUser {
    /// The verified address.
    pub email: Email,
    /// The profile that the provider reports. Values that do not fit are left out (behaviour 9.11).
    pub profile: Profile,
}

/// Finds a verified user if [`sign_in_verified`] would have nothing to write.
///
/// It returns `None` if the user must be created or their profile has changed.
///
/// # Errors
/// Every refusal of [`sign_in_verified`].
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
    let profile = user.profile.clone().update(verified.profile.clone());
    Ok((profile == user.profile).then_some(user))
}

/// Returns whether the holder of an address may sign in: as an enabled user, or as a new one who is
/// admitted (behaviour 11.11).
pub(crate) fn may_sign_in(
    tx: &mut Tx<'_>,
    email: &Email,
    admission: &Admission,
    now: Instant,
) -> Result<bool> {
    if let Some(user) = find_share_locked(tx, email)? {
        return Ok(user.disabled_at.is_none());
    }
    match admit(tx, email, admission, now) {
        Ok(_) => Ok(true),
        Err(Error::Refused(_)) => Ok(false),
        Err(failure) => Err(failure),
    }
}

/// Returns whether an address belongs to a user or has an open invitation.
pub(crate) fn is_known(tx: &mut Tx<'_>, email: &Email) -> Result<bool> {
    Ok(find_share_locked(tx, email)?.is_some() || tx.collaborators().is_pending(email)?)
}

/// Admits a new user (behaviour 11.11).
///
/// It returns the user who invited them, unless the operator's configuration admits the address.
fn admit(
    tx: &mut Tx<'_>,
    email: &Email,
    admission: &Admission,
    now: Instant,
) -> Result<Option<UserId>> {
    if admission.admits(email) {
        return Ok(None);
    }
    if !admission.admits_collaborators() || !tx.collaborators().is_pending(email)? {
        return Err(Refusal::NotAdmitted(email.clone()).into());
    }
    let since = newcomers_since(now);
    for inviter in tx.users().inviters(email, since)? {
        if tx.users().count_admitted(inviter, since)? < MAX_NEWCOMERS {
            return Ok(Some(inviter));
        }
    }
    Err(Refusal::TooManyNewcomers(email.clone()).into())
}

/// Signs in a verified user and saves the reported profile.
///
/// The user is created if their address is admitted (behaviour 11.11).
///
/// # Errors
/// [`Refusal::NotAdmitted`] and [`Refusal::TooManyNewcomers`]. Nothing is stored then.
pub fn sign_in_verified(
    tx: &mut Tx<'_>,
    verified: &VerifiedUser,
    admission: &Admission,
    ids: &Ids,
    now: Instant,
) -> Result<User> {
    let VerifiedUser { email, profile } = verified;
    let Some(user) = find_locked(tx, email)? else {
        let admitted_by = admit(tx, email, admission, now)?;
        return create(tx, email, admitted_by, profile.clone().sanitize(), ids, now);
    };
    let merged = user.profile.clone().update(profile.clone());
    if merged == user.profile {
        return Ok(user);
    }
    let user = User { profile: merged, ..user };
    // Other processes need not reload: the profile admits no one else, and getUser reads it anew.
    tx.users().save_profile(&user)?;
    Ok(user)
}

/// Returns the user with this verified address, and creates them on the first request.
pub fn sign_in(tx: &mut Tx<'_>, email: &Email, ids: &Ids, now: Instant) -> Result<User> {
    match find_share_locked(tx, email)? {
        Some(user) => Ok(user),
        None => create(tx, email, None, Profile::default(), ids, now),
    }
}

/// Returns the user with this verified address, and creates them on the first request if they are
/// admitted.
///
/// # Errors
/// [`Refusal::NotAdmitted`] and [`Refusal::TooManyNewcomers`]. Nothing is stored then.
pub fn sign_in_admitted(
    tx: &mut Tx<'_>,
    email: &Email,
    admission: &Admission,
    ids: &Ids,
    now: Instant,
) -> Result<User> {
    if let Some(user) = find_share_locked(tx, email)? {
        return Ok(user);
    }
    let admitted_by = admit(tx, email, admission, now)?;
    create(tx, email, admitted_by, Profile::default(), ids, now)
}

/// Returns whether there is a user.
pub fn exist(tx: &mut Tx<'_>) -> Result<bool> {
    Ok(tx.users().exist()?)
}

/// Creates the first user of an installation, as an administrator; `None` if there is a user.
///
/// If another process does so at the same time, the insertion of one of them fails with a unique
/// violation.
pub(crate) fn create_first(
    tx: &mut Tx<'_>,
    email: &Email,
    ids: &Ids,
    now: Instant,
) -> Result<Option<User>> {
    if tx.users().exist()? {
        return Ok(None);
    }
    let user = User { is_administrator: true, ..new(tx, email, ids, now)? };
    tx.users().insert(&user, None)?;
    Ok(Some(user))
}

/// Creates an invited user; `None` if the address belongs to a user.
pub(crate) fn create_invited(
    tx: &mut Tx<'_>,
    email: &Email,
    ids: &Ids,
    now: Instant,
) -> Result<Option<User>> {
    match tx.users().find(email)? {
        Some(_) => Ok(None),
        None => Ok(Some(create(tx, email, None, Profile::default(), ids, now)?)),
    }
}

fn create(
    tx: &mut Tx<'_>,
    email: &Email,
    admitted_by: Option<UserId>,
    profile: Profile,
    ids: &Ids,
    now: Instant,
) -> Result<User> {
    let user = User { profile, ..new(tx, email, ids, now)? };
    tx.users().insert(&user, admitted_by)?;
    Ok(user)
}

/// Returns a user to insert.
fn new(tx: &mut Tx<'_>, email: &Email, ids: &Ids, now: Instant) -> Result<User> {
    let id = UserId::new(ids.next(now));
    Ok(User {
        id,
        email: email.clone(),
        username: free_username(tx, email, id)?,
        created_at: now,
        disabled_at: None,
        is_administrator: false,
        profile: Profile::default(),
    })
}

/// Returns the local part of the address, with a number if it is taken by a user or named by an app
/// (behaviour 9.11).
fn free_username(tx: &mut Tx<'_>, email: &Email, id: UserId) -> Result<String> {
    let local = email.local();
    let candidates: Vec<String> = (1..MAX_ATTEMPTS)
        .map(|attempt| if attempt == 1 { local.to_owned() } else { format!("{local}{attempt}") })
        .collect();
    let mut taken = tx.users().existing_usernames(&candidates)?;
    // An app that names a free username means someone else than this new user.
    taken.extend(tx.apps().mentioned_usernames(&candidates)?);
    Ok(candidates
        .into_iter()
        .find(|candidate| !taken.contains(candidate))
        .unwrap_or_else(|| format!("{local}{id}")))
}
