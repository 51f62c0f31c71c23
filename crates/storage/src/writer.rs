//! Group commit. A writer is a thread with its own connection and a bounded queue. It takes what
//! waits, at most 256 units of work, runs them one after another in one database transaction,
//! commits once, and only then answers them all. It never waits for company: while one commit is on
//! its way to the disk, the next group gathers.
//!
//! **Order.** A group is sorted by lane, and within a lane it keeps its order. Every process takes
//! the locks of books in this order, so two groups never wait for each other's books. All other
//! lanes but [`Lane::QUEUES`] come before those of books: to delete a book also deletes rows of
//! users' collections, and passes over those that are being changed, so nobody waits for a user's
//! rows while holding a book. Who founds a book shares its owner's row with all but the operator,
//! who gives way ([`crate::user::Users::take`]); the count of changes that all processes write is
//! the last row of a group.
//!
//! **A refusal** undoes its unit of work alone ([`Tx`]). A panic is caught, undone and answered as
//! an error.
//!
//! **A failure** of a write, a savepoint or the commit loses the group: what was accepted in it is
//! answered with [`Error::Unavailable`], and the writer connects anew. So does a statement that
//! failed outside a savepoint. After one, PostgreSQL's commit would undo the group without an
//! error; and SQLite, which rolls back by itself when the disk is full, would write the rest
//! outside any transaction. [`Conn::check_open`] detects both.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::sync::mpsc::{Receiver, SyncSender, TrySendError, sync_channel};
use std::thread::JoinHandle;

use crate::conn::Conn;
use crate::delivery::DeliverySignal;
use crate::dialect::Mode;
use crate::error::{Error, Result};
use crate::pool::Address;
use crate::store::Lane;
use crate::tx::{Caches, Tx};

/// Most units of work in one commit: it bounds how long the first of them waits.
const MAX_IN_GROUP: usize = 256;

/// A unit of work that waits for its turn.
pub(crate) trait Job: Send {
    /// The lane: all writers of all processes take the locks of books in its order.
    fn lane(&self) -> Lane;
    /// Runs it; the answer is kept until the commit.
    fn run(self: Box<Self>, tx: &mut Tx<'_>) -> Box<dyn Completion>;
    /// Answers without running it.
    fn refuse(self: Box<Self>, error: Error);
}

/// The answer of a unit of work that ran.
pub(crate) trait Completion {
    /// Whether its changes are to be kept.
    fn accepted(&self) -> bool;
    /// Answers the caller. `committed` is the outcome of the whole group.
    fn deliver(self: Box<Self>, committed: std::result::Result<(), CommitFailure>);
}

/// Why a group was not committed after its work had run. Each unit of work answers it as an
/// [`Error`].
#[derive(Debug, Clone)]
pub(crate) struct CommitFailure(String);

/// A unit of work with whoever waits for it.
pub(crate) struct QueuedWork<W, D> {
    lane: Lane,
    work: W,
    done: D,
}

impl<W, D> QueuedWork<W, D> {
    pub(crate) const fn new(lane: Lane, work: W, done: D) -> Self {
        Self { lane, work, done }
    }
}

impl<T, E, W, D> Job for QueuedWork<W, D>
where
    T: Send + 'static,
    E: From<Error> + Send + 'static,
    W: FnOnce(&mut Tx<'_>) -> std::result::Result<T, E> + Send,
    D: FnOnce(std::result::Result<T, E>) + Send + 'static,
{
    fn lane(&self) -> Lane {
        self.lane
    }

    fn run(self: Box<Self>, tx: &mut Tx<'_>) -> Box<dyn Completion> {
        let Self { work, done, .. } = *self;
        // A panic is a bug; the other units of work of the group go on.
        let outcome = catch_unwind(AssertUnwindSafe(|| work(tx))).unwrap_or_else(|panic| {
            let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
            let text = text.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_default();
            tracing::error!(panic = text, "a unit of work panicked");
            Err(E::from(Error::Panicked(text)))
        });
        Box::new(Completed { outcome, done })
    }

    fn refuse(self: Box<Self>, error: Error) {
        (self.done)(Err(E::from(error)));
    }
}

struct Completed<T, E, D> {
    outcome: std::result::Result<T, E>,
    done: D,
}

impl<T, E: From<Error>, D: FnOnce(std::result::Result<T, E>)> Completion for Completed<T, E, D> {
    fn accepted(&self) -> bool {
        self.outcome.is_ok()
    }

    fn deliver(self: Box<Self>, committed: std::result::Result<(), CommitFailure>) {
        let Self { outcome, done } = *self;
        done(match (outcome, committed) {
            (Ok(value), Ok(())) => Ok(value),
            (Ok(_), Err(failure)) => Err(E::from(Error::Unavailable(failure.0))),
            // A refusal is answered whether the group was committed or not.
            (Err(error), _) => Err(error),
        });
    }
}

/// A writer thread and the queue before it.
pub(crate) struct Writer {
    queue: Option<SyncSender<Box<dyn Job>>>,
    thread: Option<JoinHandle<()>>,
}

impl Writer {
    /// Connects and starts the thread.
    pub(crate) fn start(
        address: Address,
        capacity: usize,
        shared: (Arc<AtomicU64>, Caches, DeliverySignal),
    ) -> Result<Self> {
        let (sender, receiver) = sync_channel(capacity);
        let (statements, caches, signal) = shared;
        let mut writer_loop = WriterLoop { conn: None, address, statements, caches, signal };
        writer_loop.connect()?;
        let run = move || writer_loop.serve(&receiver);
        let thread = std::thread::Builder::new()
            .name("writer".to_owned())
            .spawn(run)
            .map_err(|error| Error::Unavailable(error.to_string()))?;
        Ok(Self { queue: Some(sender), thread: Some(thread) })
    }

    /// Adds a unit of work to the queue; a full queue answers at once.
    pub(crate) fn enqueue(&self, job: Box<dyn Job>) {
        let Some(queue) = &self.queue else {
            return job.refuse(Error::Unavailable("the store is closing".to_owned()));
        };
        match queue.try_send(job) {
            Ok(()) => {}
            Err(TrySendError::Full(job)) => job.refuse(Error::Busy),
            Err(TrySendError::Disconnected(job)) => {
                job.refuse(Error::Unavailable("the writer stopped".to_owned()))
            }
        }
    }
}

impl Drop for Writer {
    /// Finishes what waits, then stops.
    fn drop(&mut self) {
        self.queue = None;
        if let Some(thread) = self.thread.take() {
            // The thread catches its own panics; there is nobody left to tell of another.
            let _ = thread.join();
        }
    }
}

/// The writer's own connection, made anew when it breaks.
struct WriterLoop {
    conn: Option<Conn>,
    address: Address,
    statements: Arc<AtomicU64>,
    caches: Caches,
    signal: DeliverySignal,
}

impl WriterLoop {
    fn serve(&mut self, queue: &Receiver<Box<dyn Job>>) {
        while let Ok(first) = queue.recv() {
            let mut group = vec![first];
            group.extend(queue.try_iter().take(MAX_IN_GROUP - 1));
            // Every process takes books' locks in the same order, so groups of different processes
            // cannot deadlock.
            group.sort_by_key(|job| job.lane());
            if catch_unwind(AssertUnwindSafe(|| self.commit(group))).is_err() {
                // A bug, but no reason to write nothing any more. Those who waited see their
                // channels close.
                tracing::error!("the writer panicked; it connects anew");
                self.conn = None;
            }
        }
    }

    fn commit(&mut self, group: Vec<Box<dyn Job>>) {
        let caches = self.caches.clone();
        let conn = match self.connected() {
            Ok(conn) => conn,
            Err(error) => {
                let text = error.to_string();
                return group
                    .into_iter()
                    .for_each(|job| job.refuse(Error::Unavailable(text.clone())));
            }
        };
        let (answers, outcome, delivers) = run_group(conn, caches, group);
        if let Err(error) = &outcome {
            tracing::error!(%error, "a group of writes was lost; the writer connects anew");
            self.conn = None;
        }
        let committed = outcome.map_err(|error| CommitFailure(error.to_string()));
        let delivers = delivers && committed.is_ok();
        for answer in answers {
            answer.deliver(committed.clone());
        }
        if delivers {
            self.signal.give();
        }
    }

    fn connected(&mut self) -> Result<&mut Conn> {
        if self.conn.is_none() {
            self.connect()?;
        }
        let conn =
            self.conn.as_mut().ok_or_else(|| Error::Unavailable("no connection".to_owned()))?;
        if let Err(error) = conn.begin(Mode::Write) {
            tracing::warn!(%error, "the writer's connection is gone; connecting anew");
            self.connect()?;
            let fresh =
                self.conn.as_mut().ok_or_else(|| Error::Unavailable("no connection".to_owned()))?;
            fresh.begin(Mode::Write)?;
            return Ok(fresh);
        }
        self.conn.as_mut().ok_or_else(|| Error::Unavailable("no connection".to_owned()))
    }

    fn connect(&mut self) -> Result<()> {
        self.conn = None;
        let mut conn = self.address.connect(Mode::Write)?;
        conn.count_statements(Arc::clone(&self.statements));
        self.conn = Some(conn);
        Ok(())
    }
}

/// Runs the units of work one after another and commits once; tells whether deliveries have become
/// due.
fn run_group(
    conn: &mut Conn,
    caches: Caches,
    group: Vec<Box<dyn Job>>,
) -> (Vec<Box<dyn Completion>>, Result<()>, bool) {
    let mut tx = Tx::writing(conn, caches, group.len() > 1);
    let mut answers = Vec::with_capacity(group.len());
    let mut failure: Option<Error> = None;
    if let Err(error) = tx.begin() {
        failure = Some(error);
    }
    for job in group {
        if let Some(error) = failure.as_ref() {
            job.refuse(Error::Unavailable(error.to_string()));
            continue;
        }
        if let Err(error) = tx.begin_unit() {
            job.refuse(Error::Unavailable(error.to_string()));
            failure = Some(error);
            continue;
        }
        let answer = job.run(&mut tx);
        let closed = if answer.accepted() { tx.keep_unit() } else { tx.undo_unit() };
        failure = closed.err();
        answers.push(answer);
    }
    let outcome = match failure {
        Some(error) => {
            // Everything since the begin is undone with the connection.
            let _ = tx.abandon();
            Err(error)
        }
        None => tx.finish(),
    };
    (answers, outcome, tx.delivers())
}
