//! The end of a group: commit or rollback.

use super::Tx;
use crate::error::{CommitFailure, Error, Result};
use crate::identity;

impl Tx<'_> {
    /// Flushes and commits, unless the only unit of work was rolled back already.
    ///
    /// If `may_chain` returns true and the engine supports it, the commit also begins another
    /// database transaction. Returns whether it did.
    pub(crate) fn finish(
        &mut self,
        may_chain: impl FnOnce() -> bool,
    ) -> std::result::Result<bool, CommitFailure> {
        if !self.open {
            return Ok(false);
        }
        self.check_intact()?;
        self.finish_writing()?;
        self.open = false;
        let engine = self.conn.engine;
        let chained = engine.can_chain() && may_chain();
        let conn = self.conn()?;
        let committed = if chained { conn.commit_and_chain() } else { conn.commit() };
        match committed {
            Ok(()) => Ok(chained),
            // The outcome is unknown, except if the group has a mark and wrote nothing.
            Err(error) if engine.is_server() && (self.is_marked || self.mark.is_none()) => {
                Err(CommitFailure::Unknown(error.to_string()))
            }
            Err(error) => Err(CommitFailure::Undone(error.to_string())),
        }
    }

    /// Writes the last rows of the group and checks that the transaction can be committed.
    ///
    /// After an implicit rollback the last flush fails on PostgreSQL but not on SQLite, and the
    /// commit fails on SQLite but not on PostgreSQL.
    fn finish_writing(&mut self) -> Result<()> {
        match self.mark {
            Some(mark) if self.earlier.is_empty() => {
                // If the statement fails, its row may still exist in an open session.
                self.is_marked = true;
                self.is_marked = mark.write_if_dirty(self.conn()?)?;
            }
            Some(mark) => {
                self.earlier.set_mark(mark);
                self.is_marked = true;
            }
            None if self.earlier.is_empty() || !self.conn.engine.locks_rows() => {
                self.check_open()?;
            }
            None => {}
        }
        if let Some(mark) = self.mark.filter(|mark| self.is_marked && mark.removes_earlier()) {
            mark.remove_earlier(self.conn()?)?;
        }
        self.flush_earlier()?;
        if self.identity_changes.earlier { identity::count_change(self.conn()?) } else { Ok(()) }
    }

    /// Returns whether the commit mark was written.
    pub(crate) const fn is_marked(&self) -> bool {
        self.is_marked
    }

    /// Checks that the transaction can still be committed.
    ///
    /// If it cannot, SQLite has rolled back because of the disk, so the error is transient.
    pub(super) fn check_open(&mut self) -> Result<()> {
        let is_server = self.conn.engine.is_server();
        let failed = |error: diesel::result::Error| {
            if is_server { Error::from(error) } else { Error::Unavailable(error.to_string()) }
        };
        self.conn()?.check_open().map_err(failed)
    }

    /// Rolls the group back after an error and returns the cause of the failure.
    ///
    /// An earlier failure of a flush is the cause. If the rollback fails, the connection is broken,
    /// and the group may succeed on another one.
    pub(crate) fn undo_group(&mut self, error: CommitFailure) -> CommitFailure {
        let rolled_back = self.roll_back();
        let failure = self.failure.take().map_or(error, CommitFailure::from);
        // The first attempt may have returned the error of a background flush.
        let rolled_back = rolled_back.or_else(|_| self.roll_back());
        match (failure, rolled_back) {
            // A flush that panicked has lost the connection.
            (failure @ CommitFailure::Refused(Error::Panicked(_)), _) => failure,
            (CommitFailure::Refused(_), Err(error)) => CommitFailure::Undone(error.to_string()),
            (failure, _) => failure,
        }
    }

    /// Rolls the database transaction back.
    pub(crate) fn roll_back(&mut self) -> Result<()> {
        self.open = false;
        Ok(self.conn()?.rollback()?)
    }
}
