//! Fair scheduling of the connections for reading between users (behaviour 0.32).
//!
//! With N active users each holds at most 1/(N+1) of the readers, so the next user finds a free
//! one. A free reader goes to the user who has taken least time of the readers, as in the queues of
//! the writers ([`FairQueue`]). Users whose reads are long hold at most all readers but one; where
//! none is free for a user with short reads, a long read is stopped.
//!
//! Reads for authentication and of the server itself have connections of their own in the store.
//! Deliveries share those of the server between the users who installed the apps (behaviour 8.9).

#[cfg(test)]
mod tests;

use std::collections::hash_map::Entry;
use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use daybook_domain::id::UserId;
use daybook_storage::ReadStop;
use daybook_storage::fair_queue::{Charge, FairQueue, Usage};
use tokio::sync::oneshot::{self, Receiver, Sender};
use tokio::time::timeout;

/// Deliveries that a process reads at once.
const DELIVERY_READERS: usize = 4;
/// How long a request waits before a long read of another user is stopped.
const WAIT_TIMEOUT: Duration = Duration::from_millis(100);
/// How long a read runs before it may be stopped.
const LONG: Duration = Duration::from_secs(1);
/// Users whose reads take less than this, as a moving average, have short reads.
const SHORT: Duration = Duration::from_millis(500);

/// The readers of a process.
pub struct ReaderShares(SharedQueue);

type SharedQueue = Arc<Mutex<Queue<Waiter>>>;

/// A request that waits for a reader.
struct Waiter {
    permit: Sender<ReaderPermit>,
    stop: Option<ReadStop>,
}

impl ReaderShares {
    /// Shares this many readers.
    #[must_use]
    pub fn new(readers: usize) -> Self {
        Self(Arc::new(Mutex::new(Queue::new(readers))))
    }

    /// Shares the readers of the events that are delivered to apps.
    #[must_use]
    pub fn of_deliveries() -> Self {
        Self::new(DELIVERY_READERS)
    }

    /// Takes a reader for the user if one is free.
    pub fn try_acquire(&self, user: UserId) -> Option<ReaderPermit> {
        let started = lock(&self.0).enter(user, None)?;
        Some(self.permit(started))
    }

    /// Waits for a reader. The read can be stopped for other users with `stop`.
    pub async fn acquire(&self, user: UserId, stop: Option<&ReadStop>) -> ReaderPermit {
        loop {
            let mut receiver = match self.enter_or_wait(user, stop) {
                Ok(permit) => return permit,
                Err(receiver) => receiver,
            };
            let permit = loop {
                match timeout(WAIT_TIMEOUT, &mut receiver).await {
                    Ok(permit) => break permit,
                    Err(_) => lock(&self.0).stop_for(user, Instant::now()),
                }
            };
            // The queue drops no waiter.
            if let Ok(permit) = permit {
                return permit;
            }
        }
    }

    /// Takes a free reader, or queues the request for one. Both happen under one lock: a reader
    /// that became free in between would not wake the request.
    fn enter_or_wait(
        &self,
        user: UserId,
        stop: Option<&ReadStop>,
    ) -> Result<ReaderPermit, Receiver<ReaderPermit>> {
        let mut queue = lock(&self.0);
        if let Some(started) = queue.enter(user, stop.cloned()) {
            return Ok(self.permit(started));
        }
        let (permit, receiver) = oneshot::channel();
        queue.wait(user, Waiter { permit, stop: stop.cloned() });
        Err(receiver)
    }

    fn permit(&self, started: Started) -> ReaderPermit {
        ReaderPermit { shared: Some(Arc::clone(&self.0)), started }
    }
}

/// A reader that a request holds until it is dropped.
pub struct ReaderPermit {
    shared: Option<SharedQueue>,
    started: Started,
}

impl Drop for ReaderPermit {
    fn drop(&mut self) {
        let Some(shared) = self.shared.take() else { return };
        lock(&shared).leave(self.started, self.started.at.elapsed());
        wake_next(&shared);
    }
}

fn lock(shared: &SharedQueue) -> MutexGuard<'_, Queue<Waiter>> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Gives free readers to the next waiters.
fn wake_next(shared: &SharedQueue) {
    loop {
        let next = lock(shared).next(|waiter| !waiter.permit.is_closed());
        let Some((started, Waiter { permit, stop })) = next else { return };
        lock(shared).set_stop(started, stop);
        let sent = permit.send(ReaderPermit { shared: Some(Arc::clone(shared)), started });
        if let Err(mut unwanted) = sent {
            // The waiter left at this moment. Its permit must not wake the next waiter again.
            unwanted.shared = None;
            lock(shared).leave(started, Duration::ZERO);
        }
    }
}

/// A read that has begun.
#[derive(Debug, Clone, Copy)]
struct Started {
    number: u64,
    user: UserId,
    charge: Charge,
    at: Instant,
}

/// A read that runs.
struct Running {
    started: Started,
    /// The stop signal, until it is sent.
    stop: Option<ReadStop>,
}

/// The readers that users hold and the waiters for one.
struct Queue<W> {
    readers: usize,
    waiting: FairQueue<W>,
    /// The number of readers that each active user holds.
    users: HashMap<UserId, usize>,
    running: HashMap<u64, Running>,
    begun: u64,
}

impl<W> Queue<W> {
    fn new(readers: usize) -> Self {
        let (users, running) = (HashMap::new(), HashMap::new());
        Self { readers, waiting: FairQueue::new(usize::MAX), users, running, begun: 0 }
    }

    /// Returns how many readers each of `users` users may hold.
    fn share(&self, users: usize) -> usize {
        self.readers.checked_div(users.saturating_add(1)).unwrap_or(0).max(1)
    }

    /// Takes a reader for the user if one is free and no request of the user waits.
    fn enter(&mut self, user: UserId, stop: Option<ReadStop>) -> Option<Started> {
        let (held, users) = match self.users.get(&user) {
            Some(held) => (*held, self.users.len()),
            None => (0, self.users.len().saturating_add(1)),
        };
        let is_free = self.running.len() < self.readers
            && held < self.share(users)
            && (self.has_short_reads(user) || self.admits_long_reads());
        if self.waiting.has_work_of(Some(user)) || !is_free {
            return None;
        }
        let charge = self.waiting.charge_unqueued(Some(user));
        let started = self.start(user, charge);
        self.set_stop(started, stop);
        Some(started)
    }

    /// Returns whether another long read may run. Users with long reads hold at most all readers
    /// but one.
    fn admits_long_reads(&self) -> bool {
        let is_long = |one: &&Running| !self.has_short_reads(one.started.user);
        self.readers == 1 || self.running.values().filter(is_long).count() + 1 < self.readers
    }

    fn has_short_reads(&self, user: UserId) -> bool {
        self.waiting.usage(Some(user)).estimate <= SHORT
    }

    fn start(&mut self, user: UserId, charge: Charge) -> Started {
        let held = self.users.entry(user).or_default();
        *held = held.saturating_add(1);
        self.begun = self.begun.wrapping_add(1);
        let started = Started { number: self.begun, user, charge, at: Instant::now() };
        self.running.insert(self.begun, Running { started, stop: None });
        started
    }

    fn set_stop(&mut self, started: Started, stop: Option<ReadStop>) {
        if let Some(running) = self.running.get_mut(&started.number) {
            running.stop = stop;
        }
    }

    /// Adds a waiter behind those of its user.
    fn wait(&mut self, user: UserId, waiter: W) {
        self.users.entry(user).or_default();
        // The queue has no limit.
        drop(self.waiting.push(Some(user), waiter));
    }

    /// Returns a reader that was held for `took`.
    fn leave(&mut self, started: Started, took: Duration) {
        if self.running.remove(&started.number).is_none() {
            return;
        }
        self.waiting.charge(started.charge, took);
        if let Entry::Occupied(mut held) = self.users.entry(started.user) {
            *held.get_mut() = held.get().saturating_sub(1);
            if *held.get() == 0 && !self.waiting.has_work_of(Some(started.user)) {
                held.remove();
            }
        }
        if self.running.is_empty() && self.waiting.is_empty() {
            self.waiting.level();
        }
    }

    /// Takes a free reader for the next waiter whose user may have one. Skips waiters that have
    /// gone.
    fn next(&mut self, is_there: impl Fn(&W) -> bool) -> Option<(Started, W)> {
        while self.running.len() < self.readers {
            let (users, waited) = (self.users.len(), self.waiting.len());
            let (share, held) = (self.share(users), &self.users);
            let passed_over: HashSet<UserId> = if self.admits_long_reads() {
                HashSet::new()
            } else {
                held.keys().copied().filter(|user| !self.has_short_reads(*user)).collect()
            };
            let may = |user: Option<UserId>| {
                let has_share = |user| held.get(&user).is_some_and(|held| *held < share);
                user.is_some_and(|user| has_share(user) && !passed_over.contains(&user))
            };
            let taken = self.waiting.take_one(may, &is_there);
            let begun = taken.and_then(|taken| {
                let user = taken.charge.tenant?;
                Some((self.start(user, taken.charge), taken.job))
            });
            if waited.saturating_sub(self.waiting.len()) > usize::from(begun.is_some()) {
                let waiting = &self.waiting;
                self.users.retain(|user, held| *held > 0 || waiting.has_work_of(Some(*user)));
            }
            // Without the users who have gone, the share of each other user may be larger.
            if begun.is_some() || self.users.len() == users {
                return begun;
            }
        }
        None
    }

    /// Stops a long read of another user, for a waiting user whose reads are short.
    ///
    /// It stops the read of the user who has taken most time, if that user has taken more time than
    /// the waiting one.
    fn stop_for(&mut self, user: UserId, now: Instant) {
        let Usage { charged: own, estimate } = self.waiting.usage(Some(user));
        if estimate > SHORT || self.running.len() < self.readers {
            return;
        }
        let held = self.users.get(&user).copied().unwrap_or_default();
        if held >= self.share(self.users.len()) {
            return;
        }
        let ran = |running: &Running| now.saturating_duration_since(running.started.at);
        let taken = |running: &Running| {
            self.waiting.usage(Some(running.started.user)).charged.saturating_add(ran(running))
        };
        let long = self.running.values().filter(|running| {
            let is_other = running.started.user != user && running.stop.is_some();
            is_other && ran(running) >= LONG && taken(running) > own
        });
        let longest = long.max_by_key(|running| taken(running));
        let number = longest.map(|running| running.started.number);
        let stop = number.and_then(|number| self.running.get_mut(&number)?.stop.take());
        if let Some(stop) = stop {
            stop.stop();
        }
    }
}
