//! Cancellation of reads, at their deadline or when the caller has gone.
//!
//! The caller and the read share a [`ReadStop`]. A stopped read does not start, and ends between
//! two statements; a running statement is interrupted. On SQLite, long statements check a flag for
//! each row ([`crate::conn::stop_check`]). On PostgreSQL, a thread asks the server over a separate
//! connection to cancel the backend, and repeats that until the read has ended, because a request
//! that arrives between two statements cancels neither. `statement_timeout` is the fallback if this
//! process fails.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use diesel::prelude::*;
use diesel::result::QueryResult;
use diesel::sql_types::Integer;

use crate::conn::address::Address;
use crate::conn::mode::Mode;
use crate::conn::sql::{Sql, Typed};
use crate::conn::{Conn, stop_check};
use crate::error::{Error, Result};

/// The pause between two requests to cancel the same backend.
const CANCEL_INTERVAL: Duration = Duration::from_millis(100);

/// Stops a read. The caller and the read share it.
#[derive(Debug, Clone)]
pub struct ReadStop(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    statement_limit: Duration,
    stopped: AtomicBool,
    /// Interrupts the connection that the read uses at the moment.
    running: Mutex<Option<Interrupt>>,
}

impl ReadStop {
    /// Creates the stop of a read, with a limit for each of its statements.
    ///
    /// The caller enforces the deadline of the whole read by [`Self::stop`].
    #[must_use]
    pub fn new(statement_limit: Duration) -> Self {
        let running = Mutex::new(None);
        Self(Arc::new(Shared { statement_limit, stopped: AtomicBool::new(false), running }))
    }

    /// Stops the read: before it starts, or soon if it is running.
    pub fn stop(&self) {
        self.0.stopped.store(true, Ordering::SeqCst);
        match &*self.running() {
            Some(Interrupt::Flag(flag)) => flag.store(true, Ordering::SeqCst),
            // Fails only while the store closes, and its connections with it.
            Some(Interrupt::Backend(_, canceller)) => drop(canceller.0.send(self.clone())),
            None => {}
        }
    }

    /// Fails if the read was stopped.
    ///
    /// # Errors
    /// [`Error::Stopped`].
    pub fn check(&self) -> Result<()> {
        if self.0.stopped.load(Ordering::SeqCst) { Err(Error::Stopped) } else { Ok(()) }
    }

    /// Returns how long a statement may take.
    pub(crate) fn statement_limit(&self) -> Duration {
        self.0.statement_limit
    }

    /// Attaches the read to a connection until the guard is dropped.
    ///
    /// # Errors
    /// [`Error::Stopped`].
    pub(crate) fn attach(&self, interrupt: &Interrupt) -> Result<RunningRead<'_>> {
        let mut running = self.running();
        self.check()?;
        *running = Some(interrupt.clone());
        Ok(RunningRead(self))
    }

    /// Calls `cancel` with the backend of the read; returns whether the read still runs.
    ///
    /// The lock keeps the read attached meanwhile. A late request would cancel the next user of
    /// the connection.
    fn cancel_backend(&self, cancel: impl FnOnce(i32)) -> bool {
        match &*self.running() {
            Some(Interrupt::Backend(backend, _)) => {
                cancel(*backend);
                true
            }
            Some(Interrupt::Flag(_)) | None => false,
        }
    }

    fn running(&self) -> MutexGuard<'_, Option<Interrupt>> {
        self.0.running.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Guard of a read that uses a connection.
pub(crate) struct RunningRead<'s>(&'s ReadStop);

impl Drop for RunningRead<'_> {
    fn drop(&mut self) {
        if let Some(Interrupt::Flag(flag)) = self.0.running().take() {
            flag.store(false, Ordering::SeqCst);
        }
    }
}

/// Interrupts the running statement of a connection.
#[derive(Debug, Clone)]
pub(crate) enum Interrupt {
    /// The flag that its statements check (SQLite).
    Flag(Arc<AtomicBool>),
    /// The process id of its backend, and the thread that cancels it (PostgreSQL).
    Backend(i32, Canceller),
}

/// The thread that cancels backends.
#[derive(Debug, Clone)]
pub(crate) struct Canceller(Sender<ReadStop>);

impl Canceller {
    /// Starts the thread. It ends when the last connection that refers to it is dropped.
    pub(crate) fn start(address: Address) -> Result<Self> {
        let (sender, receiver) = channel();
        let mut canceller = CancellerLoop { address, conn: None, reads: Vec::new() };
        std::thread::Builder::new()
            .name("canceller".to_owned())
            .spawn(move || canceller.serve(&receiver))
            .map_err(|error| Error::Unavailable(error.to_string()))?;
        Ok(Self(sender))
    }
}

/// The state of the canceller thread.
struct CancellerLoop {
    address: Address,
    conn: Option<Conn>,
    /// Stopped reads that may still run.
    reads: Vec<ReadStop>,
}

impl CancellerLoop {
    fn serve(&mut self, stopped: &Receiver<ReadStop>) {
        while let Ok(read) = stopped.recv() {
            self.reads.push(read);
            while !self.reads.is_empty() {
                self.cancel_all();
                match stopped.recv_timeout(CANCEL_INTERVAL) {
                    Ok(read) => self.reads.push(read),
                    Err(RecvTimeoutError::Timeout) => {}
                    Err(RecvTimeoutError::Disconnected) => return,
                }
            }
        }
    }

    fn cancel_all(&mut self) {
        if self.conn.is_none() {
            self.conn = self.address.connect(Mode::Write).ok();
        }
        let Some(conn) = &mut self.conn else {
            // The server is unreachable, so the connections of the reads will fail, too.
            return self.reads.retain(|read| read.cancel_backend(|_| {}));
        };
        let mut is_connected = true;
        self.reads.retain(|read| {
            read.cancel_backend(|backend| {
                if let Err(error) = conn.cancel(backend) {
                    tracing::warn!(%error, "read cancellation failed, retrying");
                    is_connected = false;
                }
            })
        });
        if !is_connected {
            self.conn = None;
        }
    }
}

fn timeout_seconds(limit: Duration) -> u64 {
    let seconds = limit.as_secs().saturating_add(1).saturating_mul(2);
    seconds.checked_next_power_of_two().unwrap_or(0)
}

impl Conn {
    /// Sets a statement timeout of at least twice the limit.
    ///
    /// At the limit itself the caller stops the read, which gives a better error. The timeout is
    /// rounded up to a power of two, so that it seldom changes. SQLite has no statement timeout.
    pub(crate) fn limit_statements(&mut self, limit: Duration) -> QueryResult<()> {
        match self {
            Self::Sqlite(_) => Ok(()),
            Self::Postgres(c) => c.limit_statements(timeout_seconds(limit)),
        }
    }

    /// Begins a snapshot with the statement timeout of [`Self::limit_statements`].
    pub(crate) fn begin_with_timeout(&mut self, limit: Duration) -> QueryResult<()> {
        match self {
            Self::Sqlite(_) => self.begin(Mode::Read),
            Self::Postgres(c) => c.begin_read(timeout_seconds(limit)),
        }
    }

    /// Returns what interrupts the statements of this connection.
    pub(crate) fn interrupt(&mut self, canceller: &Canceller) -> QueryResult<Interrupt> {
        match self {
            Self::Sqlite(c) => {
                let stopped = Arc::default();
                stop_check::register(c, &stopped)?;
                Ok(Interrupt::Flag(stopped))
            }
            Self::Postgres(c) => {
                let sql = Sql::new("SELECT pg_backend_pid()").uncached();
                let backend = Typed::<Integer>::new(&sql).get_result(&mut **c)?;
                Ok(Interrupt::Backend(backend, canceller.clone()))
            }
        }
    }

    /// Cancels the running statement of another backend. SQLite has no backends.
    pub(crate) fn cancel(&mut self, backend: i32) -> QueryResult<()> {
        let cancel = Sql::new("SELECT pg_cancel_backend({}").bind(i64::from(backend));
        match self {
            Self::Sqlite(_) => Ok(()),
            Self::Postgres(_) => self.execute(cancel.push("::int4)").uncached()).map(drop),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rule_0_32_stop_affects_the_read_but_not_the_next_one() {
        let flag = Arc::new(AtomicBool::new(false));
        let interrupt = Interrupt::Flag(Arc::clone(&flag));
        let read = ReadStop::new(Duration::from_secs(1));
        let running = read.attach(&interrupt).unwrap();
        read.check().unwrap();
        read.stop();
        assert!(flag.load(Ordering::SeqCst), "the running statement is interrupted");
        drop(running);
        assert!(
            !flag.load(Ordering::SeqCst),
            "the next read on this connection is not interrupted"
        );
        assert!(matches!(read.check(), Err(Error::Stopped)));
        assert!(read.attach(&interrupt).is_err(), "a stopped read does not start");
        read.stop();
        assert!(!flag.load(Ordering::SeqCst));
    }
}
