//! How the database transaction of a group ends.

use super::Tx;
use crate::error::{Error, Result};
use crate::identity;
use crate::job::CommitFailure;

impl Tx<'_> {
    /// Flushes and commits, unless the only unit of work was undone already. Where `chain` says so
    /// then, another database transaction has begun with the commit; tells whether it has.
    pub(crate) fn finish(
        &mut self,
        chain: impl FnOnce() -> bool,
    ) -> std::result::Result<bool, CommitFailure> {
        if !self.open {
            return Ok(false);
        }
        self.check_intact()?;
        self.finish_writing()?;
        self.open = false;
        let engine = self.conn.engine;
        let chained = engine.can_chain() && chain();
        let conn = self.conn()?;
        let committed = if chained { conn.commit_and_chain() } else { conn.commit() };
        match committed {
            Ok(()) => Ok(chained),
            // Without a mark it is not found out; with one that is not written nothing is.
            Err(error) if engine.is_server() && (self.is_marked || self.mark.is_none()) => {
                Err(CommitFailure::Unknown(error.to_string()))
            }
            Err(error) => Err(CommitFailure::Undone(error.to_string())),
        }
    }

    /// Writes what the group still has to write, and makes sure that all of it can be committed:
    /// where the engine has rolled back by itself, the last flush fails on PostgreSQL but not on
    /// SQLite, and the commit fails on SQLite but not on PostgreSQL.
    fn finish_writing(&mut self) -> Result<()> {
        match self.mark {
            Some(mark) if self.earlier.is_empty() => {
                // When the statement fails, its row may stand in a session that has not ended.
                self.is_marked = true;
                self.is_marked = mark.write_with_others(self.conn()?)?;
            }
            Some(mark) => {
                self.earlier.mark(mark);
                self.is_marked = true;
            }
            None if self.earlier.is_empty() || !self.conn.engine.locks_rows() => {
                self.check_open()?;
            }
            None => {}
        }
        if let Some(mark) = self.mark.filter(|mark| self.is_marked && mark.is_removing()) {
            mark.remove_earlier(self.conn()?)?;
        }
        self.flush_earlier()?;
        if self.identity_changed.1 { identity::count_change(self.conn()?) } else { Ok(()) }
    }

    /// Whether the mark of the commit is written.
    pub(crate) const fn is_marked(&self) -> bool {
        self.is_marked
    }

    /// Makes sure that what was done so far can still be committed. Where it cannot, SQLite has
    /// rolled back by itself because of its disk, which may pass.
    pub(super) fn check_open(&mut self) -> Result<()> {
        let is_server = self.conn.engine.is_server();
        let failed = |error: diesel::result::Error| {
            if is_server { Error::from(error) } else { Error::Unavailable(error.to_string()) }
        };
        self.conn()?.check_open().map_err(failed)
    }

    /// Undoes the group, of which this error has failed a unit of work or the end. If a flush has
    /// failed before, that is the reason. Where the connection does not even roll back, it is
    /// broken, and the group may succeed on another.
    pub(crate) fn undo_group(&mut self, error: CommitFailure) -> CommitFailure {
        let first = self.abandon();
        let failure = self.failure.take().map_or(error, CommitFailure::from);
        // The first attempt may have met the failure of a background flush.
        let undone = first.or_else(|_| self.abandon());
        match (failure, undone) {
            // The connection is lost with a flush that panicked.
            (failure @ CommitFailure::Refused(Error::Panicked(_)), _) => failure,
            (CommitFailure::Refused(_), Err(error)) => CommitFailure::Undone(error.to_string()),
            (failure, _) => failure,
        }
    }

    /// Undoes everything.
    pub(crate) fn abandon(&mut self) -> Result<()> {
        self.open = false;
        Ok(self.conn()?.rollback()?)
    }
}
