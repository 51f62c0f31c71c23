//! Checkpoints of SQLite: what the write-ahead log holds is copied into the database. Left to
//! itself, SQLite does so within the commit that finds the log long, and everybody who writes waits
//! for it and for the disk.
//!
//! Here a thread copies while the writer goes on. It never quite reaches the end of a log that
//! grows, and the log begins anew only when all of it has been copied. So when it is long and
//! little is left, the writer copies the rest itself, between two groups.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::Duration;

use diesel::connection::SimpleConnection;
use diesel::prelude::*;
use diesel::result::QueryResult;
use diesel::sql_types::Integer;

use crate::conn::Conn;
use crate::dialect::Mode;
use crate::error::{Error, Result};
use crate::pool::Address;
use crate::sql::Sql;

/// How often the thread looks at a log that grows.
const PAUSE: Duration = Duration::from_millis(50);
/// Pages that are worth copying: 12 MB. Few at a time would copy the same pages again and again.
const MANY: i32 = 3_000;
/// Pages of a log that begins anew as soon as possible: 16 MB.
const LONG: i32 = 4_000;

/// What the writer and the thread tell each other.
#[derive(Debug, Default)]
struct LogSignals {
    /// Whether the writer has written since the thread looked.
    written: AtomicBool,
    /// Whether the writer is to copy the rest.
    rest: AtomicBool,
}

/// The thread that copies, which ends when this is dropped.
#[derive(Debug)]
pub(crate) struct Checkpointer {
    signals: Arc<LogSignals>,
    /// Wakes the thread.
    wake: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

/// How long the log is, in pages, and how much of it has been copied.
#[derive(QueryableByName)]
struct Log {
    #[diesel(sql_type = Integer)]
    log: i32,
    #[diesel(sql_type = Integer)]
    checkpointed: i32,
}

impl Log {
    const fn left(&self) -> i32 {
        self.log.saturating_sub(self.checkpointed)
    }
}

impl Checkpointer {
    /// Starts the thread, for an engine that needs it, and leaves the checkpoints of the writer's
    /// connection to it.
    pub(crate) fn start(address: &Address, writer: &mut Conn) -> Result<Option<Self>> {
        if !writer.leave_checkpoints()? {
            return Ok(None);
        }
        let mut conn = address.connect(Mode::Write)?;
        let (wake, woken) = channel();
        let signals = Arc::new(LogSignals::default());
        let seen = Arc::clone(&signals);
        let thread = std::thread::Builder::new()
            .name("checkpointer".to_owned())
            .spawn(move || copy_whenever_written(&mut conn, &woken, &seen))
            .map_err(|error| Error::Unavailable(error.to_string()))?;
        Ok(Some(Self { signals, wake: Some(wake), thread: Some(thread) }))
    }

    /// Takes note of a commit; copies the rest of the log, if that is the writer's turn.
    pub(crate) fn committed(&self, writer: &mut Conn) {
        if !self.signals.written.swap(true, Ordering::AcqRel)
            && let Some(wake) = &self.wake
        {
            // When the thread has failed, SQLite's last resort is left.
            let _ = wake.send(());
        }
        // It may be much by now.
        if self.signals.rest.swap(false, Ordering::AcqRel)
            && note_failure(writer.checkpoint(NOOP)).is_some_and(|log| log.left() < MANY)
        {
            note_failure(writer.checkpoint(PASSIVE));
        }
    }
}

impl Drop for Checkpointer {
    fn drop(&mut self) {
        self.wake = None;
        if let Some(thread) = self.thread.take() {
            // It has nobody to tell what it panicked with.
            let _ = thread.join();
        }
    }
}

/// Looks at the log soon after something was written, until the store is closed.
fn copy_whenever_written(conn: &mut Conn, woken: &Receiver<()>, signals: &LogSignals) {
    // It is woken once for all that is written until it looks.
    while woken.recv().is_ok() {
        if woken.recv_timeout(PAUSE) == Err(RecvTimeoutError::Disconnected) {
            return;
        }
        signals.written.store(false, Ordering::Release);
        if let Some(log) = note_failure(copy(conn))
            && log.log >= LONG
            && log.left() < MANY
        {
            signals.rest.store(true, Ordering::Release);
        }
    }
}

/// Copies what the log holds, if that is much; how much is left.
fn copy(conn: &mut Conn) -> QueryResult<Option<Log>> {
    let log = conn.checkpoint(NOOP)?;
    if log.as_ref().is_none_or(|log| log.left() < MANY) {
        return Ok(log);
    }
    conn.checkpoint(PASSIVE)?;
    conn.checkpoint(NOOP)
}

/// A checkpoint that fails is tried again with the next commits. Nothing is lost: what was
/// committed stays in the log.
fn note_failure(log: QueryResult<Option<Log>>) -> Option<Log> {
    log.inspect_err(|error| tracing::warn!(%error, "a checkpoint failed")).ok().flatten()
}

/// Copies what can be copied without waiting for anybody.
const PASSIVE: &str = "PRAGMA wal_checkpoint(PASSIVE)";
/// Only tells how long the log is.
const NOOP: &str = "PRAGMA wal_checkpoint(NOOP)";

/// The writer checkpoints by itself all the same when the log has this many pages (256 MB), because
/// the thread has failed or cannot keep pace.
const LAST_RESORT: &str = "PRAGMA wal_autocheckpoint = 64000";

impl Conn {
    /// Keeps the commits of this connection from checkpoints; false for an engine that has none of
    /// them.
    fn leave_checkpoints(&mut self) -> QueryResult<bool> {
        match self {
            Self::Sqlite(conn) => conn.batch_execute(LAST_RESORT).map(|()| true),
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
