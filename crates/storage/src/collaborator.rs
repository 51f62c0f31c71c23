//! Collaborators of books.

use daybook_domain::access::Access;
use daybook_domain::collaborator::Collaborator;
use daybook_domain::email::Email;
use daybook_domain::id::CollaboratorId;
use daybook_domain::permission::Permission;
use daybook_domain::purpose::{ManageCollaborators, RemoveCollaborator};
use diesel::prelude::*;

use crate::access::AccessTo;
use crate::commit::tx::Tx;
use crate::conn::sql::Sql;
use crate::error::{Error, Result};
use crate::rows::column;
use crate::schema::collaborators;

#[derive(Queryable, Selectable, Insertable)]
#[diesel(table_name = collaborators, treat_none_as_default_value = false)]
struct Row {
    book_id: i64,
    id: i64,
    email: String,
    permission: String,
    agent: Option<String>,
    created_at: i64,
    updated_at: i64,
    version: i64,
}

impl TryFrom<Row> for Collaborator {
    type Error = Error;

    fn try_from(row: Row) -> Result<Self> {
        let Row { book_id: _, id, email, permission, agent, created_at, updated_at, version } = row;
        let permission = Permission::from_name(&permission).ok_or(Error::Corrupt("permission"))?;
        Ok(Self {
            id: CollaboratorId::new(id),
            email: Email::stored(email),
            permission,
            stamp: column::stamp(agent, created_at, updated_at, version),
        })
    }
}

/// Selects a book that is shared with an address.
pub(crate) fn pending(email: &Email) -> Sql<'_> {
    Sql::new(
        "SELECT c.book_id FROM collaborators c JOIN books b ON b.id = c.book_id \
         WHERE b.deleted_at IS NULL AND c.email = {} LIMIT 1",
    )
    .bind(email.as_str())
}

/// The collaborators of a book.
pub struct Collaborators<'t, 'a> {
    pub(crate) tx: &'t mut Tx<'a>,
}

impl Collaborators<'_, '_> {
    /// Lists all collaborators, in no order.
    pub fn list(self, access: &Access) -> Result<Vec<Collaborator>> {
        let query = collaborators::table.filter(collaborators::book_id.eq(access.book().id.get()));
        self.tx.unflushed()?.select_all::<Row, _>(query)
    }

    /// Finds a collaborator by address.
    pub fn find(self, access: &Access, email: &Email) -> Result<Option<Collaborator>> {
        let query = collaborators::table.filter(
            collaborators::book_id
                .eq(access.book().id.get())
                .and(collaborators::email.eq(email.as_str())),
        );
        self.tx.unflushed()?.select_first::<Row, _>(query)
    }

    /// Returns whether any book is shared with an address.
    pub fn is_pending(self, email: &Email) -> Result<bool> {
        Ok(self.tx.unflushed()?.row::<i64>(&pending(email))?.is_some())
    }

    /// Finds a collaborator by id.
    pub fn find_by_id(self, access: &Access, id: CollaboratorId) -> Result<Option<Collaborator>> {
        let query = collaborators::table.find((access.book().id.get(), id.get()));
        self.tx.unflushed()?.select_first::<Row, _>(query)
    }

    /// Inserts a collaborator.
    pub fn insert(
        self,
        access: &AccessTo<ManageCollaborators>,
        collaborator: &Collaborator,
    ) -> Result<()> {
        let Collaborator { id, email, permission, stamp } = collaborator;
        let row = Row {
            book_id: access.book().id.get(),
            id: id.get(),
            email: email.as_str().to_owned(),
            permission: permission.as_str().to_owned(),
            agent: stamp.agent.clone(),
            created_at: stamp.created_at.milliseconds(),
            updated_at: stamp.updated_at.milliseconds(),
            version: stamp.version,
        };
        self.tx.flushed()?.run(diesel::insert_into(collaborators::table).values(&row))
    }

    /// Saves a changed permission or address.
    ///
    /// # Errors
    /// [`Error::UniqueViolation`] if the book is already shared with the address.
    pub fn update(
        self,
        access: &AccessTo<ManageCollaborators>,
        collaborator: &Collaborator,
    ) -> Result<()> {
        let target = collaborators::table.find((access.book().id.get(), collaborator.id.get()));
        let set = (
            collaborators::email.eq(collaborator.email.as_str()),
            collaborators::permission.eq(collaborator.permission.as_str()),
            collaborators::updated_at.eq(collaborator.stamp.updated_at.milliseconds()),
            collaborators::version.eq(collaborator.stamp.version),
        );
        self.tx.flushed()?.run(diesel::update(target).set(set))
    }

    /// Deletes a collaborator.
    pub fn delete(self, access: &AccessTo<RemoveCollaborator>, id: CollaboratorId) -> Result<()> {
        let target = collaborators::table.find((access.book().id.get(), id.get()));
        self.tx.flushed()?.run(diesel::delete(target))
    }
}
