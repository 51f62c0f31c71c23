//! Idempotency keys: rows and repository. They belong to users, not to books, and are the one thing
//! that outlives both (behaviour 0.16).
//!
//! A unit of work takes the key, does its work, and records its answer under the key, so that key,
//! effect and answer are durable together or not at all. To take a key is an INSERT on its unique
//! index: another process with the same request waits there for the commit. A key costs two
//! statements, and its answer a second copy in the database for a day.

use daybook_domain::event::Hash;
use daybook_domain::id::UserId;
use daybook_domain::idempotency::{
    BodyForm, Claim, KeyRecord, MAX_SMALL_BYTES, StoredAnswer, forgotten_before,
};
use daybook_domain::instant::Instant;
use daybook_domain::rights::Need;
use diesel::prelude::*;
use diesel::sql_types::BigInt;

use crate::conn::on_engine;
use crate::error::{Error, Result};
use crate::schema::idempotency_keys;
use crate::sql::{Sql, Value};
use crate::stored::{OF_A_ROW, length};
use crate::tx::Tx;

/// Forgotten rows one sweep removes at most. A row can hold the answer to a batch of 10,000.
const SWEPT_AT_ONCE: i64 = 32;

/// Takes a key that is free, or whose time is over. A unit of work of another process that is
/// taking the same key is waited for by the key's own uniqueness.
const TAKE: &str = "INSERT INTO idempotency_keys AS known (user_id, key, operation, fingerprint, \
    created_at, status, version_tag, body) VALUES ";
const TAKE_AGAIN: &str = " ON CONFLICT (user_id, key, operation) DO UPDATE SET \
    fingerprint = excluded.fingerprint, created_at = excluded.created_at, \
    status = excluded.status, version_tag = excluded.version_tag, body = excluded.body, \
    counted_bytes = NULL \
    WHERE known.created_at < ";

const KNOWN: &str =
    "SELECT fingerprint, status, version_tag, body, form, needs, notes FROM idempotency_keys";

const fn number_of(form: BodyForm) -> i32 {
    match form {
        BodyForm::Plain => 0,
        BodyForm::Compressed => 1,
        BodyForm::Ids => 2,
    }
}

fn form_of(number: i32) -> Result<BodyForm> {
    let forms = [BodyForm::Plain, BodyForm::Compressed, BodyForm::Ids];
    forms.into_iter().find(|form| number_of(*form) == number).ok_or(Error::Corrupt("form"))
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
            answer: StoredAnswer {
                status,
                tag,
                body,
                form: form_of(form)?,
                notes,
                shows: Vec::new(),
            },
            needs: needs.map_err(|_| Error::Corrupt("needs"))?,
        })
    }
}

#[derive(QueryableByName)]
struct CountedBytes {
    #[diesel(sql_type = BigInt)]
    bytes: i64,
}

/// The idempotency keys of this installation.
pub struct Keys<'t, 'a> {
    pub(crate) tx: &'t mut Tx<'a>,
}

impl Keys<'_, '_> {
    /// Takes the key for this unit of work; when it is taken already, answers what is recorded
    /// under it. The book the request is about, or the user whose collections it is about, must be
    /// locked before, so that keys are taken in the order of these locks.
    ///
    /// # Errors
    /// [`Error::Unavailable`] when another process holds the key for too long.
    pub fn take(self, claim: &Claim, now: Instant) -> Result<Option<KeyRecord>> {
        let row = [
            Value::Int(claim.user.get()),
            Value::Text(claim.key.as_str().into()),
            Value::Bytes(claim.operation.as_bytes()),
            Value::Bytes(claim.fingerprint.as_bytes()),
            Value::Int(now.milliseconds()),
            // No status, no answer: nobody sees the row before both are there.
            Value::Int(0),
            Value::SomeText(None),
            Value::Bytes(&[]),
        ];
        let taking =
            Sql::new(TAKE).list(row).push(TAKE_AGAIN).int(forgotten_before(now).milliseconds());
        if self.tx.flushed()?.execute(&taking).map_err(Error::of_waiting)? > 0 {
            return Ok(None);
        }
        let known = named(Sql::new(KNOWN), claim);
        let rows: Vec<Row> = on_engine!(self.tx.flushed()?, c => (&known).load(c))?;
        let row = rows
            .into_iter()
            .next()
            .ok_or_else(|| Error::Unavailable("an idempotency key came and went".to_owned()))?;
        KeyRecord::try_from(row).map(Some)
    }

    /// What is recorded under the key, without taking it. It sees only what is committed.
    pub fn find(self, claim: &Claim, now: Instant) -> Result<Option<KeyRecord>> {
        let known = named(Sql::new(KNOWN), claim)
            .push(" AND created_at >= ")
            .int(forgotten_before(now).milliseconds());
        let rows: Vec<Row> = on_engine!(self.tx.flushed()?, c => (&known).load(c))?;
        rows.into_iter().next().map(KeyRecord::try_from).transpose()
    }

    /// Records the answer under a key that this unit of work has taken, with what its caller needs
    /// in order to be given it again.
    pub fn record(self, claim: &Claim, answer: &StoredAnswer, needs: &[Need]) -> Result<()> {
        let StoredAnswer { status, tag, body, form, notes, shows: _ } = answer;
        let needs: Vec<String> = needs.iter().map(Need::to_string).collect();
        let needs = (!needs.is_empty()).then(|| needs.join(" "));
        let texts = needs.iter().chain(notes).map(|text| length(text));
        let body_bytes = i64::try_from(body.len()).unwrap_or(i64::MAX);
        let counted = texts.fold(body_bytes, i64::saturating_add);
        let record = Sql::new("UPDATE idempotency_keys SET status = ")
            .int(i64::from(*status))
            .push(", version_tag = ");
        let record = record
            .value(Value::SomeText(tag.as_deref().map(Into::into)))
            .push(", body = ")
            .value(Value::Bytes(body))
            .push(", form = ")
            .int(i64::from(number_of(*form)))
            .push(", needs = ")
            .value(Value::SomeText(needs.map(Into::into)))
            .push(", notes = ")
            .value(Value::SomeText(notes.as_deref().map(Into::into)))
            .push(", counted_bytes = ")
            .int(counted);
        self.tx.flushed()?.execute(&named(record, claim))?;
        self.tx.note_kept(claim.user, counted.saturating_add(OF_A_ROW));
        Ok(())
    }

    /// How many bytes the large answers have that are stored for a user and not forgotten.
    pub fn large_bytes(self, user: UserId, now: Instant) -> Result<i64> {
        let large = counted("counted_bytes", &[user], now);
        let large = large.push(" AND counted_bytes > ").int(MAX_SMALL_BYTES);
        let large: CountedBytes = on_engine!(self.tx.flushed()?, c => (&large).get_result(c))?;
        Ok(large.bytes)
    }

    /// For how many bytes of their storage quota the answers count that are stored for a user and
    /// not forgotten (behaviour 10.14). It is read once in a group.
    pub fn kept_bytes(self, user: UserId, now: Instant) -> Result<i64> {
        if let Some(kept) = self.tx.group_cache.owners.kept.get(&user) {
            return Ok(*kept);
        }
        let users = self.tx.mailbox_users(user)?;
        let all = counted("counted_bytes + 100", &users, now);
        let all: CountedBytes = on_engine!(self.tx.unflushed()?, c => (&all).get_result(c))?;
        self.tx.group_cache.owners.kept.insert(user, all.bytes);
        Ok(all.bytes)
    }

    /// Removes a few of the answers whose time is over; answers how many. Where users are on
    /// several machines, they are those of this user.
    pub fn sweep(self, user: UserId, now: Instant) -> Result<usize> {
        let mut conn = self.tx.flushed()?;
        let of_user = |statement: Sql<'static>| match conn.engine().is_distributed() {
            true => statement.push("user_id = ").int(user.get()).push(" AND "),
            false => statement,
        };
        // The list is made once, whatever plan the engine chooses, and leaves out what another
        // writer is sweeping.
        let old = of_user(Sql::new(
            "WITH old AS MATERIALIZED (SELECT user_id, key, operation FROM \
            idempotency_keys WHERE ",
        ))
        .push("created_at < ")
        .int(forgotten_before(now).milliseconds())
        .push(" ORDER BY created_at LIMIT ")
        .int(SWEPT_AT_ONCE)
        .push(conn.unless_locked())
        .append(of_user(Sql::new(") DELETE FROM idempotency_keys WHERE ")))
        .push("(user_id, key, operation) IN (SELECT user_id, key, operation FROM old)");
        Ok(conn.execute(&old)?)
    }
}

/// The sum over the answers that are stored for a user and not forgotten. What it adds up stands in
/// an index.
fn counted(bytes: &'static str, users: &[UserId], now: Instant) -> Sql<'static> {
    Sql::new("SELECT CAST(COALESCE(SUM(")
        .push(bytes)
        .push(
            "), 0) AS BIGINT) AS bytes \
             FROM idempotency_keys WHERE counted_bytes IS NOT NULL AND user_id IN ",
        )
        .numbers(users.iter().copied().map(UserId::get))
        .push(" AND created_at >= ")
        .int(forgotten_before(now).milliseconds())
}

fn named<'c>(statement: Sql<'c>, claim: &'c Claim) -> Sql<'c> {
    let statement = statement
        .push(" WHERE user_id = ")
        .int(claim.user.get())
        .push(" AND key = ")
        .text(claim.key.as_str());
    statement.push(" AND operation = ").value(Value::Bytes(claim.operation.as_bytes()))
}
