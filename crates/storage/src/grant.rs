//! Grants of users to apps, consents, and device authorizations (behaviour 11.16 - 11.19).

use daybook_domain::grant::{
    Consent, Decision, DeviceAuthorization, Grant, GrantScope, MAX_GRANTS, UserCode,
};
use daybook_domain::id::{GrantId, UserId};
use daybook_domain::instant::Instant;
use daybook_domain::session::SecretDigest;
use diesel::prelude::*;
use diesel::upsert::excluded;

use crate::commit::tx::Tx;
use crate::error::{Error, Result};
use crate::schema::{consents, device_authorizations, grants};

#[derive(Queryable, Selectable, Insertable)]
#[diesel(table_name = grants)]
struct GrantRow {
    id: i64,
    user_id: i64,
    client: String,
    scope: String,
    signed_in_at: i64,
    rotation: i64,
    expires_at: i64,
}

impl From<&Grant> for GrantRow {
    fn from(grant: &Grant) -> Self {
        Self {
            id: grant.id.get(),
            user_id: grant.user.get(),
            client: grant.client.clone(),
            scope: grant.scope.to_string(),
            signed_in_at: grant.signed_in_at.milliseconds(),
            rotation: grant.rotation,
            expires_at: grant.expires_at.milliseconds(),
        }
    }
}

impl From<GrantRow> for Grant {
    fn from(row: GrantRow) -> Self {
        Self {
            id: GrantId::new(row.id),
            user: UserId::new(row.user_id),
            client: row.client,
            scope: GrantScope::stored(&row.scope),
            signed_in_at: Instant::new(row.signed_in_at),
            rotation: row.rotation,
            expires_at: Instant::new(row.expires_at),
        }
    }
}

/// Grants of users to apps.
pub struct Grants<'t, 'a> {
    pub(crate) tx: &'t mut Tx<'a>,
}

impl Grants<'_, '_> {
    /// Finds a grant by id.
    pub fn find(self, id: GrantId) -> Result<Option<Grant>> {
        let query = grants::table.find(id.get());
        self.tx.flushed()?.select_first::<GrantRow, _>(query)
    }

    /// Inserts a grant.
    pub fn insert(self, grant: &Grant) -> Result<()> {
        let row = GrantRow::from(grant);
        self.tx.flushed()?.run(diesel::insert_into(grants::table).values(&row))
    }

    /// Saves the rotation of a grant; returns false if another process has rotated it first.
    pub fn save_rotation(self, grant: &Grant, before: i64) -> Result<bool> {
        let target = grants::table.find(grant.id.get()).filter(grants::rotation.eq(before));
        let set = (
            grants::rotation.eq(grant.rotation),
            grants::expires_at.eq(grant.expires_at.milliseconds()),
        );
        let changed = self.tx.flushed()?.execute(diesel::update(target).set(set))?;
        Ok(changed == 1)
    }

    /// Deletes a grant; returns whether there was one.
    pub fn remove(self, id: GrantId) -> Result<bool> {
        let target = grants::table.find(id.get());
        let deleted = self.tx.flushed()?.execute(diesel::delete(target))?;
        Ok(deleted == 1)
    }

    /// Deletes all grants of a user to a client; returns whether there were any.
    pub fn remove_of_client(self, user: UserId, client: &str) -> Result<bool> {
        let target =
            grants::table.filter(grants::user_id.eq(user.get())).filter(grants::client.eq(client));
        let deleted = self.tx.flushed()?.execute(diesel::delete(target))?;
        Ok(deleted > 0)
    }

    /// Deletes a user's expired grants, and the earliest expiring ones beyond the limit.
    ///
    /// One more grant then fits. Returns whether it deleted a grant that had not expired.
    pub fn prune(self, user: UserId, now: Instant) -> Result<bool> {
        let of_user = grants::table.filter(grants::user_id.eq(user.get()));
        let expired = of_user.filter(grants::expires_at.le(now.milliseconds()));
        self.tx.flushed()?.run(diesel::delete(expired))?;
        let longest = of_user.order((grants::expires_at.desc(), grants::id.desc()));
        let ids: Vec<i64> = self.tx.flushed()?.load(longest.select(grants::id))?;
        let excess: Vec<i64> = ids.into_iter().skip(MAX_GRANTS - 1).collect();
        let has_excess = !excess.is_empty();
        if has_excess {
            let target = grants::table.filter(grants::id.eq_any(excess));
            self.tx.flushed()?.run(diesel::delete(target))?;
        }
        Ok(has_excess)
    }
}

#[derive(Queryable, Selectable, Insertable)]
#[diesel(table_name = consents)]
struct ConsentRow {
    user_id: i64,
    client: String,
    scope: String,
    created_at: i64,
}

impl From<ConsentRow> for Consent {
    fn from(row: ConsentRow) -> Self {
        Self {
            user: UserId::new(row.user_id),
            client: row.client,
            scope: GrantScope::stored(&row.scope),
            created_at: Instant::new(row.created_at),
        }
    }
}

/// Consents of users to apps.
pub struct Consents<'t, 'a> {
    pub(crate) tx: &'t mut Tx<'a>,
}

impl Consents<'_, '_> {
    /// Lists the consents of a user, by client.
    pub fn list(self, user: UserId) -> Result<Vec<Consent>> {
        let query = consents::table.filter(consents::user_id.eq(user.get()));
        let query = query.order(consents::client);
        self.tx.flushed()?.select_all::<ConsentRow, _>(query)
    }

    /// Finds the consent of a user to a client.
    pub fn find(self, user: UserId, client: &str) -> Result<Option<Consent>> {
        let query = consents::table.find((user.get(), client));
        self.tx.flushed()?.select_first::<ConsentRow, _>(query)
    }

    /// Saves a consent. It replaces an earlier one to the same client.
    pub fn save(self, consent: &Consent) -> Result<()> {
        let row = ConsentRow {
            user_id: consent.user.get(),
            client: consent.client.clone(),
            scope: consent.scope.to_string(),
            created_at: consent.created_at.milliseconds(),
        };
        self.tx.flushed()?.run(
            diesel::insert_into(consents::table)
                .values(&row)
                .on_conflict((consents::user_id, consents::client))
                .do_update()
                .set((
                    consents::scope.eq(excluded(consents::scope)),
                    consents::created_at.eq(excluded(consents::created_at)),
                )),
        )
    }

    /// Deletes a consent.
    pub fn remove(self, user: UserId, client: &str) -> Result<()> {
        let target = consents::table.find((user.get(), client));
        self.tx.flushed()?.run(diesel::delete(target))
    }
}

#[derive(Queryable, Selectable, Insertable, AsChangeset)]
#[diesel(table_name = device_authorizations, treat_none_as_null = true)]
#[diesel(primary_key(digest))]
struct DeviceRow {
    digest: Vec<u8>,
    user_code: String,
    client: String,
    scope: String,
    created_at: i64,
    polled_at: Option<i64>,
    poll_interval: i64,
    denied: bool,
    grant_id: Option<i64>,
}

impl From<&DeviceAuthorization> for DeviceRow {
    fn from(device: &DeviceAuthorization) -> Self {
        Self {
            digest: device.digest.to_vec(),
            user_code: device.user_code.as_str().to_owned(),
            client: device.client.clone(),
            scope: device.scope.to_string(),
            created_at: device.created_at.milliseconds(),
            polled_at: device.polled_at.map(Instant::milliseconds),
            poll_interval: device.interval,
            denied: device.decision == Some(Decision::Denied),
            grant_id: match device.decision {
                Some(Decision::Granted(grant)) => Some(grant.get()),
                Some(Decision::Denied) | None => None,
            },
        }
    }
}

impl TryFrom<DeviceRow> for DeviceAuthorization {
    type Error = Error;

    fn try_from(row: DeviceRow) -> Result<Self> {
        let digest: SecretDigest =
            row.digest.as_slice().try_into().map_err(|_| Error::Corrupt("digest"))?;
        let granted = row.grant_id.map(|id| Decision::Granted(GrantId::new(id)));
        Ok(Self {
            digest,
            user_code: UserCode::stored(row.user_code),
            client: row.client,
            scope: GrantScope::stored(&row.scope),
            created_at: Instant::new(row.created_at),
            polled_at: row.polled_at.map(Instant::new),
            interval: row.poll_interval,
            decision: granted.or(row.denied.then_some(Decision::Denied)),
        })
    }
}

/// Device authorizations.
pub struct DeviceAuthorizations<'t, 'a> {
    pub(crate) tx: &'t mut Tx<'a>,
}

impl DeviceAuthorizations<'_, '_> {
    /// Finds a device authorization by the digest of its device code.
    pub fn find(self, digest: &SecretDigest) -> Result<Option<DeviceAuthorization>> {
        let query = device_authorizations::table.find(digest.as_slice());
        self.tx.flushed()?.select_first::<DeviceRow, _>(query)
    }

    /// Finds a device authorization by the code that the user types.
    pub fn by_user_code(self, code: &UserCode) -> Result<Option<DeviceAuthorization>> {
        let query =
            device_authorizations::table.filter(device_authorizations::user_code.eq(code.as_str()));
        self.tx.flushed()?.select_first::<DeviceRow, _>(query)
    }

    /// Counts the device authorizations that were created after an instant.
    pub fn count_since(self, since: Instant) -> Result<i64> {
        let query = device_authorizations::table
            .filter(device_authorizations::created_at.gt(since.milliseconds()))
            .count();
        self.tx.flushed()?.one(query)
    }

    /// Inserts a device authorization.
    pub fn insert(self, device: &DeviceAuthorization) -> Result<()> {
        let row = DeviceRow::from(device);
        self.tx.flushed()?.run(diesel::insert_into(device_authorizations::table).values(&row))
    }

    /// Saves the last poll and the decision; returns false if it was decided meanwhile.
    pub fn save(self, device: &DeviceAuthorization) -> Result<bool> {
        let target = device_authorizations::table
            .find(device.digest.as_slice())
            .filter(device_authorizations::grant_id.is_null())
            .filter(device_authorizations::denied.eq(false));
        let row = DeviceRow::from(device);
        let changed = self.tx.flushed()?.execute(diesel::update(target).set(&row))?;
        Ok(changed == 1)
    }

    /// Deletes a device authorization; returns whether there was one.
    pub fn remove(self, digest: &SecretDigest) -> Result<bool> {
        let target = device_authorizations::table.find(digest.as_slice());
        let deleted = self.tx.flushed()?.execute(diesel::delete(target))?;
        Ok(deleted == 1)
    }

    /// Deletes the device authorizations that were created before an instant.
    pub fn remove_before(self, before: Instant) -> Result<()> {
        let target = device_authorizations::table
            .filter(device_authorizations::created_at.lt(before.milliseconds()));
        self.tx.flushed()?.run(diesel::delete(target))
    }
}
