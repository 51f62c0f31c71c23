//! Books that are copied in several units of work (behaviour 6.14), and the removal of books in
//! portions.
//!
//! An unfinished copy has no collaborators, so no user sees it. Its row in `unfinished_copies`
//! names the copying user, or 0 once the sweep removes it. The row is deleted when the copy is
//! complete. Until then the book belongs to the copy or, after a crash, to the sweep.

use daybook_domain::id::{BookId, BookKey, UserId};
use daybook_domain::permission::Permission;
use daybook_domain::purpose::ManageCollaborators;
use diesel::QueryableByName;
use diesel::prelude::*;
use diesel::sql_types::Text;

use super::Books;
use crate::access::{AccessTo, BookAccess};
use crate::commit::tx::Tx;
use crate::conn::on_engine;
use crate::conn::sql::{Sql, Value};
use crate::error::Result;
use crate::schema::book_keys;

/// The tables of a book and their keys after `book_id`, in the order in which they are emptied.
///
/// `books`, `book_state` and `book_keys` are not listed, because they are removed last.
const TABLES: [(&str, &str); 23] = [
    ("audit_requests", "book_id"),
    ("delivery_queues", "app_id"),
    ("deliveries", "app_id, sequence"),
    ("delivery_attempts", "sequence, app_id, attempt"),
    ("bot_responses", "sequence, app_id"),
    ("failed_transactions", "transaction_id"),
    ("copied_transactions", "transaction_id"),
    ("index_terms", "term, day, transaction_id"),
    ("trigrams", "trigram, chunk"),
    ("trigram_blocks", "block"),
    ("month_totals", "account_id, month"),
    ("month_counts", "month"),
    ("events", "sequence"),
    ("transactions", "id"),
    ("files", "id"),
    ("memberships", "group_id, account_id"),
    ("account_groups", "id"),
    ("accounts", "id"),
    ("saved_queries", "id"),
    ("integrations", "id"),
    ("access_requests", "id"),
    ("transfer_offers", "book_id"),
    ("collaborators", "id"),
];

const UNFINISHED: &str =
    "SELECT b.public_id FROM unfinished_copies n JOIN books b ON b.id = n.book_id";

#[derive(QueryableByName)]
struct UnfinishedBook {
    #[diesel(sql_type = Text)]
    public_id: String,
}

impl Books<'_, '_> {
    /// Records that a new book is being copied by its owner.
    pub fn begin_copy(self, book: &BookAccess, user: UserId) -> Result<()> {
        let row = [book.book.id.get(), user.get()].map(Value::Int);
        let begun = Sql::new("INSERT INTO unfinished_copies (book_id, user_id) VALUES ").list(row);
        self.tx.flushed()?.execute(&begun)?;
        Ok(())
    }

    /// Loads the book of an unfinished copy of the user, if it still exists.
    pub fn unfinished_copy(self, key: &BookKey, user: UserId) -> Result<Option<BookAccess>> {
        let Some(book) = self.tx.books().load_without_user(key.as_str())? else { return Ok(None) };
        let own = Sql::new(UNFINISHED)
            .push(" WHERE b.id = ")
            .int(book.book.id.get())
            .push(" AND n.user_id = ")
            .int(user.get());
        let rows: Vec<UnfinishedBook> = on_engine!(self.tx.flushed()?, c => (&own).load(c))?;
        Ok((!rows.is_empty()).then_some(BookAccess { granted: Some(Permission::Owner), ..book }))
    }

    /// Completes a copy. The owner must be a collaborator by then.
    pub fn end_copy(self, access: &AccessTo<ManageCollaborators>) -> Result<()> {
        let ended = Sql::new("DELETE FROM unfinished_copies WHERE book_id = ");
        self.tx.flushed()?.execute(&ended.int(access.book().id.get()))?;
        Ok(())
    }

    /// Lists the books of all unfinished copies, whether active or abandoned.
    pub fn unfinished_copies(self) -> Result<Vec<BookKey>> {
        let all = Sql::new(UNFINISHED).push(" ORDER BY n.book_id");
        let rows: Vec<UnfinishedBook> = on_engine!(self.tx.flushed()?, c => (&all).load(c))?;
        Ok(rows.into_iter().map(|row| BookKey::new(row.public_id)).collect())
    }

    /// Removes up to `limit` rows of an abandoned copy; returns whether rows are left.
    pub fn remove_unfinished(self, key: &BookKey, limit: i64) -> Result<bool> {
        let Some(book) = self.tx.books().load_without_user(key.as_str())? else { return Ok(false) };
        let book = book.book.id;
        let known = Sql::new(UNFINISHED).push(" WHERE b.id = ").int(book.get());
        let rows: Vec<UnfinishedBook> = on_engine!(self.tx.flushed()?, c => (&known).load(c))?;
        if rows.is_empty() {
            return Ok(false);
        }
        // A process that has lost the lease of the copy must not complete it after rows were
        // removed.
        let disown = Sql::new("UPDATE unfinished_copies SET user_id = 0 WHERE book_id = ");
        self.tx.flushed()?.execute(&disown.int(book.get()).push(" AND user_id <> 0"))?;
        self.tx.remove_portion(book, key, limit)
    }
}

impl Tx<'_> {
    /// Removes up to `limit` rows of a book, and finally the book; returns whether rows are left.
    pub(super) fn remove_portion(
        &mut self,
        book: BookId,
        key: &BookKey,
        limit: i64,
    ) -> Result<bool> {
        let mut left = limit;
        for (table, columns) in TABLES {
            let delete = Sql::new("DELETE FROM ").push(table).push(" WHERE book_id = ");
            let delete = delete.int(book.get()).push(" AND (").push(columns).push(") IN (SELECT ");
            let delete = delete.push(columns).push(" FROM ").push(table).push(" WHERE book_id = ");
            let delete = delete.int(book.get()).push(" LIMIT ").int(left).push(")");
            let removed = self.flushed()?.execute(&delete)?;
            left = left.saturating_sub(i64::try_from(removed).unwrap_or(i64::MAX));
            if left <= 0 {
                return Ok(true);
            }
        }
        self.remove_book(book, key)?;
        Ok(false)
    }

    /// Removes a book whose tables are empty.
    fn remove_book(&mut self, book: BookId, key: &BookKey) -> Result<()> {
        self.remove_from_collections(book)?;
        let public_id = book_keys::table.find(key.as_str());
        on_engine!(self.flushed()?, c => diesel::delete(public_id).execute(c))?;
        for (table, key) in
            [("unfinished_copies", "book_id"), ("book_state", "book_id"), ("books", "id")]
        {
            let row = Sql::new("DELETE FROM ").push(table).push(" WHERE ").push(key).push(" = ");
            self.flushed()?.execute(&row.int(book.get()))?;
        }
        self.group_cache.book_states.remove(&book);
        Ok(())
    }
}
