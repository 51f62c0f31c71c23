//! Checkpoints of SQLite's write-ahead log, on a background thread.
//!
//! By default SQLite copies the log into the database within the commit that finds the log long,
//! which delays all writers. Here a thread copies while the writer continues. The thread never
//! quite reaches the end of a growing log, and the log restarts only after all of it is copied. So
//! when the log is long and little is left, the writer copies the rest itself between two groups.
//!
//! A commit appends whole pages to the log, and a checkpoint copies only the last version of each.
//! In a large book, transactions change pages all over the indexes of accounts, and later ones
//! change these pages again. So a checkpoint saves most copies if the log is as long as the
//! database.

use std::fmt::Display;
use std::ops::RangeInclusive;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::Duration;

use diesel::connection::SimpleConnection;
use diesel::prelude::*;
use diesel::result::QueryResult;
use diesel::sql_types::BigInt;

use crate::conn::Conn;
use crate::conn::address::Address;
use crate::conn::mode::Mode;
use crate::conn::sql::Sql;
use crate::error::{Error, Result};

/// The pause between two checks of a growing log.
const CHECK_INTERVAL: Duration = Duration::from_millis(50);
/// Pages of a log that is worth a checkpoint: as many as the database has, from 16 to 64 MB.
///
/// A shorter log would copy the same pages repeatedly. A longer one takes disk space, and readers
/// look for each page in it.
const LONG_LOG: RangeInclusive<i64> = 4_000..=16_000;
/// Pages that the writer may copy between two groups: 16 MB. Four batches of 100 change 1,600 pages
/// of a large book. With a lower number the rest would rarely be short enough for a restart.
const MAX_REST: i64 = 4_000;

/// Flags shared by the writer and the thread.
#[derive(Debug, Default)]
struct LogSignals {
    /// Whether the writer has committed since the thread last checked.
    written: AtomicBool,
    /// Whether the writer should copy the rest.
    finish: AtomicBool,
}

/// Handle of the checkpoint thread, which ends when this is dropped.
#[derive(Debug)]
pub(crate) struct Checkpointer {
    signals: Arc<LogSignals>,
    /// Wakes the thread.
    wake: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

/// The length of the log and its copied part, in pages.
#[derive(QueryableByName)]
struct Log {
    #[diesel(sql_type = BigInt)]
    log: i64,
    #[diesel(sql_type = BigInt)]
    checkpointed: i64,
}

impl Log {
    /// Returns whether a log of this length is worth a checkpoint of a database of `pages`.
    fn is_long(&self, pages: i64) -> bool {
        self.log >= pages.clamp(*LONG_LOG.start(), *LONG_LOG.end())
    }

    /// Returns whether the writer may copy the rest.
    const fn has_short_rest(&self) -> bool {
        self.log.saturating_sub(self.checkpointed) < MAX_REST
    }
}

impl Checkpointer {
    /// Starts the thread and turns off automatic checkpoints of the writer's connection.
    ///
    /// Returns nothing for an engine without a write-ahead log of its own.
    pub(crate) fn start(address: &Address, writer: &mut Conn) -> Result<Option<Self>> {
        if !writer.disable_auto_checkpoints()? {
            return Ok(None);
        }
        let mut conn = address.connect(Mode::Write)?;
        let (wake, wakeups) = channel();
        let signals = Arc::new(LogSignals::default());
        let seen = Arc::clone(&signals);
        let thread = std::thread::Builder::new()
            .name("checkpointer".to_owned())
            .spawn(move || run(&mut conn, &wakeups, &seen))
            .map_err(|error| Error::Unavailable(error.to_string()))?;
        Ok(Some(Self { signals, wake: Some(wake), thread: Some(thread) }))
    }

    /// Records a commit, and copies the rest of the log if the thread asked for it.
    pub(crate) fn committed(&self, writer: &mut Conn) {
        if !self.signals.written.swap(true, Ordering::AcqRel)
            && let Some(wake) = &self.wake
        {
            // Fails if the thread has failed. Automatic checkpoints are the fallback.
            let _ = wake.send(());
        }
        // The log may have grown since.
        if self.signals.finish.swap(false, Ordering::AcqRel)
            && log_failure(writer.checkpoint(NOOP)).is_some_and(|log| log.has_short_rest())
        {
            log_failure(writer.checkpoint(PASSIVE));
        }
    }
}

impl Drop for Checkpointer {
    fn drop(&mut self) {
        self.wake = None;
        if let Some(thread) = self.thread.take() {
            // A panic of the thread was reported by the panic hook.
            let _ = thread.join();
        }
    }
}

/// Checks the log shortly after each commit, until the store is closed.
fn run(conn: &mut Conn, wakeups: &Receiver<()>, signals: &LogSignals) {
    // One wake-up covers all commits until the check.
    while wakeups.recv().is_ok() {
        if wakeups.recv_timeout(CHECK_INTERVAL) == Err(RecvTimeoutError::Disconnected) {
            return;
        }
        signals.written.store(false, Ordering::Release);
        if log_failure(copy_long_log(conn)).is_some_and(|log| log.has_short_rest()) {
            signals.finish.store(true, Ordering::Release);
        }
    }
}

/// Copies the log if it is long, and returns its state afterwards. Returns nothing if it is short.
fn copy_long_log(conn: &mut Conn) -> Result<Option<Log>> {
    let Some(log) = conn.checkpoint(NOOP)? else { return Ok(None) };
    // With the pages that are only in the log.
    let pages = conn.row(&Sql::new("PRAGMA page_count"))?.unwrap_or_default();
    if !log.is_long(pages) {
        return Ok(None);
    }
    if log.has_short_rest() {
        return Ok(Some(log));
    }
    conn.checkpoint(PASSIVE)?;
    Ok(conn.checkpoint(NOOP)?)
}

/// Logs a failed checkpoint. It is retried after the next commits, and no commit is lost.
fn log_failure<E: Display>(log: std::result::Result<Option<Log>, E>) -> Option<Log> {
    log.inspect_err(|error| tracing::warn!(%error, "checkpoint failed")).ok().flatten()
}

/// Copies what can be copied without waiting for readers or writers.
const PASSIVE: &str = "PRAGMA wal_checkpoint(PASSIVE)";
/// Only returns the length of the log.
const NOOP: &str = "PRAGMA wal_checkpoint(NOOP)";

/// Raises the threshold of automatic checkpoints to 256 MB, for the case that the thread has failed
/// or cannot keep up.
const FALLBACK: &str = "PRAGMA wal_autocheckpoint = 64000";

impl Conn {
    /// Turns off automatic checkpoints; returns false for an engine without them.
    fn disable_auto_checkpoints(&mut self) -> QueryResult<bool> {
        match self {
            Self::Sqlite(conn) => conn.batch_execute(FALLBACK).map(|()| true),
            Self::Postgres(_) => Ok(false),
        }
    }

    fn checkpoint(&mut self, statement: &'static str) -> QueryResult<Option<Log>> {
        match self {
            Self::Sqlite(conn) => {
                let logs: Vec<Log> = (&Sql::new(statement)).load(conn)?;
                Ok(logs.into_iter().next())
            }
            Self::Postgres(_) => Ok(None),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_log_is_as_long_as_the_database() {
        let is_long = |log, pages| Log { log, checkpointed: 0 }.is_long(pages);
        assert!(!is_long(3_999, 10) && is_long(4_000, 10));
        assert!(!is_long(9_999, 10_000) && is_long(10_000, 10_000));
        assert!(!is_long(15_999, 1_000_000) && is_long(16_000, 1_000_000));
    }
}
