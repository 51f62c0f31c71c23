//! Jobs: units of work that wait in a queue, run in a group, and complete after its commit.

use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::commit::shard_key::ShardKey;
use crate::commit::submission::Submission;
use crate::commit::tx::Tx;
use crate::error::{CommitFailure, Error};

/// A unit of work in the queue of a writer.
pub(crate) trait Job: Send {
    /// Returns the shard key. Writers of all processes lock books in its order.
    fn shard_key(&self) -> ShardKey;
    /// Returns whether the job should still run.
    fn is_wanted(&self) -> bool;
    /// Runs the unit of work. The result is delivered after the commit.
    fn run(self: Box<Self>, tx: &mut Tx<'_>) -> Box<dyn Completion>;
    /// Completes the job with an error without running it.
    fn refuse(self: Box<Self>, error: Error);
}

/// The result of a unit of work that ran.
pub(crate) trait Completion {
    /// Returns whether its changes should be committed.
    fn is_accepted(&self) -> bool;
    /// Delivers the result to the caller.
    ///
    /// `committed` is the outcome of the writes that the result relies on: the whole group for an
    /// accepted unit of work, the units of work before it for a refused one.
    fn deliver(self: Box<Self>, committed: Result<(), CommitFailure>);
    /// Returns the job as it was before it ran.
    ///
    /// # Errors
    /// The completion itself if the job cannot run twice.
    fn into_job(self: Box<Self>) -> Result<Box<dyn Job>, Box<dyn Completion>>;
}

/// A closure with its submission and the callback for its result.
pub(crate) struct QueuedWork<W, D> {
    submission: Submission,
    work: W,
    /// Copies the closure, if it may run twice.
    clone_work: Option<fn(&W) -> W>,
    done: D,
}

impl<W, D> QueuedWork<W, D> {
    /// Creates a job that runs once.
    pub(crate) const fn new(submission: Submission, work: W, done: D) -> Self {
        Self { submission, work, clone_work: None, done }
    }

    /// Creates a job that runs again, alone, if another job of its group cannot be executed.
    pub(crate) const fn repeatable(submission: Submission, work: W, done: D) -> Self
    where
        W: Clone,
    {
        Self { submission, work, clone_work: Some(W::clone), done }
    }
}

impl<T, E, W, D> Job for QueuedWork<W, D>
where
    T: Send + 'static,
    E: From<Error> + Send + 'static,
    W: FnOnce(&mut Tx<'_>) -> Result<T, E> + Send + 'static,
    D: FnOnce(Result<T, E>) + Send + 'static,
{
    fn shard_key(&self) -> ShardKey {
        self.submission.shard_key
    }

    fn is_wanted(&self) -> bool {
        self.submission.is_wanted()
    }

    fn run(self: Box<Self>, tx: &mut Tx<'_>) -> Box<dyn Completion> {
        let Self { submission, work, clone_work, done } = *self;
        let retry = clone_work.filter(|_| tx.is_grouped()).map(|clone_work| clone_work(&work));
        // A panic is a bug. The other units of work of the group continue.
        let outcome = catch_unwind(AssertUnwindSafe(|| work(tx))).unwrap_or_else(|panic| {
            let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
            let text = text.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_default();
            tracing::error!(panic = text, "unit of work panicked");
            Err(E::from(Error::Panicked(text)))
        });
        Box::new(Completed { outcome, done, submission, retry })
    }

    fn refuse(self: Box<Self>, error: Error) {
        (self.done)(Err(E::from(error)));
    }
}

struct Completed<T, E, W, D> {
    outcome: Result<T, E>,
    done: D,
    submission: Submission,
    /// The closure, if it may run again.
    retry: Option<W>,
}

impl<T, E, W, D> Completion for Completed<T, E, W, D>
where
    T: Send + 'static,
    E: From<Error> + Send + 'static,
    W: FnOnce(&mut Tx<'_>) -> Result<T, E> + Send + 'static,
    D: FnOnce(Result<T, E>) + Send + 'static,
{
    fn is_accepted(&self) -> bool {
        self.outcome.is_ok()
    }

    fn deliver(self: Box<Self>, committed: Result<(), CommitFailure>) {
        let Self { outcome, done, .. } = *self;
        done(match (outcome, committed) {
            (Ok(value), Ok(())) => Ok(value),
            (Ok(_), Err(failure)) => Err(E::from(Error::from(failure))),
            (Err(error), Ok(())) => Err(error),
            (Err(_), Err(CommitFailure::Refused(error))) => Err(E::from(error)),
            // It wrote nothing, and its refusal may depend on writes that were rolled back.
            (Err(_), Err(failure)) => Err(E::from(Error::Unavailable(failure.to_string()))),
        });
    }

    fn into_job(self: Box<Self>) -> Result<Box<dyn Job>, Box<dyn Completion>> {
        match *self {
            Self { submission, retry: Some(work), done, .. } => {
                Ok(Box::new(QueuedWork::new(submission, work, done)))
            }
            once => Err(Box::new(once)),
        }
    }
}
