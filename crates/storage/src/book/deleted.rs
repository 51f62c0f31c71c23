//! Deleted books (behaviour 6.22).
//!
//! A deleted book keeps its rows until `kept_until`, but is not found by users. Afterwards its rows
//! are removed in portions. The first portion sets `kept_until` to NULL, because a book that has
//! lost rows cannot be restored.

use daybook_domain::book::{Book, Deletion};
use daybook_domain::email::Email;
use daybook_domain::id::{BookId, BookKey};
use daybook_domain::instant::Instant;
use daybook_domain::purpose::{DeleteBook, RestoreBook};

use super::Books;
use super::access_query::{deleted, deleted_of_user, existing_of_user};
use crate::access::{AccessTo, BookAccess};
use crate::commit::tx::Tx;
use crate::conn::sql::Sql;
use crate::error::Result;

/// Maximum number of books that one round of the sweep removes.
const MAX_DUE: i64 = 1_000;

/// Selects the books to remove. Deleted books have an index of their own, so this does not scan all
/// books.
pub(crate) fn due<'a>(now: Instant) -> Sql<'a> {
    Sql::new(
        "SELECT public_id FROM books WHERE deleted_at IS NOT NULL AND (kept_until IS NULL \
         OR kept_until <= {}) ORDER BY deleted_at, id LIMIT {}",
    )
    .bind((now, MAX_DUE))
}

impl Books<'_, '_> {
    /// Lists the books of a user, including deleted ones that can be restored, in no order.
    ///
    /// Two separate statements could find a book twice that is deleted between them, and miss one
    /// that is restored.
    pub fn existing_of_user(self, email: &Email) -> Result<Vec<BookAccess>> {
        self.tx.load_accesses(&existing_of_user(email))
    }

    /// Lists the deleted books of a user that can be restored, by id, each with a computed value.
    ///
    /// `compute` gets the book with all its properties.
    pub fn deleted_of_user_with<T>(
        self,
        email: &Email,
        compute: impl Fn(&Book) -> T,
    ) -> Result<Vec<(BookAccess, T)>> {
        self.tx.load_accesses_with(&deleted_of_user(email), compute)
    }

    /// Lists all deleted books, including those that are being removed, oldest deletion first.
    pub fn deleted(self) -> Result<Vec<BookAccess>> {
        self.tx.load_accesses(&deleted())
    }

    /// Deletes a book and removes it from all collections (behaviour 6.5).
    pub fn delete(self, access: &AccessTo<DeleteBook>, deletion: Deletion) -> Result<()> {
        let Deletion { deleted_at, kept_until } = deletion;
        let kept_until = kept_until.map(Instant::milliseconds);
        let row = Sql::new("UPDATE books SET deleted_at = {}, kept_until = {} WHERE id = {}")
            .bind((deleted_at, kept_until, access.book().id));
        self.tx.flushed()?.run(&row)?;
        self.tx.remove_from_collections(access.book().id)
    }

    /// Restores a deleted book; returns whether that was still possible.
    pub fn restore(self, access: &AccessTo<RestoreBook>) -> Result<bool> {
        let row = Sql::new(
            "UPDATE books SET deleted_at = NULL, kept_until = NULL WHERE id = {} \
             AND kept_until IS NOT NULL",
        )
        .bind(access.book().id);
        Ok(self.tx.flushed()?.execute(&row)? > 0)
    }

    /// Makes a deleted book due for removal; returns whether it is deleted.
    pub fn end_retention(self, access: &AccessTo<DeleteBook>) -> Result<bool> {
        let row =
            Sql::new("UPDATE books SET kept_until = NULL WHERE id = {} AND deleted_at IS NOT NULL")
                .bind(access.book().id);
        Ok(self.tx.flushed()?.execute(&row)? > 0)
    }

    /// Lists the books to remove, oldest deletion first.
    pub fn due(self, now: Instant) -> Result<Vec<BookKey>> {
        let query = due(now);
        let rows: Vec<String> = self.tx.flushed()?.rows(&query)?;
        Ok(rows.into_iter().map(BookKey::new).collect())
    }

    /// Begins or continues the removal of a book; returns whether it is still to be removed.
    ///
    /// It may have been restored or completely removed since it was listed.
    pub fn begin_removal(self, key: &BookKey, now: Instant) -> Result<bool> {
        let tx = self.tx;
        let Some(found) = tx.books().load_without_user(key.as_str())? else { return Ok(false) };
        // The condition checks the current row, because the loaded one may be outdated.
        let row = Sql::new(
            "UPDATE books SET kept_until = NULL WHERE id = {} AND deleted_at IS NOT NULL \
             AND (kept_until IS NULL OR kept_until <= {})",
        )
        .bind((found.book.id, now));
        Ok(tx.flushed()?.execute(&row)? > 0)
    }

    /// Removes up to `limit` rows of a book whose removal has begun; returns whether rows are left.
    pub fn remove_deleted(self, key: &BookKey, limit: i64) -> Result<bool> {
        let tx = self.tx;
        let Some(found) = tx.books().load_without_user(key.as_str())? else { return Ok(false) };
        match found.deletion {
            Some(deletion) if !deletion.is_restorable() => {
                tx.remove_portion(found.book.id, key, limit)
            }
            Some(_) | None => Ok(false),
        }
    }
}

impl Tx<'_> {
    /// Removes a book from all collections.
    pub(super) fn remove_from_collections(&mut self, book: BookId) -> Result<()> {
        // Locked rows are skipped, because a holder of a book must not wait for a user. A remaining
        // row has no effect, because deleted books are not listed.
        let mut conn = self.flushed()?;
        let collected =
            Sql::new("SELECT p.user_id, p.book_id FROM collection_books p WHERE p.book_id = {}{}")
                .bind((book, Sql::new(conn.skip_locked())));
        conn.run(
            Sql::new("DELETE FROM collection_books WHERE (user_id, book_id) IN ({})")
                .bind(collected),
        )
    }
}
