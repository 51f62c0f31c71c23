//! Use cases of letting apps use one's books (behaviour 11.16 - 11.19).
//!
//! Some refusals are changes themselves: a code that is used twice ends its grant. Such use cases
//! answer the refusal as a value, so that the unit of work is committed.

use daybook_domain::grant::{
    Consent, Decision, DeviceAuthorization, Grant, GrantScope, Poll, Refusal, Rotated, UserCode,
};
use daybook_domain::id::{GrantId, UserId};
use daybook_domain::instant::Instant;
use daybook_domain::session::SecretDigest;
use daybook_storage::Tx;
use daybook_storage::user::User;

use crate::error::Result;
use crate::ids::Ids;
use crate::user;

/// To whom something is granted, and what.
#[derive(Debug, Clone)]
pub struct Granted {
    /// Who grants.
    pub user: UserId,
    /// When they signed in.
    pub signed_in_at: Instant,
    /// The id of the client.
    pub client: String,
    /// What it may do.
    pub scope: GrantScope,
}

impl Granted {
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

/// The apps that a user has agreed to.
pub fn consents(tx: &mut Tx<'_>, user: UserId) -> Result<Vec<Consent>> {
    Ok(tx.consents().list(user)?)
}

/// Whether a user has agreed to what a client asks for.
pub fn has_consent(tx: &mut Tx<'_>, asked: &Granted) -> Result<bool> {
    let consent = tx.consents().find(asked.user, &asked.client)?;
    Ok(consent.is_some_and(|consent| consent.covers(&asked.scope)))
}

/// Grants what a user agrees to now. The grant lasts until then, unless its code is redeemed
/// before.
///
/// # Errors
/// [`daybook_domain::session::Refusal::Disabled`] for who is disabled now, or deleted.
pub fn begin(
    tx: &mut Tx<'_>,
    granted: &Granted,
    until: Instant,
    (ids, now): (&Ids, Instant),
) -> Result<Grant> {
    user::enabled(tx.users().lock(granted.user)?)?;
    if !has_consent(tx, granted)? {
        tx.consents().save(&granted.consent(now))?;
    }
    add(tx, granted, until, (ids, now))
}

/// Grants what a user has agreed to before; nothing when they have not, or have withdrawn it.
///
/// # Errors
/// As [`begin`].
pub fn begin_again(
    tx: &mut Tx<'_>,
    granted: &Granted,
    until: Instant,
    (ids, now): (&Ids, Instant),
) -> Result<Option<Grant>> {
    user::enabled(tx.users().lock(granted.user)?)?;
    if has_consent(tx, granted)? { add(tx, granted, until, (ids, now)).map(Some) } else { Ok(None) }
}

fn add(
    tx: &mut Tx<'_>,
    granted: &Granted,
    until: Instant,
    (ids, now): (&Ids, Instant),
) -> Result<Grant> {
    let grant = granted.grant(GrantId::new(ids.next(now)), until);
    if tx.grants().make_room(granted.user, now)? {
        tx.identity_changes().record();
    }
    tx.grants().insert(&grant)?;
    Ok(grant)
}

/// Whoever a code or a refresh token names, before it is redeemed.
pub fn find(tx: &mut Tx<'_>, id: GrantId, now: Instant) -> Result<Option<(Grant, User)>> {
    let Some(grant) = tx.grants().find(id)?.filter(|grant| grant.is_active(now)) else {
        return Ok(None);
    };
    let user = tx.users().by_ids(&[grant.user])?.into_iter().next();
    Ok(user.map(|user| (grant, user)))
}

/// Redeems the code (0) or a refresh token of a grant for its client. One that was redeemed
/// before ends the grant, unless that was the last one, a moment ago.
pub fn redeem(
    tx: &mut Tx<'_>,
    (id, rotation): (GrantId, i64),
    client: &str,
    now: Instant,
) -> Result<std::result::Result<(Grant, User), Refusal>> {
    // When another process redeems the same token meanwhile, what it has saved is looked at.
    for _ in 0..2 {
        let found = find(tx, id, now)?.filter(|(grant, _)| grant.client == client);
        let Some((grant, user)) = found else { return Ok(Err(Refusal::InvalidGrant)) };
        if user.disabled_at.is_some() {
            return Ok(Err(Refusal::Disabled));
        }
        match grant.rotate(rotation, now) {
            Ok(Rotated::Next(next)) if tx.grants().save_rotation(&next, rotation)? => {
                return Ok(Ok((next, user)));
            }
            Ok(Rotated::Next(_)) => {}
            Ok(Rotated::Again(grant)) => return Ok(Ok((grant, user))),
            Err(_) => break,
        }
    }
    end(tx, id)?;
    Ok(Err(Refusal::Reused))
}

/// Ends a grant, and with it all tokens that hang on it.
pub fn end(tx: &mut Tx<'_>, id: GrantId) -> Result<()> {
    if tx.grants().remove(id)? {
        tx.identity_changes().record();
    }
    Ok(())
}

/// Withdraws a user's consent to a client, and ends all that was granted to it.
pub fn withdraw(tx: &mut Tx<'_>, user: UserId, client: &str) -> Result<()> {
    // A grant that is being given is seen, and ended too.
    tx.users().lock(user)?;
    tx.consents().remove(user, client)?;
    if tx.grants().remove_of_client(user, client)? {
        tx.identity_changes().record();
    }
    Ok(())
}

/// Begins to wait for somebody's decision about a program without a browser.
///
/// # Errors
/// [`Refusal::Crowded`].
pub fn wait(tx: &mut Tx<'_>, device: &DeviceAuthorization, now: Instant) -> Result<()> {
    tx.device_authorizations().remove_before(DeviceAuthorization::kept_since(now))?;
    let waiting =
        tx.device_authorizations().count_since(DeviceAuthorization::waiting_since(now))?;
    DeviceAuthorization::check_room(waiting)?;
    Ok(tx.device_authorizations().insert(device)?)
}

/// The program whose code a person types.
///
/// # Errors
/// [`Refusal::UnknownUserCode`].
pub fn device(tx: &mut Tx<'_>, code: &UserCode, now: Instant) -> Result<DeviceAuthorization> {
    let device = tx.device_authorizations().by_user_code(code)?.ok_or(Refusal::UnknownUserCode)?;
    device.check_undecided(now)?;
    Ok(device)
}

/// Decides about the program whose code a person has typed: `by` is who lets it have what it asks
/// for, and when they signed in; without anybody it gets nothing.
///
/// # Errors
/// As [`device`], and as [`begin`].
pub fn decide(
    tx: &mut Tx<'_>,
    code: &UserCode,
    by: Option<(UserId, Instant)>,
    ids: &Ids,
    now: Instant,
) -> Result<()> {
    let device = device(tx, code, now)?;
    let decision = if let Some((user, signed_in_at)) = by {
        let (client, scope) = (device.client.clone(), device.scope.clone());
        let granted = Granted { user, signed_in_at, client, scope };
        let grant = begin(tx, &granted, device.expires_at(), (ids, now))?;
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

/// Whether a program waits that has the code of this digest, or waited not long ago.
pub fn is_waiting(tx: &mut Tx<'_>, digest: &SecretDigest) -> Result<bool> {
    Ok(tx.device_authorizations().find(digest)?.is_some())
}

/// Answers a program that asks whether somebody has decided.
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
        Poll::Wait(kept, why) => {
            tx.device_authorizations().save(&kept)?;
            Ok(Err(why))
        }
        Poll::Over(why) => {
            tx.device_authorizations().remove(digest)?;
            Ok(Err(why))
        }
        Poll::Granted(grant) if tx.device_authorizations().remove(digest)? => {
            redeem(tx, (grant, 0), client, now)
        }
        Poll::Granted(_) => Ok(Err(Refusal::InvalidGrant)),
    }
}
