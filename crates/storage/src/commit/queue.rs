//! The queue between the callers and the thread of a writer.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use crate::commit::delay::CommitDelay;
use crate::commit::fair_queue::{Charge, FairQueue, Scheduled, Tenant};
use crate::commit::job::Job;
use crate::commit::shard_key::ShardKey;
use crate::error::Error;

/// A group that runs longer, or is expected to, lets other writers take over delayed work.
const LONG_GROUP: Duration = Duration::from_millis(50);

/// A blocking [`FairQueue`] of jobs.
pub(crate) struct WriterQueue {
    state: Mutex<State>,
    filled: Condvar,
}

struct State {
    queue: FairQueue<Box<dyn Job>>,
    is_open: bool,
    delay: CommitDelay,
    /// The group that the writer is running.
    running: Option<RunningGroup>,
}

/// The properties of a running group that other threads need.
struct RunningGroup {
    since: Instant,
    estimate: Duration,
    /// The shard keys and tenants of its jobs.
    units: Vec<(ShardKey, Tenant)>,
    /// The number of jobs that it put back.
    left: usize,
}

impl RunningGroup {
    fn of(group: &[Scheduled<Box<dyn Job>>]) -> Self {
        let unit = |scheduled: &Scheduled<Box<dyn Job>>| {
            (scheduled.job.shard_key(), scheduled.charge.tenant)
        };
        Self {
            since: Instant::now(),
            estimate: group.iter().map(|scheduled| scheduled.charge.estimate).sum(),
            units: group.iter().map(unit).collect(),
            left: 0,
        }
    }

    fn is_long(&self) -> bool {
        self.estimate > LONG_GROUP || self.since.elapsed() > LONG_GROUP
    }
}

impl WriterQueue {
    /// Creates a queue for `capacity` jobs with commit delays of at most `max_delay`.
    pub(crate) fn new(capacity: usize, max_delay: Duration) -> Self {
        let state = State {
            queue: FairQueue::new(capacity),
            is_open: true,
            delay: CommitDelay::new(max_delay),
            running: None,
        };
        Self { state: Mutex::new(state), filled: Condvar::new() }
    }

    /// Adds a job.
    ///
    /// # Errors
    /// The job, with [`Error::Busy`] if the queue is full and [`Error::Unavailable`] if it is
    /// closed.
    pub(crate) fn push(
        &self,
        tenant: Tenant,
        job: Box<dyn Job>,
    ) -> Result<(), (Box<dyn Job>, Error)> {
        let mut state = self.lock();
        if !state.is_open {
            return Err((job, Error::Unavailable("the store is closing".to_owned())));
        }
        state.queue.push(tenant, job).map_err(|job| (job, Error::Busy))?;
        let wakes = state.delay.is_over(state.queue.len());
        drop(state);
        if wakes {
            self.filled.notify_one();
        }
        Ok(())
    }

    /// Adds follow-up work of a group before the other jobs of its tenant. A closed queue drops it.
    pub(crate) fn push_first(&self, tenant: Tenant, job: Box<dyn Job>) {
        let mut state = self.lock();
        if state.is_open {
            state.queue.push_first(tenant, job);
        }
    }

    /// Returns whether a job would wait here for an unrelated long group.
    ///
    /// That is a group without a job of the same book or tenant. It returns false if the queue has
    /// a job of the tenant, so no job of a tenant overtakes another.
    pub(crate) fn would_delay(&self, shard_key: ShardKey, tenant: Tenant) -> bool {
        let state = self.lock();
        let is_unrelated = state.running.as_ref().is_some_and(|group| {
            let is_related = |unit: &(ShardKey, Tenant)| unit.0 == shard_key || unit.1 == tenant;
            group.is_long() && !group.units.iter().any(is_related)
        });
        is_unrelated && !state.queue.has_work_of(tenant)
    }

    /// Returns whether the writer has nothing to do.
    pub(crate) fn is_idle(&self) -> bool {
        let state = self.lock();
        state.running.is_none() && state.queue.is_empty()
    }

    /// Returns whether jobs are queued.
    pub(crate) fn has_work(&self) -> bool {
        !self.lock().queue.is_empty()
    }

    /// Returns the number of queued jobs.
    pub(crate) fn depth(&self) -> usize {
        self.lock().queue.len()
    }

    /// Waits for the next group. An empty group means that the queue is closed and empty.
    pub(crate) fn next_group(&self) -> Vec<Scheduled<Box<dyn Job>>> {
        let mut state = self.lock();
        if let Some(ran) = state.running.take() {
            let completed = ran.units.len().saturating_sub(ran.left);
            let waiting = state.queue.len();
            state.delay.start(completed, waiting, ran.since.elapsed(), Instant::now());
        }
        loop {
            let waiting = state.queue.len();
            if state.is_open
                && let Some(remaining) = state.delay.remaining(waiting, Instant::now())
            {
                let waited = self.filled.wait_timeout(state, remaining);
                (state, _) = waited.unwrap_or_else(PoisonError::into_inner);
                continue;
            }
            let group = state.queue.take_group();
            if !group.is_empty() {
                state.running = Some(RunningGroup::of(&group));
            }
            if !group.is_empty() || !state.is_open {
                return group;
            }
            state = self.filled.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Charges the measured times of a group and puts back the jobs that did not start.
    pub(crate) fn complete(
        &self,
        times: &[(Charge, Duration)],
        left: Vec<Scheduled<Box<dyn Job>>>,
    ) {
        let mut state = self.lock();
        for (charge, took) in times {
            state.queue.charge(*charge, *took);
        }
        if let Some(ran) = &mut state.running {
            ran.left = left.len();
        }
        state.queue.put_back(left);
    }

    /// Closes the queue. Queued jobs still run.
    pub(crate) fn close(&self) {
        self.lock().is_open = false;
        self.filled.notify_one();
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::commit::job::Completion;
    use crate::commit::tx::Tx;

    struct Nothing;

    impl Job for Nothing {
        fn shard_key(&self) -> ShardKey {
            ShardKey::NO_BOOK
        }

        fn is_wanted(&self) -> bool {
            true
        }

        fn run(self: Box<Self>, _: &mut Tx<'_>) -> Box<dyn Completion> {
            unreachable!("the test does not run it")
        }

        fn refuse(self: Box<Self>, _: Error) {}
    }

    /// Returns a queue that has completed a group of two after two seconds, so it delays the next
    /// group by 200 ms.
    fn queue_after_group() -> WriterQueue {
        let queue = WriterQueue::new(8, Duration::from_millis(200));
        for _ in 0..2 {
            assert!(queue.push(Tenant::default(), Box::new(Nothing)).is_ok());
        }
        assert_eq!(queue.next_group().len(), 2);
        if let Some(group) = &mut queue.lock().running {
            group.since -= Duration::from_secs(2);
        }
        queue.complete(&[], Vec::new());
        queue
    }

    #[test]
    fn single_job_runs_after_the_delay() {
        let queue = queue_after_group();
        assert!(queue.push(Tenant::default(), Box::new(Nothing)).is_ok());
        let begun = Instant::now();
        assert_eq!(queue.next_group().len(), 1);
        assert!(begun.elapsed() >= Duration::from_millis(200));
    }

    #[test]
    fn closing_ends_the_delay() {
        let queue = queue_after_group();
        std::thread::scope(|scope| {
            let group = scope.spawn(|| queue.next_group().len());
            queue.close();
            assert_eq!(group.join().unwrap(), 0);
        });
    }

    #[test]
    fn jobs_put_back_are_not_expected_twice() {
        let queue = WriterQueue::new(8, Duration::from_secs(60));
        for _ in 0..3 {
            assert!(queue.push(Tenant::default(), Box::new(Nothing)).is_ok());
        }
        let mut group = queue.next_group();
        if let Some(group) = &mut queue.lock().running {
            group.since -= Duration::from_secs(600);
        }
        queue.complete(&[], group.split_off(1));
        std::thread::scope(|scope| {
            let group = scope.spawn(|| queue.next_group().len());
            while queue.lock().delay.is_over(2) {
                std::thread::yield_now();
            }
            assert!(queue.push(Tenant::default(), Box::new(Nothing)).is_ok());
            assert_eq!(group.join().unwrap(), 3, "two were put back, and one was added");
        });
    }
}
