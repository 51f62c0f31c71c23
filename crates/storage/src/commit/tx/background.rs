//! The connection of a unit of work, which a background flush may borrow.
//!
//! Flushing many rows takes as long as making them, or longer. Each writer therefore has a second
//! thread that flushes. The writer passes it the connection and continues with work that needs no
//! statement: the next unit of work of the group, or the events of this one. The next statement
//! waits for the flush.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::{Duration, Instant};

use crate::conn::Conn;
use crate::conn::engine::Engine;
use crate::error::{Error, Result};

/// A flush. It returns whether delivery queues have become due.
pub(super) type Flush = Box<dyn FnOnce(&mut Conn) -> Result<bool> + Send>;

/// Handle of the thread that flushes for a writer. The thread ends when it is dropped.
pub(crate) struct Flusher(Sender<FlushRequest>);

/// A flush with the connection to use and the channel for its result.
struct FlushRequest {
    conn: Box<Conn>,
    flush: Flush,
    result: Sender<FlushResult>,
}

/// The connection after a flush, and the outcome.
type FlushResult = (Box<Conn>, Result<bool>);

impl Flusher {
    /// Starts the thread.
    pub(crate) fn start() -> Result<Self> {
        let (sender, requests) = channel::<FlushRequest>();
        let serve = move || {
            for FlushRequest { mut conn, flush, result } in requests {
                let work = move || {
                    let flushed = flush(&mut conn);
                    // Fails if the writer has failed meanwhile and dropped the receiver.
                    drop(result.send((conn, flushed)));
                };
                if catch_unwind(AssertUnwindSafe(work)).is_err() {
                    tracing::error!("flush panicked");
                }
            }
        };
        std::thread::Builder::new()
            .name("flusher".to_owned())
            .spawn(serve)
            .map_err(|error| Error::Unavailable(error.to_string()))?;
        Ok(Self(sender))
    }

    /// Starts a flush on the thread.
    fn flush(&self, conn: Box<Conn>, flush: Flush) -> Result<Receiver<FlushResult>> {
        let (sender, receiver) = channel();
        self.0.send(FlushRequest { conn, flush, result: sender }).map_err(|_| lost())?;
        Ok(receiver)
    }
}

/// The connection of a unit of work.
pub(super) struct SharedConn<'a> {
    /// The engine, which is known also while a flush has the connection.
    pub(super) engine: Engine,
    state: ConnState<'a>,
    /// The time spent waiting for flushes.
    waited: Duration,
}

enum ConnState<'a> {
    /// Available, without a flusher.
    Borrowed(&'a mut Conn),
    /// Available.
    Idle(Box<Conn>, &'a Flusher),
    /// In use by a flush.
    Flushing(Receiver<FlushResult>, &'a Flusher),
    /// Lost with a flush that panicked.
    Lost,
}

impl<'a> SharedConn<'a> {
    /// Creates a connection that no flush uses.
    pub(super) const fn borrowed(conn: &'a mut Conn) -> Self {
        Self { engine: conn.engine(), state: ConnState::Borrowed(conn), waited: Duration::ZERO }
    }

    /// Creates a connection that flushes of this flusher may use.
    pub(super) const fn new(conn: Box<Conn>, flusher: &'a Flusher) -> Self {
        let engine = conn.engine();
        Self { engine, state: ConnState::Idle(conn, flusher), waited: Duration::ZERO }
    }

    /// Returns the connection.
    ///
    /// # Errors
    /// If a flush has it, or has lost it.
    pub(super) fn conn(&mut self) -> Result<&mut Conn> {
        match &mut self.state {
            ConnState::Borrowed(conn) => Ok(conn),
            ConnState::Idle(conn, _) => Ok(conn),
            ConnState::Flushing(..) | ConnState::Lost => Err(lost()),
        }
    }

    /// Starts a background flush.
    ///
    /// # Errors
    /// If the connection is not idle or the thread has ended. The connection is lost then.
    pub(super) fn start_flush(&mut self, flush: Flush) -> Result<()> {
        let state = std::mem::replace(&mut self.state, ConnState::Lost);
        let ConnState::Idle(conn, flusher) = state else { return Err(lost()) };
        self.state = ConnState::Flushing(flusher.flush(conn, flush)?, flusher);
        Ok(())
    }

    /// Waits for a running flush and returns its outcome, if there is one.
    pub(super) fn reclaim(&mut self) -> Option<Result<bool>> {
        let ConnState::Flushing(receiver, flusher) = &self.state else { return None };
        let (start, flusher) = (Instant::now(), *flusher);
        let received = receiver.recv();
        self.waited += start.elapsed();
        let Ok((conn, flushed)) = received else {
            self.state = ConnState::Lost;
            return Some(Err(Error::Panicked("a flush".to_owned())));
        };
        self.state = ConnState::Idle(conn, flusher);
        Some(flushed)
    }

    /// Returns the time spent waiting for flushes, and resets it.
    pub(super) fn take_waited(&mut self) -> Duration {
        std::mem::take(&mut self.waited)
    }

    /// Returns the connection for the next group, unless it is lost.
    pub(super) fn into_conn(self) -> Option<Box<Conn>> {
        match self.state {
            ConnState::Idle(conn, _) => Some(conn),
            ConnState::Borrowed(_) | ConnState::Flushing(..) | ConnState::Lost => None,
        }
    }
}

fn lost() -> Error {
    Error::Unavailable("a flush did not end".to_owned())
}

#[cfg(test)]
mod tests {
    use daybook_domain::id::BookId;

    use super::*;
    use crate::commit::tx::{Caches, Tx};
    use crate::conn::mode::Mode;
    use crate::error::CommitFailure;
    use crate::rows::transaction::NewTransaction;
    use crate::transaction::fixture::draft;

    /// Enough transactions for a background flush.
    const MANY: usize = 1_000;

    fn queue(tx: &mut Tx<'_>, count: usize) {
        for _ in 0..count {
            let new = NewTransaction { book: BookId::new(1), scale: 2, transaction: draft() };
            tx.buffer().queue_transaction(new);
        }
    }

    /// Runs `work` on a database without tables, where every flush fails.
    fn on_empty_database(grouped: bool, work: impl FnOnce(&mut Tx<'_>)) {
        let mut conn = Conn::in_memory();
        conn.begin(Mode::Write).unwrap();
        let flusher = Flusher::start().unwrap();
        let mut tx = Tx::of_group(Box::new(conn), &flusher, Caches::default(), grouped, None);
        tx.begin().unwrap();
        work(&mut tx);
    }

    #[test]
    fn failed_background_flush_of_earlier_rows_fails_the_group() {
        on_empty_database(true, |tx| {
            queue(tx, MANY);
            tx.keep_unit().unwrap();
            // The flush fails, but only after the next unit of work has started.
            tx.begin_unit().unwrap();
            queue(tx, 1);
            assert!(matches!(tx.unflushed(), Err(Error::Unavailable(_))));
            assert!(matches!(tx.keep_unit(), Err(Error::Unavailable(_))));
            assert!(matches!(tx.finish(|| false), Err(CommitFailure::Undone(_))));
        });
    }

    #[test]
    fn single_unit_flushes_its_own_rows_ahead() {
        on_empty_database(false, |tx| {
            queue(tx, MANY);
            tx.flush_own_in_background().unwrap();
            assert!(matches!(tx.finish(|| false), Err(CommitFailure::Undone(_))));
        });
    }

    #[test]
    fn few_rows_and_own_rows_of_a_grouped_unit_are_not_flushed_ahead() {
        on_empty_database(true, |tx| {
            queue(tx, MANY);
            tx.flush_own_in_background().unwrap();
            tx.undo_unit().unwrap();
            queue(tx, 1);
            tx.keep_unit().unwrap();
            tx.begin_unit().unwrap();
            assert!(tx.unflushed().is_ok());
        });
    }

    #[test]
    fn reclaim_returns_the_connection_and_the_outcome() {
        let flusher = Flusher::start().unwrap();
        let mut shared = SharedConn::new(Box::new(Conn::in_memory()), &flusher);
        assert!(shared.reclaim().is_none());
        shared.start_flush(Box::new(|conn| Ok(conn.ping().map(|()| true)?))).unwrap();
        assert!(shared.conn().is_err(), "the flush has it");
        assert!(matches!(shared.reclaim(), Some(Ok(true))));
        assert!(shared.conn().is_ok());
        // The thread survives a dropped receiver.
        drop(flusher.flush(Box::new(Conn::in_memory()), Box::new(|_| Ok(true))).unwrap());
        shared.start_flush(Box::new(|_| Ok(false))).unwrap();
        assert!(matches!(shared.reclaim(), Some(Ok(false))));
        assert!(shared.into_conn().is_some());
    }

    #[test]
    fn panicking_flush_loses_the_connection_but_not_the_thread() {
        let flusher = Flusher::start().unwrap();
        let mut lost = SharedConn::new(Box::new(Conn::in_memory()), &flusher);
        lost.start_flush(Box::new(|_| panic!("provoked by this test"))).unwrap();
        assert!(matches!(lost.reclaim(), Some(Err(Error::Panicked(_)))));
        assert!(lost.conn().is_err() && lost.into_conn().is_none());
        let mut next = SharedConn::new(Box::new(Conn::in_memory()), &flusher);
        next.start_flush(Box::new(|_| Ok(true))).unwrap();
        assert!(matches!(next.reclaim(), Some(Ok(true))));
    }

    #[test]
    fn waiting_time_is_taken_once() {
        let flusher = Flusher::start().unwrap();
        let mut shared = SharedConn::new(Box::new(Conn::in_memory()), &flusher);
        let (_silent, silence) = channel::<()>();
        let waits = Duration::from_millis(20);
        shared.start_flush(Box::new(move |_| Ok(silence.recv_timeout(waits).is_err()))).unwrap();
        assert!(matches!(shared.reclaim(), Some(Ok(true))));
        assert!(shared.take_waited() > Duration::ZERO);
        assert_eq!(shared.take_waited(), Duration::ZERO);
    }
}
