//! Books that are being copied in several units of work (behaviour 6.14), and how any book is
//! removed in several. Such a book has no
//! collaborators, so nobody sees it; a row in `unfinished_copies` says who copies, or 0 once the
//! sweep removes it. The row goes when the copy is whole. While it stands, the book belongs to that
//! copy, or, after a crash, to the sweep.

use daybook_domain::id::{BookId, BookKey, UserId};
use daybook_domain::permission::Permission;
use daybook_domain::purpose::ManageCollaborators;
use diesel::QueryableByName;
use diesel::prelude::*;
use diesel::sql_types::Text;

use super::Books;
use crate::access::{AccessTo, BookAccess};
use crate::conn::on_engine;
use crate::error::Result;
use crate::schema::book_keys;
use crate::sql::{Sql, Value};
use crate::tx::Tx;

/// The tables of a book and their keys behind `book_id`, in the order in which they are emptied.
/// What says that there is a book is no part of them: it goes last.
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
    /// Notes that a book that was just added is being copied by its owner.
    pub fn begin_copy(self, book: &BookAccess, user: UserId) -> Result<()> {
        let row = [book.book.id.get(), user.get()].map(Value::Int);
        let begun = Sql::new("INSERT INTO unfinished_copies (book_id, user_id) VALUES ").list(row);
        self.tx.flushed()?.execute(&begun)?;
        Ok(())
    }

    /// The book of a copy that the user is making, to go on with; `None` when there is none any
    /// more.
    pub fn unfinished_copy(self, key: &BookKey, user: UserId) -> Result<Option<BookAccess>> {
        // There are no collaborators yet.
        let Some(book) = self.tx.books().load_for_nobody(key.as_str())? else { return Ok(None) };
        let own = Sql::new(UNFINISHED)
            .push(" WHERE b.id = ")
            .int(book.book.id.get())
            .push(" AND n.user_id = ")
            .int(user.get());
        let rows: Vec<UnfinishedBook> = on_engine!(self.tx.flushed()?, c => (&own).load(c))?;
        Ok((!rows.is_empty()).then_some(BookAccess { granted: Some(Permission::Owner), ..book }))
    }

    /// Ends a copy: with its owner as a collaborator, the book is like any other.
    pub fn end_copy(self, access: &AccessTo<ManageCollaborators>) -> Result<()> {
        let ended = Sql::new("DELETE FROM unfinished_copies WHERE book_id = ");
        self.tx.flushed()?.execute(&ended.int(access.book().id.get()))?;
        Ok(())
    }

    /// The books of all copies that are not finished, whether they are still being made or not.
    pub fn unfinished_copies(self) -> Result<Vec<BookKey>> {
        let all = Sql::new(UNFINISHED).push(" ORDER BY n.book_id");
        let rows: Vec<UnfinishedBook> = on_engine!(self.tx.flushed()?, c => (&all).load(c))?;
        Ok(rows.into_iter().map(|row| BookKey::new(row.public_id)).collect())
    }

    /// Removes up to so many rows of the book of an unfinished copy that nobody makes any more;
    /// answers whether any are left.
    pub fn remove_unfinished(self, key: &BookKey, limit: i64) -> Result<bool> {
        let Some(book) = self.tx.books().load_for_nobody(key.as_str())? else { return Ok(false) };
        let book = book.book.id;
        let known = Sql::new(UNFINISHED).push(" WHERE b.id = ").int(book.get());
        let rows: Vec<UnfinishedBook> = on_engine!(self.tx.flushed()?, c => (&known).load(c))?;
        if rows.is_empty() {
            return Ok(false);
        }
        // Nobody's from now on: whoever has copied it so far, and lost the lease, does not publish
        // what lacks rows.
        let nobodys = Sql::new("UPDATE unfinished_copies SET user_id = 0 WHERE book_id = ");
        self.tx.flushed()?.execute(&nobodys.int(book.get()).push(" AND user_id <> 0"))?;
        self.tx.remove_portion((book, key), limit)
    }
}

impl Tx<'_> {
    /// Removes up to so many rows of a book, and at last the book itself; answers whether any are
    /// left.
    pub(super) fn remove_portion(
        &mut self,
        (book, key): (BookId, &BookKey),
        limit: i64,
    ) -> Result<bool> {
        let mut left = limit;
        for (table, columns) in TABLES {
            let some = Sql::new("DELETE FROM ").push(table).push(" WHERE book_id = ");
            let some = some.int(book.get()).push(" AND (").push(columns).push(") IN (SELECT ");
            let some = some.push(columns).push(" FROM ").push(table).push(" WHERE book_id = ");
            let some = some.int(book.get()).push(" LIMIT ").int(left).push(")");
            let gone = self.flushed()?.execute(&some)?;
            left = left.saturating_sub(i64::try_from(gone).unwrap_or(i64::MAX));
            if left <= 0 {
                return Ok(true);
            }
        }
        self.remove_book(book, key)?;
        Ok(false)
    }

    /// Removes a book whose tables are empty, with what says that there is one.
    fn remove_book(&mut self, book: BookId, key: &BookKey) -> Result<()> {
        self.leave_collections(book)?;
        let known = book_keys::table.find(key.as_str());
        on_engine!(self.flushed()?, c => diesel::delete(known).execute(c))?;
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
