//! The queue that a writer's thread shares with those who write.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use crate::error::Error;
use crate::fair_queue::{Bill, FairQueue, QueueFlow, Taken};

/// A [`FairQueue`] that can be waited for.
pub(crate) struct WriterQueue<J> {
    held: Mutex<Guarded<J>>,
    filled: Condvar,
}

struct Guarded<J> {
    queue: FairQueue<J>,
    takes_more: bool,
}

impl<J> WriterQueue<J> {
    /// A queue for so many units of work.
    pub(crate) fn new(capacity: usize) -> Self {
        let held = Guarded { queue: FairQueue::new(capacity), takes_more: true };
        Self { held: Mutex::new(held), filled: Condvar::new() }
    }

    /// Adds a unit of work.
    ///
    /// # Errors
    /// The unit of work, with [`Error::Busy`] when the queue is full and [`Error::Unavailable`]
    /// when it is closed.
    pub(crate) fn push(&self, flow: QueueFlow, job: J) -> Result<(), (J, Error)> {
        let mut held = self.lock();
        if !held.takes_more {
            return Err((job, Error::Unavailable("the store is closing".to_owned())));
        }
        held.queue.push(flow, job).map_err(|job| (job, Error::Busy))?;
        drop(held);
        self.filled.notify_one();
        Ok(())
    }

    /// Waits for work. An empty group means that the queue was closed and is empty.
    pub(crate) fn next_group(&self) -> Vec<Taken<J>> {
        let mut held = self.lock();
        loop {
            let group = held.queue.take_group();
            if !group.is_empty() || !held.takes_more {
                return group;
            }
            held = self.filled.wait(held).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Charges what units of work took, and puts back those that were not begun.
    pub(crate) fn settle(&self, bills: &[(Bill, Duration)], left: Vec<Taken<J>>) {
        let mut held = self.lock();
        for (bill, took) in bills {
            held.queue.charge(*bill, *took);
        }
        held.queue.put_back(left);
    }

    /// Takes no more; what waits is still done.
    pub(crate) fn close(&self) {
        self.lock().takes_more = false;
        self.filled.notify_one();
    }

    fn lock(&self) -> MutexGuard<'_, Guarded<J>> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
