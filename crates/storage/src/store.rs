//! The store: reads on one snapshot, writes through the writers.
//!
//! **A read** takes a pooled connection and one snapshot (`BEGIN` on SQLite, `REPEATABLE READ READ
//! ONLY` on PostgreSQL) and rolls it back at the end. SQLite's readers are `query_only`. Reads of
//! requests can be stopped ([`crate::interrupt`]); those of workers end when they are done.
//!
//! **A write** is a closure in the queue of a writer ([`crate::writer`]); no thread waits for it.
//! The queue is bounded. When it is full, the answer is [`Error::Busy`] at once.
//!
//! Each write comes with a [`Submission`]: its lane, and whose time it takes.
//!
//! **A read that a replica may answer** is tried there first ([`crate::replica`]).
//!
//! Dropping the store lets the writers finish what they have taken on.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use daybook_domain::id::UserId;

use crate::commit_mark;
use crate::conn::Conn;
use crate::delivery::DeliverySignal;
use crate::dialect::Mode;
use crate::distribution;
use crate::error::{Error, Result};
use crate::fair_queue::Tenant;
use crate::generation;
use crate::interrupt::ReadStop;
use crate::job::QueuedWork;
use crate::lease::{Held, Lease};
use crate::pool::{Address, CONNECTION_TIMEOUT, ReaderConn, ReaderCounts, ReaderPool, ReaderPools};
use crate::pooler::refuse_shared_sessions;
use crate::replica::position::LogPosition;
use crate::replica::recent_writes::RecentWrites;
use crate::replica::{PrimaryCheck, ReplicaChoice, Replicas};
use crate::shard_key::{ShardKey, digest};
use crate::store_options::Options;
use crate::submission::Submission;
use crate::transaction;
use crate::tx::{Caches, Tx};
use crate::writer::Writer;
use crate::writers::Writers;

/// All books, on one of the two engines.
pub struct Store {
    /// Where the locks of all processes are.
    lock_address: Address,
    readers: ReaderPools,
    replicas: Option<Replicas>,
    writers: Writers,
    statements: Arc<AtomicU64>,
    caches: Caches,
    signal: DeliverySignal,
    leases: Held,
    start: i64,
}

impl Store {
    /// Opens the database, brings its schema up to date and starts the writers.
    ///
    /// # Errors
    /// [`Error::Unavailable`], [`Error::SharedSessions`], [`Error::Migration`], and
    /// [`Error::OtherMachines`] for a coordinator of another database.
    pub fn open(options: &Options) -> Result<Self> {
        refuse_shared_sessions(&options.address)?;
        if let Some(coordinator) = &options.coordinator {
            refuse_shared_sessions(coordinator)?;
            distribution::check_coordinator(&options.address, coordinator)?;
        }
        let lock_address = options.coordinator.as_ref().unwrap_or(&options.address);
        lock_address.migrate()?;
        let mut conn = options.address.connect(Mode::Write)?;
        distribution::check_whole(&mut conn, options.replicas.is_some())?;
        if options.indexes_first {
            transaction::catch_up(&mut conn)?;
        }
        let number = generation::count(&mut conn)?;
        commit_mark::sweep(&mut conn)?;
        drop(conn);
        let statements = Arc::new(AtomicU64::new(0));
        let (caches, signal) = (Caches::default(), DeliverySignal::default());
        let recent = options.replicas.as_ref().map(|all| Arc::new(RecentWrites::new(all.lag)));
        let start = || {
            Writer::start(
                options.address.clone(),
                options.queue,
                (Arc::clone(&statements), caches.clone(), signal.clone(), recent.clone()),
            )
        };
        let writers = Writers::start(options.writers, start)?;
        let counts = ReaderCounts {
            users: options.readers,
            identity: options.identity_readers,
            server: options.server_readers,
        };
        let readers = ReaderPools::open(options.address.clone(), counts, Arc::clone(&statements))?;
        let replicas = options.replicas.as_ref().zip(recent.as_ref()).map(|(replicas, recent)| {
            let primary = (&options.address, readers.of(ReaderPool::Identity));
            Replicas::open(replicas, primary, Arc::clone(recent), (options.readers, &statements))
        });
        let replicas = replicas.transpose()?;
        Ok(Self {
            lock_address: lock_address.clone(),
            readers,
            replicas,
            writers,
            statements,
            caches,
            signal,
            leases: Held::default(),
            start: number,
        })
    }

    /// Runs `work` on one consistent snapshot, on the connections of the server itself.
    ///
    /// # Errors
    /// Whatever `work` answers, and [`Error::Unavailable`].
    pub fn read<T, E: From<Error>>(
        &self,
        work: impl FnOnce(&mut Tx<'_>) -> std::result::Result<T, E>,
    ) -> std::result::Result<T, E> {
        self.read_from(ReaderPool::Server, work)
    }

    /// As [`Store::read`], on the connections of that pool.
    ///
    /// # Errors
    /// As [`Store::read`].
    pub fn read_from<T, E: From<Error>>(
        &self,
        pool: ReaderPool,
        work: impl FnOnce(&mut Tx<'_>) -> std::result::Result<T, E>,
    ) -> std::result::Result<T, E> {
        let mut reader =
            self.readers.of(pool).get_timeout(CONNECTION_TIMEOUT).map_err(Error::from)?;
        reader.conn.begin(Mode::Read).map_err(Error::from)?;
        let mut snapshot = OpenSnapshot { conn: &mut reader.conn, open: true };
        let outcome = work(&mut Tx::reading(snapshot.conn, self.caches.clone(), None));
        snapshot.end()?;
        outcome
    }

    /// As [`Store::read_from`], until somebody stops it.
    ///
    /// # Errors
    /// As [`Store::read`]; [`Error::Stopped`].
    pub fn read_until<T, E: From<Error>>(
        &self,
        (pool, stop): (ReaderPool, &ReadStop),
        work: impl FnOnce(&mut Tx<'_>) -> std::result::Result<T, E>,
    ) -> std::result::Result<T, E> {
        stop.check()?;
        let mut reader =
            self.readers.of(pool).get_timeout(CONNECTION_TIMEOUT).map_err(Error::from)?;
        self.snapshot(&mut reader, stop, None, work)
    }

    fn snapshot<T, E: From<Error>>(
        &self,
        reader: &mut ReaderConn,
        stop: &ReadStop,
        primary: Option<&PrimaryCheck>,
        work: impl FnOnce(&mut Tx<'_>) -> std::result::Result<T, E>,
    ) -> std::result::Result<T, E> {
        let ReaderConn { conn, interrupt, .. } = reader;
        conn.begin_within(stop.most()).map_err(Error::from)?;
        let mut snapshot = OpenSnapshot { conn, open: true };
        // It is dropped before the snapshot: nobody interrupts its end.
        let running = stop.run_on(interrupt)?;
        let caches = primary.map(|primary| self.caches.of_replica(primary.stale_reads));
        let caches = caches.unwrap_or_else(|| self.caches.clone());
        let (outcome, unconfirmed) = {
            let mut tx = Tx::reading(snapshot.conn, caches, Some(stop.clone()));
            tx.primary = primary.cloned();
            (work(&mut tx), tx.primary.is_some_and(|primary| !primary.confirmed))
        };
        drop(running);
        snapshot.end()?;
        // What a statement says that was interrupted is no failure of the database.
        if outcome.is_err() {
            stop.check()?;
        }
        // Nothing that nobody's access stands behind comes from a replica.
        if unconfirmed { Err(Error::Behind.into()) } else { outcome }
    }

    /// How many replicas may answer reads.
    #[must_use]
    pub fn replicas(&self) -> usize {
        self.replicas.as_ref().map_or(0, Replicas::count)
    }

    /// The replicas that a read of the user may ask, which must see what is `asked` besides what
    /// the user has written here.
    #[must_use]
    pub fn replicas_for(&self, user: UserId, asked: Option<LogPosition>) -> Option<ReplicaChoice> {
        self.replicas.as_ref()?.choose(user, asked)
    }

    /// As [`Store::read_until`], on that replica. Nothing when the primary has to be asked: the
    /// replica is not there or not so far, or the work did not succeed there.
    pub fn read_replica<T, E: From<Error>>(
        &self,
        (replica, after): (usize, LogPosition),
        stop: &ReadStop,
        work: impl FnOnce(&mut Tx<'_>) -> std::result::Result<T, E>,
    ) -> Option<T> {
        let replicas = self.replicas.as_ref()?;
        let mut reader = replicas.reader(replica, after)?;
        self.snapshot(&mut reader, stop, Some(replicas.check()), work).ok()
    }

    /// Where the log ended after the last write of this process, where there are replicas.
    #[must_use]
    pub fn log_position(&self) -> Option<LogPosition> {
        self.replicas.as_ref()?.recent().known_end(Instant::now())
    }

    /// Hands `work` to a writer, that of its lane if it is free, and answers through `done` once
    /// the unit of work is durable, or was refused and undone alone. Never blocks; `done` runs on
    /// the writer's thread and must be quick.
    pub fn submit<T, E>(
        &self,
        ticket: impl Into<Submission>,
        work: impl FnOnce(&mut Tx<'_>) -> std::result::Result<T, E> + Send + 'static,
        done: impl FnOnce(std::result::Result<T, E>) + Send + 'static,
    ) where
        T: Send + 'static,
        E: From<Error> + Send + 'static,
    {
        let ticket = ticket.into();
        let flow = ticket.flow;
        let done = self.noting(flow, done);
        self.writers.enqueue(flow, Box::new(QueuedWork::new(ticket, work, done)));
    }

    /// As [`Store::submit`], for work that may run twice: if a unit of work that shares its commit
    /// cannot be done, it runs again, alone.
    pub fn submit_repeatable<T, E>(
        &self,
        ticket: impl Into<Submission>,
        work: impl FnOnce(&mut Tx<'_>) -> std::result::Result<T, E> + Clone + Send + 'static,
        done: impl FnOnce(std::result::Result<T, E>) + Send + 'static,
    ) where
        T: Send + 'static,
        E: From<Error> + Send + 'static,
    {
        let ticket = ticket.into();
        let flow = ticket.flow;
        let done = self.noting(flow, done);
        self.writers.enqueue(flow, Box::new(QueuedWork::repeatable(ticket, work, done)));
    }

    /// An answer to a user, which replicas have to know of first.
    fn noting<T>(
        &self,
        flow: Tenant,
        done: impl FnOnce(T) + Send + 'static,
    ) -> impl FnOnce(T) + Send + 'static {
        let recent = self.replicas.as_ref().map(|replicas| Arc::clone(replicas.recent()));
        move |outcome| {
            if let (Some(recent), Some(user)) = (&recent, flow) {
                recent.answered(user, Instant::now());
            }
            done(outcome);
        }
    }

    /// Runs `work` as [`Store::submit`] does and waits for the answer.
    ///
    /// # Errors
    /// Whatever `work` answers; [`Error::Busy`] when too many writes wait; [`Error::Unavailable`]
    /// when it is undone, and [`Error::OutcomeUnknown`] when nobody knows.
    pub fn write<T, E>(
        &self,
        ticket: impl Into<Submission>,
        work: impl FnOnce(&mut Tx<'_>) -> std::result::Result<T, E> + Send + 'static,
    ) -> std::result::Result<T, E>
    where
        T: Send + 'static,
        E: From<Error> + Send + 'static,
    {
        wait(|done| self.submit(ticket, work, done))
    }

    /// Runs `work` as [`Store::submit_repeatable`] does and waits for the answer.
    ///
    /// # Errors
    /// As [`Store::write`]; what the database refuses, when `work` cannot be done.
    pub fn write_repeatable<T, E>(
        &self,
        ticket: impl Into<Submission>,
        work: impl FnOnce(&mut Tx<'_>) -> std::result::Result<T, E> + Clone + Send + 'static,
    ) -> std::result::Result<T, E>
    where
        T: Send + 'static,
        E: From<Error> + Send + 'static,
    {
        wait(|done| self.submit_repeatable(ticket, work, done))
    }

    /// Has `signal` called whenever this process has recorded events that are to be delivered. It
    /// runs on the thread of a writer and must be quick. The first one counts.
    pub fn on_deliveries(&self, signal: impl Fn() + Send + Sync + 'static) {
        self.signal.set(signal);
    }

    /// The number of this opening of the database; each opening by any process has the next one.
    #[must_use]
    pub const fn start(&self) -> i64 {
        self.start
    }

    /// Takes the lease of that name, which can be held once at a time over all processes; `None`
    /// when it is held. It ends when it is dropped, or with the process.
    ///
    /// # Errors
    /// When the database cannot be reached.
    pub fn lease(&self, name: &str) -> Result<Option<Lease>> {
        let key = i64::from_be_bytes(digest(name.as_bytes()).to_be_bytes());
        Lease::take(&self.lock_address, &self.leases, key)
    }

    /// One lane for each writer, so that each can be checked.
    pub fn lanes(&self) -> impl Iterator<Item = ShardKey> + use<> {
        self.writers.lanes()
    }

    /// Statements sent so far, over all connections.
    #[must_use]
    pub fn statements(&self) -> u64 {
        self.statements.load(Ordering::Relaxed)
    }
}

/// An answer on its way.
type Done<T, E> = Box<dyn FnOnce(std::result::Result<T, E>) + Send>;

/// Submits work and waits for its answer.
fn wait<T, E>(submit: impl FnOnce(Done<T, E>)) -> std::result::Result<T, E>
where
    T: Send + 'static,
    E: From<Error> + Send + 'static,
{
    let (sender, receiver) = std::sync::mpsc::sync_channel(1);
    submit(Box::new(move |outcome| {
        // When the caller is gone, nobody receives the answer; the write stands.
        let _ = sender.send(outcome);
    }));
    // When it closes, the writer has panicked, which is a bug.
    receiver.recv().unwrap_or_else(|_| Err(E::from(Error::OutcomeUnknown)))
}

/// The snapshot of a read. It ends however the work ends, also by a panic.
struct OpenSnapshot<'a> {
    conn: &'a mut Conn,
    open: bool,
}

impl OpenSnapshot<'_> {
    fn end(&mut self) -> Result<()> {
        self.open = false;
        Ok(self.conn.rollback()?)
    }
}

impl Drop for OpenSnapshot<'_> {
    fn drop(&mut self) {
        if self.open {
            // A connection that cannot even roll back is dropped by the pool as broken.
            let _ = self.conn.rollback();
        }
    }
}
