//! Deleted books (behaviour 6.22). Such a book keeps all its rows and waits; who looks for a book
//! does not find it. When it waits no longer, its rows are removed in portions, and `kept_until` is
//! null from the first one on: nobody brings back what has lost some of them.

use daybook_domain::book::{Book, Deletion};
use daybook_domain::email::Email;
use daybook_domain::id::{BookId, BookKey};
use daybook_domain::instant::Instant;
use daybook_domain::purpose::{DeleteBook, RestoreBook};
use diesel::QueryableByName;
use diesel::prelude::*;
use diesel::sql_types::Text;

use super::Books;
use super::access_query::{deleted, deleted_of_user, kept_of_user};
use crate::access::{AccessTo, BookAccess};
use crate::conn::on_engine;
use crate::error::Result;
use crate::sql::{Sql, Value};
use crate::tx::Tx;

/// Books whose removal one round of the sweep begins or goes on with.
const MAX_DUE: i64 = 1_000;

#[derive(QueryableByName)]
struct DueBook {
    #[diesel(sql_type = Text)]
    public_id: String,
}

/// The books whose time is over. Those that are deleted are found by their own index, so that no
/// look for them passes all books.
pub(crate) fn due<'a>(now: Instant) -> Sql<'a> {
    Sql::new(
        "SELECT public_id FROM books \
         WHERE deleted_at IS NOT NULL AND (kept_until IS NULL OR kept_until <= ",
    )
    .int(now.milliseconds())
    .push(") ORDER BY deleted_at, id LIMIT ")
    .int(MAX_DUE)
}

impl Books<'_, '_> {
    /// The books somebody is a collaborator of, deleted ones that wait included, in no order. Of
    /// two statements, one for each, both would find a book that is deleted between them, and
    /// neither one that is restored.
    pub fn kept_of_user(self, email: &Email) -> Result<Vec<BookAccess>> {
        self.tx.load_accesses(&kept_of_user(email))
    }

    /// The deleted books that wait and that somebody was a collaborator of, by id, with what each
    /// whole book looks like.
    pub fn deleted_of_user_and<T>(
        self,
        email: &Email,
        look: impl Fn(&Book) -> T,
    ) -> Result<Vec<(BookAccess, T)>> {
        self.tx.load_accesses_and(&deleted_of_user(email), look)
    }

    /// All deleted books, also those that are being removed, the first deleted one first.
    pub fn deleted(self) -> Result<Vec<BookAccess>> {
        self.tx.load_accesses(&deleted())
    }

    /// Deletes a book. Collections drop it at once (behaviour 6.5).
    pub fn delete(self, access: &AccessTo<DeleteBook>, deletion: Deletion) -> Result<()> {
        let Deletion { deleted_at, kept_until } = deletion;
        let kept_until = kept_until.map(Instant::milliseconds);
        let row = Sql::new("UPDATE books SET deleted_at = ")
            .int(deleted_at.milliseconds())
            .push(", kept_until = ")
            .value(Value::SomeInt(kept_until))
            .push(" WHERE id = ")
            .int(access.book().id.get());
        self.tx.flushed()?.execute(&row)?;
        self.tx.leave_collections(access.book().id)
    }

    /// Brings a deleted book back; answers whether it still waited.
    pub fn restore(self, access: &AccessTo<RestoreBook>) -> Result<bool> {
        let row = Sql::new("UPDATE books SET deleted_at = NULL, kept_until = NULL WHERE id = ")
            .int(access.book().id.get())
            .push(" AND kept_until IS NOT NULL");
        Ok(self.tx.flushed()?.execute(&row)? > 0)
    }

    /// Lets a deleted book wait no longer; answers whether it is deleted.
    pub fn end_wait(self, access: &AccessTo<DeleteBook>) -> Result<bool> {
        let row = Sql::new("UPDATE books SET kept_until = NULL WHERE id = ")
            .int(access.book().id.get())
            .push(" AND deleted_at IS NOT NULL");
        Ok(self.tx.flushed()?.execute(&row)? > 0)
    }

    /// Books to remove: those that wait no longer, the first deleted one first.
    pub fn due(self, now: Instant) -> Result<Vec<BookKey>> {
        let due = due(now);
        let rows: Vec<DueBook> = on_engine!(self.tx.flushed()?, c => (&due).load(c))?;
        Ok(rows.into_iter().map(|row| BookKey::new(row.public_id)).collect())
    }

    /// Begins the removal of a book, or goes on with it; answers whether it is to be removed:
    /// somebody may have restored it, or removed the last of it, since it was found.
    pub fn begin_removal(self, key: &BookKey, now: Instant) -> Result<bool> {
        let tx = self.tx;
        let Some(found) = tx.books().load_for_nobody(key.as_str())? else { return Ok(false) };
        // Asked of the row as it is now: what was read before the wait for the lock may be old.
        let row = Sql::new("UPDATE books SET kept_until = NULL WHERE id = ")
            .int(found.book.id.get())
            .push(" AND deleted_at IS NOT NULL AND (kept_until IS NULL OR kept_until <= ")
            .int(now.milliseconds())
            .push(")");
        Ok(tx.flushed()?.execute(&row)? > 0)
    }

    /// Removes up to so many rows of a book whose removal has begun; answers whether any are left.
    pub fn remove_deleted(self, key: &BookKey, limit: i64) -> Result<bool> {
        let tx = self.tx;
        let Some(found) = tx.books().load_for_nobody(key.as_str())? else { return Ok(false) };
        match found.deletion {
            Some(deletion) if !deletion.waits() => tx.remove_portion((found.book.id, key), limit),
            Some(_) | None => Ok(false),
        }
    }
}

impl Tx<'_> {
    /// Takes a book out of all collections.
    pub(super) fn leave_collections(&mut self, book: BookId) -> Result<()> {
        // Users' collections are not waited for while the book is held: a row left behind shows
        // nobody a book that is deleted.
        let mut conn = self.flushed()?;
        let collected =
            Sql::new("SELECT p.user_id, p.book_id FROM collection_books p WHERE p.book_id = ")
                .int(book.get())
                .push(conn.unless_locked());
        conn.execute(
            &Sql::new("DELETE FROM collection_books WHERE (user_id, book_id) IN (")
                .append(collected)
                .push(")"),
        )?;
        Ok(())
    }
}
