//! A unit of work on its way through a writer: it waits, runs, and is answered after the commit of
//! its group.

use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::error::Error;
use crate::shard_key::ShardKey;
use crate::submission::Submission;
use crate::tx::Tx;

/// A unit of work that waits for its turn.
pub(crate) trait Job: Send {
    /// The lane: all writers of all processes take the locks of books in its order.
    fn lane(&self) -> ShardKey;
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
    /// The unit of work as it was before it ran, without its answer.
    ///
    /// # Errors
    /// Itself, when it cannot run twice.
    fn into_job(self: Box<Self>) -> Result<Box<dyn Job>, Box<dyn Completion>>;
}

/// Why a group is not known to be committed after its work had run. Each unit of work answers it
/// as an [`Error`].
#[derive(Debug, Clone, thiserror::Error)]
pub(crate) enum CommitFailure {
    /// Nothing of it is recorded, and it may succeed later.
    #[error("{0}")]
    Undone(String),
    /// Nothing of it is recorded, and the same group fails again: one of its units of work cannot
    /// be done.
    #[error("{0}")]
    Refused(Error),
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
            Self::Refused(error) => {
                tracing::error!(why = %error, "a group of writes was refused; the writer connects \
                    anew");
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
        if error.is_permanent() { Self::Refused(error) } else { Self::Undone(error.to_string()) }
    }
}

impl From<CommitFailure> for Error {
    fn from(failure: CommitFailure) -> Self {
        match failure {
            CommitFailure::Undone(why) => Self::Unavailable(why),
            CommitFailure::Refused(error) => error,
            CommitFailure::Unknown(_) => Self::OutcomeUnknown,
        }
    }
}

/// A unit of work with whoever waits for it.
pub(crate) struct QueuedWork<W, D> {
    ticket: Submission,
    work: W,
    /// Copies the work, if it may run twice.
    copy: Option<fn(&W) -> W>,
    done: D,
}

impl<W, D> QueuedWork<W, D> {
    /// Work that runs once.
    pub(crate) const fn new(ticket: Submission, work: W, done: D) -> Self {
        Self { ticket, work, copy: None, done }
    }

    /// Work that runs again, alone, if another unit of work of its group cannot be done.
    pub(crate) const fn repeatable(ticket: Submission, work: W, done: D) -> Self
    where
        W: Clone,
    {
        Self { ticket, work, copy: Some(W::clone), done }
    }
}

impl<T, E, W, D> Job for QueuedWork<W, D>
where
    T: Send + 'static,
    E: From<Error> + Send + 'static,
    W: FnOnce(&mut Tx<'_>) -> Result<T, E> + Send + 'static,
    D: FnOnce(Result<T, E>) + Send + 'static,
{
    fn lane(&self) -> ShardKey {
        self.ticket.lane
    }

    fn is_wanted(&self) -> bool {
        self.ticket.is_wanted()
    }

    fn run(self: Box<Self>, tx: &mut Tx<'_>) -> Box<dyn Completion> {
        let Self { ticket, work, copy, done } = *self;
        let again = copy.filter(|_| tx.is_grouped()).map(|copy| copy(&work));
        // A panic is a bug; the other units of work of the group go on.
        let outcome = catch_unwind(AssertUnwindSafe(|| work(tx))).unwrap_or_else(|panic| {
            let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
            let text = text.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_default();
            tracing::error!(panic = text, "a unit of work panicked");
            Err(E::from(Error::Panicked(text)))
        });
        Box::new(Completed { outcome, done, ticket, again })
    }

    fn refuse(self: Box<Self>, error: Error) {
        (self.done)(Err(E::from(error)));
    }
}

struct Completed<T, E, W, D> {
    outcome: Result<T, E>,
    done: D,
    ticket: Submission,
    /// The work, if it may run again.
    again: Option<W>,
}

impl<T, E, W, D> Completion for Completed<T, E, W, D>
where
    T: Send + 'static,
    E: From<Error> + Send + 'static,
    W: FnOnce(&mut Tx<'_>) -> Result<T, E> + Send + 'static,
    D: FnOnce(Result<T, E>) + Send + 'static,
{
    fn accepted(&self) -> bool {
        self.outcome.is_ok()
    }

    fn deliver(self: Box<Self>, committed: Result<(), CommitFailure>) {
        let Self { outcome, done, .. } = *self;
        done(match (outcome, committed) {
            (Ok(value), Ok(())) => Ok(value),
            (Ok(_), Err(failure)) => Err(E::from(Error::from(failure))),
            (Err(error), Ok(())) => Err(error),
            (Err(_), Err(CommitFailure::Refused(error))) => Err(E::from(error)),
            // It has recorded nothing in any case, and may have been refused for what is undone.
            (Err(_), Err(failure)) => Err(E::from(Error::Unavailable(failure.to_string()))),
        });
    }

    fn into_job(self: Box<Self>) -> Result<Box<dyn Job>, Box<dyn Completion>> {
        match *self {
            Self { ticket, again: Some(work), done, .. } => {
                Ok(Box::new(QueuedWork::new(ticket, work, done)))
            }
            once => Err(Box::new(once)),
        }
    }
}
