//! The unit of work: what becomes durable together, with an accessor for each noun.
//!
//! On a read it is one snapshot. On a write it is one of a group that shares a database transaction
//! ([`crate::writer`]), and it can be undone alone:
//!
//! - What it *adds* (transactions, totals, events, book states) waits in memory, in a write buffer
//!   ([`crate::write_buffer`]), and costs no statement. The buffers of a group are flushed together
//!   before the commit, with one bulk statement for each table; long ones before that, in the
//!   background ([`background`]). To undo it, its buffer is dropped.
//! - What it *changes in place* stands behind a savepoint, which is opened only then. To undo it,
//!   the savepoint is rolled back. One that is alone in its group needs none, because the database
//!   transaction is undone with it.
//!
//! Which statements flush, and what a flush does, is in `flush.rs`; how the group is committed in
//! `finish.rs`; the accessors are in `nouns.rs`.

pub(crate) mod background;
mod caches;
mod finish;
mod flush;
mod nouns;

use std::borrow::Cow;
use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::Arc;
use std::time::Duration;

use daybook_domain::id::BookId;
use daybook_domain::storage_quota::StorageUsage;

use crate::app_face::AppFaceCache;
use crate::book::BookNumberCache;
use crate::book_state::BookStateRow;
use crate::chart::ChartCache;
use crate::commit_mark::CommitMark;
use crate::conn::{AnyRow, Conn};
use crate::dialect::Mode;
use crate::engine::Contains;
use crate::error::{Error, Result};
use crate::interrupt::ReadStop;
use crate::planner::Lookup;
use crate::replica::PrimaryCheck;
use crate::sql::Sql;
use crate::write_buffer::WriteBuffer;
use background::{Flusher, SharedConn};
pub(crate) use caches::{Caches, GroupCache};
pub(crate) use flush::Flushed;

/// A unit of work. On a read it is one snapshot; on a write everything in it becomes durable
/// together.
///
/// In a group the units of work share one database transaction, and each can be undone alone: the
/// rows it queues stay in its [`WriteBuffer`] until a statement has to see them or the next one
/// begins, and a savepoint precedes what it changes in place.
pub struct Tx<'a> {
    conn: SharedConn<'a>,
    mode: Mode,
    /// What stops it, if it reads.
    stop: Option<ReadStop>,
    /// Who confirms what somebody may do in a book, if it reads from a replica.
    pub(crate) primary: Option<PrimaryCheck>,
    /// Whether other units of work share the database transaction.
    grouped: bool,
    /// The mark of the group's commit.
    mark: Option<CommitMark>,
    /// Whether it is written, because the group has written something.
    is_marked: bool,
    open: bool,
    /// Whether no unit of work has sent a statement in this database transaction yet.
    untouched: bool,
    /// Whether this unit of work has a savepoint.
    savepoint: bool,
    /// Whether this unit of work, and one before it, has changed who is let in.
    identity_changed: (bool, bool),
    /// The failure after which nothing of the group may be committed.
    failure: Option<Error>,
    /// The write buffer of the units of work before this one.
    earlier: WriteBuffer,
    /// The write buffer of this one.
    own: WriteBuffer,
    /// Whether queues of deliveries have become due.
    delivers: bool,
    /// What this unit of work adds to what is stored of books.
    pub(crate) added: HashMap<BookId, StorageUsage>,
    /// Books, by public id, of which this unit of work has completed a chunk of the trigram index.
    pub(crate) unindexed: BTreeSet<String>,
    /// What the group has read under the books' locks.
    pub(crate) group_cache: GroupCache,
    caches: Caches,
    /// Books whose accounts or groups this group has changed, committed or not.
    changed_charts: HashSet<BookId>,
}

impl<'a> Tx<'a> {
    /// A unit of work that reads, perhaps until it is stopped.
    pub(crate) fn reading(conn: &'a mut Conn, caches: Caches, stop: Option<ReadStop>) -> Self {
        Self { stop, ..Self::new(SharedConn::borrowed(conn), caches, Mode::Read, false) }
    }

    /// A unit of work that writes, and is alone.
    pub(crate) fn writing(conn: &'a mut Conn, caches: Caches) -> Self {
        Self::new(SharedConn::borrowed(conn), caches, Mode::Write, false)
    }

    /// The units of work of a group, with a connection that may be lent to this flusher. One that
    /// is alone is undone with the whole database transaction. They are committed with this mark.
    pub(crate) fn of_group(
        (conn, flusher): (Box<Conn>, &'a Flusher),
        caches: Caches,
        grouped: bool,
        mark: Option<CommitMark>,
    ) -> Self {
        Self { mark, ..Self::new(SharedConn::new(conn, flusher), caches, Mode::Write, grouped) }
    }

    fn new(conn: SharedConn<'a>, caches: Caches, mode: Mode, grouped: bool) -> Self {
        let (earlier, own) = (WriteBuffer::default(), WriteBuffer::default());
        let (group_cache, changed_charts) = (GroupCache::default(), HashSet::new());
        Self {
            conn,
            mode,
            stop: None,
            primary: None,
            grouped,
            mark: None,
            is_marked: false,
            open: true,
            untouched: true,
            savepoint: false,
            identity_changed: (false, false),
            failure: None,
            earlier,
            own,
            delivers: false,
            added: HashMap::new(),
            unindexed: BTreeSet::new(),
            group_cache,
            caches,
            changed_charts,
        }
    }

    /// Checks that the database answers.
    ///
    /// # Errors
    /// When it does not.
    pub fn ping(&mut self) -> Result<()> {
        Ok(self.conn()?.ping()?)
    }

    /// Notes that this unit of work changes who is let in.
    pub(crate) const fn note_identity_change(&mut self) {
        self.identity_changed.0 = true;
    }

    /// Whether queues of deliveries have become due.
    pub(crate) const fn delivers(&self) -> bool {
        self.delivers
    }

    /// Whether other units of work share the database transaction.
    pub(crate) const fn is_grouped(&self) -> bool {
        self.grouped
    }

    /// Whether this unit of work may write.
    pub(crate) fn writes(&self) -> bool {
        self.mode == Mode::Write
    }

    /// Refuses to go on with a read that was stopped. What may take long asks it now and then, also
    /// between its statements ([`Tx::flushed`]).
    ///
    /// # Errors
    /// [`Error::Stopped`].
    pub fn check_goes_on(&self) -> Result<()> {
        self.stop.as_ref().map_or(Ok(()), ReadStop::check)
    }

    /// Hands out the rows of a statement one after another, without keeping them, for as long as
    /// the read goes on.
    pub(crate) fn each_row<R: AnyRow>(
        &mut self,
        sql: &Sql<'_>,
        mut take: impl FnMut(R) -> Result<()>,
    ) -> Result<()> {
        let stop = self.stop.clone();
        self.flushed()?.each_row(sql, |row| {
            stop.as_ref().map_or(Ok(()), ReadStop::check)?;
            take(row)
        })
    }

    /// What a statement that may pass many rows, each with a number `row`, begins its condition
    /// with.
    pub(crate) fn stoppable(&self, row: &'static str) -> Cow<'static, str> {
        self.conn.engine.stoppable(row)
    }

    /// How a statement asks whether a column holds a text.
    pub(crate) const fn contains(&self) -> Contains {
        self.conn.engine.contains()
    }

    /// The folded description of a transaction `t`.
    pub(crate) const fn folded_description(&self) -> &'static str {
        self.conn.engine.folded_description()
    }

    /// How a join is kept to its order.
    pub(crate) const fn lookup(&self) -> Lookup {
        self.conn.engine.lookup()
    }

    /// The state of an entered book, with the changes of this group.
    pub(crate) fn book_state(&self, book: BookId) -> Option<&BookStateRow> {
        let queued = self.own.book_state(book).or_else(|| self.earlier.book_state(book));
        queued.or_else(|| self.group_cache.book_states.get(&book))
    }

    /// The books whose states are queued.
    pub(crate) fn queued_books(&self) -> BTreeSet<BookId> {
        self.own.books().chain(self.earlier.books()).collect()
    }

    /// Whether the book has to be locked before it is read.
    pub(crate) fn must_lock(&self, public_id: &str) -> bool {
        self.writes()
            && self.conn.engine.locks_rows()
            && !self.group_cache.locked.contains(public_id)
    }

    /// The same, to be changed; the change is queued in the write buffer of this unit of work.
    pub(crate) fn queued_book_state(&mut self, book: BookId) -> Result<&mut BookStateRow> {
        let state = self.book_state(book).cloned().ok_or(Error::Corrupt("book_state"))?;
        Ok(self.own.queued_book_state(book, state))
    }

    /// Notes that accounts, groups or memberships of an entered book change, so that no cached
    /// chart of it is used.
    pub(crate) fn invalidate_chart(&mut self, book: BookId) -> Result<()> {
        let state = self.queued_book_state(book)?;
        state.chart_version = state.chart_version.saturating_add(1);
        self.changed_charts.insert(book);
        Ok(())
    }

    /// The cache of charts with the version of the book's chart, unless this group has changed the
    /// chart.
    pub(crate) fn chart(&self, book: BookId) -> Option<(Arc<ChartCache>, (BookId, i64))> {
        let version =
            self.book_state(book).filter(|_| !self.changed_charts.contains(&book))?.chart_version;
        Some((Arc::clone(&self.caches.charts), (book, version)))
    }

    /// The cache of how apps look.
    pub(crate) fn faces(&self) -> Arc<AppFaceCache> {
        Arc::clone(&self.caches.faces)
    }

    /// The numbers of books.
    pub(crate) fn book_numbers(&self) -> Arc<BookNumberCache> {
        Arc::clone(&self.caches.numbers)
    }

    /// Runs `work` in a savepoint of its own, so that its failure does not fail the group. A unit
    /// of work that is alone, or has its savepoint already, needs no other; the first statement of
    /// a database transaction needs none either, which spares two ways to the server and back. It
    /// may not flush.
    pub(crate) fn in_own_savepoint<T>(
        &mut self,
        work: impl FnOnce(&mut Self) -> Result<T>,
    ) -> Result<T> {
        if !self.grouped || self.savepoint {
            return work(self);
        }
        if self.untouched {
            let outcome = work(self);
            if outcome.is_err() {
                self.begin_anew()?;
            }
            return outcome;
        }
        self.conn()?.savepoint()?;
        let outcome = work(self);
        match outcome {
            Ok(_) => self.conn()?.release()?,
            Err(_) => self.conn()?.undo()?,
        }
        outcome
    }

    /// Undoes the database transaction and begins another. Until that has succeeded, the group
    /// counts as failed.
    fn begin_anew(&mut self) -> Result<()> {
        self.failure = Some(Error::Unavailable("a database transaction was not begun".to_owned()));
        self.conn()?.rollback()?;
        let mode = self.mode;
        self.conn()?.begin(mode)?;
        self.conn()?.guard_open()?;
        (self.failure, self.untouched) = (None, true);
        Ok(())
    }

    /// Begins the database transaction's first unit of work.
    pub(crate) fn begin(&mut self) -> Result<()> {
        Ok(self.conn()?.guard_open()?)
    }

    /// Begins the next unit of work of the group.
    pub(crate) fn begin_unit(&mut self) -> Result<()> {
        self.check_intact()?;
        self.flush_earlier_ahead()
    }

    /// Ends this unit of work and keeps its changes.
    pub(crate) fn keep_unit(&mut self) -> Result<()> {
        self.check_intact()?;
        if self.savepoint {
            self.conn()?.release()?;
            self.savepoint = false;
        }
        let own = std::mem::take(&mut self.own);
        self.earlier.absorb(own);
        self.keep_added();
        self.identity_changed = (false, self.identity_changed.0 || self.identity_changed.1);
        Ok(())
    }

    /// Undoes this unit of work; one that is alone in its group is over then.
    pub(crate) fn undo_unit(&mut self) -> Result<()> {
        self.own = WriteBuffer::default();
        self.added.clear();
        self.group_cache.owners.kept.clear();
        self.identity_changed.0 = false;
        if !self.grouped {
            if self.has_permanent_failure() {
                return self.check_intact();
            }
            self.open = false;
            self.failure = None;
            // What a flush in the background has written is undone, too, or has failed anyway.
            self.conn.take_back();
            return Ok(self.conn.here()?.rollback()?);
        }
        self.check_intact()?;
        if self.savepoint {
            // The rollback releases locks, so what was read under them may change.
            self.group_cache = GroupCache::default();
            self.savepoint = false;
            return Ok(self.conn()?.undo()?);
        }
        // Without a savepoint, a statement that failed may have taken the whole transaction along.
        self.check_open()
    }

    /// For how long this unit of work has waited for rows of others to be flushed, or for its own.
    pub(crate) fn take_waited(&mut self) -> Duration {
        self.conn.take_waited()
    }

    /// The connection, for the next group.
    pub(crate) fn into_conn(self) -> Option<Box<Conn>> {
        self.conn.into_conn()
    }
}
