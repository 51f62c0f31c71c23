//! Grants: users let OAuth clients use their books (behaviour 11.16 - 11.19).
//!
//! Some refusals also change data: a code that is used twice ends its grant. Such use cases return
//! the refusal as a value, so that the unit of work is still committed.

use daybook_domain::grant::{
    Consent, Decision, DeviceAuthorization, Grant, GrantScope, Poll, Refusal, Rotation, UserCode,
};
use daybook_domain::id::{GrantId, UserId};
use daybook_domain::instant::Instant;
use daybook_domain::session::SecretDigest;
use daybook_storage::user::User;
use daybook_storage::{ShardKey, Tx};

use crate::context::Context;
use crate::error::Result;
use crate::ids::Ids;
use crate::target::Target;
use crate::user_lock::require_enabled;

/// The target of [`withdraw_own`].
pub const TARGET: Target = Target::Caller;
/// The shard key of [`add_device`].
pub const ADD_DEVICE_SHARD_KEY: ShardKey = ShardKey::NO_BOOK;

/// Returns the shard key of writes to the grants and consents of a user, including [`decide`].
#[must_use]
pub fn shard_key(user: UserId) -> ShardKey {
    ShardKey::of_user(user)
}

/// Returns the shard key of [`poll`].
#[must_use]
pub fn poll_shard_key(device: &SecretDigest) -> ShardKey {
    ShardKey::of_device(device)
}

/// The content of a grant: the user, the client and the scope.
#[derive(Debug, Clone)]
pub struct GrantRequest {
    /// The user who grants.
    pub user: UserId,
    /// When they signed in.
    pub signed_in_at: Instant,
    /// The id of the client.
    pub client: String,
    /// The scope that the client gets.
    pub scope: GrantScope,
}

impl GrantRequest {
    fn grant(&self, id: GrantId, expires_at: Instant) -> Grant {
        Grant {
            id,
            user: self.user,
            client: self.client.clone(),
            scope: self.scope.clone(),
            signed_in_at: self.signed_in_at,
            rotation: 0,
            expires_at,
        }
    }

    fn consent(&self, now: Instant) -> Consent {
        let Self { user, client, scope, .. } = self.clone();
        Consent { user, client, scope, created_at: now }
    }
}

/// Lists the consents of a user to clients.
pub fn list_consents(tx: &mut Tx<'_>, user: UserId) -> Result<Vec<Consent>> {
    Ok(tx.consents().list(user)?)
}

/// Lists the caller's consents to clients, by client (behaviour 11.29).
///
/// # Errors
/// [`daybook_domain::token::Refusal::InsufficientScope`].
pub fn list_own_consents(tx: &mut Tx<'_>, cx: &Context) -> Result<Vec<Consent>> {
    cx.scope.check_outside_books()?;
    list_consents(tx, cx.user.id)
}

/// Returns whether the user has consented to what the client requests.
pub fn has_consent(tx: &mut Tx<'_>, request: &GrantRequest) -> Result<bool> {
    let consent = tx.consents().find(request.user, &request.client)?;
    Ok(consent.is_some_and(|consent| consent.covers(&request.scope)))
}

/// Creates a grant and records the user's consent.
///
/// The grant ends at `expires_at` unless its code is redeemed before.
///
/// # Errors
/// [`daybook_domain::session::Refusal::Disabled`] if the user is now disabled; 404 if deleted.
pub fn begin(
    tx: &mut Tx<'_>,
    granted: &GrantRequest,
    expires_at: Instant,
    ids: &Ids,
    now: Instant,
) -> Result<Grant> {
    require_enabled(tx.users().lock(granted.user)?)?;
    if !has_consent(tx, granted)? {
        tx.consents().save(&granted.consent(now))?;
    }
    insert(tx, granted, expires_at, ids, now)
}

/// Creates a grant under an earlier consent. Returns `None` without consent.
///
/// # Errors
/// Those of [`begin`].
pub fn begin_with_consent(
    tx: &mut Tx<'_>,
    granted: &GrantRequest,
    expires_at: Instant,
    ids: &Ids,
    now: Instant,
) -> Result<Option<Grant>> {
    require_enabled(tx.users().lock(granted.user)?)?;
    if !has_consent(tx, granted)? {
        return Ok(None);
    }
    insert(tx, granted, expires_at, ids, now).map(Some)
}

fn insert(
    tx: &mut Tx<'_>,
    granted: &GrantRequest,
    expires_at: Instant,
    ids: &Ids,
    now: Instant,
) -> Result<Grant> {
    let grant = granted.grant(GrantId::new(ids.next(now)), expires_at);
    if tx.grants().prune(granted.user, now)? {
        // Every process then clears its cache of verified tokens.
        tx.identity_changes().increment();
    }
    tx.grants().insert(&grant)?;
    Ok(grant)
}

/// Finds an active grant and its user.
pub fn find(tx: &mut Tx<'_>, id: GrantId, now: Instant) -> Result<Option<(Grant, User)>> {
    let Some(grant) = tx.grants().find(id)?.filter(|grant| grant.is_active(now)) else {
        return Ok(None);
    };
    let user = tx.users().by_ids(&[grant.user])?.into_iter().next();
    Ok(user.map(|user| (grant, user)))
}

/// Redeems the code (rotation 0) or a refresh token of a grant for its client.
///
/// A token that was redeemed before ends the grant, unless it is the previous refresh token and was
/// redeemed at most 30 seconds ago.
pub fn redeem(
    tx: &mut Tx<'_>,
    id: GrantId,
    rotation: i64,
    client: &str,
    now: Instant,
) -> Result<std::result::Result<(Grant, User), Refusal>> {
    // If another process redeems the same token concurrently, the second pass reads its rotation.
    for _ in 0..2 {
        let found = find(tx, id, now)?.filter(|(grant, _)| grant.client == client);
        let Some((grant, user)) = found else { return Ok(Err(Refusal::InvalidGrant)) };
        if user.disabled_at.is_some() {
            return Ok(Err(Refusal::Disabled));
        }
        match grant.rotate(rotation, now) {
            Ok(Rotation::Next(next)) if tx.grants().save_rotation(&next, rotation)? => {
                return Ok(Ok((next, user)));
            }
            Ok(Rotation::Next(_)) => {}
            Ok(Rotation::Repeated(grant)) => return Ok(Ok((grant, user))),
            Err(_) => break,
        }
    }
    end(tx, id)?;
    Ok(Err(Refusal::Reused))
}

/// Ends a grant and all its tokens.
pub fn end(tx: &mut Tx<'_>, id: GrantId) -> Result<()> {
    if tx.grants().remove(id)? {
        tx.identity_changes().increment();
    }
    Ok(())
}

/// Withdraws a user's consent to a client, and ends all grants of the client.
pub fn withdraw(tx: &mut Tx<'_>, user: UserId, client: &str) -> Result<()> {
    // The lock makes a grant that is being created visible, so it ends too.
    tx.users().lock(user)?;
    tx.consents().remove(user, client)?;
    if tx.grants().remove_of_client(user, client)? {
        tx.identity_changes().increment();
    }
    Ok(())
}

/// Withdraws the caller's consent to a client (behaviour 11.29).
///
/// # Errors
/// [`Refusal::UnknownConsent`].
pub fn withdraw_own(tx: &mut Tx<'_>, cx: &Context, client: &str) -> Result<Consent> {
    let unknown = || Refusal::UnknownConsent(client.chars().take(60).collect());
    let consent = tx.consents().find(cx.user.id, client)?.ok_or_else(unknown)?;
    withdraw(tx, cx.user.id, client)?;
    Ok(consent)
}

/// Stores a device authorization, which then waits for a user's decision.
///
/// # Errors
/// [`Refusal::TooManyDevices`].
pub fn add_device(tx: &mut Tx<'_>, device: &DeviceAuthorization, now: Instant) -> Result<()> {
    tx.device_authorizations().remove_before(DeviceAuthorization::retention_cutoff(now))?;
    let waiting =
        tx.device_authorizations().count_since(DeviceAuthorization::pending_cutoff(now))?;
    DeviceAuthorization::check_count(waiting)?;
    Ok(tx.device_authorizations().insert(device)?)
}

/// Finds the undecided device authorization with the code that a user typed.
///
/// # Errors
/// [`Refusal::UnknownUserCode`].
pub fn find_device(tx: &mut Tx<'_>, code: &UserCode, now: Instant) -> Result<DeviceAuthorization> {
    let device = tx.device_authorizations().by_user_code(code)?.ok_or(Refusal::UnknownUserCode)?;
    device.check_undecided(now)?;
    Ok(device)
}

/// Records a user's decision about a device authorization.
///
/// `approved_by` is the approving user and when they signed in; without it the request is denied.
///
/// # Errors
/// Refusals of [`find_device`] and of [`begin`].
pub fn decide(
    tx: &mut Tx<'_>,
    code: &UserCode,
    approved_by: Option<(UserId, Instant)>,
    ids: &Ids,
    now: Instant,
) -> Result<()> {
    let device = find_device(tx, code, now)?;
    let decision = if let Some((user, signed_in_at)) = approved_by {
        let (client, scope) = (device.client.clone(), device.scope.clone());
        let granted = GrantRequest { user, signed_in_at, client, scope };
        let grant = begin(tx, &granted, device.expires_at(), ids, now)?;
        Decision::Granted(grant.id)
    } else {
        Decision::Denied
    };
    let decided = device.decide(decision, now)?;
    if tx.device_authorizations().save(&decided)? {
        Ok(())
    } else {
        Err(Refusal::UnknownUserCode.into())
    }
}

/// Returns whether a device authorization with the code of this digest exists.
pub fn has_device(tx: &mut Tx<'_>, digest: &SecretDigest) -> Result<bool> {
    Ok(tx.device_authorizations().find(digest)?.is_some())
}

/// Returns the decision to a device that polls for it.
pub fn poll(
    tx: &mut Tx<'_>,
    digest: &SecretDigest,
    client: &str,
    now: Instant,
) -> Result<std::result::Result<(Grant, User), Refusal>> {
    let found = tx.device_authorizations().find(digest)?;
    let Some(device) = found.filter(|device| device.client == client) else {
        return Ok(Err(Refusal::InvalidGrant));
    };
    match device.poll(now) {
        Poll::Pending(device, refusal) => {
            tx.device_authorizations().save(&device)?;
            Ok(Err(refusal))
        }
        Poll::Ended(refusal) => {
            tx.device_authorizations().remove(digest)?;
            Ok(Err(refusal))
        }
        Poll::Granted(grant) if tx.device_authorizations().remove(digest)? => {
            redeem(tx, grant, 0, client, now)
        }
        Poll::Granted(_) => Ok(Err(Refusal::InvalidGrant)),
    }
}
