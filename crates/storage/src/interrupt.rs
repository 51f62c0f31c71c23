//! Reads that end before they are done: at their deadline, or because nobody waits for them any
//! more.
//!
//! Who waits for a read and the read itself share a [`ReadStop`]. A read that was stopped does not
//! begin, and ends between two of its statements. A statement that runs is interrupted. On SQLite
//! those that may pass many rows ask at each of them whether the read goes on, with a function of
//! ours, because diesel hands out no connection that could be interrupted from outside. On
//! PostgreSQL a thread asks the server over a connection of its own to cancel what the backend
//! does, again and again until the read has ended: a request that arrives between two statements
//! cancels neither. PostgreSQL's own `statement_timeout` stands behind it, for when this process is
//! not there to ask.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use diesel::connection::AnsiTransactionManager;
use diesel::prelude::*;
use diesel::result::QueryResult;
use diesel::serialize::{IsNull, Output, ToSql};
use diesel::sql_types::{BigInt, Bool, Integer};
use diesel::sqlite::Sqlite;
use diesel::{SqliteConnection, define_sql_function};

use crate::conn::Conn;
use crate::dialect::Mode;
use crate::error::{Error, Result};
use crate::pool::Address;
use crate::sql::Sql;

/// How long a backend that was asked to cancel its statement has until it is asked again.
const CANCEL_AGAIN: Duration = Duration::from_millis(100);

/// What a read and whoever waits for it share.
#[derive(Debug, Clone)]
pub struct ReadStop(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    most: Duration,
    stopped: AtomicBool,
    /// What interrupts the connection that the read uses now.
    running: Mutex<Option<Interrupt>>,
}

impl ReadStop {
    /// For a read none of whose statements may take longer than `most`. The deadline of the whole
    /// is kept by whoever waits.
    #[must_use]
    pub fn new(most: Duration) -> Self {
        let running = Mutex::new(None);
        Self(Arc::new(Shared { most, stopped: AtomicBool::new(false), running }))
    }

    /// Stops the read: soon when it runs, else before it begins.
    pub fn stop(&self) {
        self.0.stopped.store(true, Ordering::SeqCst);
        match &*self.running() {
            Some(Interrupt::Flag(flag)) => flag.store(true, Ordering::SeqCst),
            // Nobody receives it when the store is closing, and its connections with it.
            Some(Interrupt::Backend(_, canceller)) => drop(canceller.0.send(self.clone())),
            None => {}
        }
    }

    /// Refuses to go on with a read that was stopped.
    ///
    /// # Errors
    /// [`Error::Stopped`].
    pub fn check(&self) -> Result<()> {
        if self.0.stopped.load(Ordering::SeqCst) { Err(Error::Stopped) } else { Ok(()) }
    }

    /// How long a statement may take.
    pub(crate) fn most(&self) -> Duration {
        self.0.most
    }

    /// Notes that the read uses a connection, until what is returned is dropped.
    ///
    /// # Errors
    /// [`Error::Stopped`].
    pub(crate) fn run_on(&self, interrupt: &Interrupt) -> Result<RunningRead<'_>> {
        let mut running = self.running();
        self.check()?;
        *running = Some(interrupt.clone());
        Ok(RunningRead(self))
    }

    /// Calls `cancel` with the backend of the read, and answers whether it still runs. The read
    /// does not give its connection back meanwhile: what came late would meet somebody else's.
    fn cancel(&self, cancel: impl FnOnce(i32)) -> bool {
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

/// A read that uses a connection.
pub(crate) struct RunningRead<'s>(&'s ReadStop);

impl Drop for RunningRead<'_> {
    fn drop(&mut self) {
        if let Some(Interrupt::Flag(flag)) = self.0.running().take() {
            flag.store(false, Ordering::SeqCst);
        }
    }
}

/// What interrupts the statement that runs on a connection.
#[derive(Debug, Clone)]
pub(crate) enum Interrupt {
    /// The flag that its statements look at.
    Flag(Arc<AtomicBool>),
    /// The number of its backend, and who has it cancelled.
    Backend(i32, Canceller),
}

/// The thread that has backends cancelled.
#[derive(Debug, Clone)]
pub(crate) struct Canceller(Sender<ReadStop>);

impl Canceller {
    /// Starts the thread. It ends with the connections that know it.
    pub(crate) fn start(address: Address) -> Result<Self> {
        let (sender, receiver) = channel();
        let mut cancelling = Cancelling { address, conn: None, reads: Vec::new() };
        std::thread::Builder::new()
            .name("canceller".to_owned())
            .spawn(move || cancelling.serve(&receiver))
            .map_err(|error| Error::Unavailable(error.to_string()))?;
        Ok(Self(sender))
    }
}

/// What that thread has to do.
struct Cancelling {
    address: Address,
    conn: Option<Conn>,
    /// Reads that were stopped and may still run.
    reads: Vec<ReadStop>,
}

impl Cancelling {
    fn serve(&mut self, told: &Receiver<ReadStop>) {
        while let Ok(read) = told.recv() {
            self.reads.push(read);
            while !self.reads.is_empty() {
                self.cancel_all();
                match told.recv_timeout(CANCEL_AGAIN) {
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
        // Without a connection those of the reads will break too, and end them.
        let Some(conn) = &mut self.conn else { return self.reads.retain(|r| r.cancel(|_| {})) };
        let mut works = true;
        self.reads.retain(|read| {
            read.cancel(|backend| {
                if let Err(error) = conn.cancel(backend) {
                    tracing::warn!(%error, "a read could not be cancelled yet");
                    works = false;
                }
            })
        });
        if !works {
            self.conn = None;
        }
    }
}

define_sql_function! {
    /// Fails in the SQLite statement of a read that was stopped. It is given the id of a row, so
    /// that it is asked anew for each of them.
    fn read_goes_on(row: BigInt) -> Bool;
}

/// What `read_goes_on` answers.
#[derive(Debug)]
struct GoesOn(bool);

impl ToSql<Bool, Sqlite> for GoesOn {
    fn to_sql<'b>(&'b self, out: &mut Output<'b, '_, Sqlite>) -> diesel::serialize::Result {
        if !self.0 {
            return Err("the read was stopped".into());
        }
        out.set_value(1_i32);
        Ok(IsNull::No)
    }
}

/// Has a connection ask this flag whether its reads go on.
pub(crate) fn ask(conn: &mut SqliteConnection, stopped: &Arc<AtomicBool>) -> QueryResult<()> {
    let stopped = Arc::clone(stopped);
    let goes_on = move |_: i64| GoesOn(!stopped.load(Ordering::Relaxed));
    read_goes_on_utils::register_nondeterministic_impl(conn, goes_on)
}

impl Conn {
    /// Begins a snapshot. PostgreSQL itself ends a statement that takes twice as long as `most`:
    /// not sooner, because who waits says then why the read has ended. SQLite knows no such limit.
    pub(crate) fn begin_within(&mut self, most: Duration) -> QueryResult<()> {
        match self {
            Self::Sqlite(_) => self.begin(Mode::Read),
            Self::Postgres(c) => AnsiTransactionManager::begin_transaction_sql(
                &mut **c,
                &format!(
                    "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; \
                     SET LOCAL statement_timeout = {}",
                    most.saturating_mul(2).as_millis()
                ),
            ),
        }
    }

    /// What interrupts the statements of this connection.
    pub(crate) fn interrupt(&mut self, canceller: &Canceller) -> QueryResult<Interrupt> {
        match self {
            Self::Sqlite(c) => {
                let stopped = Arc::default();
                ask(c, &stopped)?;
                Ok(Interrupt::Flag(stopped))
            }
            Self::Postgres(c) => {
                let sql = Sql::new("SELECT pg_backend_pid() AS number");
                let backend: Backend = sql.uncached().get_result(&mut **c)?;
                Ok(Interrupt::Backend(backend.number, canceller.clone()))
            }
        }
    }

    /// Has what this backend does cancelled; SQLite has none.
    pub(crate) fn cancel(&mut self, backend: i32) -> QueryResult<()> {
        let cancel = Sql::new("SELECT pg_cancel_backend(").int(i64::from(backend));
        match self {
            Self::Sqlite(_) => Ok(()),
            Self::Postgres(_) => self.execute(&cancel.push("::int4)").uncached()).map(drop),
        }
    }
}

#[derive(QueryableByName)]
struct Backend {
    #[diesel(sql_type = Integer)]
    number: i32,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rule_0_32_a_stop_reaches_the_read_before_during_and_never_after() {
        let flag = Arc::new(AtomicBool::new(false));
        let interrupt = Interrupt::Flag(Arc::clone(&flag));
        let read = ReadStop::new(Duration::from_secs(1));
        let running = read.run_on(&interrupt).unwrap();
        read.check().unwrap();
        read.stop();
        assert!(flag.load(Ordering::SeqCst), "what runs is interrupted");
        drop(running);
        assert!(!flag.load(Ordering::SeqCst), "the next read on this connection is not");
        assert!(matches!(read.check(), Err(Error::Stopped)));
        assert!(read.run_on(&interrupt).is_err(), "what was stopped does not begin");
        read.stop();
        assert!(!flag.load(Ordering::SeqCst));
    }
}
