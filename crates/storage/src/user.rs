//! Users.

use std::collections::HashSet;

use daybook_domain::email::Email;
use daybook_domain::id::{ApiKeyId, UserId};
use daybook_domain::instant::Instant;
use daybook_domain::user::{Profile, quota_subject};
use diesel::prelude::*;
use diesel::sql_types::{BigInt, Nullable};

use crate::commit::tx::Tx;
use crate::conn::Conn;
use crate::conn::sql::{Sql, numbers};
use crate::error::Result;
use crate::schema::{books, users};

/// The tables with rows of a user outside books.
const USER_TABLES: [&str; 12] = [
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
/// The tables with rows of an e-mail address, and its column.
const ADDRESS_TABLES: [(&str, &str); 3] =
    [("login_links", "email"), ("transfer_offers", "email"), ("mails", "recipient")];

/// A user, identified by a verified e-mail address.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct User {
    /// The number.
    pub id: UserId,
    /// The verified address.
    pub email: Email,
    /// The unique username, from the local part of the address (behaviour 9.11).
    pub username: String,
    /// The instant of creation: the first token that was issued or seen.
    pub created_at: Instant,
    /// The instant when the operator disabled the user (behaviour 11.10).
    pub disabled_at: Option<Instant>,
    /// Whether the user is the first one of a trial, who is an administrator (behaviour 9.3).
    pub is_administrator: bool,
    /// The last profile from an identity provider, or an empty one.
    pub profile: Profile,
}

impl User {
    /// Returns the quota subject, which all addresses of a mailbox share (behaviour 10.18).
    #[must_use]
    pub fn quota_subject(&self) -> UserId {
        quota_subject(&self.email)
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
    administrator: bool,
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
        let Row { id, email, username, created_at, disabled_at, administrator, profile } = row;
        Self {
            id: UserId::new(id),
            email: Email::stored(email),
            username,
            created_at: Instant::new(created_at),
            disabled_at: disabled_at.map(Instant::new),
            is_administrator: administrator,
            profile: profile.into(),
        }
    }
}

/// A user in the list for administrators.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListedUser {
    /// The user.
    pub user: User,
    /// The sign-in of their latest browser session, if any is stored.
    pub signed_in_at: Option<Instant>,
}

#[derive(QueryableByName)]
struct ListedRow {
    #[diesel(embed)]
    user: Row,
    #[diesel(sql_type = Nullable<BigInt>)]
    signed_in_at: Option<i64>,
}

impl From<ListedRow> for ListedUser {
    fn from(ListedRow { user, signed_in_at }: ListedRow) -> Self {
        Self { user: user.into(), signed_in_at: signed_in_at.map(Instant::new) }
    }
}

impl Tx<'_> {
    /// Returns the users that share a mailbox and its storage quotas (behaviour 10.18). A group
    /// reads them once.
    pub(crate) fn mailbox_users(&mut self, user: UserId) -> Result<Vec<UserId>> {
        if let Some(known) = self.group_cache.owners.mailboxes.get(&user) {
            return Ok(known.clone());
        }
        let query = Sql::new(
            "SELECT o.id FROM users u JOIN users o ON o.mailbox = u.mailbox WHERE o.id <> u.id \
             AND u.id = {} ORDER BY o.id LIMIT 10000",
        )
        .bind(user);
        let rows: Vec<i64> = self.unflushed()?.rows(&query)?;
        let others = rows.into_iter().map(UserId::new);
        let all: Vec<UserId> = std::iter::once(user).chain(others).collect();
        self.group_cache.owners.mailboxes.insert(user, all.clone());
        Ok(all)
    }
}

/// Loads a user with a lock. `lock` is the end of the statement.
fn load_locked(conn: &mut Conn, user: UserId, lock: &'static str) -> Result<Option<User>> {
    let query = Sql::new("SELECT * FROM users WHERE id = {}{}").bind((user, Sql::new(lock)));
    let rows: Vec<Row> = conn.load_locked(&query)?;
    Ok(rows.into_iter().next().map(User::from))
}

/// The users of this installation.
pub struct Users<'t, 'a> {
    pub(crate) tx: &'t mut Tx<'a>,
}

impl Users<'_, '_> {
    /// Finds a user by address.
    pub fn find(self, email: &Email) -> Result<Option<User>> {
        let query = users::table.filter(users::email.eq(email.as_str()));
        self.tx.unflushed()?.select_first::<Row, _>(query)
    }

    /// Returns whether there is a user, perhaps a deleted one.
    pub fn exist(self) -> Result<bool> {
        let query = users::table.select(users::id);
        let found: Option<i64> = self.tx.unflushed()?.first(query)?;
        Ok(found.is_some())
    }

    /// Finds a user by username or address, in lower case.
    pub fn find_named(self, text: &str) -> Result<Option<User>> {
        // At most two rows, each by a unique index. A LIMIT would make SQLite plan the statement
        // again each time.
        let query = users::table
            .filter(users::username.eq(text).or(users::email.eq(text)))
            .order(users::id);
        self.tx.unflushed()?.select_first::<Row, _>(query)
    }

    /// Returns which of these usernames exist.
    pub fn existing_usernames(self, usernames: &[String]) -> Result<HashSet<String>> {
        let query = users::table.filter(users::username.eq_any(usernames)).select(users::username);
        let taken: Vec<String> = self.tx.unflushed()?.load(query)?;
        Ok(taken.into_iter().collect())
    }

    /// Inserts a user, with the user whose shared book admitted them, if any.
    ///
    /// # Errors
    /// [`Error::UniqueViolation`] if the address or the username exists, or if another user is
    /// marked as an administrator and this one is, too.
    pub fn insert(self, user: &User, admitted_by: Option<UserId>) -> Result<()> {
        let row = Row {
            id: user.id.get(),
            email: user.email.as_str().to_owned(),
            username: user.username.clone(),
            created_at: user.created_at.milliseconds(),
            disabled_at: user.disabled_at.map(Instant::milliseconds),
            administrator: user.is_administrator,
            profile: ProfileRow::from(&user.profile),
        };
        let other_columns = (
            users::mailbox.eq(user.email.mailbox().as_str().to_owned()),
            users::admitted_by.eq(admitted_by.map(UserId::get)),
        );
        self.tx.flushed()?.run(diesel::insert_into(users::table).values((&row, other_columns)))
    }

    /// Lists up to 100 owners of books that are shared with an address and who may admit a user.
    ///
    /// Owners who were admitted themselves since an instant may not.
    pub fn inviters(self, email: &Email, since: Instant) -> Result<Vec<UserId>> {
        let query = Sql::new(
            "SELECT DISTINCT b.owner_id AS id FROM collaborators c \
             JOIN books b ON b.id = c.book_id JOIN users o ON o.id = b.owner_id \
             WHERE b.deleted_at IS NULL AND o.disabled_at IS NULL AND c.email = {} \
             AND (o.admitted_by IS NULL OR o.created_at <= {}) ORDER BY b.owner_id LIMIT 100",
        )
        .bind((email.as_str(), since));
        let rows: Vec<i64> = self.tx.unflushed()?.rows(&query)?;
        Ok(rows.into_iter().map(UserId::new).collect())
    }

    /// Counts the users that the mailbox of an inviter has admitted since an instant.
    pub fn count_admitted(self, inviter: UserId, since: Instant) -> Result<i64> {
        let inviters = self.tx.mailbox_users(inviter)?;
        let query = Sql::new(
            "SELECT COUNT(*) AS id FROM users WHERE created_at > {} AND admitted_by IN {}",
        )
        .bind((since, numbers(inviters.into_iter().map(UserId::get))));
        Ok(self.tx.flushed()?.row::<i64>(&query)?.unwrap_or_default())
    }

    /// Saves whether a user is disabled.
    pub fn save_disabled(self, user: &User) -> Result<()> {
        let target = users::table.find(user.id.get());
        let set = users::disabled_at.eq(user.disabled_at.map(Instant::milliseconds));
        self.tx.flushed()?.run(diesel::update(target).set(set))
    }

    /// Saves the profile of a user.
    pub fn save_profile(self, user: &User) -> Result<()> {
        let target = users::table.find(user.id.get());
        let set = ProfileRow::from(&user.profile);
        self.tx.flushed()?.run(diesel::update(target).set(&set))
    }

    /// Records that a user has a bank connection.
    pub fn record_bank_connection(self, user: UserId) -> Result<()> {
        let target = users::table.find(user.get());
        let set = users::bank_connections.eq(true);
        self.tx.flushed()?.run(diesel::update(target).set(set))
    }

    /// Returns whether a user ever had a bank connection.
    pub fn has_bank_connections(self, user: UserId) -> Result<bool> {
        let query = users::table.find(user.get()).select(users::bank_connections);
        let found: Option<bool> = self.tx.unflushed()?.first(query)?;
        Ok(found.unwrap_or(false))
    }

    /// Saves the address and the username of a user.
    ///
    /// # Errors
    /// [`Error::UniqueViolation`] if they exist.
    pub fn save_names(self, user: &User) -> Result<()> {
        let target = users::table.find(user.id.get());
        let set = (
            users::email.eq(user.email.as_str()),
            users::mailbox.eq(user.email.mailbox().as_str().to_owned()),
            users::username.eq(user.username.as_str()),
        );
        self.tx.flushed()?.run(diesel::update(target).set(set))
    }

    /// Loads a user and shares the row, so their names do not change before the unit of work ends.
    pub fn share_lock(self, user: UserId) -> Result<Option<User>> {
        let mut conn = self.tx.flushed()?;
        let lock = conn.for_key_share();
        load_locked(&mut conn, user, lock)
    }

    /// Loads a user and locks the row for a change of their data outside books.
    ///
    /// Until the unit of work ends, other such changes wait, and the names do not change.
    pub fn lock(self, user: UserId) -> Result<Option<User>> {
        let mut conn = self.tx.flushed()?;
        let lock = conn.for_no_key_update();
        load_locked(&mut conn, user, lock)
    }

    /// Loads a user and locks the row for a change of their names.
    ///
    /// Until the unit of work ends, other writes that lock the row wait: new books of the user,
    /// books that name them, and changes of their data. If one of these holds the lock for too
    /// long, this method fails with [`Error::Unavailable`].
    pub fn lock_to_rename(self, user: UserId) -> Result<Option<User>> {
        let mut conn = self.tx.flushed()?;
        conn.shorten_lock_timeout()?;
        let lock = conn.for_update();
        load_locked(&mut conn, user, lock)
    }

    /// Counts the books of a user, including unfinished copies, without deleted books.
    pub fn count_owned(self, user: UserId) -> Result<i64> {
        let owned = books::table.filter(books::owner_id.eq(user.get()));
        let query = owned.filter(books::deleted_at.is_null()).count();
        self.tx.flushed()?.one(query)
    }

    /// Deletes the rows of a user outside books, and those of their address.
    pub fn erase(self, user: &User) -> Result<()> {
        let keys = self.tx.api_keys().list(user.id)?;
        let keys: Vec<ApiKeyId> = keys.into_iter().map(|key| key.id).collect();
        self.tx.api_keys().remove(&keys)?;
        for table in USER_TABLES {
            let rows = Sql::new("DELETE FROM {} WHERE user_id = {}");
            self.tx.flushed()?.run(rows.bind((Sql::new(table), user.id)))?;
        }
        for (table, column) in ADDRESS_TABLES {
            let rows = Sql::new("DELETE FROM {} WHERE {} = {}");
            let rows = rows.bind((Sql::new(table), Sql::new(column), &user.email));
            self.tx.flushed()?.run(&rows)?;
        }
        Ok(())
    }

    /// Moves pending mails and offers of an address to another one, and deletes its sign-in links.
    pub fn readdress(self, from: &Email, to: &Email) -> Result<()> {
        let mails = Sql::new(
            "UPDATE mails SET recipient = {} \
             WHERE ended_at IS NULL AND kind <> 'sign-in-link' AND recipient = {}",
        );
        self.tx.flushed()?.run(mails.bind((to, from)))?;
        let offers = Sql::new("UPDATE transfer_offers SET email = {} WHERE email = {}");
        self.tx.flushed()?.run(offers.bind((to, from)))?;
        let links = Sql::new("DELETE FROM login_links WHERE email = {}").bind(from);
        self.tx.flushed()?.run(&links)
    }

    /// Lists all users, by address.
    pub fn list(self) -> Result<Vec<User>> {
        let query = users::table.order(users::email);
        self.tx.unflushed()?.select_all::<Row, _>(query)
    }

    /// Lists up to `limit` users by address, after an address. `email` restricts the list.
    ///
    /// It reads one session of each user: the last one in their index.
    pub fn page(
        self,
        email: Option<&Email>,
        after: Option<&str>,
        limit: i64,
    ) -> Result<Vec<ListedUser>> {
        let mut query = Sql::new(
            "SELECT u.*, (SELECT s.signed_in_at FROM sessions s WHERE s.user_id = u.id \
             ORDER BY s.id DESC LIMIT 1) AS signed_in_at FROM users u WHERE 1 = 1",
        );
        if let Some(email) = email {
            query = query.push(" AND u.email = {}").bind(email);
        }
        if let Some(after) = after {
            query = query.push(" AND u.email > {}").bind(after);
        }
        let query = query.push(" ORDER BY u.email LIMIT {}").bind(limit);
        self.tx.flushed()?.load_as::<ListedRow, _>(&query)
    }

    /// Loads the users with these ids, in no order.
    pub fn by_ids(self, ids: &[UserId]) -> Result<Vec<User>> {
        if ids.is_empty() {
            return Ok(Vec::new());
        }
        let query = users::table.filter(users::id.eq_any(ids.iter().map(|id| id.get())));
        self.tx.unflushed()?.select_all::<Row, _>(query)
    }
}
