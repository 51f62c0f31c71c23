//! Requests of users for access to a book (behaviour 7.6).

use daybook_domain::access::Access;
use daybook_domain::access_request::{AccessRequest, MAX_OPEN, covered_by, expiry_cutoff};
use daybook_domain::email::Email;
use daybook_domain::id::{AccessRequestId, UserId};
use daybook_domain::instant::Instant;
use daybook_domain::permission::Permission;
use daybook_domain::purpose::ManageCollaborators;
use diesel::prelude::*;
use diesel::sql_types::{BigInt, Nullable, Text};

use crate::access::{AccessTo, BookAccess};
use crate::commit::tx::Tx;
use crate::conn::sql::{Sql, list};
use crate::error::{Error, Result};

/// A number that no book has, for requests to a missing book.
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
    /// Lists the open requests, newest first.
    pub fn list(self, access: &Access, now: Instant) -> Result<Vec<AccessRequest>> {
        self.load(open_requests(access, now).push(" ORDER BY r.id DESC"))
    }

    /// Finds an open request by id.
    pub fn find(
        self,
        access: &Access,
        id: AccessRequestId,
        now: Instant,
    ) -> Result<Option<AccessRequest>> {
        let found = self.load(open_requests(access, now).push(" AND r.id = {}").bind(id))?;
        Ok(found.into_iter().next())
    }

    fn load(self, query: Sql<'_>) -> Result<Vec<AccessRequest>> {
        self.tx.unflushed()?.load_as::<Row, _>(&query)
    }

    /// Inserts a request. It replaces the user's earlier request and expired ones, and the oldest
    /// if there are too many.
    ///
    /// Any user may request access, so it requires no proof of a purpose. For a missing book it
    /// inserts a row and deletes it again, so the response time does not reveal whether the book
    /// exists (behaviour 7.4).
    pub fn submit(self, book: Option<&BookAccess>, request: &AccessRequest) -> Result<()> {
        let number = book.map_or(NO_BOOK, |book| book.book.id.get());
        let AccessRequest { id, user, email: _, permission, message, created_at } = request;
        let insert = Sql::new(
            "INSERT INTO access_requests (book_id, id, user_id, permission, message, created_at) \
             VALUES ({}, {}, {}, {}, {}, {})",
        )
        .bind((number, id, user, permission.as_str(), message.as_deref(), *created_at));
        let delete = Sql::new("DELETE FROM access_requests WHERE book_id = {}").bind(number);
        if book.is_none() {
            self.tx.flushed()?.run(&insert)?;
            return self.tx.flushed()?.run(delete.push(" AND id = {}").bind(id));
        }
        let replace = delete
            .push(
                " AND (user_id = {} OR created_at <= {} OR id <= (SELECT o.id \
                 FROM access_requests o WHERE o.book_id = {} ORDER BY o.id DESC \
                 LIMIT 1 OFFSET {}))",
            )
            .bind((user, expiry_cutoff(*created_at), number, i64::from(MAX_OPEN) - 1));
        self.tx.flushed()?.run(&replace)?;
        self.tx.flushed()?.run(&insert)
    }

    /// Returns whether a collaborator has an open request for a permission.
    pub fn has_open_request(
        self,
        access: &Access,
        email: &Email,
        permission: Permission,
        now: Instant,
    ) -> Result<bool> {
        let requests = open_requests(access, now)
            .push(
                " AND u.email = {} AND r.permission = {} AND EXISTS (SELECT 1 \
                 FROM collaborators c WHERE c.book_id = r.book_id AND c.email = u.email)",
            )
            .bind((email.as_str(), permission.as_str()));
        Ok(!self.load(requests)?.is_empty())
    }

    /// Deletes the requests of a user that a permission satisfies.
    pub fn close_granted(
        self,
        access: &AccessTo<ManageCollaborators>,
        email: &Email,
        granted: Permission,
    ) -> Result<()> {
        let names = covered_by(granted).map(Permission::as_str);
        let delete = Sql::new(
            "DELETE FROM access_requests WHERE book_id = {} AND user_id = (SELECT u.id \
             FROM users u WHERE u.email = {}) AND permission IN {}",
        )
        .bind((access.book().id, email.as_str(), list(names)));
        self.tx.flushed()?.run(&delete)
    }

    /// Deletes a request.
    pub fn delete(self, access: &AccessTo<ManageCollaborators>, id: AccessRequestId) -> Result<()> {
        let delete = Sql::new("DELETE FROM access_requests WHERE book_id = {} AND id = {}")
            .bind((access.book().id, id));
        self.tx.flushed()?.run(&delete)
    }
}

/// Selects the open requests of a book, without those of disabled users.
fn open_requests<'a>(access: &Access, now: Instant) -> Sql<'a> {
    Sql::new(
        "SELECT r.id, r.user_id, u.email, r.permission, r.message, r.created_at \
         FROM access_requests r JOIN users u ON u.id = r.user_id WHERE u.disabled_at IS NULL \
         AND r.book_id = {} AND r.created_at > {}",
    )
    .bind((access.book().id, expiry_cutoff(now)))
}
