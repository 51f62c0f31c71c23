//! Saved queries of books.

use daybook_domain::access::Access;
use daybook_domain::id::SavedQueryId;
use daybook_domain::purpose::WriteSavedQueries;
use daybook_domain::saved_query::SavedQuery;
use diesel::prelude::*;

use crate::access::AccessTo;
use crate::commit::tx::Tx;
use crate::conn::bulk::Bulk;
use crate::conn::sql::Value;
use crate::error::Result;
use crate::rows::column;
use crate::schema::saved_queries;
use crate::storage_quota::size::of_bytes;
use crate::storage_quota::usage::SAVED_QUERIES;

#[derive(Queryable, Selectable)]
#[diesel(table_name = saved_queries)]
struct Row {
    id: i64,
    title: String,
    query: String,
    agent: Option<String>,
    created_at: i64,
    updated_at: i64,
    version: i64,
}

impl From<Row> for SavedQuery {
    fn from(row: Row) -> Self {
        let Row { id, title, query, agent, created_at, updated_at, version } = row;
        Self {
            id: SavedQueryId::new(id),
            title,
            query,
            stamp: column::stamp(agent, created_at, updated_at, version),
        }
    }
}

/// The saved queries of a book.
pub struct SavedQueries<'t, 'a> {
    pub(crate) tx: &'t mut Tx<'a>,
}

impl SavedQueries<'_, '_> {
    /// Counts the saved queries of a book.
    pub fn count(self, access: &Access) -> Result<usize> {
        let query = saved_queries::table.filter(saved_queries::book_id.eq(access.book().id.get()));
        let count = query.count();
        let count: i64 = self.tx.flushed()?.one(count)?;
        Ok(usize::try_from(count).unwrap_or_default())
    }

    /// Lists all saved queries, in no order.
    pub fn list(self, access: &Access) -> Result<Vec<SavedQuery>> {
        let query = saved_queries::table.filter(saved_queries::book_id.eq(access.book().id.get()));
        self.tx.flushed()?.select_all::<Row, _>(query)
    }

    /// Finds a saved query by id.
    pub fn find(self, access: &Access, id: SavedQueryId) -> Result<Option<SavedQuery>> {
        let query = saved_queries::table.find((access.book().id.get(), id.get()));
        self.tx.flushed()?.select_first::<Row, _>(query)
    }

    /// Inserts saved queries.
    pub fn insert(self, access: &AccessTo<WriteSavedQueries>, new: &[SavedQuery]) -> Result<()> {
        let mut rows = Bulk::new(
            "INSERT INTO saved_queries (book_id, id, title, query, agent, created_at, \
             updated_at, version)",
            8,
            "",
        );
        for SavedQuery { id, title, query, stamp } in new {
            rows.row([
                Value::Int(access.book().id.get()),
                Value::Int(id.get()),
                Value::Text(title.as_str().into()),
                Value::Text(query.as_str().into()),
                Value::SomeText(stamp.agent.as_deref().map(Into::into)),
                Value::Int(stamp.created_at.milliseconds()),
                Value::Int(stamp.updated_at.milliseconds()),
                Value::Int(stamp.version),
            ]);
        }
        self.tx.flushed()?.write(rows)?;
        let ids: Vec<i64> = new.iter().map(|saved| saved.id.get()).collect();
        self.tx.add_growth(&SAVED_QUERIES, access.book().id, &ids, 0)
    }

    /// Saves a changed query.
    pub fn update(self, access: &AccessTo<WriteSavedQueries>, saved: &SavedQuery) -> Result<()> {
        let SavedQuery { id, title, query, stamp } = saved;
        let book = access.book().id;
        let before = self.tx.bytes_of_rows(&SAVED_QUERIES, book, &[id.get()])?;
        let target = saved_queries::table.find((book.get(), id.get()));
        let set = (
            saved_queries::title.eq(title),
            saved_queries::query.eq(query),
            saved_queries::updated_at.eq(stamp.updated_at.milliseconds()),
            saved_queries::version.eq(stamp.version),
        );
        self.tx.flushed()?.run(diesel::update(target).set(set))?;
        self.tx.add_growth(&SAVED_QUERIES, book, &[id.get()], before)
    }

    /// Deletes a saved query.
    pub fn delete(self, access: &AccessTo<WriteSavedQueries>, id: SavedQueryId) -> Result<()> {
        let book = access.book().id;
        let bytes = self.tx.bytes_of_rows(&SAVED_QUERIES, book, &[id.get()])?;
        let target = saved_queries::table.find((book.get(), id.get()));
        self.tx.flushed()?.run(diesel::delete(target))?;
        self.tx.add_usage(book, of_bytes(bytes.saturating_neg()))
    }
}
