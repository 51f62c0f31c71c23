//! Browser sessions, and the sign-in links that start them.

use daybook_domain::email::Email;
use daybook_domain::id::{SessionId, UserId};
use daybook_domain::instant::Instant;
use daybook_domain::session::{LoginLink, MAX_LISTED, SecretDigest, Session, SignInMethod};
use diesel::prelude::*;

use crate::commit::tx::Tx;
use crate::error::{Error, Result};
use crate::schema::{login_links, sessions};

#[derive(Queryable, Selectable, Insertable)]
#[diesel(table_name = login_links, treat_none_as_default_value = false)]
struct LinkRow {
    digest: Vec<u8>,
    email: String,
    created_at: i64,
    used_at: Option<i64>,
    invitation: bool,
}

#[derive(Queryable, Selectable, Insertable)]
#[diesel(table_name = sessions, treat_none_as_default_value = false)]
struct SessionRow {
    id: i64,
    user_id: i64,
    digest: Vec<u8>,
    signed_in_at: i64,
    used_at: i64,
    ended_at: Option<i64>,
    method: Option<String>,
}

fn digest(bytes: &[u8]) -> Result<SecretDigest> {
    bytes.try_into().map_err(|_| Error::Corrupt("digest"))
}

impl TryFrom<LinkRow> for LoginLink {
    type Error = Error;

    fn try_from(row: LinkRow) -> Result<Self> {
        Ok(Self {
            digest: digest(&row.digest)?,
            email: Email::stored(row.email),
            created_at: Instant::new(row.created_at),
            used_at: row.used_at.map(Instant::new),
            is_invitation: row.invitation,
        })
    }
}

impl TryFrom<SessionRow> for Session {
    type Error = Error;

    fn try_from(row: SessionRow) -> Result<Self> {
        Ok(Self {
            id: SessionId::new(row.id),
            user: UserId::new(row.user_id),
            digest: digest(&row.digest)?,
            method: row.method.as_deref().and_then(SignInMethod::from_name),
            signed_in_at: Instant::new(row.signed_in_at),
            used_at: Instant::new(row.used_at),
            ended_at: row.ended_at.map(Instant::new),
        })
    }
}

/// Sign-in links.
pub struct LoginLinks<'t, 'a> {
    pub(crate) tx: &'t mut Tx<'a>,
}

impl LoginLinks<'_, '_> {
    /// Finds a link by the digest of its secret.
    pub fn find(self, digest: &SecretDigest) -> Result<Option<LoginLink>> {
        let query = login_links::table.find(digest.as_slice());
        self.tx.flushed()?.select_first::<LinkRow, _>(query)
    }

    /// Inserts a link.
    pub fn insert(self, link: &LoginLink) -> Result<()> {
        let row = LinkRow {
            digest: link.digest.to_vec(),
            email: link.email.as_str().to_owned(),
            created_at: link.created_at.milliseconds(),
            used_at: link.used_at.map(Instant::milliseconds),
            invitation: link.is_invitation,
        };
        self.tx.flushed()?.run(diesel::insert_into(login_links::table).values(&row))
    }

    /// Counts the unused links of an address that were created after an instant.
    pub fn count_open(self, email: &Email, since: Instant) -> Result<i64> {
        let query = login_links::table
            .filter(login_links::created_at.gt(since.milliseconds()))
            .filter(login_links::email.eq(email.as_str()))
            .filter(login_links::used_at.is_null())
            .count();
        self.tx.flushed()?.one(query)
    }

    /// Counts the links of an address that were created after an instant.
    pub fn count_made(self, email: &Email, since: Instant) -> Result<i64> {
        let query = login_links::table
            .filter(login_links::created_at.gt(since.milliseconds()))
            .filter(login_links::email.eq(email.as_str()))
            .count();
        self.tx.flushed()?.one(query)
    }

    /// Marks a link as used; returns false if another process has used it first.
    pub fn use_up(self, link: &LoginLink) -> Result<bool> {
        let target =
            login_links::table.find(link.digest.as_slice()).filter(login_links::used_at.is_null());
        let set = login_links::used_at.eq(link.used_at.map(Instant::milliseconds));
        let changed = self.tx.flushed()?.execute(diesel::update(target).set(set))?;
        Ok(changed == 1)
    }

    /// Deletes the links that were created before an instant.
    pub fn remove_before(self, before: Instant) -> Result<()> {
        let target = login_links::table.filter(login_links::created_at.lt(before.milliseconds()));
        self.tx.flushed()?.run(diesel::delete(target))
    }
}

/// The sessions of this installation.
pub struct Sessions<'t, 'a> {
    pub(crate) tx: &'t mut Tx<'a>,
}

impl Sessions<'_, '_> {
    /// Finds a session by id.
    pub fn find(self, id: SessionId) -> Result<Option<Session>> {
        let query = sessions::table.find(id.get());
        self.tx.flushed()?.select_first::<SessionRow, _>(query)
    }

    /// Lists sessions of a user, the latest used first.
    ///
    /// They have not ended and were used after an instant.
    pub fn list(self, user: UserId, after: Instant) -> Result<Vec<Session>> {
        let query = sessions::table
            .filter(sessions::user_id.eq(user.get()))
            .filter(sessions::ended_at.is_null())
            .filter(sessions::used_at.gt(after.milliseconds()))
            .order((sessions::used_at.desc(), sessions::id.desc()))
            .limit(MAX_LISTED);
        self.tx.flushed()?.select_all::<SessionRow, _>(query)
    }

    /// Inserts a session.
    pub fn insert(self, session: &Session) -> Result<()> {
        let row = SessionRow {
            id: session.id.get(),
            user_id: session.user.get(),
            digest: session.digest.to_vec(),
            signed_in_at: session.signed_in_at.milliseconds(),
            used_at: session.used_at.milliseconds(),
            ended_at: session.ended_at.map(Instant::milliseconds),
            method: session.method.map(|method| method.as_str().to_owned()),
        };
        self.tx.flushed()?.run(diesel::insert_into(sessions::table).values(&row))
    }

    /// Saves the last use of a session.
    pub fn save_use(self, session: &Session) -> Result<()> {
        let target = sessions::table.find(session.id.get());
        let set = sessions::used_at.eq(session.used_at.milliseconds());
        self.tx.flushed()?.run(diesel::update(target).set(set))
    }

    /// Saves the end of a session.
    pub fn save_end(self, session: &Session) -> Result<()> {
        let target = sessions::table.find(session.id.get());
        let set = sessions::ended_at.eq(session.ended_at.map(Instant::milliseconds));
        self.tx.flushed()?.run(diesel::update(target).set(set))
    }

    /// Deletes the sessions of a user that were last used before an instant.
    pub fn remove_unused(self, user: UserId, before: Instant) -> Result<()> {
        let target = sessions::table
            .filter(sessions::user_id.eq(user.get()))
            .filter(sessions::used_at.lt(before.milliseconds()));
        self.tx.flushed()?.run(diesel::delete(target))
    }
}
