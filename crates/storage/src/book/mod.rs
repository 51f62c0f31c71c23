//! Books: rows and repository, and the way into a book.

mod access_query;
mod deleted;
mod numbers;
mod offers;
mod owned;
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
use crate::book_state::BookStateRow;
use crate::conn::on_engine;
use crate::error::{Error, Result};
use crate::posted_months::PostedMonths;
use crate::schema::{book_keys, books};
use crate::sql::Sql;
use crate::tx::Tx;
use access_query::{AccessRow, by_public_ids};
use row::SettingsColumns;

pub(crate) use access_query::{of_collections, of_user};
pub(crate) use deleted::due;
pub(crate) use numbers::BookNumberCache;

/// The books of this installation.
pub struct Books<'t, 'a> {
    pub(crate) tx: &'t mut Tx<'a>,
}

impl Books<'_, '_> {
    /// Takes the book's lock for this unit of work, if there is such a book.
    pub fn lock(self, public_id: &str) -> Result<()> {
        if self.tx.must_lock(public_id) {
            let Some(number) = self.tx.book_number(public_id)? else { return Ok(()) };
            let row = Sql::new("SELECT s.book_id FROM book_state s WHERE s.book_id = ")
                .int(number.get())
                .push(" FOR UPDATE");
            let locked = self
                .tx
                .in_own_savepoint(|tx| tx.unflushed()?.execute(&row).map_err(Error::of_waiting))?;
            if locked > 0 {
                self.tx.group_cache.locked.insert(public_id.to_owned());
            }
        }
        Ok(())
    }

    /// The book with what a user may do in it. In a unit of work that writes, it takes the book's
    /// lock first, the row of its state. A deleted book is none.
    pub fn load_for_user(self, public_id: &str, email: &Email) -> Result<Option<BookAccess>> {
        let found = self.load(public_id, email.as_str())?;
        Ok(found.filter(|found| found.deletion.is_none()))
    }

    /// The same, deleted or not.
    pub fn load_even_deleted(self, public_id: &str, email: &Email) -> Result<Option<BookAccess>> {
        self.load(public_id, email.as_str())
    }

    /// The same, as nobody enters it: without a permission.
    pub(crate) fn load_for_nobody(self, public_id: &str) -> Result<Option<BookAccess>> {
        self.load(public_id, "")
    }

    fn load(self, public_id: &str, email: &str) -> Result<Option<BookAccess>> {
        let place = (public_id.to_owned(), email.to_owned());
        if let Some(access) = self.tx.group_cache.accesses.get(&place).cloned() {
            let activity =
                self.tx.book_state(access.book.id).map_or(access.activity, BookStateRow::activity);
            return Ok(Some(BookAccess { activity, ..access }));
        }
        let mut row = if self.tx.must_lock(public_id) {
            // A wait for a lock that times out fails this unit of work alone.
            self.tx.in_own_savepoint(|tx| tx.load_access((public_id, email), true))?
        } else {
            self.tx.load_access((public_id, email), false)?
        };
        if row.as_ref().is_some_and(AccessRow::is_stale) {
            // The lock is ours now, so what is read this time is final.
            row = self.tx.load_access((public_id, email), false)?;
        }
        self.tx.confirm_access((public_id, email), row.as_ref())?;
        let Some(row) = row else { return Ok(None) };
        let owner = row.owner()?;
        let (mut access, state) = row.into_access()?;
        self.tx.group_cache.owners.of_books.insert(access.book.id, owner);
        self.tx.group_cache.book_states.insert(access.book.id, state);
        access.activity =
            self.tx.book_state(access.book.id).map_or(access.activity, BookStateRow::activity);
        if self.tx.writes() {
            self.tx.group_cache.locked.insert(place.0.clone());
            self.tx.group_cache.accesses.insert(place, access.clone());
        }
        Ok(Some(access))
    }

    /// The books somebody is a collaborator of, in no order.
    pub fn of_user(self, email: &Email) -> Result<Vec<BookAccess>> {
        self.tx.load_accesses(&of_user(email))
    }

    /// As [`Books::of_user`], by id, with what each whole book looks like: the properties of all
    /// may be more than a list of them has.
    pub fn of_user_and<T>(
        self,
        email: &Email,
        look: impl Fn(&Book) -> T,
    ) -> Result<Vec<(BookAccess, T)>> {
        self.tx.load_accesses_and(&of_user(email), look)
    }

    /// The books with these public ids, as a user enters them, in no order.
    pub fn by_public_ids(self, public_ids: &[String], email: &Email) -> Result<Vec<BookAccess>> {
        self.tx.load_accesses(&by_public_ids(public_ids, email))
    }

    /// The books in an owner's collections, or in one of them, as a user enters them, in no order.
    pub fn of_collections(
        self,
        owner: UserId,
        one: Option<CollectionId>,
        email: &Email,
    ) -> Result<Vec<BookAccess>> {
        self.tx.load_accesses(&of_collections(owner, one, email))
    }

    /// Adds a book and gives it its number. Who founds a book is its owner, and enters it as one.
    pub fn insert(self, book: Book, owner: UserId) -> Result<BookAccess> {
        let place = (
            books::public_id.eq(book.key.as_str()),
            books::owner_id.eq(owner.get()),
            books::file_secret.eq(book.file_secret.as_str()),
        );
        let columns = SettingsColumns::of(&book)?;
        let id: i64 = on_engine!(
            self.tx.flushed()?,
            c => diesel::insert_into(books::table).values((place, columns))
                .returning(books::id).get_result(c)
        )?;
        let key = (book_keys::public_id.eq(book.key.as_str()), book_keys::book_id.eq(id));
        let known = diesel::insert_into(book_keys::table).values(key);
        on_engine!(self.tx.flushed()?, c => known.execute(c))?;
        let state = BookStateRow {
            book_id: id,
            sequence: 0,
            hash: Hash::ZERO.as_bytes().to_vec(),
            changed_at: book.stamp.created_at.milliseconds(),
            posted: 0,
            month: 0,
            month_posted: 0,
            year_posted: 0,
            posted_months: PostedMonths::NOTHING.to_column(),
            chart_version: 0,
            indexed_until_id: 0,
            indexed_chunks: 0,
            unindexed: 0,
            last_event_at: 0,
            apps: 0,
            stored_transactions: 0,
            stored_bytes: 0,
        };
        let activity = state.activity();
        // Queued, because the event of the book's creation moves it first.
        self.tx.buffer().queue_book_state(BookId::new(id), state);
        let book = Book { id: BookId::new(id), ..book };
        self.tx.note_owner(book.id, owner);
        Ok(BookAccess { book, granted: Some(Permission::Owner), activity, deletion: None })
    }

    /// Saves the settings of the book as a change leaves it.
    pub fn update(self, access: &AccessTo<UpdateBook>) -> Result<()> {
        let book = access.book();
        let columns = SettingsColumns::of(book)?;
        on_engine!(
            self.tx.flushed()?,
            c => diesel::update(books::table.find(book.id.get())).set(&columns).execute(c)
        )?;
        Ok(())
    }

    /// Gives the book another secret for the addresses of its files: those of before end.
    pub fn change_file_secret<P: Purpose>(
        self,
        access: &AccessTo<P>,
        secret: &FileSecret,
    ) -> Result<()> {
        let target = books::table.find(access.book().id.get());
        let set = books::file_secret.eq(secret.as_str());
        on_engine!(self.tx.flushed()?, c => diesel::update(target).set(set).execute(c))?;
        Ok(())
    }

    /// The user who owns the book with this public id, deleted or not.
    pub fn owner(self, public_id: &str) -> Result<Option<UserId>> {
        let Some(number) = self.tx.book_number(public_id)? else { return Ok(None) };
        let own = books::public_id.eq(public_id);
        let query = books::table.find(number.get()).filter(own).select(books::owner_id);
        let owner: Option<i64> =
            on_engine!(self.tx.unflushed()?, c => query.get_result(c).optional())?;
        Ok(owner.map(UserId::new))
    }

    /// Saves another owner of the book, with the version that the change makes.
    pub fn transfer(self, access: &AccessTo<TransferBook>, owner: UserId) -> Result<()> {
        let book = access.book();
        let set = (
            books::owner_id.eq(owner.get()),
            books::updated_at.eq(book.stamp.updated_at.milliseconds()),
            books::version.eq(book.stamp.version),
        );
        on_engine!(
            self.tx.flushed()?,
            c => diesel::update(books::table.find(book.id.get())).set(set).execute(c)
        )?;
        self.tx.note_owner(book.id, owner);
        Ok(())
    }
}
