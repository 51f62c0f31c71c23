//! A unit of work on its way through a writer: it waits, runs, and is answered after the commit of
//! its group.

use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::error::Error;
use crate::lane::Lane;
use crate::ticket::Ticket;
use crate::tx::Tx;

/// A unit of work that waits for its turn.
pub(crate) trait Job: Send {
    /// The lane: all writers of all processes take the locks of books in its order.
    fn lane(&self) -> Lane;
    /// Whether it is to be done still.
    fn is_wanted(&self) -> bool;
    /// Runs it; the answer is kept until the commit.
    fn run(self: Box<Self>, tx: &mut Tx<'_>) -> Box<dyn Completion>;
    /// Answers without running it.
    fn refuse(self: Box<Self>, error: Error);
}

/// The answer of a unit of work that ran.
pub(crate) trait Completion {
    /// Whether its changes are to be kept.
    fn accepted(&self) -> bool;
    /// Answers the caller. `committed` is the outcome of what it relies on: for one that was
    /// accepted the whole group, for another what was accepted before it.
    fn deliver(self: Box<Self>, committed: Result<(), CommitFailure>);
}

/// Why a group is not known to be committed after its work had run. Each unit of work answers it
/// as an [`Error`].
#[derive(Debug, Clone, thiserror::Error)]
pub(crate) enum CommitFailure {
    /// Nothing of it is recorded.
    #[error("{0}")]
    Undone(String),
    /// The connection broke on the way, and nobody knows.
    #[error("{0}")]
    Unknown(String),
}

impl CommitFailure {
    /// Tells the operator.
    pub(crate) fn log(&self) {
        match self {
            Self::Undone(why) => {
                tracing::error!(why, "a group of writes was lost; the writer connects anew");
            }
            Self::Unknown(why) => {
                tracing::error!(why, "a commit is in doubt; the writer connects anew");
            }
        }
    }
}

impl From<Error> for CommitFailure {
    /// What fails before the commit is undone.
    fn from(error: Error) -> Self {
        Self::Undone(error.to_string())
    }
}

impl From<CommitFailure> for Error {
    fn from(failure: CommitFailure) -> Self {
        match failure {
            CommitFailure::Undone(why) => Self::Unavailable(why),
            CommitFailure::Unknown(_) => Self::OutcomeUnknown,
        }
    }
}

/// A unit of work with whoever waits for it.
pub(crate) struct QueuedWork<W, D> {
    ticket: Ticket,
    work: W,
    done: D,
}

impl<W, D> QueuedWork<W, D> {
    pub(crate) const fn new(ticket: Ticket, work: W, done: D) -> Self {
        Self { ticket, work, done }
    }
}

impl<T, E, W, D> Job for QueuedWork<W, D>
where
    T: Send + 'static,
    E: From<Error> + Send + 'static,
    W: FnOnce(&mut Tx<'_>) -> Result<T, E> + Send,
    D: FnOnce(Result<T, E>) + Send + 'static,
{
    fn lane(&self) -> Lane {
        self.ticket.lane
    }

    fn is_wanted(&self) -> bool {
        self.ticket.is_wanted()
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
    outcome: Result<T, E>,
    done: D,
}

impl<T, E: From<Error>, D: FnOnce(Result<T, E>)> Completion for Completed<T, E, D> {
    fn accepted(&self) -> bool {
        self.outcome.is_ok()
    }

    fn deliver(self: Box<Self>, committed: Result<(), CommitFailure>) {
        let Self { outcome, done } = *self;
        done(match (outcome, committed) {
            (Ok(value), Ok(())) => Ok(value),
            (Ok(_), Err(failure)) => Err(E::from(Error::from(failure))),
            (Err(error), Ok(())) => Err(error),
            // It has recorded nothing in any case, and may have been refused for what is undone.
            (Err(_), Err(failure)) => Err(E::from(Error::Unavailable(failure.to_string()))),
        });
    }
}
