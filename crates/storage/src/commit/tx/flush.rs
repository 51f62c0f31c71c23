//! Flushing: which statements flush the write buffers, how, and what is flushed in the background.
//!
//! A unit of work gives out its connection in two ways, so each statement declares whether it must
//! see queued rows: [`Tx::flushed`] and [`Tx::unflushed`]. [`super::background`] has the thread for
//! background flushes.

use std::ops::{Deref, DerefMut};

use daybook_domain::id::BookId;

use super::Tx;
use crate::commit::write_buffer::{WriteBuffer, flush};
use crate::conn::Conn;
use crate::error::{Error, Result};

/// The failure of a group while a flush has started and not ended.
fn interrupted() -> Error {
    Error::Unavailable("a write was interrupted".to_owned())
}

/// The connection after a flush. Only [`Tx::flushed`] returns it.
///
/// Its statements see all rows that this unit of work and earlier ones have queued. Their changes
/// are rolled back with this unit of work.
pub(crate) struct Flushed<'c>(&'c mut Conn);

/// The connection without a flush. Its statements do not see queued rows.
pub(crate) struct Unflushed<'c>(&'c mut Conn);

impl Tx<'_> {
    /// Returns the connection for statements that read only tables whose rows are never queued,
    /// such as books, users, collaborators, accounts and groups.
    ///
    /// # Errors
    /// If a background flush, for which it waits, has failed.
    pub(crate) fn unflushed(&mut self) -> Result<Unflushed<'_>> {
        self.untouched = false;
        Ok(Unflushed(self.conn()?))
    }

    /// Returns the connection, after a running background flush.
    ///
    /// # Errors
    /// If that flush has failed, and in a single read.
    pub(super) fn conn(&mut self) -> Result<&mut Conn> {
        if self.single.is_some() {
            return Err(Error::Behind);
        }
        if let Some(flushed) = self.conn.reclaim() {
            self.note_flushed(flushed)?;
        }
        self.conn.conn()
    }

    /// Flushes the write buffers, opens the savepoint of this unit of work, and returns the
    /// connection. For every statement that changes a row or must see queued rows.
    ///
    /// The savepoint is opened after the rows of earlier units of work, which must not be rolled
    /// back with this one, and before its own.
    pub(crate) fn flushed(&mut self) -> Result<Flushed<'_>> {
        self.check_stopped()?;
        self.untouched = false;
        if self.writes() {
            self.flush_earlier()?;
            self.open_savepoint()?;
            // The next statement may change cached data.
            self.group_cache.accesses.clear();
            self.group_cache.receivers.clear();
            self.flush_own()?;
        }
        Ok(Flushed(self.conn()?))
    }

    /// Returns the connection for statements that look up these remote ids.
    ///
    /// It flushes only if a queued transaction has one of them.
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

    /// Returns the write buffer of this unit of work, which the next flush or the commit writes.
    pub(crate) const fn buffer(&mut self) -> &mut WriteBuffer {
        &mut self.own
    }

    /// Flushes the write buffer of earlier units of work.
    pub(super) fn flush_earlier(&mut self) -> Result<()> {
        let earlier = std::mem::take(&mut self.earlier);
        self.flush(&earlier)
    }

    fn flush_own(&mut self) -> Result<()> {
        let own = std::mem::take(&mut self.own);
        self.flush(&own)
    }

    /// Opens the savepoint of this unit of work, unless it exists or the unit is alone in its
    /// group.
    fn open_savepoint(&mut self) -> Result<()> {
        if self.grouped && !self.savepoint {
            self.conn()?.open_savepoint()?;
            self.savepoint = true;
        }
        Ok(())
    }

    /// Flushes a write buffer. Until it has succeeded, the group counts as failed, so it cannot be
    /// committed with a part of the rows.
    fn flush(&mut self, buffer: &WriteBuffer) -> Result<()> {
        self.check_intact()?;
        if buffer.is_empty() {
            return Ok(());
        }
        self.failure = Some(interrupted());
        self.note_states(buffer);
        // The rows are built while an earlier flush may still have the connection. If that flush
        // fails, its error is the cause.
        let tables = buffer.tables();
        let conn = self.conn()?;
        let flushed = tables.and_then(|tables| flush(conn, buffer, tables));
        self.note_flushed(flushed)?;
        self.failure = None;
        Ok(())
    }

    /// Records the book states of a buffer as the states in the database.
    fn note_states(&mut self, buffer: &WriteBuffer) {
        let states = buffer.book_states().map(|(book, state)| (book, state.clone()));
        self.group_cache.book_states.extend(states);
    }

    /// Starts a background flush of the rows of earlier units of work, if they are many.
    pub(super) fn flush_earlier_ahead(&mut self) -> Result<()> {
        if !self.earlier.is_large() {
            return Ok(());
        }
        let earlier = std::mem::take(&mut self.earlier);
        self.flush_ahead(earlier)
    }

    /// Starts a background flush of the rows of this unit of work, if they are many.
    ///
    /// A unit of work that shares its group may be rolled back alone, so its rows stay queued.
    pub(crate) fn flush_own_in_background(&mut self) -> Result<()> {
        if self.grouped || !self.own.is_worth_background_flush() {
            return Ok(());
        }
        let own = std::mem::take(&mut self.own);
        self.flush_ahead(own)
    }

    /// Starts a background flush of a write buffer.
    ///
    /// Statements and the commit wait for its outcome, so the group does not count as failed
    /// meanwhile.
    fn flush_ahead(&mut self, buffer: WriteBuffer) -> Result<()> {
        self.check_intact()?;
        self.failure = Some(interrupted());
        self.conn()?;
        self.note_states(&buffer);
        self.untouched = false;
        self.conn.start_flush(Box::new(move |conn| flush(conn, &buffer, buffer.tables()?)))?;
        self.failure = None;
        Ok(())
    }

    /// Records the outcome of a flush.
    fn note_flushed(&mut self, flushed: Result<bool>) -> Result<()> {
        match flushed {
            Ok(has_due_deliveries) => {
                self.has_due_deliveries |= has_due_deliveries;
                Ok(())
            }
            Err(error) => {
                self.failure = Some(error);
                self.check_intact()
            }
        }
    }

    /// Returns whether a flush has failed and would fail again.
    pub(crate) fn has_permanent_failure(&self) -> bool {
        self.failure.as_ref().is_some_and(Error::is_permanent)
    }

    /// Fails if a flush has failed.
    ///
    /// The error is always [`Error::Unavailable`]. A unit of work may handle some errors of its own
    /// statements, and must not take the error of a flush for one of them.
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
