//! Users. The first valid token of an address creates its user (behaviour 11.2).

use daybook_domain::email::Email;
use daybook_domain::id::UserId;
use daybook_domain::instant::Instant;
use daybook_storage::Tx;
use daybook_storage::user::User;

use crate::error::{Error, Result};
use crate::ids::Ids;

/// How many numbered usernames are tried before the whole address becomes the username.
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
    let user = tx.users().find(email)?.ok_or(Error::NotFound("user"))?;
    let disabled_at = if disabled { user.disabled_at.or(Some(now)) } else { None };
    let user = User { disabled_at, ..user };
    tx.users().save_disabled(&user)?;
    tx.identity_changes().record()?;
    Ok(user)
}

/// Finds the user with that verified address.
pub fn find(tx: &mut Tx<'_>, email: &Email) -> Result<Option<User>> {
    Ok(tx.users().find(email)?)
}

/// The user with that verified address, created on the first request.
pub fn sign_in(tx: &mut Tx<'_>, email: &Email, ids: &Ids, now: Instant) -> Result<User> {
    if let Some(user) = tx.users().find(email)? {
        return Ok(user);
    }
    let user = User {
        id: UserId::new(ids.next(now)),
        email: email.clone(),
        username: free_username(tx, email)?,
        created_at: now,
        disabled_at: None,
    };
    tx.users().insert(&user)?;
    Ok(user)
}

/// The local part of the address, with a number when it is taken (behaviour 9.11).
fn free_username(tx: &mut Tx<'_>, email: &Email) -> Result<String> {
    let local = email.local();
    let candidates: Vec<String> = (1..MAX_ATTEMPTS)
        .map(|attempt| if attempt == 1 { local.to_owned() } else { format!("{local}{attempt}") })
        .collect();
    let taken = tx.users().taken(&candidates)?;
    Ok(candidates
        .into_iter()
        .find(|candidate| !taken.contains(candidate))
        .unwrap_or_else(|| email.to_string()))
}
