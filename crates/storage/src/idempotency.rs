//! Idempotency keys (behaviour 0.16). They belong to users and outlive books.
//!
//! A unit of work claims the key, does its work, and stores its response under the key, so the
//! three are committed together. Claiming is an INSERT on the unique index, where another process
//! with the same request waits for the commit. A key costs two statements, and a copy of the
//! response for a day.

use daybook_domain::event::Hash;
use daybook_domain::id::UserId;
use daybook_domain::idempotency::{
    BodyForm, Claim, KeyRecord, MAX_SMALL_BYTES, StoredResponse, expiry_cutoff,
};
use daybook_domain::instant::Instant;
use daybook_domain::storage_quota::ROW_BYTES;
use daybook_domain::view_rights::RequiredRights;
use diesel::prelude::*;

use crate::commit::tx::Tx;
use crate::conn::sql::{Sql, Value, list, numbers};
use crate::error::{Error, Result};
use crate::schema::idempotency_keys;
use crate::storage_quota::size;

/// Maximum number of expired rows that a sweep removes. A row may have the response to a batch of
/// 10,000.
const MAX_SWEPT: i64 = 32;

/// Claims a key that is free or expired. The unique index makes it wait for another process that
/// claims the same key.
const CLAIM: &str = "INSERT INTO idempotency_keys AS known (user_id, key, operation, fingerprint, \
    created_at, status, version_tag, body) VALUES ";
const OR_RECLAIM: &str = " ON CONFLICT (user_id, key, operation) DO UPDATE SET \
    fingerprint = excluded.fingerprint, created_at = excluded.created_at, \
    status = excluded.status, version_tag = excluded.version_tag, body = excluded.body, \
    counted_bytes = NULL \
    WHERE known.created_at < {}";

const SELECT: &str =
    "SELECT fingerprint, status, version_tag, body, form, needs, notes FROM idempotency_keys";

const fn form_to_column(form: BodyForm) -> i32 {
    match form {
        BodyForm::Plain => 0,
        BodyForm::Compressed => 1,
        BodyForm::Ids => 2,
    }
}

fn form_from_column(number: i32) -> Result<BodyForm> {
    let forms = [BodyForm::Plain, BodyForm::Compressed, BodyForm::Ids];
    forms.into_iter().find(|form| form_to_column(*form) == number).ok_or(Error::Corrupt("form"))
}

#[derive(QueryableByName)]
#[diesel(table_name = idempotency_keys)]
struct Row {
    fingerprint: Vec<u8>,
    status: i32,
    version_tag: Option<String>,
    body: Vec<u8>,
    form: i32,
    needs: Option<String>,
    notes: Option<String>,
}

impl TryFrom<Row> for KeyRecord {
    type Error = Error;

    fn try_from(row: Row) -> Result<Self> {
        let Row { fingerprint, status, version_tag: tag, body, form, needs, notes } = row;
        let fingerprint = Hash::from_bytes(&fingerprint).ok_or(Error::Corrupt("fingerprint"))?;
        let status = u16::try_from(status).map_err(|_| Error::Corrupt("status"))?;
        let needs = needs.iter().flat_map(|text| text.split(' ')).map(str::parse);
        let needs = needs.collect::<std::result::Result<_, _>>();
        Ok(Self {
            fingerprint,
            response: StoredResponse {
                status,
                tag,
                body,
                form: form_from_column(form)?,
                notes,
                shows: Vec::new(),
            },
            needs: needs.map_err(|_| Error::Corrupt("needs"))?,
        })
    }
}

/// The idempotency keys of this installation.
pub struct Keys<'t, 'a> {
    pub(crate) tx: &'t mut Tx<'a>,
}

impl Keys<'_, '_> {
    /// Claims a key for this unit of work; returns its record if it was claimed before.
    ///
    /// The book or the user of the request must be locked before, so keys are claimed in the order
    /// of these locks.
    ///
    /// # Errors
    /// [`Error::Unavailable`] if another process holds the key for too long.
    pub fn claim(self, claim: &Claim, now: Instant) -> Result<Option<KeyRecord>> {
        let row = [
            Value::Int(claim.user.get()),
            Value::Text(claim.key.as_str().into()),
            Value::Bytes(claim.operation.as_bytes()),
            Value::Bytes(claim.fingerprint.as_bytes()),
            Value::Int(now.milliseconds()),
            // Status 0 is a placeholder: the row is not visible before the response is stored.
            Value::Int(0),
            Value::SomeText(None),
            Value::Bytes(&[]),
        ];
        let claiming = Sql::new(CLAIM).append(list(row)).push(OR_RECLAIM).bind(expiry_cutoff(now));
        if self.tx.flushed()?.execute(&claiming).map_err(Error::from_lock_wait)? > 0 {
            return Ok(None);
        }
        let query = of_claim(Sql::new(SELECT), claim);
        let rows: Vec<Row> = self.tx.flushed()?.load(&query)?;
        let row = rows.into_iter().next().ok_or_else(|| {
            Error::Unavailable("an idempotency key was removed concurrently".to_owned())
        })?;
        KeyRecord::try_from(row).map(Some)
    }

    /// Finds the committed record of a key, without claiming it.
    pub fn find(self, claim: &Claim, now: Instant) -> Result<Option<KeyRecord>> {
        let query = of_claim(Sql::new(SELECT), claim)
            .push(" AND created_at >= {}")
            .bind(expiry_cutoff(now));
        self.tx.flushed()?.first_as::<Row, _>(&query)
    }

    /// Stores the response under a key that this unit of work has claimed.
    ///
    /// `needs` are the permissions that a replay of the response requires.
    pub fn store_response(
        self,
        claim: &Claim,
        response: &StoredResponse,
        needs: &[RequiredRights],
    ) -> Result<()> {
        let StoredResponse { status, tag, body, form, notes, shows: _ } = response;
        let needs: Vec<String> = needs.iter().map(RequiredRights::to_string).collect();
        let needs = (!needs.is_empty()).then(|| needs.join(" "));
        let texts = needs.iter().chain(notes).map(|text| size::length(text));
        let body_bytes = i64::try_from(body.len()).unwrap_or(i64::MAX);
        let bytes = texts.fold(body_bytes, i64::saturating_add);
        let update = Sql::new(
            "UPDATE idempotency_keys SET status = {}, version_tag = {}, body = {}, form = {}, \
             needs = {}, notes = {}, counted_bytes = {}",
        )
        .bind((
            i64::from(*status),
            tag.as_deref(),
            body.as_slice(),
            i64::from(form_to_column(*form)),
            needs,
            notes.as_deref(),
            bytes,
        ));
        self.tx.flushed()?.run(of_claim(update, claim))?;
        self.tx.add_stored_response(claim.user, bytes.saturating_add(ROW_BYTES));
        Ok(())
    }

    /// Returns the bytes of the large responses that are stored for a user and not expired.
    pub fn large_bytes(self, user: UserId, now: Instant) -> Result<i64> {
        let large = sum_of_stored("counted_bytes", &[user], now);
        let large = large.push(" AND counted_bytes > {}").bind(MAX_SMALL_BYTES);
        Ok(self.tx.flushed()?.row(&large)?.unwrap_or_default())
    }

    /// Returns the storage usage of the responses of a user's mailbox that are not expired
    /// (behaviour 10.14). A group reads it once.
    pub fn stored_bytes(self, user: UserId, now: Instant) -> Result<i64> {
        if let Some(bytes) = self.tx.group_cache.owners.stored_responses.get(&user) {
            return Ok(*bytes);
        }
        let users = self.tx.mailbox_users(user)?;
        let all = sum_of_stored(&format!("counted_bytes + {ROW_BYTES}"), &users, now);
        let bytes = self.tx.unflushed()?.row(&all)?.unwrap_or_default();
        self.tx.group_cache.owners.stored_responses.insert(user, bytes);
        Ok(bytes)
    }

    /// Removes a few expired responses; returns their number.
    ///
    /// On a distributed engine it removes only responses of this user, who is on one machine.
    pub fn sweep(self, user: UserId, now: Instant) -> Result<usize> {
        let mut conn = self.tx.flushed()?;
        let of_user = |statement: Sql<'static>| match conn.engine().is_distributed() {
            true => statement.push("user_id = {} AND ").bind(user),
            false => statement,
        };
        // `MATERIALIZED` evaluates the list once, whatever the plan. Rows that another writer is
        // sweeping are skipped.
        let old = of_user(Sql::new(
            "WITH old AS MATERIALIZED (SELECT user_id, key, operation FROM \
            idempotency_keys WHERE ",
        ))
        .push(
            "created_at < {} ORDER BY created_at LIMIT {}{}{}(user_id, key, operation) IN \
             (SELECT user_id, key, operation FROM old)",
        )
        .bind((
            expiry_cutoff(now),
            MAX_SWEPT,
            Sql::new(conn.skip_locked()),
            of_user(Sql::new(") DELETE FROM idempotency_keys WHERE ")),
        ));
        Ok(conn.execute(&old)?)
    }
}

/// Returns the sum over the responses of users that are not expired. An index covers it.
fn sum_of_stored(bytes: &str, users: &[UserId], now: Instant) -> Sql<'static> {
    Sql::new(
        "SELECT CAST(COALESCE(SUM({}), 0) AS BIGINT) AS bytes FROM idempotency_keys \
         WHERE counted_bytes IS NOT NULL AND user_id IN {} AND created_at >= {}",
    )
    .bind((
        Sql::new(bytes.to_owned()),
        numbers(users.iter().copied().map(UserId::get)),
        expiry_cutoff(now),
    ))
}

/// Adds the condition that selects the record of a claim.
fn of_claim<'c>(statement: Sql<'c>, claim: &'c Claim) -> Sql<'c> {
    let operation = claim.operation.as_bytes().as_slice();
    let statement = statement.push(" WHERE user_id = {} AND key = {} AND operation = {}");
    statement.bind((claim.user, claim.key.as_str(), operation))
}
