//! The connection of a unit of work, which may be lent to a flush in the background.
//!
//! To flush many rows takes as long as to make some, or longer. So each writer has a second thread
//! that flushes. The writer lends it the connection, and goes on with what needs no statement: the
//! next unit of work of its group, or the events of this one. The next statement waits for the
//! flush.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::{Duration, Instant};

use crate::conn::Conn;
use crate::engine::Engine;
use crate::error::{Error, Result};

/// What a flush does; whether queues of deliveries have become due.
pub(super) type Flush = Box<dyn FnOnce(&mut Conn) -> Result<bool> + Send>;

/// The thread that flushes for a writer. It ends when the writer does.
pub(crate) struct Flusher(Sender<Loan>);

/// What the thread is given.
struct Loan {
    conn: Box<Conn>,
    flush: Flush,
    back: Sender<FlushEnd>,
}

/// What the thread gives back: the connection and the outcome of the flush.
type FlushEnd = (Box<Conn>, Result<bool>);

impl Flusher {
    /// Starts the thread.
    pub(crate) fn start() -> Result<Self> {
        let (sender, loans) = channel::<Loan>();
        let serve = move || {
            for Loan { mut conn, flush, back } in loans {
                let work = move || {
                    let flushed = flush(&mut conn);
                    // A writer that has failed meanwhile wants nothing back.
                    drop(back.send((conn, flushed)));
                };
                if catch_unwind(AssertUnwindSafe(work)).is_err() {
                    tracing::error!("a flush panicked");
                }
            }
        };
        std::thread::Builder::new()
            .name("flusher".to_owned())
            .spawn(serve)
            .map_err(|error| Error::Unavailable(error.to_string()))?;
        Ok(Self(sender))
    }

    fn lend(&self, conn: Box<Conn>, flush: Flush) -> Result<Receiver<FlushEnd>> {
        let (back, end) = channel();
        self.0.send(Loan { conn, flush, back }).map_err(|_| lost())?;
        Ok(end)
    }
}

/// The connection of a unit of work.
pub(super) struct SharedConn<'a> {
    /// What it is connected to, wherever it is.
    pub(super) engine: Engine,
    place: Place<'a>,
    /// For how long it was waited for.
    waited: Duration,
}

enum Place<'a> {
    /// At hand, and not to be lent.
    Borrowed(&'a mut Conn),
    /// At hand.
    Here(Box<Conn>, &'a Flusher),
    /// Lent to a flush.
    Lent(Receiver<FlushEnd>, &'a Flusher),
    /// Gone with a flush that did not end.
    Lost,
}

impl<'a> SharedConn<'a> {
    /// One that is never lent.
    pub(super) const fn borrowed(conn: &'a mut Conn) -> Self {
        Self { engine: conn.engine(), place: Place::Borrowed(conn), waited: Duration::ZERO }
    }

    /// One that may be lent to this thread.
    pub(super) const fn new(conn: Box<Conn>, flusher: &'a Flusher) -> Self {
        let engine = conn.engine();
        Self { engine, place: Place::Here(conn, flusher), waited: Duration::ZERO }
    }

    /// The connection, if it is at hand.
    ///
    /// # Errors
    /// When it is not.
    pub(super) fn here(&mut self) -> Result<&mut Conn> {
        match &mut self.place {
            Place::Borrowed(conn) => Ok(conn),
            Place::Here(conn, _) => Ok(conn),
            Place::Lent(..) | Place::Lost => Err(lost()),
        }
    }

    /// Lends the connection, which is at hand.
    ///
    /// # Errors
    /// When it is not, may not be lent, or the thread has ended: the connection is lost then.
    pub(super) fn lend(&mut self, flush: Flush) -> Result<()> {
        let place = std::mem::replace(&mut self.place, Place::Lost);
        let Place::Here(conn, flusher) = place else { return Err(lost()) };
        self.place = Place::Lent(flusher.lend(conn, flush)?, flusher);
        Ok(())
    }

    /// Waits until no flush has it; the outcome of that which had it.
    pub(super) fn take_back(&mut self) -> Option<Result<bool>> {
        let Place::Lent(end, flusher) = &self.place else { return None };
        let (began, flusher) = (Instant::now(), *flusher);
        let received = end.recv();
        self.waited += began.elapsed();
        let Ok((conn, flushed)) = received else {
            self.place = Place::Lost;
            return Some(Err(Error::Panicked("a flush".to_owned())));
        };
        self.place = Place::Here(conn, flusher);
        Some(flushed)
    }

    /// For how long it was waited for since this was asked last.
    pub(super) fn take_waited(&mut self) -> Duration {
        std::mem::take(&mut self.waited)
    }

    /// The connection for the next group, unless it is lost.
    pub(super) fn into_conn(self) -> Option<Box<Conn>> {
        match self.place {
            Place::Here(conn, _) => Some(conn),
            Place::Borrowed(_) | Place::Lent(..) | Place::Lost => None,
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
    use crate::dialect::Mode;
    use crate::job::CommitFailure;
    use crate::transaction::fixture::draft;
    use crate::tx::{Caches, Tx};
    use crate::write_buffer::Added;

    /// Enough to be flushed in the background.
    const MANY: usize = 1_000;

    fn queue(tx: &mut Tx<'_>, count: usize) {
        for _ in 0..count {
            let added = Added { book: BookId::new(1), scale: 2, transaction: draft() };
            tx.buffer().queue_transaction(added);
        }
    }

    /// Runs `work` on an empty database, where every flush fails.
    fn on_an_empty_database(grouped: bool, work: impl FnOnce(&mut Tx<'_>)) {
        let mut conn = Conn::in_memory();
        conn.begin(Mode::Write).unwrap();
        let flusher = Flusher::start().unwrap();
        let mut tx = Tx::of_group((Box::new(conn), &flusher), Caches::default(), grouped, None);
        tx.begin().unwrap();
        work(&mut tx);
    }

    #[test]
    fn the_rows_before_a_unit_of_work_are_flushed_beside_it_and_their_failure_fails_the_group() {
        on_an_empty_database(true, |tx| {
            queue(tx, MANY);
            tx.keep_unit().unwrap();
            // The flush fails, but the next unit of work has begun.
            tx.begin_unit().unwrap();
            queue(tx, 1);
            assert!(matches!(tx.unflushed(), Err(Error::Unavailable(_))));
            assert!(matches!(tx.keep_unit(), Err(Error::Unavailable(_))));
            assert!(matches!(tx.finish(|| false), Err(CommitFailure::Undone(_))));
        });
    }

    #[test]
    fn the_rows_of_one_that_is_alone_are_flushed_beside_the_rest_of_it() {
        on_an_empty_database(false, |tx| {
            queue(tx, MANY);
            tx.flush_own_ahead().unwrap();
            assert!(matches!(tx.finish(|| false), Err(CommitFailure::Undone(_))));
        });
    }

    #[test]
    fn few_rows_and_rows_that_may_be_undone_alone_wait() {
        on_an_empty_database(true, |tx| {
            queue(tx, MANY);
            tx.flush_own_ahead().unwrap();
            tx.undo_unit().unwrap();
            queue(tx, 1);
            tx.keep_unit().unwrap();
            tx.begin_unit().unwrap();
            assert!(tx.unflushed().is_ok());
        });
    }

    #[test]
    fn a_connection_comes_back_with_the_outcome() {
        let flusher = Flusher::start().unwrap();
        let mut lendable = SharedConn::new(Box::new(Conn::in_memory()), &flusher);
        assert!(lendable.take_back().is_none());
        lendable.lend(Box::new(|conn| Ok(conn.ping().map(|()| true)?))).unwrap();
        assert!(lendable.here().is_err(), "it is lent");
        assert!(matches!(lendable.take_back(), Some(Ok(true))));
        assert!(lendable.here().is_ok());
        // Nothing comes back to a writer that has failed meanwhile, and the thread goes on.
        drop(flusher.lend(Box::new(Conn::in_memory()), Box::new(|_| Ok(true))).unwrap());
        lendable.lend(Box::new(|_| Ok(false))).unwrap();
        assert!(matches!(lendable.take_back(), Some(Ok(false))));
        assert!(lendable.into_conn().is_some());
    }

    #[test]
    fn a_flush_that_panics_costs_its_connection_and_not_the_thread() {
        let flusher = Flusher::start().unwrap();
        let mut lost = SharedConn::new(Box::new(Conn::in_memory()), &flusher);
        lost.lend(Box::new(|_| panic!("a bug, provoked by this test"))).unwrap();
        assert!(matches!(lost.take_back(), Some(Err(Error::Panicked(_)))));
        assert!(lost.here().is_err() && lost.into_conn().is_none());
        let mut next = SharedConn::new(Box::new(Conn::in_memory()), &flusher);
        next.lend(Box::new(|_| Ok(true))).unwrap();
        assert!(matches!(next.take_back(), Some(Ok(true))));
    }

    #[test]
    fn what_is_waited_for_is_told_once() {
        let flusher = Flusher::start().unwrap();
        let mut lendable = SharedConn::new(Box::new(Conn::in_memory()), &flusher);
        let (_silent, silence) = channel::<()>();
        let waits = Duration::from_millis(20);
        lendable.lend(Box::new(move |_| Ok(silence.recv_timeout(waits).is_err()))).unwrap();
        assert!(matches!(lendable.take_back(), Some(Ok(true))));
        assert!(lendable.take_waited() > Duration::ZERO);
        assert_eq!(lendable.take_waited(), Duration::ZERO);
    }
}
