//! Users: rows and repository.

use std::collections::HashSet;

use daybook_domain::email::Email;
use daybook_domain::id::{ApiKeyId, UserId};
use daybook_domain::instant::Instant;
use daybook_domain::user::{Profile, payer};
use diesel::prelude::*;
use diesel::sql_types::BigInt;

use crate::conn::{Conn, on_engine};
use crate::error::{Error, Result};
use crate::schema::{books, users};
use crate::sql::Sql;
use crate::tx::Tx;

/// The tables of what is kept for a user alone.
const OF_A_USER: [&str; 12] = [
    "api_keys",
    "tokens",
    "sessions",
    "grants",
    "consents",
    "access_requests",
    "collection_books",
    "collections",
    "connections",
    "detached_deliveries",
    "idempotency_keys",
    "mails",
];
/// The tables of what is kept for an address, and its column there.
const OF_AN_ADDRESS: [(&str, &str); 3] =
    [("login_links", "email"), ("transfer_offers", "email"), ("mails", "recipient")];

/// A user: somebody with a verified e-mail address.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct User {
    /// The number.
    pub id: UserId,
    /// The verified address.
    pub email: Email,
    /// Unique, from the local part of the address (behaviour 9.11).
    pub username: String,
    /// When the user came into being: at the first token, or its first sight.
    pub created_at: Instant,
    /// Since when the operator refuses them (behaviour 11.10).
    pub disabled_at: Option<Instant>,
    /// What an identity provider told last; empty for who never came through one.
    pub profile: Profile,
}

impl User {
    /// For whom limits count what they ask for: all addresses of a mailbox (behaviour 10.18).
    #[must_use]
    pub fn payer(&self) -> UserId {
        payer(&self.email)
    }
}

#[derive(Queryable, Selectable, Insertable, QueryableByName)]
#[diesel(table_name = users, treat_none_as_default_value = false)]
struct Row {
    id: i64,
    email: String,
    username: String,
    created_at: i64,
    disabled_at: Option<i64>,
    #[diesel(embed)]
    profile: ProfileRow,
}

#[derive(Queryable, Selectable, Insertable, AsChangeset, QueryableByName)]
#[diesel(table_name = users, treat_none_as_default_value = false, treat_none_as_null = true)]
struct ProfileRow {
    name: Option<String>,
    given_name: Option<String>,
    family_name: Option<String>,
    picture: Option<String>,
    hosted_domain: Option<String>,
}

impl From<ProfileRow> for Profile {
    fn from(row: ProfileRow) -> Self {
        let ProfileRow { name, given_name, family_name, picture, hosted_domain } = row;
        Self { name, given_name, family_name, picture, hosted_domain }
    }
}

impl From<&Profile> for ProfileRow {
    fn from(profile: &Profile) -> Self {
        let Profile { name, given_name, family_name, picture, hosted_domain } = profile.clone();
        Self { name, given_name, family_name, picture, hosted_domain }
    }
}

impl From<Row> for User {
    fn from(row: Row) -> Self {
        let Row { id, email, username, created_at, disabled_at, profile } = row;
        Self {
            id: UserId::new(id),
            email: Email::stored(email),
            username,
            created_at: Instant::new(created_at),
            disabled_at: disabled_at.map(Instant::new),
            profile: profile.into(),
        }
    }
}

#[derive(QueryableByName)]
struct NumberRow {
    #[diesel(sql_type = BigInt)]
    id: i64,
}

impl Tx<'_> {
    /// The users of the addresses of a user's mailbox, for whom storage quotas count together
    /// (behaviour 10.18). It is read once in a group.
    pub(crate) fn mailbox_users(&mut self, user: UserId) -> Result<Vec<UserId>> {
        if let Some(known) = self.group_cache.owners.mailboxes.get(&user) {
            return Ok(known.clone());
        }
        let query = Sql::new(
            "SELECT o.id FROM users u JOIN users o ON o.mailbox = u.mailbox WHERE o.id <> u.id \
             AND u.id = ",
        )
        .int(user.get())
        .push(" ORDER BY o.id LIMIT 10000");
        let rows: Vec<NumberRow> = on_engine!(self.unflushed()?, c => (&query).load(c))?;
        let others = rows.into_iter().map(|row| UserId::new(row.id));
        let all: Vec<UserId> = std::iter::once(user).chain(others).collect();
        self.group_cache.owners.mailboxes.insert(user, all.clone());
        Ok(all)
    }
}

/// A user, with the lock that the end of the statement takes.
fn locked(conn: &mut Conn, user: UserId, end: &'static str) -> Result<Option<User>> {
    let query = Sql::new("SELECT * FROM users WHERE id = ").int(user.get()).push(end);
    let rows: Vec<Row> = on_engine!(conn, c => (&query).load(c)).map_err(Error::of_waiting)?;
    Ok(rows.into_iter().next().map(User::from))
}

/// The users of this installation.
pub struct Users<'t, 'a> {
    pub(crate) tx: &'t mut Tx<'a>,
}

impl Users<'_, '_> {
    /// The user with that address.
    pub fn find(self, email: &Email) -> Result<Option<User>> {
        let query = users::table.filter(users::email.eq(email.as_str()));
        let row = on_engine!(
            self.tx.unflushed()?,
            c => query.select(Row::as_select()).get_result(c).optional()
        )?;
        Ok(row.map(User::from))
    }

    /// The user with that username or address, in lower case.
    pub fn find_named(self, text: &str) -> Result<Option<User>> {
        // Two rows at most, both by unique index, so no LIMIT: SQLite plans a bound one anew each
        // time.
        let query = users::table
            .filter(users::username.eq(text).or(users::email.eq(text)))
            .order(users::id);
        let row = on_engine!(
            self.tx.unflushed()?,
            c => query.select(Row::as_select()).get_result(c).optional()
        )?;
        Ok(row.map(User::from))
    }

    /// Which of these usernames are taken.
    pub fn taken(self, usernames: &[String]) -> Result<HashSet<String>> {
        let query = users::table.filter(users::username.eq_any(usernames)).select(users::username);
        let taken: Vec<String> = on_engine!(self.tx.unflushed()?, c => query.load(c))?;
        Ok(taken.into_iter().collect())
    }

    /// Adds a user, with whose sharing has admitted them, if it was somebody's.
    ///
    /// # Errors
    /// [`Error::UniqueViolation`] when address or username are taken.
    pub fn insert(self, user: &User, admitted_by: Option<UserId>) -> Result<()> {
        let row = Row {
            id: user.id.get(),
            email: user.email.as_str().to_owned(),
            username: user.username.clone(),
            created_at: user.created_at.milliseconds(),
            disabled_at: user.disabled_at.map(Instant::milliseconds),
            profile: ProfileRow::from(&user.profile),
        };
        let besides = (
            users::mailbox.eq(user.email.mailbox().as_str().to_owned()),
            users::admitted_by.eq(admitted_by.map(UserId::get)),
        );
        on_engine!(
            self.tx.flushed()?,
            c => diesel::insert_into(users::table).values((&row, besides)).execute(c)
        )?;
        Ok(())
    }

    /// The owners of books that are shared with an address, by whom somebody may come: not those
    /// who came by somebody themselves since then. At most 100.
    pub fn inviters(self, email: &Email, since: Instant) -> Result<Vec<UserId>> {
        let query = Sql::new(
            "SELECT DISTINCT b.owner_id AS id FROM collaborators c \
             JOIN books b ON b.id = c.book_id JOIN users o ON o.id = b.owner_id \
             WHERE b.deleted_at IS NULL AND o.disabled_at IS NULL AND c.email = ",
        )
        .text(email.as_str())
        .push(" AND (o.admitted_by IS NULL OR o.created_at <= ")
        .int(since.milliseconds())
        .push(") ORDER BY b.owner_id LIMIT 100");
        let rows: Vec<NumberRow> = on_engine!(self.tx.unflushed()?, c => (&query).load(c))?;
        Ok(rows.into_iter().map(|row| UserId::new(row.id)).collect())
    }

    /// How many users came since then by somebody, at any address of their mailbox.
    pub fn count_newcomers(self, inviter: UserId, since: Instant) -> Result<i64> {
        let inviters = self.tx.mailbox_users(inviter)?;
        let query = Sql::new("SELECT COUNT(*) AS id FROM users WHERE created_at > ")
            .int(since.milliseconds())
            .push(" AND admitted_by IN ")
            .numbers(inviters.into_iter().map(UserId::get));
        let rows: Vec<NumberRow> = on_engine!(self.tx.flushed()?, c => (&query).load(c))?;
        Ok(rows.first().map_or(0, |row| row.id))
    }

    /// Saves since when a user is disabled.
    pub fn save_disabled(self, user: &User) -> Result<()> {
        let target = users::table.find(user.id.get());
        let set = users::disabled_at.eq(user.disabled_at.map(Instant::milliseconds));
        on_engine!(self.tx.flushed()?, c => diesel::update(target).set(set).execute(c))?;
        Ok(())
    }

    /// Saves the profile of a user.
    pub fn save_profile(self, user: &User) -> Result<()> {
        let target = users::table.find(user.id.get());
        let set = ProfileRow::from(&user.profile);
        on_engine!(self.tx.flushed()?, c => diesel::update(target).set(&set).execute(c))?;
        Ok(())
    }

    /// Notes that a user has a connection to a bank.
    pub fn note_bank_connection(self, user: UserId) -> Result<()> {
        let target = users::table.find(user.get());
        let set = users::bank_connections.eq(true);
        on_engine!(self.tx.flushed()?, c => diesel::update(target).set(set).execute(c))?;
        Ok(())
    }

    /// Whether a user ever had a connection to a bank.
    pub fn has_bank_connections(self, user: UserId) -> Result<bool> {
        let query = users::table.find(user.get()).select(users::bank_connections);
        let found: Option<bool> =
            on_engine!(self.tx.unflushed()?, c => query.get_result(c).optional())?;
        Ok(found.unwrap_or(false))
    }

    /// Saves the address and the username of a user.
    ///
    /// # Errors
    /// [`Error::UniqueViolation`] when they are taken.
    pub fn save_names(self, user: &User) -> Result<()> {
        let target = users::table.find(user.id.get());
        let set = (
            users::email.eq(user.email.as_str()),
            users::mailbox.eq(user.email.mailbox().as_str().to_owned()),
            users::username.eq(user.username.as_str()),
        );
        on_engine!(self.tx.flushed()?, c => diesel::update(target).set(set).execute(c))?;
        Ok(())
    }

    /// The user with that id, who keeps their names until this unit of work ends.
    pub fn keep(self, user: UserId) -> Result<Option<User>> {
        let mut conn = self.tx.flushed()?;
        let end = conn.keeping();
        locked(&mut conn, user, end)
    }

    /// The user with that id, for a change of what they keep across books: until this unit of work
    /// ends, other such changes wait, and they keep their names.
    pub fn lock(self, user: UserId) -> Result<Option<User>> {
        let mut conn = self.tx.flushed()?;
        let end = conn.locking();
        locked(&mut conn, user, end)
    }

    /// The user with that id, for a change of their names: nobody founds a book for them, names
    /// them in one or changes what they keep until this unit of work ends. It gives way to those
    /// who do when it has to wait, with [`Error::Unavailable`].
    pub fn take(self, user: UserId) -> Result<Option<User>> {
        let mut conn = self.tx.flushed()?;
        conn.wait_briefly()?;
        let end = conn.taking();
        locked(&mut conn, user, end)
    }

    /// How many books a user owns; a copy that is not finished counts, a deleted book does not.
    pub fn count_owned(self, user: UserId) -> Result<i64> {
        let owned = books::table.filter(books::owner_id.eq(user.get()));
        let query = owned.filter(books::deleted_at.is_null()).count();
        Ok(on_engine!(self.tx.flushed()?, c => query.get_result(c))?)
    }

    /// Removes what is kept for a user alone, across all books, and for their address.
    pub fn erase(self, user: &User) -> Result<()> {
        let keys = self.tx.api_keys().list(user.id)?;
        let keys: Vec<ApiKeyId> = keys.into_iter().map(|key| key.id).collect();
        self.tx.api_keys().remove(&keys)?;
        for table in OF_A_USER {
            let rows = Sql::new("DELETE FROM ").push(table).push(" WHERE user_id = ");
            self.tx.flushed()?.execute(&rows.int(user.id.get()))?;
        }
        for (table, column) in OF_AN_ADDRESS {
            let rows = Sql::new("DELETE FROM ").push(table).push(" WHERE ").push(column);
            self.tx.flushed()?.execute(&rows.push(" = ").text(user.email.as_str()))?;
        }
        Ok(())
    }

    /// Gives what waits for an address to another one; links that sign in as the former go.
    pub fn readdress(self, from: &Email, to: &Email) -> Result<()> {
        let mails = Sql::new("UPDATE mails SET recipient = ").text(to.as_str());
        let mails =
            mails.push(" WHERE ended_at IS NULL AND kind <> 'sign-in-link' AND recipient = ");
        self.tx.flushed()?.execute(&mails.text(from.as_str()))?;
        let offers = Sql::new("UPDATE transfer_offers SET email = ").text(to.as_str());
        let offers = offers.push(" WHERE email = ").text(from.as_str());
        self.tx.flushed()?.execute(&offers)?;
        let links = Sql::new("DELETE FROM login_links WHERE email = ").text(from.as_str());
        self.tx.flushed()?.execute(&links)?;
        Ok(())
    }

    /// All users, by address.
    pub fn list(self) -> Result<Vec<User>> {
        let query = users::table.order(users::email);
        let rows: Vec<Row> =
            on_engine!(self.tx.unflushed()?, c => query.select(Row::as_select()).load(c))?;
        Ok(rows.into_iter().map(User::from).collect())
    }

    /// The users with these ids, in no order.
    pub fn by_ids(self, ids: &[UserId]) -> Result<Vec<User>> {
        if ids.is_empty() {
            return Ok(Vec::new());
        }
        let query = users::table.filter(users::id.eq_any(ids.iter().map(|id| id.get())));
        let rows: Vec<Row> =
            on_engine!(self.tx.unflushed()?, c => query.select(Row::as_select()).load(c))?;
        Ok(rows.into_iter().map(User::from).collect())
    }
}
