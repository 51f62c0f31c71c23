//! API keys and their daily numbers of calls.
//!
//! A key is found by its digest, which is computed from the text in a request.

use std::collections::HashSet;

use daybook_domain::api_key::{ApiKey, ApiKeyUsage};
use daybook_domain::calendar::{day_number, from_day_number};
use daybook_domain::id::{ApiKeyId, UserId};
use daybook_domain::instant::Instant;
use diesel::prelude::*;
use diesel::sql_types::BigInt;
use time::Date;

use crate::commit::tx::Tx;
use crate::conn::bulk::Bulk;
use crate::conn::sql::{MAX_NAMED, Sql, Typed, Value, numbers};
use crate::error::{Error, Result};
use crate::schema::{api_key_days, api_keys};

#[derive(Queryable, Selectable, Insertable)]
#[diesel(table_name = api_keys, treat_none_as_default_value = false)]
struct Row {
    id: i64,
    user_id: i64,
    name: String,
    digest: Vec<u8>,
    rate: Option<i64>,
    created_at: i64,
    revoked_at: Option<i64>,
}

impl From<&ApiKey> for Row {
    fn from(key: &ApiKey) -> Self {
        let ApiKey { id, user, name, digest, rate, created_at, revoked_at } = key;
        Self {
            id: id.get(),
            user_id: user.get(),
            name: name.clone(),
            digest: digest.to_vec(),
            rate: rate.map(i64::from),
            created_at: created_at.milliseconds(),
            revoked_at: revoked_at.map(Instant::milliseconds),
        }
    }
}

impl TryFrom<Row> for ApiKey {
    type Error = Error;

    fn try_from(row: Row) -> Result<Self> {
        let Row { id, user_id, name, digest, rate, created_at, revoked_at } = row;
        let rate = rate.map(u32::try_from).transpose().map_err(|_| Error::Corrupt("rate"))?;
        Ok(Self {
            id: ApiKeyId::new(id),
            user: UserId::new(user_id),
            name,
            digest: digest.try_into().map_err(|_| Error::Corrupt("digest"))?,
            rate,
            created_at: Instant::new(created_at),
            revoked_at: revoked_at.map(Instant::new),
        })
    }
}

/// The API keys of this installation.
pub struct ApiKeys<'t, 'a> {
    pub(crate) tx: &'t mut Tx<'a>,
}

impl ApiKeys<'_, '_> {
    /// Finds a key by id.
    pub fn find(self, id: ApiKeyId) -> Result<Option<ApiKey>> {
        let query = api_keys::table.find(id.get());
        self.tx.flushed()?.select_first::<Row, _>(query)
    }

    /// Finds a key by the digest of its text.
    pub fn by_digest(self, digest: &[u8]) -> Result<Option<ApiKey>> {
        let query = api_keys::table.filter(api_keys::digest.eq(digest));
        self.tx.flushed()?.select_first::<Row, _>(query)
    }

    /// Lists the keys of a user, oldest first.
    pub fn list(self, user: UserId) -> Result<Vec<ApiKey>> {
        let query = api_keys::table.filter(api_keys::user_id.eq(user.get())).order(api_keys::id);
        self.tx.flushed()?.select_all::<Row, _>(query)
    }

    /// Lists the keys of all users, oldest first.
    pub fn list_all(self) -> Result<Vec<ApiKey>> {
        let query = api_keys::table.order(api_keys::id);
        self.tx.flushed()?.select_all::<Row, _>(query)
    }

    /// Inserts a key.
    pub fn insert(self, key: &ApiKey) -> Result<()> {
        let row = Row::from(key);
        self.tx.flushed()?.run(diesel::insert_into(api_keys::table).values(&row))
    }

    /// Saves the revocation of a key.
    pub fn revoke(self, key: &ApiKey) -> Result<()> {
        let target = api_keys::table.find(key.id.get());
        let set = api_keys::revoked_at.eq(key.revoked_at.map(Instant::milliseconds));
        self.tx.flushed()?.run(diesel::update(target).set(set))
    }

    /// Deletes keys and their numbers of calls.
    pub fn remove(self, keys: &[ApiKeyId]) -> Result<()> {
        if keys.is_empty() {
            return Ok(());
        }
        let mut conn = self.tx.flushed()?;
        let ids = || keys.iter().map(|id| id.get());
        let days = api_key_days::table.filter(api_key_days::key_id.eq_any(ids()));
        let target = api_keys::table.filter(api_keys::id.eq_any(ids()));
        // In this order, because a writer of calls shares the row of the key first.
        conn.run(diesel::delete(target))?;
        conn.run(diesel::delete(days))
    }

    /// Returns which of these keys exist, and shares them so they are not deleted before the unit
    /// of work ends.
    pub fn share_lock(self, keys: &[ApiKeyId]) -> Result<HashSet<ApiKeyId>> {
        let mut conn = self.tx.flushed()?;
        let mut found = HashSet::new();
        for chunk in keys.chunks(MAX_NAMED) {
            let query = Sql::new("SELECT id FROM api_keys WHERE id IN {} ORDER BY id{}")
                .bind((numbers(chunk.iter().map(|id| id.get())), Sql::new(conn.for_key_share())));
            let ids: Vec<i64> = conn.load_locked(Typed::<BigInt>::new(&query))?;
            found.extend(ids.into_iter().map(ApiKeyId::new));
        }
        Ok(found)
    }

    /// Adds calls to the days of keys.
    pub fn add_calls(self, counted: &[(ApiKeyId, ApiKeyUsage)]) -> Result<()> {
        let mut rows = Bulk::new(
            "INSERT INTO api_key_days (key_id, day, calls)",
            3,
            " ON CONFLICT (key_id, day) DO UPDATE SET calls = api_key_days.calls + excluded.calls",
        );
        for (key, ApiKeyUsage { day, calls }) in counted {
            let calls = i64::try_from(*calls).unwrap_or(i64::MAX);
            rows.row([
                Value::Int(key.get()),
                Value::Int(day_number(*day).into()),
                Value::Int(calls),
            ]);
        }
        Ok(self.tx.flushed()?.write(rows)?)
    }

    /// Deletes the calls of keys before a day.
    pub fn remove_calls_before(self, keys: &[ApiKeyId], day: Date) -> Result<()> {
        let mut conn = self.tx.flushed()?;
        for chunk in keys.chunks(MAX_NAMED) {
            let target = api_key_days::table
                .filter(api_key_days::key_id.eq_any(chunk.iter().map(|id| id.get())))
                .filter(api_key_days::day.lt(i64::from(day_number(day))));
            conn.run(diesel::delete(target))?;
        }
        Ok(())
    }

    /// Lists the calls of keys since a day, for each key the latest day first.
    pub fn calls(self, keys: &[ApiKeyId], since: Date) -> Result<Vec<(ApiKeyId, ApiKeyUsage)>> {
        let mut conn = self.tx.flushed()?;
        let mut rows: Vec<(i64, i64, i64)> = Vec::new();
        for chunk in keys.chunks(MAX_NAMED) {
            let query = api_key_days::table
                .filter(api_key_days::key_id.eq_any(chunk.iter().map(|id| id.get())))
                .filter(api_key_days::day.ge(i64::from(day_number(since))))
                .order((api_key_days::key_id, api_key_days::day.desc()));
            rows.append(&mut conn.load(query)?);
        }
        let convert = |(key, day, calls): (i64, i64, i64)| {
            let day = i32::try_from(day).ok().and_then(from_day_number);
            let day = day.ok_or(Error::Corrupt("day"))?;
            let calls = u64::try_from(calls).map_err(|_| Error::Corrupt("calls"))?;
            Ok((ApiKeyId::new(key), ApiKeyUsage { day, calls }))
        };
        rows.into_iter().map(convert).collect()
    }
}
