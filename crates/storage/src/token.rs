//! Access tokens. A token is found by its id, which a request contains.

use std::collections::BTreeSet;

use daybook_domain::id::{BookKey, TokenId, UserId};
use daybook_domain::instant::Instant;
use daybook_domain::token::{AccessToken, TokenScope};
use diesel::prelude::*;

use crate::commit::tx::Tx;
use crate::conn::sql::Sql;
use crate::error::Result;
use crate::rows::column;
use crate::schema::tokens;

#[derive(Queryable, Selectable, Insertable)]
#[diesel(table_name = tokens, treat_none_as_default_value = false)]
struct Row {
    id: i64,
    user_id: i64,
    name: String,
    read_only: bool,
    books: Option<String>,
    created_at: i64,
    expires_at: i64,
    revoked_at: Option<i64>,
}

impl From<&AccessToken> for Row {
    fn from(token: &AccessToken) -> Self {
        let AccessToken { id, user, name, scope, created_at, expires_at, revoked_at } = token;
        let TokenScope { read_only, books, holder: _ } = scope;
        let keys = books.as_ref().map(|books| books.iter().map(BookKey::to_string));
        Self {
            id: id.get(),
            user_id: user.get(),
            name: name.clone(),
            read_only: *read_only,
            books: keys.and_then(|keys| column::texts_to_text(&keys.collect::<Vec<_>>())),
            created_at: created_at.milliseconds(),
            expires_at: expires_at.milliseconds(),
            revoked_at: revoked_at.map(Instant::milliseconds),
        }
    }
}

impl TryFrom<Row> for AccessToken {
    type Error = crate::error::Error;

    fn try_from(row: Row) -> Result<Self> {
        let Row { id, user_id, name, read_only, books, created_at, expires_at, revoked_at } = row;
        let books: Option<BTreeSet<BookKey>> = books
            .map(|text| column::texts_from_text(Some(text), "books"))
            .transpose()?
            .map(|keys| keys.into_iter().map(BookKey::new).collect());
        Ok(Self {
            id: TokenId::new(id),
            user: UserId::new(user_id),
            name,
            scope: TokenScope { read_only, books, ..TokenScope::default() },
            created_at: Instant::new(created_at),
            expires_at: Instant::new(expires_at),
            revoked_at: revoked_at.map(Instant::new),
        })
    }
}

/// The access tokens of this installation.
pub struct Tokens<'t, 'a> {
    pub(crate) tx: &'t mut Tx<'a>,
}

impl Tokens<'_, '_> {
    /// Finds a token by id.
    pub fn find(self, id: TokenId) -> Result<Option<AccessToken>> {
        self.tx.flushed()?.select_first::<Row, _>(tokens::table.find(id.get()))
    }

    /// Lists the tokens of a user, oldest first.
    pub fn list(self, user: UserId) -> Result<Vec<AccessToken>> {
        let query = tokens::table.filter(tokens::user_id.eq(user.get())).order(tokens::id);
        self.tx.flushed()?.select_all::<Row, _>(query)
    }

    /// Counts the valid tokens of a user.
    pub fn count_active(self, user: UserId, now: Instant) -> Result<usize> {
        let active = tokens::table
            .filter(tokens::user_id.eq(user.get()))
            .filter(tokens::revoked_at.is_null().and(tokens::expires_at.gt(now.milliseconds())));
        let count: i64 = self.tx.flushed()?.one(active.count())?;
        Ok(usize::try_from(count).unwrap_or_default())
    }

    /// Inserts a token.
    pub fn insert(self, token: &AccessToken) -> Result<()> {
        let row = Row::from(token);
        self.tx.flushed()?.run(diesel::insert_into(tokens::table).values(&row))
    }

    /// Saves the revocation of a token.
    pub fn revoke(self, token: &AccessToken) -> Result<()> {
        let target = tokens::table.find(token.id.get());
        let set = tokens::revoked_at.eq(token.revoked_at.map(Instant::milliseconds));
        self.tx.flushed()?.run(diesel::update(target).set(set))
    }

    /// Deletes a user's tokens that ended before an instant, and all but the last `limit` ended
    /// ones.
    pub fn remove_ended(
        self,
        user: UserId,
        now: Instant,
        before: Instant,
        limit: usize,
    ) -> Result<()> {
        let delete = Sql::new(
            "DELETE FROM tokens WHERE user_id = {} AND (expires_at < {} OR revoked_at < {} \
             OR id IN (SELECT e.id FROM tokens e WHERE e.user_id = {} \
             AND (e.revoked_at IS NOT NULL OR e.expires_at <= {}) \
             ORDER BY COALESCE(e.revoked_at, e.expires_at) DESC, e.id DESC LIMIT {} OFFSET {}))",
        )
        .bind((
            user,
            before,
            before,
            user,
            now,
            i64::MAX,
            i64::try_from(limit).unwrap_or(i64::MAX),
        ));
        self.tx.flushed()?.run(&delete)
    }
}
