//! Collections of books, which belong to users.

use std::collections::HashMap;

use daybook_domain::collection::Collection;
use daybook_domain::id::{BookId, CollectionId, UserId};
use daybook_domain::name::Name;
use diesel::prelude::*;
use diesel::sql_types::BigInt;

use crate::commit::tx::Tx;
use crate::conn::bulk::Bulk;
use crate::conn::sql::{Sql, Value, list};
use crate::error::Result;
use crate::rows::column;
use crate::schema::{collection_books, collections};
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

/// A book with a collection that contains it.
#[derive(QueryableByName)]
struct ContainingRow {
    #[diesel(sql_type = BigInt)]
    book_id: i64,
    #[diesel(embed)]
    row: Row,
}

/// Selects books with the collections that contain them. The tables `p` (`collection_books`) and
/// `b` (`books`) follow, and then [`COLLECTION`].
const CONTAINING: &str = "SELECT p.book_id, c.user_id, c.id, c.name, c.agent, c.created_at, \
       c.updated_at, c.version \
     FROM ";
const COLLECTION: &str = " \
     JOIN collections c ON c.user_id = p.user_id AND c.id = p.collection_id \
     WHERE ";

/// Selects the collections that contain the books of a user.
///
/// The few books of the user come first, because PostgreSQL joins in the written order
/// ([`crate::conn::planner`]).
pub(crate) fn containing_books(reader: &User) -> Sql<'_> {
    Sql::new(CONTAINING)
        .push(
            "collaborators m JOIN books b ON b.id = m.book_id \
             JOIN collection_books p ON p.book_id = m.book_id{}m.email = {} AND (p.user_id = {} \
             OR p.user_id = b.owner_id)",
        )
        .bind((Sql::new(COLLECTION), reader.email.as_str(), reader.id))
}

/// The collections of users.
pub struct Collections<'t, 'a> {
    pub(crate) tx: &'t mut Tx<'a>,
}

impl Collections<'_, '_> {
    /// Lists the collections of a user, in no order.
    pub fn list(self, user: UserId) -> Result<Vec<Collection>> {
        let query = collections::table.filter(collections::user_id.eq(user.get()));
        self.tx.flushed()?.select_all::<Row, _>(query)
    }

    /// Finds a collection of a user by id.
    pub fn find(self, user: UserId, id: CollectionId) -> Result<Option<Collection>> {
        let query = collections::table.find((user.get(), id.get()));
        self.tx.flushed()?.select_first::<Row, _>(query)
    }

    /// Returns the collection of each book in a user's collections.
    pub fn places(self, user: UserId) -> Result<HashMap<BookId, CollectionId>> {
        let query = collection_books::table.filter(collection_books::user_id.eq(user.get()));
        let columns = (collection_books::book_id, collection_books::collection_id);
        let pairs: Vec<(i64, i64)> = self.tx.flushed()?.load(query.select(columns))?;
        Ok(pairs
            .into_iter()
            .map(|(book, collection)| (BookId::new(book), CollectionId::new(collection)))
            .collect())
    }

    /// Lists the collections that contain a book and that a reader may see: their own, and for
    /// collaborators also the owner's.
    pub fn containing_book(self, reader: &User, book: BookId) -> Result<Vec<Collection>> {
        let sql = Sql::new(CONTAINING)
            .push(
                "collection_books p JOIN books b ON b.id = p.book_id{}p.book_id = {} \
                 AND (p.user_id = {} OR (p.user_id = b.owner_id AND EXISTS (SELECT 1 \
                 FROM collaborators m WHERE m.book_id = {} AND m.email = {})))",
            )
            .bind((Sql::new(COLLECTION), book, reader.id, book, reader.email.as_str()));
        let rows: Vec<ContainingRow> = self.tx.flushed()?.load(&sql)?;
        Ok(rows.into_iter().map(|row| row.row.into()).collect())
    }

    /// Lists the collections that contain the books of a collaborator: their own, and the owners'.
    pub fn containing_books(self, reader: &User) -> Result<Vec<(BookId, Collection)>> {
        let sql = containing_books(reader);
        let rows: Vec<ContainingRow> = self.tx.flushed()?.load(&sql)?;
        Ok(rows.into_iter().map(|row| (BookId::new(row.book_id), row.row.into())).collect())
    }

    /// Inserts a collection.
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
        self.tx.flushed()?.run(diesel::insert_into(collections::table).values(&row))
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
        self.tx.flushed()?.run(diesel::update(target).set(set))
    }

    /// Deletes a collection, without its books.
    pub fn delete(self, collection: &Collection) -> Result<()> {
        let (owner, id) = (collection.owner.get(), collection.id.get());
        let delete_books =
            Sql::new("DELETE FROM collection_books WHERE user_id = {} AND collection_id = {}")
                .bind((owner, id));
        self.tx.flushed()?.run(&delete_books)?;
        let target = collections::table.find((owner, id));
        self.tx.flushed()?.run(diesel::delete(target))
    }

    /// Adds books to a collection and removes them from other collections of the owner.
    ///
    /// If another process deletes a book at the same time, its row may remain. It has no effect,
    /// because every query of collections joins the books, and numbers of books are not reused.
    pub fn add_books(self, collection: &Collection, books: &[BookId]) -> Result<()> {
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

    /// Removes books from a collection.
    pub fn remove_books(self, collection: &Collection, books: &[BookId]) -> Result<()> {
        let delete =
            Sql::new("DELETE FROM collection_books WHERE user_id = {} AND collection_id = {}")
                .bind((collection.owner, collection.id));
        let delete = delete.push(" AND book_id IN {}").bind(list(books));
        self.tx.flushed()?.run(delete.uncached())
    }
}
