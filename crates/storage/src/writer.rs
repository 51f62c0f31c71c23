//! Group commit. A writer is a thread with its own connection, a bounded queue
//! ([`crate::fair_queue`]), and a second thread that flushes what is long while the writer goes on
//! ([`crate::tx::background`]). It takes a group of what waits, runs it in one database
//! transaction, commits once, and only then answers them all. While one commit is on its way to the
//! disk, the next group gathers; where commits are far away, it may wait a moment for more
//! ([`crate::commit_delay`]).
//!
//! **Time.** A group that has run for [`GROUP_TIME`] is committed, and what it has not begun goes
//! back into the queue. What a unit of work took is charged to its user, with its part of the
//! commit, and the queue serves next who has taken least. So nobody waits for more of another
//! user's work than one unit of it. Work that nobody waits for any more is not begun.
//!
//! **Order.** A group is sorted by lane, and within a lane it keeps its order. Every process takes
//! the locks of books in this order, so two groups never wait for each other's books. All other
//! lanes but [`ShardKey::DELIVERIES`] come before those of books: to delete a book also deletes rows of
//! users' collections, and passes over those that are being changed, so nobody waits for a user's
//! rows while holding a book. Who founds a book or names a user in one (its new owner, who asks for
//! access, who is mailed) shares the user's row with all but the operator, who gives way
//! ([`crate::user::Users::take`]); the count of changes that all processes write is the last row of
//! a group.
//!
//! On a distributed engine a group has one book, that of the unit of work whose turn it is; one
//! that belongs to no book is alone. The others go back into the queue. So a group concerns one
//! machine, commits there in one phase, and waits for no machine while it holds a book of another.
//!
//! **A refusal** undoes its unit of work alone ([`Tx`]). A panic is caught, undone and answered as
//! an error.
//!
//! **A failure** of a write, a savepoint or the commit loses the group, and the writer connects
//! anew. When the same group would fail again, because a row is there that must not be or a flush
//! panicked, one unit of work in it cannot be done, and it is not known which. So each runs again
//! in a group of its own, and only that one is answered with its failure (behaviour 0.43). Its lane
//! shares no group until one of its units of work succeeds. After any other failure, what was
//! accepted in the group, and what was refused after that, is answered with [`Error::Unavailable`].
//! Where the answer of a commit was lost on its way, the writer finds out first what became of it
//! ([`crate::commit_mark`]), or answers with [`Error::OutcomeUnknown`].
//!
//! A statement that failed outside a savepoint loses the group, too. After one, PostgreSQL's commit
//! would undo the group without an error; and SQLite, which rolls back by itself when the disk is
//! full, would write the rest outside any transaction. [`Conn::check_open`] detects both.

use std::collections::BTreeSet;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use crate::checkpoint::Checkpointer;
use crate::commit_mark::CommitMark;
use crate::conn::Conn;
use crate::delivery::DeliverySignal;
use crate::dialect::Mode;
use crate::error::{Error, Result};
use crate::fair_queue::{Charge, Tenant, with_parts_of_commit};
use crate::job::{CommitFailure, Job};
use crate::pool::Address;
use crate::replica::position;
use crate::replica::recent_writes::RecentWrites;
use crate::shard_key::ShardKey;
use crate::transaction::ChunkJobs;
use crate::tx::Caches;
use crate::tx::background::Flusher;
use crate::writer_group::{GroupOutcome, JobGroup, apart, deliver, run_group};
use crate::writer_queue::WriterQueue;

/// Commits in a row that begin the next database transaction on their way. PostgreSQL counts rows,
/// by which it decides what to vacuum, only between transactions that are not so chained.
const MAX_CHAINED: u32 = 100;
/// Most lanes of which it is known that a unit of work could not be done.
const MAX_FAILING: usize = 1_000;

/// A writer thread and the queue before it.
pub(crate) struct Writer {
    queue: Arc<WriterQueue>,
    thread: Option<JoinHandle<()>>,
}

impl Writer {
    /// Connects and starts the thread.
    pub(crate) fn start(
        address: Address,
        capacity: usize,
        shared: (Arc<AtomicU64>, Caches, DeliverySignal, Option<Arc<RecentWrites>>),
    ) -> Result<Self> {
        let queue = Arc::new(WriterQueue::new(capacity, address.commit_delay()));
        let (statements, caches, signal, recent) = shared;
        let mut writer_loop = WriterLoop {
            conn: None,
            flusher: Flusher::start()?,
            chained: 0,
            mark: CommitMark::of_new_writer(),
            address,
            statements,
            caches,
            signal,
            chunks: ChunkJobs::default(),
            failing: BTreeSet::new(),
            recent,
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

    /// Adds a unit of work to the queue; a full queue answers at once.
    pub(crate) fn enqueue(&self, flow: Tenant, job: Box<dyn Job>) {
        if let Err((job, error)) = self.queue.push(flow, job) {
            job.refuse(error);
        }
    }

    /// [`WriterQueue::delays`].
    pub(crate) fn delays(&self, lane: ShardKey, flow: Tenant) -> bool {
        self.queue.delays(lane, flow)
    }

    /// [`WriterQueue::is_idle`].
    pub(crate) fn is_idle(&self) -> bool {
        self.queue.is_idle()
    }
}

impl Drop for Writer {
    /// Finishes what waits, then stops.
    fn drop(&mut self) {
        self.queue.close();
        if let Some(thread) = self.thread.take() {
            // The thread catches its own panics; there is nobody left to tell of another.
            let _ = thread.join();
        }
    }
}

/// The writer's own connection, made anew when it breaks.
struct WriterLoop {
    conn: Option<Box<Conn>>,
    flusher: Flusher,
    /// How many commits in a row have begun the next database transaction; 0 if none is open. A
    /// connection that breaks meanwhile costs the next group.
    chained: u32,
    /// The mark of the last group that has written one.
    mark: CommitMark,
    address: Address,
    statements: Arc<AtomicU64>,
    caches: Caches,
    signal: DeliverySignal,
    chunks: ChunkJobs,
    /// Lanes of which a unit of work could not be done. They share no group with others.
    failing: BTreeSet<ShardKey>,
    /// Told of each commit where there are replicas.
    recent: Option<Arc<RecentWrites>>,
    /// Told of each commit where the engine has checkpoints to be made.
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
                Ok((bills, left)) => queue.settle(&bills, left),
                Err(_) => {
                    // A bug, but no reason to write nothing any more. Those who waited see their
                    // channels close.
                    tracing::error!("the writer panicked; it connects anew");
                    self.disconnect();
                }
            }
        }
    }

    /// Runs a group and answers it. Tells what its units of work took, and which it left.
    fn commit(
        &mut self,
        group: JobGroup,
        queue: &WriterQueue,
    ) -> (Vec<(Charge, Duration)>, JobGroup) {
        let (begun, lane) = (Instant::now(), group.first().map(|taken| taken.job.lane()));
        let (group, apart) = apart(&self.failing, group);
        let is_alone = group.len() == 1;
        let (caches, chained) = (self.caches.clone(), self.chained);
        let may_chain = || chained < MAX_CHAINED && queue.has_work();
        let conn = match self.take_connection() {
            Ok(conn) => conn,
            Err(error) => {
                let text = error.to_string();
                for taken in group {
                    taken.job.refuse(Error::Unavailable(text.clone()));
                }
                return (Vec::new(), apart);
            }
        };
        let last = self.mark;
        self.mark = last.next();
        let mark = conn.engine().marks_commits().then_some(self.mark);
        let GroupOutcome { conn, mut ran, committed, is_marked, delivers } =
            run_group((conn, &self.flusher, mark), caches, group, may_chain);
        if !is_marked {
            self.mark = last;
        }
        let took = begun.elapsed();
        self.conn = conn;
        let committed = committed.or_else(|failure| match (failure, mark) {
            (CommitFailure::Unknown(why), Some(mark)) => {
                self.disconnect();
                // No database transaction was chained to it.
                mark.settle(&self.address, why).map(|()| false)
            }
            (failure, _) => Err(failure),
        });
        self.note_end(&committed, chained);
        let committed = committed.map(drop);
        let delivers = delivers && committed.is_ok();
        self.note_failing(lane.filter(|_| is_alone), &committed);
        ran.left.extend(apart);
        let again = deliver(&mut ran, &committed, is_alone);
        for (book, flow) in ran.unindexed.iter().filter(|_| committed.is_ok()) {
            if let Some(job) = self.chunks.next(book, *flow) {
                queue.push_first(*flow, job);
            }
        }
        if delivers {
            self.signal.give();
        }
        if let (Some(checkpointer), Some(conn)) = (&self.checkpointer, &mut self.conn) {
            checkpointer.committed(conn);
        }
        let mut bills = with_parts_of_commit(ran.times, took);
        for taken in again {
            let (bill, left) = self.commit(vec![taken], queue);
            bills.extend(bill);
            ran.left.extend(left);
        }
        (bills, ran.left)
    }

    /// Notes how a group has ended, after so many commits that were chained.
    fn note_end(&mut self, committed: &std::result::Result<bool, CommitFailure>, chained: u32) {
        self.chained = if matches!(committed, Ok(true)) { chained.saturating_add(1) } else { 0 };
        match committed {
            Ok(_) => self.note_commit(),
            Err(failure) => {
                failure.log();
                self.disconnect();
                // It may be kept all the same.
                self.recent.iter().for_each(|recent| recent.committed_somewhere(Instant::now()));
            }
        }
    }

    /// Notes whether the units of work of a lane can be done, after one that was alone.
    fn note_failing(
        &mut self,
        lane: Option<ShardKey>,
        committed: &std::result::Result<(), CommitFailure>,
    ) {
        let Some(lane) = lane else { return };
        match committed {
            Ok(()) => {
                self.failing.remove(&lane);
            }
            Err(CommitFailure::Refused(_)) if self.failing.len() < MAX_FAILING => {
                self.failing.insert(lane);
            }
            Err(
                CommitFailure::Refused(_) | CommitFailure::Undone(_) | CommitFailure::Unknown(_),
            ) => {}
        }
    }

    /// Notes where a commit ends, before it is answered: whoever is answered reads it.
    fn note_commit(&mut self) {
        let Some(recent) = &self.recent else { return };
        // Whose answer was lost has no connection any more.
        let Some(conn) = &mut self.conn else {
            return recent.committed_somewhere(Instant::now());
        };
        match position::written(conn) {
            Ok(end) => recent.committed(end),
            Err(error) => {
                tracing::warn!(%error, "where a commit ends is not known; no replica is asked");
                recent.committed_somewhere(Instant::now());
                // It may have failed in the transaction of the next group.
                self.disconnect();
            }
        }
    }

    /// Takes the connection, in a database transaction.
    fn take_connection(&mut self) -> Result<Box<Conn>> {
        if self.conn.is_none() {
            self.connect()?;
        }
        if self.chained == 0
            && let Err(error) = self.any_connection()?.begin(Mode::Write)
        {
            tracing::warn!(%error, "the writer's connection is gone; connecting anew");
            self.connect()?;
            self.any_connection()?.begin(Mode::Write)?;
        }
        self.conn.take().ok_or_else(no_connection)
    }

    fn any_connection(&mut self) -> Result<&mut Conn> {
        self.conn.as_deref_mut().ok_or_else(no_connection)
    }

    /// Gives the connection up, with the transaction that may be open in it.
    fn disconnect(&mut self) {
        (self.conn, self.chained) = (None, 0);
    }

    fn connect(&mut self) -> Result<()> {
        self.disconnect();
        let mut conn = self.address.connect(Mode::Write)?;
        self.caches.charts.forget();
        self.checkpointer = Checkpointer::start(&self.address, &mut conn)?;
        conn.count_statements(Arc::clone(&self.statements));
        self.conn = Some(Box::new(conn));
        Ok(())
    }
}

fn no_connection() -> Error {
    Error::Unavailable("no connection".to_owned())
}
