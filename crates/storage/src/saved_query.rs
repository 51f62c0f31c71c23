//! Saved queries: rows and repository.

use daybook_domain::access::Access;
use daybook_domain::id::SavedQueryId;
use daybook_domain::purpose::WriteSavedQueries;
use daybook_domain::saved_query::SavedQuery;
use diesel::prelude::*;

use crate::access::AccessTo;
use crate::bulk::Bulk;
use crate::column;
use crate::conn::on_engine;
use crate::error::Result;
use crate::schema::saved_queries;
use crate::sql::Value;
use crate::stored::{SAVED_QUERIES, bytes};
use crate::tx::Tx;

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
    /// How many the book has.
    pub fn count(self, access: &Access) -> Result<usize> {
        let query = saved_queries::table.filter(saved_queries::book_id.eq(access.book().id.get()));
        let counted = query.count();
        let count: i64 = on_engine!(self.tx.flushed()?, c => counted.get_result(c))?;
        Ok(usize::try_from(count).unwrap_or_default())
    }

    /// All of them, in no order.
    pub fn list(self, access: &Access) -> Result<Vec<SavedQuery>> {
        let query = saved_queries::table.filter(saved_queries::book_id.eq(access.book().id.get()));
        let rows: Vec<Row> =
            on_engine!(self.tx.flushed()?, c => query.select(Row::as_select()).load(c))?;
        Ok(rows.into_iter().map(SavedQuery::from).collect())
    }

    /// The one with that id.
    pub fn find(self, access: &Access, id: SavedQueryId) -> Result<Option<SavedQuery>> {
        let query = saved_queries::table.find((access.book().id.get(), id.get()));
        let row = on_engine!(
            self.tx.flushed()?,
            c => query.select(Row::as_select()).get_result(c).optional()
        )?;
        Ok(row.map(SavedQuery::from))
    }

    /// Adds some.
    pub fn insert(self, access: &AccessTo<WriteSavedQueries>, added: &[SavedQuery]) -> Result<()> {
        let mut rows = Bulk::new(
            "INSERT INTO saved_queries (book_id, id, title, query, agent, created_at, updated_at, \
                version)",
            8,
            "",
        );
        for SavedQuery { id, title, query, stamp } in added {
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
        let ids: Vec<i64> = added.iter().map(|saved| saved.id.get()).collect();
        let after = self.tx.counted_bytes(&SAVED_QUERIES, access.book().id, &ids)?;
        self.tx.note_stored(access.book().id, bytes(after))
    }

    /// Saves a changed one.
    pub fn update(self, access: &AccessTo<WriteSavedQueries>, saved: &SavedQuery) -> Result<()> {
        let SavedQuery { id, title, query, stamp } = saved;
        let book = access.book().id;
        let before = self.tx.counted_bytes(&SAVED_QUERIES, book, &[id.get()])?;
        let target = saved_queries::table.find((book.get(), id.get()));
        let set = (
            saved_queries::title.eq(title),
            saved_queries::query.eq(query),
            saved_queries::updated_at.eq(stamp.updated_at.milliseconds()),
            saved_queries::version.eq(stamp.version),
        );
        on_engine!(self.tx.flushed()?, c => diesel::update(target).set(set).execute(c))?;
        let after = self.tx.counted_bytes(&SAVED_QUERIES, book, &[id.get()])?;
        self.tx.note_stored(book, bytes(after.saturating_sub(before)))
    }

    /// Removes one.
    pub fn delete(self, access: &AccessTo<WriteSavedQueries>, id: SavedQueryId) -> Result<()> {
        let book = access.book().id;
        let gone = self.tx.counted_bytes(&SAVED_QUERIES, book, &[id.get()])?;
        let target = saved_queries::table.find((book.get(), id.get()));
        on_engine!(self.tx.flushed()?, c => diesel::delete(target).execute(c))?;
        self.tx.note_stored(book, bytes(gone.saturating_neg()))
    }
}
