//! The store: reads on one snapshot, writes through the writers.
//!
//! **A read** takes a pooled connection and one snapshot (`BEGIN` on SQLite, `REPEATABLE READ READ
//! ONLY` on PostgreSQL), and rolls it back at the end. Reads of requests can be stopped
//! ([`crate::conn::interrupt`]). Some are a single statement, without a snapshot. A read that a
//! replica may serve is tried there first ([`crate::replica`]).
//!
//! **A write** is a closure with a [`Submission`] in the queue of a writer ([`crate::commit`]). No
//! thread waits for it. The queue is bounded; if it is full, the write fails at once with
//! [`Error::Busy`].
//!
//! When the store is dropped, the writers run their queued jobs first.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use daybook_domain::id::UserId;

use crate::commit::fair_queue::Tenant;
use crate::commit::job::QueuedWork;
use crate::commit::mark;
use crate::commit::shard_key::{ShardKey, digest};
use crate::commit::submission::Submission;
use crate::commit::tx::{Caches, Tx, try_one_statement};
use crate::commit::writer::{SharedState, Writer};
use crate::commit::writers::Writers;
use crate::conn::address::Address;
use crate::conn::interrupt::ReadStop;
use crate::conn::log_position::LogPosition;
use crate::conn::mode::Mode;
use crate::conn::pool::{ReaderConn, ReaderCounts, ReaderPool, ReaderPools, begin_on_free};
use crate::conn::pooler::refuse_shared_sessions;
use crate::conn::{Conn, distribution};
use crate::delivery::DeliverySignal;
use crate::error::{Error, Result};
use crate::generation;
use crate::lease::{HeldLeases, Lease};
use crate::options::Options;
use crate::replica::primary::PrimaryCheck;
use crate::replica::recent_writes::RecentWrites;
use crate::replica::{ReplicaChoice, Replicas};
use crate::transaction;

/// The database of an installation.
pub struct Store {
    /// The database for leases: the coordinator of a distributed one.
    lock_address: Address,
    readers: ReaderPools,
    replicas: Option<Replicas>,
    writers: Writers,
    statements: Arc<AtomicU64>,
    caches: Caches,
    signal: DeliverySignal,
    leases: HeldLeases,
    generation: i64,
}

impl Store {
    /// Opens the database, migrates its schema and starts the writers.
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
        // At least one connection is open from here on, which `Address::connect_alone` counts.
        let migrated = lock_address.connect_migrated()?;
        let mut conn = options.address.connect(Mode::Write)?;
        drop(migrated);
        distribution::check_whole(&mut conn, options.replicas.is_some())?;
        if options.indexes_first {
            transaction::catch_up(&mut conn)?;
        }
        let generation = generation::next(&mut conn)?;
        mark::sweep(&mut conn)?;
        let statements = Arc::new(AtomicU64::new(0));
        let shared = SharedState {
            statements: Arc::clone(&statements),
            caches: Caches::new(options.address.is_server()),
            signal: DeliverySignal::default(),
            recent: options.replicas.as_ref().map(|all| Arc::new(RecentWrites::new(all.lag))),
        };
        let start = || Writer::start(options.address.clone(), options.queue, shared.clone());
        let writers = Writers::start(options.writers, start)?;
        drop(conn);
        let counts = ReaderCounts {
            users: options.readers,
            identity: options.identity_readers,
            server: options.server_readers,
        };
        let readers = ReaderPools::open(options.address.clone(), counts, Arc::clone(&statements))?;
        let replicas = match (&options.replicas, &shared.recent) {
            (Some(replicas), Some(recent)) => Some(Replicas::open(
                replicas,
                &options.address,
                readers.get(ReaderPool::Identity),
                Arc::clone(recent),
                options.readers,
                &statements,
            )?),
            (Some(_) | None, _) => None,
        };
        Ok(Self {
            lock_address: lock_address.clone(),
            readers,
            replicas,
            writers,
            statements,
            caches: shared.caches,
            signal: shared.signal,
            leases: HeldLeases::default(),
            generation,
        })
    }

    /// Runs `work` on one consistent snapshot, with a connection for background work.
    ///
    /// # Errors
    /// The errors of `work`, and [`Error::Unavailable`].
    pub fn read<T, E: From<Error>>(
        &self,
        work: impl FnOnce(&mut Tx<'_>) -> std::result::Result<T, E>,
    ) -> std::result::Result<T, E> {
        self.read_from(ReaderPool::Server, work)
    }

    /// Runs `work` on one consistent snapshot, with a connection of a pool.
    ///
    /// # Errors
    /// The errors of `work`, and [`Error::Unavailable`].
    pub fn read_from<T, E: From<Error>>(
        &self,
        pool: ReaderPool,
        work: impl FnOnce(&mut Tx<'_>) -> std::result::Result<T, E>,
    ) -> std::result::Result<T, E> {
        let mut reader = begin_on_free(self.readers.get(pool), |conn| conn.begin(Mode::Read))?;
        let mut snapshot = OpenSnapshot { conn: &mut reader.conn, open: true };
        let outcome = work(&mut Tx::reading(snapshot.conn, self.caches.clone(), None));
        snapshot.end()?;
        outcome
    }

    /// Runs `work` on one consistent snapshot, until it is stopped.
    ///
    /// # Errors
    /// The errors of `work`, [`Error::Unavailable`] and [`Error::Stopped`].
    pub fn read_until_stopped<T, E: From<Error>>(
        &self,
        pool: ReaderPool,
        stop: &ReadStop,
        work: impl FnOnce(&mut Tx<'_>) -> std::result::Result<T, E>,
    ) -> std::result::Result<T, E> {
        stop.check()?;
        let mut reader = begin_on_free(self.readers.get(pool), |conn| {
            conn.begin_with_timeout(stop.statement_limit())
        })?;
        self.read_begun(&mut reader, stop, None, work)
    }

    /// Runs `work`, which needs few statements, until it is stopped.
    ///
    /// On a server it is tried as a single statement first ([`try_one_statement`]).
    ///
    /// # Errors
    /// Those of [`Self::read_until_stopped`].
    pub fn read_with_one_statement<T, E: From<Error>>(
        &self,
        pool: ReaderPool,
        stop: &ReadStop,
        work: impl Fn(&mut Tx<'_>) -> std::result::Result<T, E>,
    ) -> std::result::Result<T, E> {
        match try_one_statement(self.readers.get(pool), &self.caches, stop, &work) {
            Some(result) => Ok(result),
            None => self.read_until_stopped(pool, stop, work),
        }
    }

    /// Runs `work` on a connection whose snapshot has begun.
    fn read_begun<T, E: From<Error>>(
        &self,
        reader: &mut ReaderConn,
        stop: &ReadStop,
        primary: Option<&PrimaryCheck>,
        work: impl FnOnce(&mut Tx<'_>) -> std::result::Result<T, E>,
    ) -> std::result::Result<T, E> {
        let ReaderConn { conn, interrupt, .. } = reader;
        let mut snapshot = OpenSnapshot { conn, open: true };
        // Dropped before the snapshot ends, so the rollback is not interrupted.
        let running = stop.attach(interrupt)?;
        let caches = primary.map(|primary| self.caches.for_replica(primary.stale_reads));
        let caches = caches.unwrap_or_else(|| self.caches.clone());
        let (outcome, is_unconfirmed) = {
            let mut tx = Tx::reading(snapshot.conn, caches, Some(stop.clone()));
            tx.primary = primary.cloned();
            (work(&mut tx), tx.primary.is_some_and(|primary| !primary.confirmed))
        };
        drop(running);
        snapshot.end()?;
        // The error of an interrupted statement is not a failure of the database.
        if outcome.is_err() {
            stop.check()?;
        }
        // A replica must not return anything whose access the primary has not confirmed.
        if is_unconfirmed { Err(Error::Behind.into()) } else { outcome }
    }

    /// Returns the number of replicas.
    #[must_use]
    pub fn replicas(&self) -> usize {
        self.replicas.as_ref().map_or(0, Replicas::count)
    }

    /// Returns the replicas that a read of a user may use.
    ///
    /// They must have the user's own writes and the log up to `required`.
    #[must_use]
    pub fn replicas_for(
        &self,
        user: UserId,
        required: Option<LogPosition>,
    ) -> Option<ReplicaChoice> {
        self.replicas.as_ref()?.choose(user, required)
    }

    /// Runs `work` on a replica that has replayed `min_position`, until it is stopped.
    ///
    /// Returns nothing if the replica is not available or lags behind, or `work` has failed. The
    /// caller must then use the primary.
    pub fn read_replica<T, E: From<Error>>(
        &self,
        replica: usize,
        min_position: LogPosition,
        stop: &ReadStop,
        work: impl FnOnce(&mut Tx<'_>) -> std::result::Result<T, E>,
    ) -> Option<T> {
        let replicas = self.replicas.as_ref()?;
        let mut reader = replicas.reader(replica, min_position)?;
        reader.conn.begin_with_timeout(stop.statement_limit()).ok()?;
        self.read_begun(&mut reader, stop, Some(replicas.check()), work).ok()
    }

    /// Returns the end of the log after the last write of this process, if there are replicas.
    #[must_use]
    pub fn log_position(&self) -> Option<LogPosition> {
        self.replicas.as_ref()?.recent().known_end(Instant::now())
    }

    /// Queues `work` for a writer and calls `done` with its result.
    ///
    /// `done` is called when the unit of work is durable, or was refused and rolled back. It runs
    /// on the thread of the writer and must be quick. This function never blocks.
    pub fn submit<T, E>(
        &self,
        submission: impl Into<Submission>,
        work: impl FnOnce(&mut Tx<'_>) -> std::result::Result<T, E> + Send + 'static,
        done: impl FnOnce(std::result::Result<T, E>) + Send + 'static,
    ) where
        T: Send + 'static,
        E: From<Error> + Send + 'static,
    {
        let submission = submission.into();
        let tenant = submission.tenant;
        let done = self.record_completion(tenant, done);
        self.writers.enqueue(tenant, Box::new(QueuedWork::new(submission, work, done)));
    }

    /// Queues `work` that may run twice: if another unit of work of its group cannot be executed,
    /// it runs again, alone.
    ///
    /// Otherwise it is the same as [`Store::submit`].
    pub fn submit_repeatable<T, E>(
        &self,
        submission: impl Into<Submission>,
        work: impl FnOnce(&mut Tx<'_>) -> std::result::Result<T, E> + Clone + Send + 'static,
        done: impl FnOnce(std::result::Result<T, E>) + Send + 'static,
    ) where
        T: Send + 'static,
        E: From<Error> + Send + 'static,
    {
        let submission = submission.into();
        let tenant = submission.tenant;
        let done = self.record_completion(tenant, done);
        self.writers.enqueue(tenant, Box::new(QueuedWork::repeatable(submission, work, done)));
    }

    /// Wraps `done` so that later reads of the user on replicas see the write.
    fn record_completion<T>(
        &self,
        tenant: Tenant,
        done: impl FnOnce(T) + Send + 'static,
    ) -> impl FnOnce(T) + Send + 'static {
        let recent = self.replicas.as_ref().map(|replicas| Arc::clone(replicas.recent()));
        move |outcome| {
            if let (Some(recent), Some(user)) = (&recent, tenant) {
                recent.completed(user, Instant::now());
            }
            done(outcome);
        }
    }

    /// Submits `work` and waits for its result.
    ///
    /// # Errors
    /// The errors of `work`; [`Error::Busy`] if the queue is full; [`Error::Unavailable`] if the
    /// group was rolled back; [`Error::OutcomeUnknown`] if the outcome of the commit is unknown.
    pub fn write<T, E>(
        &self,
        submission: impl Into<Submission>,
        work: impl FnOnce(&mut Tx<'_>) -> std::result::Result<T, E> + Send + 'static,
    ) -> std::result::Result<T, E>
    where
        T: Send + 'static,
        E: From<Error> + Send + 'static,
    {
        wait(|done| self.submit(submission, work, done))
    }

    /// Submits `work` that may run twice and waits for its result.
    ///
    /// # Errors
    /// The errors of [`Store::write`], and the database error if `work` cannot be executed.
    pub fn write_repeatable<T, E>(
        &self,
        submission: impl Into<Submission>,
        work: impl FnOnce(&mut Tx<'_>) -> std::result::Result<T, E> + Clone + Send + 'static,
    ) -> std::result::Result<T, E>
    where
        T: Send + 'static,
        E: From<Error> + Send + 'static,
    {
        wait(|done| self.submit_repeatable(submission, work, done))
    }

    /// Sets the function that is called when this process has committed events to deliver.
    ///
    /// It runs on the thread of a writer and must be quick. Only the first call has an effect.
    pub fn on_deliveries(&self, signal: impl Fn() + Send + Sync + 'static) {
        self.signal.set(signal);
    }

    /// Returns the generation, which each opening of the database by any process increments.
    #[must_use]
    pub const fn generation(&self) -> i64 {
        self.generation
    }

    /// Acquires the lease with this name, which one process holds at a time.
    ///
    /// Returns nothing if another process holds it. The lease ends when it is dropped, or with the
    /// process.
    ///
    /// # Errors
    /// If the database is not reachable.
    pub fn lease(&self, name: &str) -> Result<Option<Lease>> {
        let key = i64::from_be_bytes(digest(name.as_bytes()).to_be_bytes());
        Lease::acquire(&self.lock_address, &self.leases, key)
    }

    /// Returns one shard key for each writer, for health checks.
    pub fn shard_keys(&self) -> impl Iterator<Item = ShardKey> + use<> {
        self.writers.shard_keys()
    }

    /// Returns the number of queued units of work of each writer.
    #[must_use]
    pub fn queue_depths(&self) -> Vec<usize> {
        self.writers.depths()
    }

    /// Returns the numbers of idle and of used connections that read, without those to replicas.
    #[must_use]
    pub fn read_connections(&self) -> (u32, u32) {
        self.readers.idle_and_used()
    }

    /// Returns how far each replica lags behind, where it is known.
    #[must_use]
    pub fn replica_lags(&self) -> Vec<Option<Duration>> {
        self.replicas.as_ref().map_or_else(Vec::new, Replicas::lags)
    }

    /// Returns the number of statements sent on all connections.
    #[must_use]
    pub fn statements(&self) -> u64 {
        self.statements.load(Ordering::Relaxed)
    }
}

/// The callback for the result of a write.
type Done<T, E> = Box<dyn FnOnce(std::result::Result<T, E>) + Send>;

/// Submits work and waits for its result.
fn wait<T, E>(submit: impl FnOnce(Done<T, E>)) -> std::result::Result<T, E>
where
    T: Send + 'static,
    E: From<Error> + Send + 'static,
{
    let (sender, receiver) = std::sync::mpsc::sync_channel(1);
    submit(Box::new(move |outcome| {
        // Fails if the caller has gone. The write is committed nevertheless.
        let _ = sender.send(outcome);
    }));
    // The channel closes only if the writer has panicked, which is a bug.
    receiver.recv().unwrap_or_else(|_| Err(E::from(Error::OutcomeUnknown)))
}

/// The snapshot of a read. It is rolled back also after a panic.
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
            // The pool drops a connection that cannot roll back.
            let _ = self.conn.rollback();
        }
    }
}
