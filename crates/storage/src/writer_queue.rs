//! The queue that a writer's thread shares with those who write.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use crate::commit_delay::CommitDelay;
use crate::error::Error;
use crate::fair_queue::{Charge, FairQueue, Scheduled, Tenant};
use crate::job::Job;
use crate::shard_key::ShardKey;

/// How long a group runs, or is expected to, before other writers do what it would delay.
const LONG: Duration = Duration::from_millis(50);

/// A [`FairQueue`] that can be waited for.
pub(crate) struct WriterQueue {
    held: Mutex<Guarded>,
    filled: Condvar,
}

struct Guarded {
    queue: FairQueue<Box<dyn Job>>,
    takes_more: bool,
    delay: CommitDelay,
    /// The group that the writer is at work on.
    running: Option<RunningGroup>,
}

/// What others need to know of a group.
struct RunningGroup {
    since: Instant,
    expected: Duration,
    /// What its units of work are about, and whose time they take.
    units: Vec<(ShardKey, Tenant)>,
    /// How many of these it has left to a later group.
    left: usize,
}

impl RunningGroup {
    fn of(group: &[Scheduled<Box<dyn Job>>]) -> Self {
        Self {
            since: Instant::now(),
            expected: group.iter().map(|taken| taken.bill.expected).sum(),
            units: group.iter().map(|taken| (taken.job.lane(), taken.bill.flow)).collect(),
            left: 0,
        }
    }

    fn is_long(&self) -> bool {
        self.expected > LONG || self.since.elapsed() > LONG
    }
}

impl WriterQueue {
    /// A queue for so many units of work, with commit delays of at most so long.
    pub(crate) fn new(capacity: usize, most: Duration) -> Self {
        let (queue, delay) = (FairQueue::new(capacity), CommitDelay::new(most));
        let held = Guarded { queue, takes_more: true, delay, running: None };
        Self { held: Mutex::new(held), filled: Condvar::new() }
    }

    /// Adds a unit of work.
    ///
    /// # Errors
    /// The unit of work, with [`Error::Busy`] when the queue is full and [`Error::Unavailable`]
    /// when it is closed.
    pub(crate) fn push(
        &self,
        flow: Tenant,
        job: Box<dyn Job>,
    ) -> Result<(), (Box<dyn Job>, Error)> {
        let mut held = self.lock();
        if !held.takes_more {
            return Err((job, Error::Unavailable("the store is closing".to_owned())));
        }
        held.queue.push(flow, job).map_err(|job| (job, Error::Busy))?;
        let wakes = held.delay.is_over(held.queue.len());
        drop(held);
        if wakes {
            self.filled.notify_one();
        }
        Ok(())
    }

    /// Adds what a group has left to be done, before the others of its user. A closed queue drops
    /// it.
    pub(crate) fn push_first(&self, flow: Tenant, job: Box<dyn Job>) {
        let mut held = self.lock();
        if held.takes_more {
            held.queue.push_first(flow, job);
        }
    }

    /// Whether a unit of work would wait here for a long group of others, in which nothing is about
    /// its book or for its user. Nothing of its user waits here either, so none is overtaken.
    pub(crate) fn delays(&self, lane: ShardKey, flow: Tenant) -> bool {
        let held = self.lock();
        held.running.as_ref().is_some_and(|group| {
            let concerned = |unit: &(ShardKey, Tenant)| unit.0 == lane || unit.1 == flow;
            group.is_long() && !group.units.iter().any(concerned)
        }) && !held.queue.has(flow)
    }

    /// Whether the writer has nothing to do.
    pub(crate) fn is_idle(&self) -> bool {
        let held = self.lock();
        held.running.is_none() && held.queue.is_empty()
    }

    /// Whether work waits for the writer.
    pub(crate) fn has_work(&self) -> bool {
        !self.lock().queue.is_empty()
    }

    /// Waits for work. An empty group means that the queue was closed and is empty.
    pub(crate) fn next_group(&self) -> Vec<Scheduled<Box<dyn Job>>> {
        let mut held = self.lock();
        if let Some(ran) = held.running.take() {
            let answered = ran.units.len().saturating_sub(ran.left);
            let numbers = (answered, held.queue.len());
            held.delay.begin(numbers, ran.since.elapsed(), Instant::now());
        }
        loop {
            let waiting = held.queue.len();
            if held.takes_more
                && let Some(left) = held.delay.left(waiting, Instant::now())
            {
                let waited = self.filled.wait_timeout(held, left);
                (held, _) = waited.unwrap_or_else(PoisonError::into_inner);
                continue;
            }
            let group = held.queue.take_group();
            if !group.is_empty() {
                held.running = Some(RunningGroup::of(&group));
            }
            if !group.is_empty() || !held.takes_more {
                return group;
            }
            held = self.filled.wait(held).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Charges what units of work took, and puts back those that were not begun.
    pub(crate) fn settle(&self, bills: &[(Charge, Duration)], left: Vec<Scheduled<Box<dyn Job>>>) {
        let mut held = self.lock();
        for (bill, took) in bills {
            held.queue.charge(*bill, *took);
        }
        if let Some(ran) = &mut held.running {
            ran.left = left.len();
        }
        held.queue.put_back(left);
    }

    /// Takes no more; what waits is still done.
    pub(crate) fn close(&self) {
        self.lock().takes_more = false;
        self.filled.notify_one();
    }

    fn lock(&self) -> MutexGuard<'_, Guarded> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::job::Completion;
    use crate::tx::Tx;

    struct Nothing;

    impl Job for Nothing {
        fn lane(&self) -> ShardKey {
            ShardKey::NO_BOOK
        }

        fn is_wanted(&self) -> bool {
            true
        }

        fn run(self: Box<Self>, _: &mut Tx<'_>) -> Box<dyn Completion> {
            unreachable!("nobody runs it")
        }

        fn refuse(self: Box<Self>, _: Error) {}
    }

    /// A queue that has answered a group of two after two seconds, so that it waits for a fifth of
    /// a second.
    fn answered() -> WriterQueue {
        let queue = WriterQueue::new(8, Duration::from_millis(200));
        for _ in 0..2 {
            assert!(queue.push(Tenant::default(), Box::new(Nothing)).is_ok());
        }
        assert_eq!(queue.next_group().len(), 2);
        if let Some(group) = &mut queue.lock().running {
            group.since -= Duration::from_secs(2);
        }
        queue.settle(&[], Vec::new());
        queue
    }

    #[test]
    fn whoever_comes_alone_is_served_after_the_delay() {
        let queue = answered();
        assert!(queue.push(Tenant::default(), Box::new(Nothing)).is_ok());
        let begun = Instant::now();
        assert_eq!(queue.next_group().len(), 1);
        assert!(begun.elapsed() >= Duration::from_millis(200));
    }

    #[test]
    fn a_queue_that_closes_waits_for_nobody() {
        let queue = answered();
        std::thread::scope(|scope| {
            let group = scope.spawn(|| queue.next_group().len());
            queue.close();
            assert_eq!(group.join().unwrap(), 0);
        });
    }

    #[test]
    fn what_a_group_has_left_is_not_expected_again() {
        let queue = WriterQueue::new(8, Duration::from_secs(60));
        for _ in 0..3 {
            assert!(queue.push(Tenant::default(), Box::new(Nothing)).is_ok());
        }
        let mut group = queue.next_group();
        if let Some(group) = &mut queue.lock().running {
            group.since -= Duration::from_secs(600);
        }
        queue.settle(&[], group.split_off(1));
        std::thread::scope(|scope| {
            let group = scope.spawn(|| queue.next_group().len());
            while queue.lock().delay.is_over(2) {
                std::thread::yield_now();
            }
            assert!(queue.push(Tenant::default(), Box::new(Nothing)).is_ok());
            assert_eq!(group.join().unwrap(), 3, "two were left, and one has come back");
        });
    }
}
