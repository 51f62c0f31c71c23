//! Books, and the access to them.
//!
//! A unit of work enters a book by [`Books::load_for_user`], which loads the book, its state and
//! the user's permission in one statement (`access_query.rs`), and takes the lock of the book in a
//! unit of work that writes. The lock is the row of the book's state. Data loaded under the
//! lock is cached for the group. `deleted.rs` has the deletion, restoration and removal of books,
//! `unfinished.rs` copies that take several units of work, `offers.rs` transfers to other owners.

pub(crate) mod access_cache;
mod access_query;
mod deleted;
pub(crate) mod number_cache;
mod numbers;
mod offers;
mod owned;
mod postings;
mod row;
mod unfinished;

use daybook_domain::book::Book;
use daybook_domain::email::Email;
use daybook_domain::event::Hash;
use daybook_domain::file::FileSecret;
use daybook_domain::id::{BookId, CollectionId, UserId};
use daybook_domain::permission::Permission;
use daybook_domain::purpose::{Purpose, TransferBook, UpdateBook};
use diesel::prelude::*;

use crate::access::{AccessTo, BookAccess};
use crate::commit::tx::Tx;
use crate::conn::sql::Sql;
use crate::error::{Error, Result};
use crate::posted_months::PostedMonths;
use crate::rows::book_state::BookStateRow;
use crate::schema::{book_keys, books};
use access_query::{AccessRow, BookEntry, by_public_ids};
use row::SettingsColumns;

pub use crate::rows::book_state::BookCounters;
pub(crate) use access_query::{of_collections, of_user};
pub(crate) use deleted::due;
pub use postings::CurrentMonths;

/// The books of this installation.
pub struct Books<'t, 'a> {
    pub(crate) tx: &'t mut Tx<'a>,
}

impl Books<'_, '_> {
    /// Takes the lock of a book for this unit of work, if the book exists.
    pub fn lock(self, public_id: &str) -> Result<()> {
        if self.tx.must_lock(public_id) {
            let Some(number) = self.tx.book_number(public_id)? else { return Ok(()) };
            let row =
                Sql::new("SELECT s.book_id FROM book_state s WHERE s.book_id = {} FOR UPDATE")
                    .bind(number);
            let locked = self.tx.in_own_savepoint(|tx| {
                tx.unflushed()?.execute(&row).map_err(Error::from_lock_wait)
            })?;
            if locked > 0 {
                self.tx.group_cache.locked.insert(public_id.to_owned());
            }
        }
        Ok(())
    }

    /// Loads a book that is not deleted, with a user's permission.
    ///
    /// In a unit of work that writes, it takes the lock of the book.
    pub fn load_for_user(self, public_id: &str, email: &Email) -> Result<Option<BookAccess>> {
        let found = self.load(public_id, email.as_str())?;
        Ok(found.filter(|found| found.deletion.is_none()))
    }

    /// Loads a book, deleted or not, with a user's permission.
    pub fn load_even_deleted(self, public_id: &str, email: &Email) -> Result<Option<BookAccess>> {
        self.load(public_id, email.as_str())
    }

    /// Loads a book, deleted or not, without a permission.
    pub(crate) fn load_without_user(self, public_id: &str) -> Result<Option<BookAccess>> {
        self.load(public_id, "")
    }

    fn load(self, public_id: &str, email: &str) -> Result<Option<BookAccess>> {
        let key = (public_id.to_owned(), email.to_owned());
        if let Some(access) = self.tx.group_cache.accesses.get(&key).cloned() {
            let state = self.tx.book_state(access.book.id);
            let counters = state.map_or(access.counters, BookStateRow::counters);
            return Ok(Some(BookAccess { counters, ..access }));
        }
        if self.tx.single.is_some() {
            return self.tx.assume_access(&key).map(Some);
        }
        let entry = BookEntry { public_id, email, lock: false };
        let mut row = if self.tx.must_lock(public_id) {
            // A lock timeout fails this unit of work alone.
            self.tx.in_own_savepoint(|tx| tx.load_access(BookEntry { lock: true, ..entry }))?
        } else {
            self.tx.load_access(entry)?
        };
        if row.as_ref().is_some_and(AccessRow::is_stale) {
            // The lock is held now, so this read is current.
            row = self.tx.load_access(entry)?;
        }
        self.tx.confirm_access(entry, row.as_ref())?;
        let Some(row) = row else { return Ok(None) };
        let owner = row.owner()?;
        let (mut access, state) = row.into_access()?;
        self.tx.group_cache.owners.of_books.insert(access.book.id, owner);
        self.tx.group_cache.book_states.insert(access.book.id, state);
        let state = self.tx.book_state(access.book.id);
        access.counters = state.map_or(access.counters, BookStateRow::counters);
        self.tx.remember_access(&key, owner.id, &access);
        if self.tx.writes() {
            self.tx.group_cache.locked.insert(public_id.to_owned());
            self.tx.group_cache.accesses.insert(key, access.clone());
        }
        Ok(Some(access))
    }

    /// Lists the books of which a user is a collaborator, in no order.
    pub fn of_user(self, email: &Email) -> Result<Vec<BookAccess>> {
        self.tx.load_accesses(&of_user(email))
    }

    /// Lists the books of which a user is a collaborator, by id, each with a computed value.
    ///
    /// `compute` gets the book with all its properties. In the list, properties beyond the limit
    /// are empty.
    pub fn of_user_with<T>(
        self,
        email: &Email,
        compute: impl Fn(&Book) -> T,
    ) -> Result<Vec<(BookAccess, T)>> {
        self.tx.load_accesses_with(&of_user(email), compute)
    }

    /// Lists the books with these public ids, with a user's permission, in no order.
    pub fn by_public_ids(self, public_ids: &[String], email: &Email) -> Result<Vec<BookAccess>> {
        self.tx.load_accesses(&by_public_ids(public_ids, email))
    }

    /// Lists the books in an owner's collections, or in one of them, with a user's permission, in
    /// no order.
    pub fn of_collections(
        self,
        owner: UserId,
        one: Option<CollectionId>,
        email: &Email,
    ) -> Result<Vec<BookAccess>> {
        self.tx.load_accesses(&of_collections(owner, one, email))
    }

    /// Inserts a book and assigns its number. Returns the access of its owner.
    pub fn insert(self, book: Book, owner: UserId) -> Result<BookAccess> {
        let identity = (
            books::public_id.eq(book.key.as_str()),
            books::owner_id.eq(owner.get()),
            books::file_secret.eq(book.file_secret.as_str()),
        );
        let columns = SettingsColumns::of(&book)?;
        let id: i64 = self.tx.flushed()?.one(
            diesel::insert_into(books::table).values((identity, columns)).returning(books::id),
        )?;
        let key = (book_keys::public_id.eq(book.key.as_str()), book_keys::book_id.eq(id));
        let insert_key = diesel::insert_into(book_keys::table).values(key);
        self.tx.flushed()?.run(insert_key)?;
        let state = BookStateRow {
            book_id: id,
            sequence: 0,
            hash: Hash::ZERO.as_bytes().to_vec(),
            changed_at: book.stamp.created_at.milliseconds(),
            posted: 0,
            month: 0,
            month_posted: 0,
            year_posted: 0,
            posted_months: PostedMonths::EMPTY.to_column(),
            chart_version: 0,
            indexed_until_id: 0,
            indexed_chunks: 0,
            unindexed: 0,
            last_event_at: 0,
            apps: 0,
            stored_transactions: 0,
            stored_bytes: 0,
        };
        let counters = state.counters();
        // Queued, because the creation event changes it before it is written.
        self.tx.buffer().queue_book_state(BookId::new(id), state);
        let book = Book { id: BookId::new(id), ..book };
        self.tx.set_owner(book.id, owner);
        Ok(BookAccess { book, granted: Some(Permission::Owner), counters, deletion: None })
    }

    /// Saves the settings of the changed book.
    pub fn update(self, access: &AccessTo<UpdateBook>) -> Result<()> {
        let book = access.book();
        let columns = SettingsColumns::of(book)?;
        self.tx.flushed()?.run(diesel::update(books::table.find(book.id.get())).set(&columns))
    }

    /// Replaces the secret in the URLs of the book's files, which invalidates the old URLs.
    pub fn change_file_secret<P: Purpose>(
        self,
        access: &AccessTo<P>,
        secret: &FileSecret,
    ) -> Result<()> {
        let target = books::table.find(access.book().id.get());
        let set = books::file_secret.eq(secret.as_str());
        self.tx.flushed()?.run(diesel::update(target).set(set))
    }

    /// Finds the owner of the book with a public id, deleted or not.
    pub fn owner(self, public_id: &str) -> Result<Option<UserId>> {
        let Some(number) = self.tx.book_number(public_id)? else { return Ok(None) };
        let own = books::public_id.eq(public_id);
        let query = books::table.find(number.get()).filter(own).select(books::owner_id);
        let owner: Option<i64> = self.tx.unflushed()?.first(query)?;
        Ok(owner.map(UserId::new))
    }

    /// Saves a new owner of the book, and its new version.
    pub fn transfer(self, access: &AccessTo<TransferBook>, owner: UserId) -> Result<()> {
        let book = access.book();
        let set = (
            books::owner_id.eq(owner.get()),
            books::updated_at.eq(book.stamp.updated_at.milliseconds()),
            books::version.eq(book.stamp.version),
        );
        self.tx.flushed()?.run(diesel::update(books::table.find(book.id.get())).set(set))?;
        self.tx.set_owner(book.id, owner);
        Ok(())
    }
}
