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
//! lanes but [`Lane::QUEUES`] come before those of books: to delete a book also deletes rows of
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
//! **A failure** of a write, a savepoint or the commit loses the group: what was accepted in it,
//! and what was refused after that, is answered with [`Error::Unavailable`], and the writer
//! connects anew. Where the answer of a commit was lost on its way, it finds out first what became
//! of it ([`crate::commit_mark`]), or answers with [`Error::OutcomeUnknown`].
//!
//! A statement that failed outside a savepoint loses the group, too. After one, PostgreSQL's commit
//! would undo the group without an error; and SQLite, which rolls back by itself when the disk is
//! full, would write the rest outside any transaction. [`Conn::check_open`] detects both.

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
use crate::engine::Engine;
use crate::error::{Error, Result};
use crate::fair_queue::{Bill, GROUP_TIME, QueueFlow, Taken, with_parts_of_commit};
use crate::job::{CommitFailure, Completion, Job};
use crate::lane::Lane;
use crate::pool::Address;
use crate::replica::position;
use crate::replica::recent_writes::RecentWrites;
use crate::transaction::ChunkJobs;
use crate::tx::background::Flusher;
use crate::tx::{Caches, Tx};
use crate::writer_queue::WriterQueue;

/// Commits in a row that begin the next database transaction on their way. PostgreSQL counts rows,
/// by which it decides what to vacuum, only between transactions that are not so chained.
const MAX_CHAINED: u32 = 100;

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
    pub(crate) fn enqueue(&self, flow: QueueFlow, job: Box<dyn Job>) {
        if let Err((job, error)) = self.queue.push(flow, job) {
            job.refuse(error);
        }
    }

    /// [`WriterQueue::delays`].
    pub(crate) fn delays(&self, lane: Lane, flow: QueueFlow) -> bool {
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
    /// Told of each commit where there are replicas.
    recent: Option<Arc<RecentWrites>>,
    /// Told of each commit where the engine has checkpoints to be made.
    checkpointer: Option<Checkpointer>,
}

type JobGroup = Vec<Taken<Box<dyn Job>>>;

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
    ) -> (Vec<(Bill, Duration)>, JobGroup) {
        let begun = Instant::now();
        let (caches, chained) = (self.caches.clone(), self.chained);
        let may_chain = || chained < MAX_CHAINED && queue.has_work();
        let conn = match self.take_connection() {
            Ok(conn) => conn,
            Err(error) => {
                let text = error.to_string();
                for taken in group {
                    taken.job.refuse(Error::Unavailable(text.clone()));
                }
                return (Vec::new(), Vec::new());
            }
        };
        let last = self.mark;
        self.mark = last.next();
        let mark = conn.engine().marks_commits().then_some(self.mark);
        let GroupOutcome { conn, ran, committed, is_marked, delivers } =
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
        self.chained = if matches!(committed, Ok(true)) { chained.saturating_add(1) } else { 0 };
        if let Err(failure) = &committed {
            failure.log();
            self.disconnect();
            // It may be kept all the same.
            self.recent.iter().for_each(|recent| recent.committed_somewhere(Instant::now()));
        } else {
            self.note_commit();
        }
        let committed = committed.map(drop);
        let delivers = delivers && committed.is_ok();
        let mut relies = false;
        for answer in ran.answers {
            relies |= answer.accepted();
            answer.deliver(if relies { committed.clone() } else { Ok(()) });
        }
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
        (with_parts_of_commit(ran.times, took), ran.left)
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

/// What became of the units of work of a group.
#[derive(Default)]
struct RanGroup {
    answers: Vec<Box<dyn Completion>>,
    /// What each of them took.
    times: Vec<(Bill, Duration)>,
    /// The books of which a chunk of the trigram index waits, and who completed it.
    unindexed: Vec<(String, QueueFlow)>,
    /// Those that were not begun, because the group's time was over or they have another lane.
    left: JobGroup,
}

/// Those of a group that run now, in the order of their locks, and those that have to wait, because
/// they belong to another machine.
fn in_order(engine: Engine, mut group: JobGroup) -> (JobGroup, JobGroup) {
    if engine.is_distributed() {
        let book = group.first().map(|taken| taken.job.lane()).filter(|lane| lane.is_of_book());
        let mut is_first = true;
        return group
            .into_iter()
            .partition(|taken| std::mem::take(&mut is_first) || book == Some(taken.job.lane()));
    }
    // Every process takes books' locks in the same order, so groups of different processes cannot
    // deadlock.
    group.sort_by_key(|taken| taken.job.lane());
    (group, JobGroup::new())
}

/// Whether the commit has begun another database transaction ([`Tx::finish`]).
type CommitResult = std::result::Result<bool, CommitFailure>;

/// What became of a group.
struct GroupOutcome {
    /// The connection, unless a flush has lost it.
    conn: Option<Box<Conn>>,
    ran: RanGroup,
    committed: CommitResult,
    /// Whether the mark of its commit is used up.
    is_marked: bool,
    /// Whether deliveries have become due.
    delivers: bool,
}

/// Runs the units of work one after another, until the group's time is over, and commits once.
fn run_group(
    (conn, flusher, mark): (Box<Conn>, &Flusher, Option<CommitMark>),
    caches: Caches,
    group: JobGroup,
    chain: impl FnOnce() -> bool,
) -> GroupOutcome {
    let (group, left) = in_order(conn.engine(), group);
    let mut ran = RanGroup { left, ..RanGroup::default() };
    let mut tx = Tx::of_group((conn, flusher), caches, group.len() > 1, mark);
    let committed = match run_units(&mut tx, group, &mut ran) {
        Ok(()) => tx.finish(chain),
        Err(error) => {
            // Everything since the begin is undone with the connection.
            let _ = tx.abandon();
            Err(error.into())
        }
    };
    let (is_marked, delivers) = (tx.is_marked(), tx.delivers());
    GroupOutcome { ran, committed, is_marked, delivers, conn: tx.into_conn() }
}

/// Runs the units of work of a group. After a failure none of the group may be committed.
fn run_units(tx: &mut Tx<'_>, group: JobGroup, ran: &mut RanGroup) -> Result<()> {
    let mut failure = tx.begin().err();
    let begun = Instant::now();
    for taken in group {
        if failure.is_none() && !ran.times.is_empty() && begun.elapsed() >= GROUP_TIME {
            ran.left.push(taken);
            continue;
        }
        let Taken { job, bill } = taken;
        if !job.is_wanted() {
            ran.times.push((bill, Duration::ZERO));
            job.refuse(Error::Unavailable("nobody waits for it any more".to_owned()));
            continue;
        }
        let started = Instant::now();
        failure = failure.or_else(|| tx.begin_unit().err());
        if let Some(error) = failure.as_ref() {
            job.refuse(Error::Unavailable(error.to_string()));
            continue;
        }
        let lane = job.lane();
        let answer = job.run(tx);
        // Those of the books that this writer works on.
        let mut unindexed = std::mem::take(&mut tx.unindexed);
        unindexed.retain(|book| answer.accepted() && Lane::of_book(book) == lane);
        ran.unindexed.extend(unindexed.into_iter().map(|book| (book, bill.flow)));
        let closed = if answer.accepted() { tx.keep_unit() } else { tx.undo_unit() };
        failure = closed.err();
        ran.answers.push(answer);
        // To flush the rows of others is not its work: it is shared as the commit is.
        ran.times.push((bill, started.elapsed().saturating_sub(tx.take_waited())));
    }
    failure.map_or(Ok(()), Err)
}
