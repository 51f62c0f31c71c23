//! Units of work, with an accessor for each repository.
//!
//! A unit of work that reads is one snapshot. One that writes belongs to a group that shares a
//! database transaction ([`crate::commit::writer`]), and can be rolled back alone:
//!
//! - Rows that it *adds* (transactions, totals, events, book states) wait in memory, in a write
//!   buffer ([`crate::commit::write_buffer`]), and cost no statement. The buffers of a group are
//!   flushed together before the commit, with one bulk statement per table; long ones earlier, in
//!   the background ([`background`]). A rollback drops the buffer.
//! - Before it *changes rows in place*, it opens a savepoint. A unit of work that is alone in its
//!   group needs none, because the database transaction is rolled back with it.
//!
//! `single.rs` has reads of one statement. `flush.rs` defines which statements flush, `finish.rs`
//! how a group ends, and `nouns.rs` has the accessors.

pub(crate) mod background;
mod caches;
mod finish;
mod flush;
mod nouns;
mod single;
mod single_state;

use std::borrow::Cow;
use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::Arc;
use std::time::Duration;

use daybook_domain::id::{BookId, UserId};
use daybook_domain::storage_quota::StorageUsage;

use crate::access::BookAccess;
use crate::app_summary_cache::AppSummaryCache;
use crate::book::access_cache::AccessKey;
use crate::book::number_cache::BookNumberCache;
use crate::chart::cache::{ChartCache, ChartVersion};
use crate::commit::mark::CommitMark;
use crate::commit::write_buffer::WriteBuffer;
use crate::conn::engine::Contains;
use crate::conn::interrupt::ReadStop;
use crate::conn::mode::Mode;
use crate::conn::planner::Lookup;
use crate::conn::{AnyQuery, AnyRows, Conn};
use crate::error::{Error, Result};
use crate::replica::primary::PrimaryCheck;
use crate::rows::book_state::BookStateRow;
use background::{Flusher, SharedConn};
pub(crate) use caches::{Caches, GroupCache};
pub(crate) use flush::Flushed;
pub(crate) use single::try_one_statement;
use single_state::SingleRead;

/// A unit of work: one snapshot to read, or writes that are committed together.
///
/// A book is *entered* when the unit of work loads the access to it
/// ([`crate::book::Books::load_for_user`]). Its state is known from then on, and in a write its
/// lock is held.
///
/// Units of work of a group share one database transaction, and each can be rolled back alone. Its
/// new rows stay in its [`WriteBuffer`] until a statement must see them or the next one begins, and
/// a savepoint precedes its changes in place.
pub struct Tx<'a> {
    conn: SharedConn<'a>,
    mode: Mode,
    /// Stops a read.
    stop: Option<ReadStop>,
    /// The state of a read of a single statement.
    pub(crate) single: Option<SingleRead>,
    /// Confirms the access to a book with the primary, for a read on a replica.
    pub(crate) primary: Option<PrimaryCheck>,
    /// Whether other units of work share the database transaction.
    grouped: bool,
    /// The commit mark of the group.
    mark: Option<CommitMark>,
    /// Whether the mark is written, because the group has written something.
    is_marked: bool,
    /// Whether the database transaction is open.
    open: bool,
    /// Whether no statement was sent in this database transaction yet.
    untouched: bool,
    /// Whether this unit of work has a savepoint.
    savepoint: bool,
    identity_changes: IdentityChanges,
    events: EventCounts,
    /// A failure after which the group must not be committed.
    failure: Option<Error>,
    /// The write buffer of earlier units of work.
    earlier: WriteBuffer,
    /// The write buffer of this unit of work.
    own: WriteBuffer,
    /// Whether delivery queues have become due.
    has_due_deliveries: bool,
    /// The storage usage that this unit of work adds to books.
    pub(crate) added_usage: HashMap<BookId, StorageUsage>,
    /// The books, by public id, for which this unit of work has completed a chunk of the trigram
    /// index.
    pub(crate) unindexed: BTreeSet<String>,
    /// Data that the group has read under the books' locks.
    pub(crate) group_cache: GroupCache,
    caches: Caches,
    /// The books whose accounts or groups this group has changed, also in units rolled back since.
    changed_charts: HashSet<BookId>,
}

/// Whether units of work have changed users, tokens or API keys.
#[derive(Debug, Clone, Copy, Default)]
struct IdentityChanges {
    /// In this unit of work.
    own: bool,
    /// In an earlier one of the group.
    earlier: bool,
}

/// The numbers of events that units of work have recorded.
#[derive(Debug, Clone, Copy, Default)]
struct EventCounts {
    /// In this unit of work.
    own: u64,
    /// In earlier ones of the group.
    earlier: u64,
}

impl<'a> Tx<'a> {
    /// Creates a unit of work that reads, until it is stopped.
    pub(crate) fn reading(conn: &'a mut Conn, caches: Caches, stop: Option<ReadStop>) -> Self {
        Self { stop, ..Self::new(SharedConn::borrowed(conn), caches, Mode::Read, false) }
    }

    /// Creates a single unit of work that writes.
    pub(crate) fn writing(conn: &'a mut Conn, caches: Caches) -> Self {
        Self::new(SharedConn::borrowed(conn), caches, Mode::Write, false)
    }

    /// Creates the units of work of a group.
    ///
    /// `flusher` runs background flushes on the connection. `grouped` is false for a group of one,
    /// which is rolled back with the database transaction.
    pub(crate) fn of_group(
        conn: Box<Conn>,
        flusher: &'a Flusher,
        caches: Caches,
        grouped: bool,
        mark: Option<CommitMark>,
    ) -> Self {
        Self { mark, ..Self::new(SharedConn::new(conn, flusher), caches, Mode::Write, grouped) }
    }

    fn new(conn: SharedConn<'a>, caches: Caches, mode: Mode, grouped: bool) -> Self {
        Self {
            conn,
            mode,
            stop: None,
            single: None,
            primary: None,
            grouped,
            mark: None,
            is_marked: false,
            open: true,
            untouched: true,
            savepoint: false,
            identity_changes: IdentityChanges::default(),
            events: EventCounts::default(),
            failure: None,
            earlier: WriteBuffer::default(),
            own: WriteBuffer::default(),
            has_due_deliveries: false,
            added_usage: HashMap::new(),
            unindexed: BTreeSet::new(),
            group_cache: GroupCache::default(),
            caches,
            changed_charts: HashSet::new(),
        }
    }

    /// Checks that the database responds.
    ///
    /// # Errors
    /// If it does not.
    pub fn ping(&mut self) -> Result<()> {
        Ok(self.conn()?.ping()?)
    }

    /// Records that this unit of work changes users, tokens or API keys.
    pub(crate) const fn note_identity_change(&mut self) {
        self.identity_changes.own = true;
    }

    /// Counts events that this unit of work records.
    pub(crate) fn count_events(&mut self, events: usize) {
        let events = u64::try_from(events).unwrap_or(u64::MAX);
        self.events.own = self.events.own.saturating_add(events);
    }

    /// Returns the number of events of the units of work that the group keeps.
    pub(crate) const fn event_count(&self) -> u64 {
        self.events.earlier
    }

    /// Returns whether delivery queues have become due.
    pub(crate) const fn has_due_deliveries(&self) -> bool {
        self.has_due_deliveries
    }

    /// Returns whether other units of work share the database transaction.
    pub(crate) const fn is_grouped(&self) -> bool {
        self.grouped
    }

    /// Returns whether this unit of work may write.
    pub(crate) fn writes(&self) -> bool {
        self.mode == Mode::Write
    }

    /// Fails if the read was stopped. Long computations should call it now and then;
    /// [`Tx::flushed`] calls it before each statement.
    ///
    /// # Errors
    /// [`Error::Stopped`].
    pub fn check_stopped(&self) -> Result<()> {
        self.stop.as_ref().map_or(Ok(()), ReadStop::check)
    }

    /// Calls `visit` for each row of a statement, until the read is stopped.
    pub(crate) fn each_row<'q, R: 'static>(
        &mut self,
        query: impl AnyRows<'q, R>,
        mut visit: impl FnMut(R) -> Result<()>,
    ) -> Result<()> {
        let stop = self.stop.clone();
        self.flushed()?.each_row(query, |row| {
            stop.as_ref().map_or(Ok(()), ReadStop::check)?;
            visit(row)
        })
    }

    /// Does the same as [`Self::each_row`] with [`Conn::each_of_short_rows`].
    pub(crate) fn each_of_short_rows<'q, R: 'static>(
        &mut self,
        query: impl AnyQuery<'q, R>,
        mut visit: impl FnMut(R) -> Result<()>,
    ) -> Result<()> {
        let stop = self.stop.clone();
        self.flushed()?.each_of_short_rows(query, |row| {
            stop.as_ref().map_or(Ok(()), ReadStop::check)?;
            visit(row)
        })
    }

    /// Calls [`Engine::stop_check`](crate::conn::engine::Engine::stop_check).
    pub(crate) fn stop_check(&self, row: &'static str) -> Cow<'static, str> {
        self.conn.engine.stop_check(row)
    }

    /// Calls [`Engine::days_of_one_row`](crate::conn::engine::Engine::days_of_one_row).
    pub(crate) const fn days_of_one_row(&self) -> &'static str {
        self.conn.engine.days_of_one_row()
    }

    /// Calls [`Engine::contains`](crate::conn::engine::Engine::contains).
    pub(crate) const fn contains(&self) -> Contains {
        self.conn.engine.contains()
    }

    /// Calls [`Engine::folded_description`](crate::conn::engine::Engine::folded_description).
    pub(crate) const fn folded_description(&self) -> &'static str {
        self.conn.engine.folded_description()
    }

    /// Calls [`Engine::lookup`](crate::conn::engine::Engine::lookup).
    pub(crate) const fn lookup(&self) -> Lookup {
        self.conn.engine.lookup()
    }

    /// Returns the state of an entered book, including changes of this group.
    pub(crate) fn book_state(&self, book: BookId) -> Option<&BookStateRow> {
        let queued = self.own.book_state(book).or_else(|| self.earlier.book_state(book));
        queued.or_else(|| self.group_cache.book_states.get(&book))
    }

    /// Returns the books whose states are queued.
    pub(crate) fn queued_books(&self) -> BTreeSet<BookId> {
        self.own.books().chain(self.earlier.books()).collect()
    }

    /// Returns whether the book must be locked before it is read.
    pub(crate) fn must_lock(&self, public_id: &str) -> bool {
        self.writes()
            && self.conn.engine.locks_rows()
            && !self.group_cache.locked.contains(public_id)
    }

    /// Returns the state of an entered book for changes, which are queued in the write buffer.
    pub(crate) fn book_state_mut(&mut self, book: BookId) -> Result<&mut BookStateRow> {
        let state = self.book_state(book).cloned().ok_or(Error::Corrupt("book_state"))?;
        Ok(self.own.book_state_mut(book, state))
    }

    /// Records a change of accounts, groups or memberships of an entered book, after which its
    /// cached chart is not used.
    pub(crate) fn invalidate_chart(&mut self, book: BookId) -> Result<()> {
        let state = self.book_state_mut(book)?;
        state.chart_version = state.chart_version.saturating_add(1);
        self.changed_charts.insert(book);
        Ok(())
    }

    /// Returns the cache of charts and the version of the book's chart, unless this group has
    /// changed the chart.
    pub(crate) fn chart(&self, book: BookId) -> Option<(Arc<ChartCache>, ChartVersion)> {
        if self.changed_charts.contains(&book) {
            return None;
        }
        let version = self.book_state(book)?.chart_version;
        Some((Arc::clone(&self.caches.charts), ChartVersion { book, version }))
    }

    pub(crate) fn app_summaries(&self) -> Arc<AppSummaryCache> {
        Arc::clone(&self.caches.app_summaries)
    }

    /// Caches the access of a user to a book, unless the caches are those of a replica.
    pub(crate) fn remember_access(&self, key: &AccessKey, owner: UserId, access: &BookAccess) {
        if let Some(accesses) = &self.caches.accesses
            && self.mode == Mode::Read
            && let Some(state) = self.book_state(access.book.id)
        {
            accesses.remember(key, owner, access, state);
        }
    }

    pub(crate) fn book_numbers(&self) -> Arc<BookNumberCache> {
        Arc::clone(&self.caches.numbers)
    }

    /// Runs `work` in a separate savepoint, so its failure does not fail the group.
    ///
    /// A unit of work that is alone, or has its savepoint, needs no other. Neither does the first
    /// statement of a database transaction, which saves two round trips. `work` must not flush.
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
                self.restart()?;
            }
            return outcome;
        }
        self.conn()?.open_savepoint()?;
        let outcome = work(self);
        match outcome {
            Ok(_) => self.conn()?.release_savepoint()?,
            Err(_) => self.conn()?.undo_savepoint()?,
        }
        outcome
    }

    /// Rolls the database transaction back and begins another one. Until it has succeeded, the
    /// group counts as failed.
    fn restart(&mut self) -> Result<()> {
        self.failure = Some(Error::Unavailable("a database transaction was not begun".to_owned()));
        self.conn()?.rollback()?;
        let mode = self.mode;
        self.conn()?.begin(mode)?;
        self.conn()?.guard_open()?;
        self.failure = None;
        self.untouched = true;
        Ok(())
    }

    /// Prepares the database transaction for its first unit of work.
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
            self.conn()?.release_savepoint()?;
            self.savepoint = false;
        }
        let own = std::mem::take(&mut self.own);
        self.earlier.absorb(own);
        self.keep_added_usage();
        let IdentityChanges { own, earlier } = self.identity_changes;
        self.identity_changes = IdentityChanges { own: false, earlier: own || earlier };
        let EventCounts { own, earlier } = self.events;
        self.events = EventCounts { own: 0, earlier: earlier.saturating_add(own) };
        Ok(())
    }

    /// Rolls this unit of work back. If it is alone, the database transaction ends.
    pub(crate) fn undo_unit(&mut self) -> Result<()> {
        self.own = WriteBuffer::default();
        self.added_usage.clear();
        self.group_cache.owners.stored_responses.clear();
        self.identity_changes.own = false;
        self.events.own = 0;
        if !self.grouped {
            if self.has_permanent_failure() {
                return self.check_intact();
            }
            self.open = false;
            self.failure = None;
            // The rows of a background flush are rolled back, too, even if it has failed.
            self.conn.reclaim();
            return Ok(self.conn.conn()?.rollback()?);
        }
        self.check_intact()?;
        if self.savepoint {
            // The rollback releases locks, so data read under them may change.
            self.group_cache = GroupCache::default();
            self.savepoint = false;
            return Ok(self.conn()?.undo_savepoint()?);
        }
        // Without a savepoint, a failed statement may have aborted the whole transaction.
        self.check_open()
    }

    /// Returns how long this unit of work has waited for background flushes, and resets it.
    pub(crate) fn take_flush_wait(&mut self) -> Duration {
        self.conn.take_waited()
    }

    /// Returns the connection for the next group, unless it is lost.
    pub(crate) fn into_conn(self) -> Option<Box<Conn>> {
        self.conn.into_conn()
    }
}
