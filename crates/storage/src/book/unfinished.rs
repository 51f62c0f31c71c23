//! Books that are copied in several units of work (behaviour 6.14), and the removal of books in
//! portions.
//!
//! An unfinished copy has no collaborators, so no user sees it. Its row in `unfinished_copies`
//! names the copying user, or 0 once the sweep removes it. The row is deleted when the copy is
//! complete. Until then the book belongs to the copy or, after a crash, to the sweep.

use daybook_domain::id::{BookId, BookKey, UserId};
use daybook_domain::permission::Permission;
use daybook_domain::purpose::ManageCollaborators;
use diesel::prelude::*;

use super::Books;
use crate::access::{AccessTo, BookAccess};
use crate::commit::tx::Tx;
use crate::conn::sql::Sql;
use crate::error::Result;
use crate::schema::book_keys;

/// The tables of a book and their keys after `book_id`, in the order in which they are emptied.
///
/// `books`, `book_state` and `book_keys` are not listed, because they are removed last.
const TABLES: [(&str, &str); 29] = [
    ("audit_requests", "book_id"),
    ("audit_findings", "book_id"),
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
    ("import_matches", "remote_id"),
    ("imports", "id"),
    ("comments", "transaction_id, id"),
    ("reconciled_entries", "transaction_id, account_id"),
    ("reconciliations", "id"),
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

impl Books<'_, '_> {
    /// Records that a new book is being copied by its owner.
    pub fn begin_copy(self, book: &BookAccess, user: UserId) -> Result<()> {
        let begun = Sql::new("INSERT INTO unfinished_copies (book_id, user_id) VALUES ({}, {})")
            .bind((book.book.id, user));
        self.tx.flushed()?.run(&begun)
    }

    /// Loads the book of an unfinished copy of the user, if it still exists.
    pub fn unfinished_copy(self, key: &BookKey, user: UserId) -> Result<Option<BookAccess>> {
        let Some(book) = self.tx.books().load_without_user(key.as_str())? else { return Ok(None) };
        let own = Sql::new(UNFINISHED)
            .push(" WHERE b.id = {} AND n.user_id = {}")
            .bind((book.book.id, user));
        let exists = self.tx.flushed()?.row::<String>(&own)?.is_some();
        Ok(exists.then_some(BookAccess { granted: Some(Permission::Owner), ..book }))
    }

    /// Completes a copy. The owner must be a collaborator by then.
    pub fn end_copy(self, access: &AccessTo<ManageCollaborators>) -> Result<()> {
        let ended = Sql::new("DELETE FROM unfinished_copies WHERE book_id = {}");
        self.tx.flushed()?.run(ended.bind(access.book().id))
    }

    /// Lists the books of all unfinished copies, whether active or abandoned.
    pub fn unfinished_copies(self) -> Result<Vec<BookKey>> {
        let all = Sql::new(UNFINISHED).push(" ORDER BY n.book_id");
        let rows: Vec<String> = self.tx.flushed()?.rows(&all)?;
        Ok(rows.into_iter().map(BookKey::new).collect())
    }

    /// Removes up to `limit` rows of an abandoned copy; returns whether rows are left.
    pub fn remove_unfinished(self, key: &BookKey, limit: i64) -> Result<bool> {
        let Some(book) = self.tx.books().load_without_user(key.as_str())? else { return Ok(false) };
        let book = book.book.id;
        let known = Sql::new(UNFINISHED).push(" WHERE b.id = {}").bind(book);
        if self.tx.flushed()?.row::<String>(&known)?.is_none() {
            return Ok(false);
        }
        // A process that has lost the lease of the copy must not complete it after rows were
        // removed.
        let disown = Sql::new(
            "UPDATE unfinished_copies SET user_id = 0 WHERE book_id = {} AND user_id <> 0",
        );
        self.tx.flushed()?.run(disown.bind(book))?;
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
            let delete = Sql::new(
                "DELETE FROM {} WHERE book_id = {} AND ({}) IN (SELECT {} FROM {} \
                 WHERE book_id = {} LIMIT {})",
            )
            .bind((
                Sql::new(table),
                book,
                Sql::new(columns),
                Sql::new(columns),
                Sql::new(table),
                book,
                left,
            ));
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
        self.flushed()?.run(diesel::delete(public_id))?;
        for (table, key) in
            [("unfinished_copies", "book_id"), ("book_state", "book_id"), ("books", "id")]
        {
            let row = Sql::new("DELETE FROM {} WHERE {} = {}");
            self.flushed()?.run(row.bind((Sql::new(table), Sql::new(key), book)))?;
        }
        self.group_cache.book_states.remove(&book);
        Ok(())
    }
}
