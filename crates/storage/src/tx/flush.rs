//! Which statements flush the write buffers, what a flush does, and which rows are flushed in the
//! background ([`super::background`]).
//!
//! A unit of work hands out its connection by two names, so that each statement says whether it has
//! to see what is queued: [`Tx::flushed`] and [`Tx::unflushed`].

use std::ops::{Deref, DerefMut};

use daybook_domain::id::BookId;

use super::Tx;
use crate::conn::Conn;
use crate::error::{Error, Result};
use crate::write_buffer::{WriteBuffer, flush};

/// Why a group fails of which a flush was begun and not ended.
fn interrupted() -> Error {
    Error::Unavailable("a write was interrupted".to_owned())
}

/// The connection after a flush: its statements see every row that this unit of work and those
/// before it have queued, and what they change is undone with this unit of work. Only
/// [`Tx::flushed`] makes one.
pub(crate) struct Flushed<'c>(&'c mut Conn);

/// The connection without a flush: its statements do not see what is queued.
pub(crate) struct Unflushed<'c>(&'c mut Conn);

impl Tx<'_> {
    /// The connection for statements that cannot touch what is queued: those that read tables whose
    /// rows are never queued, such as books, users, collaborators, accounts and groups.
    ///
    /// # Errors
    /// When the flush in the background fails, which it waits for.
    pub(crate) fn unflushed(&mut self) -> Result<Unflushed<'_>> {
        self.untouched = false;
        Ok(Unflushed(self.conn()?))
    }

    /// The connection, as soon as no flush has it.
    ///
    /// # Errors
    /// When that flush has failed.
    pub(super) fn conn(&mut self) -> Result<&mut Conn> {
        if let Some(flushed) = self.conn.take_back() {
            self.note_flushed(flushed)?;
        }
        self.conn.here()
    }

    /// Flushes the write buffers, opens the savepoint of this unit of work, and gives the
    /// connection: for every statement that changes a row or must see what is queued.
    ///
    /// The savepoint stands behind the rows of the units of work before this one, which must not be
    /// undone with it, and before its own.
    pub(crate) fn flushed(&mut self) -> Result<Flushed<'_>> {
        self.check_goes_on()?;
        self.untouched = false;
        if self.writes() {
            self.flush_earlier()?;
            self.open_savepoint()?;
            // The next statement may change what was cached.
            self.group_cache.accesses.clear();
            self.group_cache.receivers.clear();
            self.flush_own()?;
        }
        Ok(Flushed(self.conn()?))
    }

    /// The connection for statements that look for these remote ids and see nothing else of what is
    /// queued. It is flushed first if a queued transaction carries one of them.
    pub(crate) fn flushed_for_remote_ids(
        &mut self,
        book: BookId,
        remote_ids: &[&str],
    ) -> Result<Unflushed<'_>> {
        let buffers = [&self.own, &self.earlier];
        if buffers.iter().any(|buffer| buffer.has_remote_id(book, remote_ids)) {
            self.flushed()?;
        }
        self.unflushed()
    }

    /// The write buffer of this unit of work. What is queued in it is written by the next flush, or
    /// before the commit.
    pub(crate) const fn buffer(&mut self) -> &mut WriteBuffer {
        &mut self.own
    }

    /// Flushes the write buffer of the units of work before this one.
    pub(super) fn flush_earlier(&mut self) -> Result<()> {
        let earlier = std::mem::take(&mut self.earlier);
        self.flush(&earlier)
    }

    fn flush_own(&mut self) -> Result<()> {
        let own = std::mem::take(&mut self.own);
        self.flush(&own)
    }

    /// Opens the savepoint that this unit of work is undone to, unless it has it already or is
    /// alone in its group.
    fn open_savepoint(&mut self) -> Result<()> {
        if self.grouped && !self.savepoint {
            self.conn()?.savepoint()?;
            self.savepoint = true;
        }
        Ok(())
    }

    /// Flushes a write buffer. Until that has succeeded, the group counts as failed, so that nobody
    /// commits half of it.
    fn flush(&mut self, buffer: &WriteBuffer) -> Result<()> {
        self.check_intact()?;
        if buffer.is_empty() {
            return Ok(());
        }
        self.failure = Some(interrupted());
        self.note_states(buffer);
        // A flush before this one may still have the connection while the rows are made. Its
        // failure stays the reason why the group fails.
        let tables = buffer.tables();
        let conn = self.conn()?;
        let flushed = tables.and_then(|tables| flush(conn, buffer, tables));
        self.note_flushed(flushed)?;
        self.failure = None;
        Ok(())
    }

    /// Notes the states of the books in a buffer as those in the database.
    fn note_states(&mut self, buffer: &WriteBuffer) {
        let states = buffer.book_states().map(|(book, state)| (book, state.clone()));
        self.group_cache.book_states.extend(states);
    }

    /// Begins to flush the rows of the units of work before this one, if they are many, while it
    /// runs.
    pub(super) fn flush_earlier_ahead(&mut self) -> Result<()> {
        if !self.earlier.is_large() {
            return Ok(());
        }
        let earlier = std::mem::take(&mut self.earlier);
        self.flush_ahead(earlier)
    }

    /// Begins to flush the rows of this unit of work, if they are many, while it goes on. One that
    /// shares its group may be undone without the others, and keeps them.
    pub(crate) fn flush_own_ahead(&mut self) -> Result<()> {
        if self.grouped || !self.own.is_worth_a_thread() {
            return Ok(());
        }
        let own = std::mem::take(&mut self.own);
        self.flush_ahead(own)
    }

    /// Begins to flush a write buffer in the background. No statement and no commit gets the
    /// connection before the outcome is noted, so the group does not count as failed meanwhile.
    fn flush_ahead(&mut self, buffer: WriteBuffer) -> Result<()> {
        self.check_intact()?;
        self.failure = Some(interrupted());
        self.conn()?;
        self.note_states(&buffer);
        self.untouched = false;
        self.conn.lend(Box::new(move |conn| flush(conn, &buffer, buffer.tables()?)))?;
        self.failure = None;
        Ok(())
    }

    /// Notes the outcome of a flush.
    fn note_flushed(&mut self, flushed: Result<bool>) -> Result<()> {
        match flushed {
            Ok(delivers) => {
                self.delivers |= delivers;
                Ok(())
            }
            Err(error) => {
                self.failure = Some(error);
                self.check_intact()
            }
        }
    }

    /// Whether a flush has failed that would fail again.
    pub(crate) fn has_permanent_failure(&self) -> bool {
        self.failure.as_ref().is_some_and(Error::is_permanent)
    }

    /// Refuses to go on after a flush that failed. Units of work may answer some errors of their
    /// own statements, but never that of a flush, so it has another type here.
    pub(super) fn check_intact(&self) -> Result<()> {
        self.failure.as_ref().map_or(Ok(()), |why| Err(Error::Unavailable(why.to_string())))
    }
}

impl Deref for Flushed<'_> {
    type Target = Conn;

    fn deref(&self) -> &Conn {
        self.0
    }
}

impl DerefMut for Flushed<'_> {
    fn deref_mut(&mut self) -> &mut Conn {
        self.0
    }
}

impl Deref for Unflushed<'_> {
    type Target = Conn;

    fn deref(&self) -> &Conn {
        self.0
    }
}

impl DerefMut for Unflushed<'_> {
    fn deref_mut(&mut self) -> &mut Conn {
        self.0
    }
}
