//! The unit of work: what becomes durable together, with an accessor for each noun.
//!
//! On a read it is one snapshot. On a write it is one of a group that shares a database transaction
//! ([`crate::writer`]), and it can be undone alone:
//!
//! - What it *adds* (transactions, totals, events, book states) waits in memory, in a write buffer
//!   ([`crate::pending`]), and costs no statement. The buffers of a group are flushed together
//!   before the commit, with one bulk statement for each table. To undo it, its buffer is dropped.
//! - What it *changes in place* stands behind a savepoint, which is opened only then. To undo it,
//!   the savepoint is rolled back.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use daybook_domain::id::BookId;

use crate::access::BookAccess;
use crate::book::Books;
use crate::book_state::BookStateRow;
use crate::chart::Charts;
use crate::conn::Conn;
use crate::dialect::Use;
use crate::error::{Error, Result};
use crate::pending::Pending;
use crate::{
    account, audit, balance, collaborator, collection, event, file, group, idempotency,
    saved_query, transaction, user,
};

/// A unit of work. On a read it is one snapshot; on a write everything in it becomes durable
/// together.
///
/// In a group the units of work share one database transaction, and each can be undone alone: the
/// rows it adds stay in the write buffer ([`Pending`]) until a statement has to see them, and a
/// savepoint precedes what it changes in place.
pub struct Tx<'a> {
    conn: &'a mut Conn,
    purpose: Use,
    /// Whether other units of work share the database transaction.
    grouped: bool,
    open: bool,
    /// Whether this unit of work has a savepoint.
    savepoint: bool,
    /// The failure after which nothing of the group may be committed.
    broken: Option<String>,
    /// The write buffer of the units of work before this one.
    earlier: Pending,
    /// The write buffer of this one.
    own: Pending,
    /// What the group has read under the books' locks.
    pub(crate) known: GroupCache,
    charts: Arc<Charts>,
    /// Books whose accounts or groups this group has changed, committed or not.
    changed_charts: HashSet<BookId>,
}

/// What a group has read of its books. It stays true while the group holds their locks, because
/// nobody else can change it.
#[derive(Debug, Default)]
pub(crate) struct GroupCache {
    /// Books whose row lock is held.
    pub(crate) locked: HashSet<String>,
    /// The state of books, as the database has it.
    pub(crate) book_states: HashMap<BookId, BookStateRow>,
    /// What users may do in books, by book and e-mail address.
    pub(crate) accesses: HashMap<(String, String), BookAccess>,
}

impl<'a> Tx<'a> {
    /// A unit of work that reads.
    pub(crate) fn reading(conn: &'a mut Conn, charts: Arc<Charts>) -> Self {
        Self::new(conn, charts, Use::Read, false)
    }

    /// A unit of work that writes. One that is alone in its group is undone with the whole
    /// database transaction.
    pub(crate) fn writing(conn: &'a mut Conn, charts: Arc<Charts>, grouped: bool) -> Self {
        Self::new(conn, charts, Use::Write, grouped)
    }

    fn new(conn: &'a mut Conn, charts: Arc<Charts>, purpose: Use, grouped: bool) -> Self {
        let (earlier, own) = (Pending::default(), Pending::default());
        let (known, changed_charts) = (GroupCache::default(), HashSet::new());
        Self {
            conn,
            purpose,
            grouped,
            open: true,
            savepoint: false,
            broken: None,
            earlier,
            own,
            known,
            charts,
            changed_charts,
        }
    }

    /// Users.
    pub fn users(&mut self) -> user::Users<'_, 'a> {
        user::Users { tx: self }
    }

    /// Books.
    pub fn books(&mut self) -> Books<'_, 'a> {
        Books { tx: self }
    }

    /// Collaborators of a book.
    pub fn collaborators(&mut self) -> collaborator::Collaborators<'_, 'a> {
        collaborator::Collaborators { tx: self }
    }

    /// Accounts of a book.
    pub fn accounts(&mut self) -> account::Accounts<'_, 'a> {
        account::Accounts { tx: self }
    }

    /// Groups of a book.
    pub fn groups(&mut self) -> group::Groups<'_, 'a> {
        group::Groups { tx: self }
    }

    /// Transactions of a book.
    pub fn transactions(&mut self) -> transaction::Transactions<'_, 'a> {
        transaction::Transactions { tx: self }
    }

    /// Balance totals of a book.
    pub fn balances(&mut self) -> balance::Balances<'_, 'a> {
        balance::Balances { tx: self }
    }

    /// Saved queries of a book.
    pub fn saved_queries(&mut self) -> saved_query::SavedQueries<'_, 'a> {
        saved_query::SavedQueries { tx: self }
    }

    /// Files of a book.
    pub fn files(&mut self) -> file::Files<'_, 'a> {
        file::Files { tx: self }
    }

    /// Audits.
    pub fn audits(&mut self) -> audit::Audits<'_, 'a> {
        audit::Audits { tx: self }
    }

    /// Collections of users.
    pub fn collections(&mut self) -> collection::Collections<'_, 'a> {
        collection::Collections { tx: self }
    }

    /// The event log of a book.
    pub fn events(&mut self) -> event::Events<'_, 'a> {
        event::Events { tx: self }
    }

    /// Requests that are done once.
    pub fn keys(&mut self) -> idempotency::Keys<'_, 'a> {
        idempotency::Keys { tx: self }
    }

    /// Checks that the database answers.
    ///
    /// # Errors
    /// When it does not.
    pub fn ping(&mut self) -> Result<()> {
        Ok(self.conn.ping()?)
    }

    /// Whether this unit of work may write.
    pub(crate) fn writes(&self) -> bool {
        self.purpose == Use::Write
    }

    /// The connection, for tables whose rows are never buffered: books, users, collaborators,
    /// accounts, groups.
    pub(crate) fn unflushed_conn(&mut self) -> &mut Conn {
        self.conn
    }

    /// The connection, for every other table. It flushes the write buffers first, and opens a
    /// savepoint before this unit of work changes anything in place.
    pub(crate) fn flushed_conn(&mut self) -> Result<&mut Conn> {
        if self.writes() {
            self.flush()?;
        }
        Ok(self.conn)
    }

    /// The write buffer of this unit of work.
    pub(crate) fn pending(&mut self) -> &mut Pending {
        &mut self.own
    }

    /// Whether a transaction in a write buffer of the group carries one of these remote ids.
    pub(crate) fn holds_remote_id(&self, book: BookId, remote_ids: &[&str]) -> bool {
        self.own.holds_remote_id(book, remote_ids) || self.earlier.holds_remote_id(book, remote_ids)
    }

    /// The state of an entered book, with the changes of this group.
    pub(crate) fn book_state(&self, book: BookId) -> Option<&BookStateRow> {
        let held_back =
            self.own.book_states.get(&book).or_else(|| self.earlier.book_states.get(&book));
        held_back.or_else(|| self.known.book_states.get(&book))
    }

    /// Whether the book has to be locked before it is read.
    pub(crate) fn must_lock(&self, public_id: &str) -> bool {
        self.writes() && self.conn.locks_rows() && !self.known.locked.contains(public_id)
    }

    /// The same, to be changed; it is flushed with the write buffer of this unit of work.
    pub(crate) fn book_state_mut(&mut self, book: BookId) -> Result<&mut BookStateRow> {
        let state = self.book_state(book).cloned().ok_or(Error::Broken("book_state"))?;
        Ok(self.own.book_states.entry(book).or_insert(state))
    }

    /// Notes that accounts, groups or memberships of an entered book change, so that no cached
    /// chart of it is used.
    pub(crate) fn invalidate_chart(&mut self, book: BookId) -> Result<()> {
        let state = self.book_state_mut(book)?;
        state.chart_version = state.chart_version.saturating_add(1);
        self.changed_charts.insert(book);
        Ok(())
    }

    /// The cache of charts with the version of the book's chart, unless this group has changed the
    /// chart.
    pub(crate) fn chart(&self, book: BookId) -> Option<(Arc<Charts>, (BookId, i64))> {
        let version =
            self.book_state(book).filter(|_| !self.changed_charts.contains(&book))?.chart_version;
        Some((Arc::clone(&self.charts), (book, version)))
    }

    /// Runs `work` in a savepoint of its own, so that its failure does not fail the group.
    pub(crate) fn shielded<T>(&mut self, work: impl FnOnce(&mut Self) -> Result<T>) -> Result<T> {
        if !self.grouped || self.savepoint {
            return work(self);
        }
        self.conn.savepoint()?;
        let outcome = work(self);
        match outcome {
            Ok(_) => self.conn.release()?,
            Err(_) => self.conn.undo()?,
        }
        outcome
    }

    fn flush(&mut self) -> Result<()> {
        // Units of work before this one must not be undone with it.
        self.write_earlier()?;
        if self.grouped && !self.savepoint {
            self.conn.savepoint()?;
            self.savepoint = true;
        }
        // The next statement may change what was cached.
        self.known.accesses.clear();
        let own = std::mem::take(&mut self.own);
        self.write(own)
    }

    fn write_earlier(&mut self) -> Result<()> {
        let earlier = std::mem::take(&mut self.earlier);
        self.write(earlier)
    }

    /// Flushes a write buffer. Until that has succeeded, the group counts as broken, so that nobody
    /// commits half of it.
    fn write(&mut self, pending: Pending) -> Result<()> {
        self.sound()?;
        if pending.is_empty() {
            return Ok(());
        }
        self.broken = Some("a write was interrupted".to_owned());
        self.broken = pending
            .write(self.conn, &mut self.known.book_states)
            .err()
            .map(|error| error.to_string());
        self.sound()
    }

    /// Begins the database transaction's first unit of work.
    pub(crate) fn begin(&mut self) -> Result<()> {
        Ok(self.conn.guard_open()?)
    }

    /// Begins the next unit of work of the group.
    pub(crate) fn begin_unit(&mut self) -> Result<()> {
        self.sound()?;
        if self.earlier.is_large() { self.write_earlier() } else { Ok(()) }
    }

    /// Ends this unit of work and keeps its changes.
    pub(crate) fn keep_unit(&mut self) -> Result<()> {
        self.sound()?;
        if self.savepoint {
            self.conn.release()?;
            self.savepoint = false;
        }
        let own = std::mem::take(&mut self.own);
        self.earlier.absorb(own);
        Ok(())
    }

    /// Undoes this unit of work; one that is alone in its group is over then.
    pub(crate) fn undo_unit(&mut self) -> Result<()> {
        self.own = Pending::default();
        if !self.grouped {
            self.open = false;
            self.broken = None;
            return Ok(self.conn.rollback()?);
        }
        self.sound()?;
        if self.savepoint {
            // The rollback releases locks, so what was read under them may change.
            self.known = GroupCache::default();
            self.savepoint = false;
            return Ok(self.conn.undo()?);
        }
        // Without a savepoint, a statement that failed may have taken the whole transaction along.
        Ok(self.conn.check_open()?)
    }

    /// Flushes and commits, unless the only unit of work was undone already.
    pub(crate) fn finish(&mut self) -> Result<()> {
        if self.open {
            self.sound()?;
            // Where the engine has rolled back by itself, the last flush fails on PostgreSQL but
            // not on SQLite, and the commit fails on SQLite but not on PostgreSQL.
            if self.earlier.is_empty() || !self.conn.locks_rows() {
                self.conn.check_open()?;
            }
            self.write_earlier()?;
            self.open = false;
            self.conn.commit()?;
        }
        Ok(())
    }

    pub(crate) fn abandon(&mut self) -> Result<()> {
        self.open = false;
        Ok(self.conn.rollback()?)
    }

    fn sound(&self) -> Result<()> {
        self.broken.as_ref().map_or(Ok(()), |why| Err(Error::Unavailable(why.clone())))
    }
}
