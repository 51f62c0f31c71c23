//! Locks on users: a row that names a user is written while the user is locked.
//!
//! Until the unit of work ends, the user can then not be renamed or deleted, so the row can neither
//! keep an old address nor outlive its user (behaviour 7.11).

use daybook_domain::email::Email;
use daybook_domain::id::UserId;
use daybook_domain::session;
use daybook_storage::Tx;
use daybook_storage::user::User;

use crate::error::{Error, Result};

/// Finds the user with this verified address and takes a shared lock on them.
///
/// It returns `None` if the address was taken away while it waited for the lock.
pub(crate) fn find_share_locked(tx: &mut Tx<'_>, email: &Email) -> Result<Option<User>> {
    find_with_lock(tx, email, |tx, id| tx.users().share_lock(id))
}

/// Finds the user with this verified address and locks them for a change of their own data.
///
/// Other such changes wait.
pub(crate) fn find_locked(tx: &mut Tx<'_>, email: &Email) -> Result<Option<User>> {
    find_with_lock(tx, email, |tx, id| tx.users().lock(id))
}

/// Finds the user with this verified address and takes the lock of `lock`.
pub(crate) fn find_with_lock(
    tx: &mut Tx<'_>,
    email: &Email,
    lock: impl FnOnce(&mut Tx<'_>, UserId) -> daybook_storage::Result<Option<User>>,
) -> Result<Option<User>> {
    let Some(user) = tx.users().find(email)? else { return Ok(None) };
    Ok(lock(tx, user.id)?.filter(|user| user.email == *email))
}

/// Returns the user if they exist and are enabled.
///
/// # Errors
/// 404 for a deleted user; [`session::Refusal::Disabled`] for a disabled one.
pub(crate) fn require_enabled(user: Option<User>) -> Result<User> {
    let user = user.ok_or(Error::NotFound("user"))?;
    if user.disabled_at.is_some() { Err(session::Refusal::Disabled.into()) } else { Ok(user) }
}
