//! Access requests: rows and repository (behaviour 7.6).

use daybook_domain::access::Access;
use daybook_domain::access_request::{AccessRequest, MAX_OPEN, expired_since, granted_with};
use daybook_domain::email::Email;
use daybook_domain::id::{AccessRequestId, UserId};
use daybook_domain::instant::Instant;
use daybook_domain::permission::Permission;
use daybook_domain::purpose::ManageCollaborators;
use diesel::prelude::*;
use diesel::sql_types::{BigInt, Nullable, Text};

use crate::access::{AccessTo, BookAccess};
use crate::conn::on_engine;
use crate::error::{Error, Result};
use crate::sql::{Sql, Value};
use crate::tx::Tx;

/// Stands for the book where there is none. No book has this number.
const NO_BOOK: i64 = 0;

#[derive(QueryableByName)]
struct Row {
    #[diesel(sql_type = BigInt)]
    id: i64,
    #[diesel(sql_type = BigInt)]
    user_id: i64,
    #[diesel(sql_type = Text)]
    email: String,
    #[diesel(sql_type = Text)]
    permission: String,
    #[diesel(sql_type = Nullable<Text>)]
    message: Option<String>,
    #[diesel(sql_type = BigInt)]
    created_at: i64,
}

impl TryFrom<Row> for AccessRequest {
    type Error = Error;

    fn try_from(row: Row) -> Result<Self> {
        let Row { id, user_id, email, permission, message, created_at } = row;
        let permission = Permission::from_name(&permission).ok_or(Error::Corrupt("permission"))?;
        Ok(Self {
            id: AccessRequestId::new(id),
            user: UserId::new(user_id),
            email: Email::stored(email),
            permission,
            message,
            created_at: Instant::new(created_at),
        })
    }
}

/// The requests for access to a book.
pub struct AccessRequests<'t, 'a> {
    pub(crate) tx: &'t mut Tx<'a>,
}

impl AccessRequests<'_, '_> {
    /// Those that are open, the newest first.
    pub fn list(self, access: &Access, now: Instant) -> Result<Vec<AccessRequest>> {
        self.load(open(access, now).push(" ORDER BY r.id DESC"))
    }

    /// The open one with that id.
    pub fn find(
        self,
        access: &Access,
        id: AccessRequestId,
        now: Instant,
    ) -> Result<Option<AccessRequest>> {
        let found = self.load(open(access, now).push(" AND r.id = ").int(id.get()))?;
        Ok(found.into_iter().next())
    }

    fn load(self, query: Sql<'_>) -> Result<Vec<AccessRequest>> {
        let rows: Vec<Row> = on_engine!(self.tx.unflushed()?, c => (&query).load(c))?;
        rows.into_iter().map(AccessRequest::try_from).collect()
    }

    /// Adds one, which takes the place of the user's former one, of those that are expired, and
    /// where there are too many, of the oldest. Everybody may ask, so it takes no proof of a
    /// purpose, but the book as the user finds it.
    ///
    /// Of no book it keeps nothing. It does as much all the same, so that the time of the answer
    /// does not tell whether there is a book (behaviour 7.4): the row is added, and removed again.
    pub fn submit(self, book: Option<&BookAccess>, request: &AccessRequest) -> Result<()> {
        let place = book.map_or(NO_BOOK, |book| book.book.id.get());
        let AccessRequest { id, user, email: _, permission, message, created_at } = request;
        let added = Sql::new(
            "INSERT INTO access_requests (book_id, id, user_id, permission, message, created_at) \
             VALUES ",
        )
        .list([
            Value::Int(place),
            Value::Int(id.get()),
            Value::Int(user.get()),
            Value::Text(permission.as_str().into()),
            Value::SomeText(message.as_deref().map(Into::into)),
            Value::Int(created_at.milliseconds()),
        ]);
        let replaced = Sql::new("DELETE FROM access_requests WHERE book_id = ").int(place);
        if book.is_none() {
            self.tx.flushed()?.execute(&added)?;
            self.tx.flushed()?.execute(&replaced.push(" AND id = ").int(id.get()))?;
            return Ok(());
        }
        let replaced = replaced
            .push(" AND (user_id = ")
            .int(user.get())
            .push(" OR created_at <= ")
            .int(expired_since(*created_at).milliseconds())
            .push(" OR id <= (SELECT o.id FROM access_requests o WHERE o.book_id = ")
            .int(place)
            .push(" ORDER BY o.id DESC LIMIT 1 OFFSET ")
            .int(i64::from(MAX_OPEN.saturating_sub(1)))
            .push("))");
        self.tx.flushed()?.execute(&replaced)?;
        self.tx.flushed()?.execute(&added)?;
        Ok(())
    }

    /// Whether a collaborator with that address has an open request for a permission.
    pub fn is_asked(
        self,
        access: &Access,
        (email, permission): (&Email, Permission),
        now: Instant,
    ) -> Result<bool> {
        let asked = open(access, now)
            .push(" AND u.email = ")
            .text(email.as_str())
            .push(" AND r.permission = ")
            .text(permission.as_str())
            .push(
                " AND EXISTS (SELECT 1 FROM collaborators c \
                 WHERE c.book_id = r.book_id AND c.email = u.email)",
            );
        Ok(!self.load(asked)?.is_empty())
    }

    /// Removes what the user with that address asked for and has with a permission.
    pub fn close_granted(
        self,
        access: &AccessTo<ManageCollaborators>,
        email: &Email,
        given: Permission,
    ) -> Result<()> {
        let names = granted_with(given).map(|asked| Value::Text(asked.as_str().into()));
        let closed = Sql::new("DELETE FROM access_requests WHERE book_id = ")
            .int(access.book().id.get())
            .push(" AND user_id = (SELECT u.id FROM users u WHERE u.email = ")
            .text(email.as_str())
            .push(") AND permission IN ")
            .list(names);
        self.tx.flushed()?.execute(&closed)?;
        Ok(())
    }

    /// Removes one.
    pub fn delete(self, access: &AccessTo<ManageCollaborators>, id: AccessRequestId) -> Result<()> {
        let declined = Sql::new("DELETE FROM access_requests WHERE book_id = ")
            .int(access.book().id.get())
            .push(" AND id = ")
            .int(id.get());
        self.tx.flushed()?.execute(&declined)?;
        Ok(())
    }
}

/// The open requests of a book. Those of disabled users count for nothing.
fn open<'a>(access: &Access, now: Instant) -> Sql<'a> {
    Sql::new(
        "SELECT r.id, r.user_id, u.email, r.permission, r.message, r.created_at \
         FROM access_requests r JOIN users u ON u.id = r.user_id \
         WHERE u.disabled_at IS NULL AND r.book_id = ",
    )
    .int(access.book().id.get())
    .push(" AND r.created_at > ")
    .int(expired_since(now).milliseconds())
}
