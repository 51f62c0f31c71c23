//! Collaborators of books.

use daybook_domain::access::Access;
use daybook_domain::collaborator::Collaborator;
use daybook_domain::email::Email;
use daybook_domain::id::CollaboratorId;
use daybook_domain::permission::Permission;
use daybook_domain::purpose::{ManageCollaborators, RemoveCollaborator};
use diesel::prelude::*;
use diesel::sql_types::BigInt;

use crate::access::AccessTo;
use crate::commit::tx::Tx;
use crate::conn::on_engine;
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

#[derive(QueryableByName)]
struct SharedBook {
    #[diesel(sql_type = BigInt, column_name = "book_id")]
    _book: i64,
}

/// Selects a book that is shared with an address.
pub(crate) fn pending(email: &Email) -> Sql<'_> {
    Sql::new(
        "SELECT c.book_id FROM collaborators c JOIN books b ON b.id = c.book_id \
         WHERE b.deleted_at IS NULL AND c.email = ",
    )
    .text(email.as_str())
    .push(" LIMIT 1")
}

/// The collaborators of a book.
pub struct Collaborators<'t, 'a> {
    pub(crate) tx: &'t mut Tx<'a>,
}

impl Collaborators<'_, '_> {
    /// Lists all collaborators, in no order.
    pub fn list(self, access: &Access) -> Result<Vec<Collaborator>> {
        let query = collaborators::table.filter(collaborators::book_id.eq(access.book().id.get()));
        let rows: Vec<Row> =
            on_engine!(self.tx.unflushed()?, c => query.select(Row::as_select()).load(c))?;
        rows.into_iter().map(Collaborator::try_from).collect()
    }

    /// Finds a collaborator by address.
    pub fn find(self, access: &Access, email: &Email) -> Result<Option<Collaborator>> {
        let query = collaborators::table.filter(
            collaborators::book_id
                .eq(access.book().id.get())
                .and(collaborators::email.eq(email.as_str())),
        );
        let row = on_engine!(
            self.tx.unflushed()?,
            c => query.select(Row::as_select()).get_result(c).optional()
        )?;
        row.map(Collaborator::try_from).transpose()
    }

    /// Returns whether any book is shared with an address.
    pub fn is_pending(self, email: &Email) -> Result<bool> {
        let rows: Vec<SharedBook> = on_engine!(self.tx.unflushed()?, c => pending(email).load(c))?;
        Ok(!rows.is_empty())
    }

    /// Finds a collaborator by id.
    pub fn find_by_id(self, access: &Access, id: CollaboratorId) -> Result<Option<Collaborator>> {
        let query = collaborators::table.find((access.book().id.get(), id.get()));
        let row = on_engine!(
            self.tx.unflushed()?,
            c => query.select(Row::as_select()).get_result(c).optional()
        )?;
        row.map(Collaborator::try_from).transpose()
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
        on_engine!(
            self.tx.flushed()?,
            c => diesel::insert_into(collaborators::table).values(&row).execute(c)
        )?;
        Ok(())
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
        on_engine!(self.tx.flushed()?, c => diesel::update(target).set(set).execute(c))?;
        Ok(())
    }

    /// Deletes a collaborator.
    pub fn delete(self, access: &AccessTo<RemoveCollaborator>, id: CollaboratorId) -> Result<()> {
        let target = collaborators::table.find((access.book().id.get(), id.get()));
        on_engine!(self.tx.flushed()?, c => diesel::delete(target).execute(c))?;
        Ok(())
    }
}
