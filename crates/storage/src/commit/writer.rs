//! Group commit.
//!
//! A writer is a thread with its own connection, a bounded queue ([`crate::commit::queue`]), and a
//! second thread that flushes long write buffers ([`crate::commit::tx::background`]). It takes a
//! group of jobs from the queue, runs it in one database transaction, commits once, and then
//! completes the jobs. The next group collects during the commit; where commits are slow, the
//! writer may wait briefly for more work ([`crate::commit::delay`]).
//!
//! **Time.** After [`GROUP_TIME`] a group is committed, and its other jobs return to the queue. The
//! time of a job and its share of the commit are charged to its tenant, and the queue serves the
//! tenant with the least time next. Jobs whose caller has gone are skipped.
//!
//! **Order.** A group is sorted by [`ShardKey`]; jobs with equal keys keep their order. Every
//! process locks books in this order, so two groups never wait for each other's books. All other
//! keys except [`ShardKey::DELIVERIES`] sort before those of books. The deletion of a book also
//! deletes rows of users' collections, and skips those that are locked, so a job with the lock of a
//! book never waits for rows of users. A job that creates a book or stores the id of a user in one
//! (a new owner, a request for access, a mail) takes a shared lock on the row of the user. Only
//! commands of the operator take an exclusive one, and their wait for it times out first
//! ([`crate::user::Users::lock_to_rename`]). The counter of identity changes, which all processes
//! write, is the last row of a group.
//!
//! On a distributed engine a group has jobs of one book only, that of its first job; a job without
//! a book is alone. The others return to the queue. A group thus concerns one machine, commits
//! there in one phase, and never waits for a machine while it holds a book of another.
//!
//! **Refusal.** A refused unit of work is rolled back alone ([`crate::commit::tx`]). A panic is
//! caught, rolled back and returned as an error.
//!
//! **Failure.** A failed write, savepoint or commit fails the group, and the writer reconnects. If
//! the same group would fail again, because a row violates an index or a flush panicked, one
//! unknown job is the cause. Each job then runs again alone, and only the failing one gets the
//! error (behaviour 0.43). Its shard key shares no group until one of its jobs succeeds. After any
//! other failure, the accepted jobs and the later refused ones get [`Error::Unavailable`]. If the
//! connection broke during the commit, the writer first determines the outcome
//! ([`crate::commit::mark`]), or returns [`Error::OutcomeUnknown`].
//!
//! A statement that fails outside a savepoint fails the group, too. PostgreSQL's commit would then
//! roll the group back without an error. SQLite, which rolls back when the disk is full, would
//! execute later statements outside any transaction. [`Conn::check_open`] detects both.

use std::collections::BTreeSet;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use crate::commit::fair_queue::{Charge, Tenant, with_shares_of_commit};
use crate::commit::group::{GroupOutcome, JobGroup, deliver, isolate_failing, run_group};
use crate::commit::job::Job;
use crate::commit::mark::CommitMark;
use crate::commit::queue::WriterQueue;
use crate::commit::shard_key::ShardKey;
use crate::commit::tx::Caches;
use crate::commit::tx::background::Flusher;
use crate::conn::address::Address;
use crate::conn::checkpoint::Checkpointer;
use crate::conn::mode::Mode;
use crate::conn::{Conn, log_position};
use crate::delivery::DeliverySignal;
use crate::error::{CommitFailure, Error, Result};
use crate::replica::recent_writes::RecentWrites;
use crate::transaction::ChunkJobs;

/// Maximum number of chained commits in a row. PostgreSQL reports row counts to autovacuum only
/// between transactions that are not chained.
const MAX_CHAINED: u32 = 100;
/// Maximum number of remembered shard keys with a failed job.
const MAX_FAILING: usize = 1_000;

/// A writer thread and its queue.
pub(crate) struct Writer {
    queue: Arc<WriterQueue>,
    thread: Option<JoinHandle<()>>,
}

/// The state that all writers of a store share.
#[derive(Clone)]
pub(crate) struct SharedState {
    /// The number of statements sent.
    pub(crate) statements: Arc<AtomicU64>,
    pub(crate) caches: Caches,
    pub(crate) signal: DeliverySignal,
    /// Recent commits, if there are replicas.
    pub(crate) recent: Option<Arc<RecentWrites>>,
}

impl Writer {
    /// Connects and starts the thread.
    pub(crate) fn start(address: Address, capacity: usize, shared: SharedState) -> Result<Self> {
        let queue = Arc::new(WriterQueue::new(capacity, address.commit_delay()));
        let mut writer_loop = WriterLoop {
            conn: None,
            flusher: Flusher::start()?,
            chained: 0,
            mark: CommitMark::of_new_writer(),
            address,
            shared,
            chunks: ChunkJobs::default(),
            failing: BTreeSet::new(),
            checkpointer: None,
        };
        writer_loop.connect()?;
        let served = Arc::clone(&queue);
        let thread = std::thread::Builder::new()
            .name("writer".to_owned())
            .spawn(move || writer_loop.serve(&served))
            .map_err(|error| Error::Unavailable(error.to_string()))?;
        Ok(Self { queue, thread: Some(thread) })
    }

    /// Adds a job to the queue. If the queue is full, it refuses the job at once.
    pub(crate) fn enqueue(&self, tenant: Tenant, job: Box<dyn Job>) {
        if let Err((job, error)) = self.queue.push(tenant, job) {
            job.refuse(error);
        }
    }

    /// Calls [`WriterQueue::would_delay`].
    pub(crate) fn would_delay(&self, shard_key: ShardKey, tenant: Tenant) -> bool {
        self.queue.would_delay(shard_key, tenant)
    }

    /// Calls [`WriterQueue::depth`].
    pub(crate) fn depth(&self) -> usize {
        self.queue.depth()
    }

    /// Calls [`WriterQueue::is_idle`].
    pub(crate) fn is_idle(&self) -> bool {
        self.queue.is_idle()
    }
}

impl Drop for Writer {
    /// Runs the queued jobs and stops the thread.
    fn drop(&mut self) {
        self.queue.close();
        if let Some(thread) = self.thread.take() {
            // The thread catches panics of its jobs, so an error here has no receiver.
            let _ = thread.join();
        }
    }
}

/// The state of the writer thread.
struct WriterLoop {
    /// The connection, unless it is broken.
    conn: Option<Box<Conn>>,
    flusher: Flusher,
    /// The number of chained commits in a row; 0 if no database transaction is open. If the
    /// connection breaks meanwhile, the next group fails.
    chained: u32,
    /// The last mark that was written.
    mark: CommitMark,
    address: Address,
    shared: SharedState,
    chunks: ChunkJobs,
    /// Shard keys with a failed job. Their jobs share no group with others.
    failing: BTreeSet<ShardKey>,
    /// The checkpoint thread, for SQLite.
    checkpointer: Option<Checkpointer>,
}

impl WriterLoop {
    fn serve(&mut self, queue: &WriterQueue) {
        loop {
            let group = queue.next_group();
            if group.is_empty() {
                return;
            }
            match catch_unwind(AssertUnwindSafe(|| self.commit(group, queue))) {
                Ok((times, left)) => queue.complete(&times, left),
                Err(_) => {
                    // A bug in the writer. Its callers see their channels close, and it continues.
                    tracing::error!("writer panicked, reconnecting");
                    self.disconnect();
                }
            }
        }
    }

    /// Runs a group and completes its jobs; returns the measured times and the jobs to put back.
    fn commit(
        &mut self,
        group: JobGroup,
        queue: &WriterQueue,
    ) -> (Vec<(Charge, Duration)>, JobGroup) {
        let start = Instant::now();
        let shard_key = group.first().map(|scheduled| scheduled.job.shard_key());
        let (group, isolated) = isolate_failing(&self.failing, group);
        let is_alone = group.len() == 1;
        let chained = self.chained;
        let may_chain = || chained < MAX_CHAINED && queue.has_work();
        let conn = match self.take_connection() {
            Ok(conn) => conn,
            Err(error) => {
                let text = error.to_string();
                for scheduled in group {
                    scheduled.job.refuse(Error::Unavailable(text.clone()));
                }
                return (Vec::new(), isolated);
            }
        };
        let last_mark = self.mark;
        self.mark = last_mark.next();
        let mark = conn.engine().marks_commits().then_some(self.mark);
        let caches = self.shared.caches.clone();
        let GroupOutcome { conn, mut ran, committed, is_marked, has_due_deliveries } =
            run_group(conn, &self.flusher, mark, caches, group, may_chain);
        if !is_marked {
            self.mark = last_mark;
        }
        let took = start.elapsed();
        self.conn = conn;
        let committed = committed.or_else(|failure| match (failure, mark) {
            (CommitFailure::Unknown(why), Some(mark)) => {
                self.disconnect();
                // No database transaction was chained to it.
                mark.resolve(&self.address, why).map(|()| false)
            }
            (failure, _) => Err(failure),
        });
        self.note_outcome(&committed, chained);
        let committed = committed.map(drop);
        if is_alone && let Some(shard_key) = shard_key {
            self.note_failing(shard_key, &committed);
        }
        ran.left.extend(isolated);
        let retries = deliver(&mut ran, &committed, is_alone);
        if committed.is_ok() {
            for (book, tenant) in &ran.unindexed {
                if let Some(job) = self.chunks.next(book, *tenant) {
                    queue.push_first(*tenant, job);
                }
            }
            if has_due_deliveries {
                self.shared.signal.send();
            }
        }
        if let (Some(checkpointer), Some(conn)) = (&self.checkpointer, &mut self.conn) {
            checkpointer.committed(conn);
        }
        let mut times = with_shares_of_commit(ran.times, took);
        for scheduled in retries {
            let (more_times, left) = self.commit(vec![scheduled], queue);
            times.extend(more_times);
            ran.left.extend(left);
        }
        (times, ran.left)
    }

    /// Records the outcome of a group, which followed `chained` chained commits.
    fn note_outcome(&mut self, committed: &std::result::Result<bool, CommitFailure>, chained: u32) {
        self.chained = if matches!(committed, Ok(true)) { chained.saturating_add(1) } else { 0 };
        match committed {
            Ok(_) => self.note_commit(),
            Err(failure) => {
                failure.log();
                self.disconnect();
                // The group may be committed nevertheless.
                if let Some(recent) = &self.shared.recent {
                    recent.committed_at_unknown_position(Instant::now());
                }
            }
        }
    }

    /// Records whether the shard key of a job that ran alone has failed.
    fn note_failing(
        &mut self,
        shard_key: ShardKey,
        committed: &std::result::Result<(), CommitFailure>,
    ) {
        match committed {
            Ok(()) => {
                self.failing.remove(&shard_key);
            }
            Err(CommitFailure::Refused(_)) if self.failing.len() < MAX_FAILING => {
                self.failing.insert(shard_key);
            }
            Err(
                CommitFailure::Refused(_) | CommitFailure::Undone(_) | CommitFailure::Unknown(_),
            ) => {}
        }
    }

    /// Records the log position of a commit. It runs before the jobs complete, because their
    /// callers may then read from a replica.
    fn note_commit(&mut self) {
        let Some(recent) = &self.shared.recent else { return };
        // After a resolved commit there is no connection.
        let Some(conn) = &mut self.conn else {
            return recent.committed_at_unknown_position(Instant::now());
        };
        match log_position::written(conn) {
            Ok(end) => recent.committed(end),
            Err(error) => {
                tracing::warn!(%error, "commit position unknown, replicas not used");
                recent.committed_at_unknown_position(Instant::now());
                // The statement may have failed in the transaction of the next group.
                self.disconnect();
            }
        }
    }

    /// Takes the connection and ensures that a database transaction is open.
    fn take_connection(&mut self) -> Result<Box<Conn>> {
        if self.conn.is_none() {
            self.connect()?;
        }
        if self.chained == 0
            && let Err(error) = self.connection()?.begin(Mode::Write)
        {
            tracing::warn!(%error, "writer connection lost, reconnecting");
            self.connect()?;
            self.connection()?.begin(Mode::Write)?;
        }
        self.conn.take().ok_or_else(no_connection)
    }

    fn connection(&mut self) -> Result<&mut Conn> {
        self.conn.as_deref_mut().ok_or_else(no_connection)
    }

    /// Drops the connection and any open transaction.
    fn disconnect(&mut self) {
        (self.conn, self.chained) = (None, 0);
    }

    fn connect(&mut self) -> Result<()> {
        self.disconnect();
        let mut conn = self.address.connect(Mode::Write)?;
        self.shared.caches.clear_versions();
        self.checkpointer = Checkpointer::start(&self.address, &mut conn)?;
        conn.count_statements(Arc::clone(&self.shared.statements));
        self.conn = Some(Box::new(conn));
        Ok(())
    }
}

fn no_connection() -> Error {
    Error::Unavailable("no connection".to_owned())
}
