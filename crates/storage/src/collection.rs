//! Collections: rows and repository. They belong to a user, so nothing here asks for a caller of a
//! book.

use std::collections::HashMap;

use daybook_domain::collection::Collection;
use daybook_domain::id::{BookId, CollectionId, UserId};
use daybook_domain::name::Name;
use diesel::prelude::*;
use diesel::sql_types::BigInt;

use crate::bulk::Bulk;
use crate::column;
use crate::conn::on_engine;
use crate::error::Result;
use crate::schema::{collection_books, collections};
use crate::sql::{Sql, Value};
use crate::tx::Tx;
use crate::user::User;

#[derive(Queryable, QueryableByName, Selectable, Insertable)]
#[diesel(table_name = collections, treat_none_as_default_value = false)]
struct Row {
    user_id: i64,
    id: i64,
    name: String,
    agent: Option<String>,
    created_at: i64,
    updated_at: i64,
    version: i64,
}

impl From<Row> for Collection {
    fn from(row: Row) -> Self {
        let Row { user_id, id, name, agent, created_at, updated_at, version } = row;
        let stamp = column::stamp(agent, created_at, updated_at, version);
        Self {
            id: CollectionId::new(id),
            owner: UserId::new(user_id),
            name: Name::stored(name),
            stamp,
        }
    }
}

/// A collection that a book is in.
#[derive(QueryableByName)]
struct Around {
    #[diesel(sql_type = BigInt)]
    book_id: i64,
    #[diesel(embed)]
    row: Row,
}

/// Books with the collections they are in, up to where the rows of `collection_books` come from, as
/// `p`, with those of `books`, as `b`.
const AROUND: &str = "SELECT p.book_id, c.user_id, c.id, c.name, c.agent, c.created_at, \
       c.updated_at, c.version \
     FROM ";
const COLLECTION: &str = " \
     JOIN collections c ON c.user_id = p.user_id AND c.id = p.collection_id \
     WHERE ";

/// The collections around each of the books somebody is a collaborator of. These few books come
/// first: PostgreSQL joins in the order that is written (`planner.rs`).
pub(crate) fn around_books(reader: &User) -> Sql<'_> {
    Sql::new(AROUND)
        .push("collaborators m JOIN books b ON b.id = m.book_id")
        .push(" JOIN collection_books p ON p.book_id = m.book_id")
        .push(COLLECTION)
        .push("m.email = ")
        .text(reader.email.as_str())
        .push(" AND (p.user_id = ")
        .int(reader.id.get())
        .push(" OR p.user_id = b.owner_id)")
}

/// The collections of users.
pub struct Collections<'t, 'a> {
    pub(crate) tx: &'t mut Tx<'a>,
}

impl Collections<'_, '_> {
    /// A user's own, in no order.
    pub fn list(self, user: UserId) -> Result<Vec<Collection>> {
        let query = collections::table.filter(collections::user_id.eq(user.get()));
        let rows: Vec<Row> =
            on_engine!(self.tx.flushed()?, c => query.select(Row::as_select()).load(c))?;
        Ok(rows.into_iter().map(Collection::from).collect())
    }

    /// The user's own with that id.
    pub fn find(self, user: UserId, id: CollectionId) -> Result<Option<Collection>> {
        let query = collections::table.find((user.get(), id.get()));
        let row = on_engine!(
            self.tx.flushed()?,
            c => query.select(Row::as_select()).get_result(c).optional()
        )?;
        Ok(row.map(Collection::from))
    }

    /// Which of a user's own collections each book is in.
    pub fn places(self, user: UserId) -> Result<HashMap<BookId, CollectionId>> {
        let query = collection_books::table.filter(collection_books::user_id.eq(user.get()));
        let columns = (collection_books::book_id, collection_books::collection_id);
        let pairs: Vec<(i64, i64)> =
            on_engine!(self.tx.flushed()?, c => query.select(columns).load(c))?;
        Ok(pairs
            .into_iter()
            .map(|(book, collection)| (BookId::new(book), CollectionId::new(collection)))
            .collect())
    }

    /// The collections around a book that a reader may know of: their own, and if they are a
    /// collaborator the owner's.
    pub fn around_book(self, reader: &User, book: BookId) -> Result<Vec<Collection>> {
        let sql = Sql::new(AROUND)
            .push("collection_books p JOIN books b ON b.id = p.book_id")
            .push(COLLECTION)
            .push("p.book_id = ")
            .int(book.get())
            .push(" AND (p.user_id = ")
            .int(reader.id.get())
            .push(
                " OR (p.user_id = b.owner_id AND EXISTS \
                 (SELECT 1 FROM collaborators m WHERE m.book_id = ",
            )
            .int(book.get())
            .push(" AND m.email = ")
            .text(reader.email.as_str())
            .push(")))");
        let rows: Vec<Around> = on_engine!(self.tx.flushed()?, c => (&sql).load(c))?;
        Ok(rows.into_iter().map(|around| around.row.into()).collect())
    }

    /// The collections around each of the books somebody is a collaborator of: their own, and the
    /// owners'.
    pub fn around_books(self, reader: &User) -> Result<Vec<(BookId, Collection)>> {
        let sql = around_books(reader);
        let rows: Vec<Around> = on_engine!(self.tx.flushed()?, c => (&sql).load(c))?;
        Ok(rows
            .into_iter()
            .map(|around| (BookId::new(around.book_id), around.row.into()))
            .collect())
    }

    /// Adds a collection.
    pub fn insert(self, collection: &Collection) -> Result<()> {
        let Collection { id, owner, name, stamp } = collection;
        let row = Row {
            user_id: owner.get(),
            id: id.get(),
            name: name.as_str().to_owned(),
            agent: stamp.agent.clone(),
            created_at: stamp.created_at.milliseconds(),
            updated_at: stamp.updated_at.milliseconds(),
            version: stamp.version,
        };
        on_engine!(
            self.tx.flushed()?,
            c => diesel::insert_into(collections::table).values(&row).execute(c)
        )?;
        Ok(())
    }

    /// Saves a changed name.
    pub fn update(self, collection: &Collection) -> Result<()> {
        let Collection { id, owner, name, stamp } = collection;
        let target = collections::table.find((owner.get(), id.get()));
        let set = (
            collections::name.eq(name.as_str()),
            collections::updated_at.eq(stamp.updated_at.milliseconds()),
            collections::version.eq(stamp.version),
        );
        on_engine!(self.tx.flushed()?, c => diesel::update(target).set(set).execute(c))?;
        Ok(())
    }

    /// Removes a collection; its books stay where they are.
    pub fn delete(self, collection: &Collection) -> Result<()> {
        let (owner, id) = (collection.owner.get(), collection.id.get());
        let emptied = Sql::new("DELETE FROM collection_books WHERE user_id = ")
            .int(owner)
            .push(" AND collection_id = ")
            .int(id);
        self.tx.flushed()?.execute(&emptied)?;
        let target = collections::table.find((owner, id));
        on_engine!(self.tx.flushed()?, c => diesel::delete(target).execute(c))?;
        Ok(())
    }

    /// Puts books into a collection, out of any other of the same owner: the key allows one.
    ///
    /// A book that is deleted at this moment by another process may leave its row behind. Nobody
    /// ever sees it: every question about collections is joined with the books, and numbers of
    /// books do not come again.
    pub fn put(self, collection: &Collection, books: &[BookId]) -> Result<()> {
        let mut rows = Bulk::new(
            "INSERT INTO collection_books (user_id, book_id, collection_id)",
            3,
            " ON CONFLICT (user_id, book_id) DO UPDATE SET collection_id = excluded.collection_id",
        );
        for book in books {
            rows.row([
                Value::Int(collection.owner.get()),
                Value::Int(book.get()),
                Value::Int(collection.id.get()),
            ]);
        }
        Ok(self.tx.flushed()?.write(rows)?)
    }

    /// Takes books out of a collection.
    pub fn take(self, collection: &Collection, books: &[BookId]) -> Result<()> {
        let within =
            Sql::new("DELETE FROM collection_books WHERE user_id = ").int(collection.owner.get());
        let within = within.push(" AND collection_id = ").int(collection.id.get());
        let taken =
            within.push(" AND book_id IN ").list(books.iter().map(|book| Value::Int(book.get())));
        self.tx.flushed()?.execute(&taken.uncached())?;
        Ok(())
    }
}
