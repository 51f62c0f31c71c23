//! Whose read comes next (behaviour 0.32). The connections for reading are shared out between the
//! users whose requests read, so that nobody keeps them from the others: of so many users each has
//! at most an equal share, in which one more user is counted, for whoever comes next. The next read
//! is that of the user who has taken least time of the readers: the scheduler of the writers
//! ([`FairQueue`]).
//!
//! Where there are more users than readers, all of these may be at long reads. Whose reads are
//! short does not wait for their end: one of them is stopped.
//!
//! Nobody waits on a thread. What is read to find out who sends a request, and by the server for
//! itself, takes no turn: the store has connections of its own for each of the two. Only events
//! that go to apps take turns there, among those who installed the apps (behaviour 8.9).

#[cfg(test)]
mod tests;

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use daybook_domain::id::UserId;
use daybook_storage::ReadStop;
use daybook_storage::fair_queue::{Charge, FairQueue, Usage};
use tokio::sync::oneshot::{self, Sender};
use tokio::time::timeout;

/// Deliveries of a process that are read at once.
const MAX_READING: usize = 4;
/// How long a request waits before a long read of another user is stopped.
const WAIT_TIMEOUT: Duration = Duration::from_millis(100);
/// How long a read runs before it may be stopped for others.
const LONG: Duration = Duration::from_secs(1);
/// Long reads are stopped for users whose reads take less than this, as a moving average.
const SHORT: Duration = Duration::from_millis(500);

/// The readers of a process.
pub struct ReaderShares(SharedQueue);

type SharedQueue = Arc<Mutex<Queue<Sender<ReaderTurn>>>>;

impl ReaderShares {
    /// So many readers.
    #[must_use]
    pub fn new(readers: usize) -> Self {
        Self(Arc::new(Mutex::new(Queue::new(readers))))
    }

    /// Those by which events are read that go to apps: they take connections of the server itself.
    #[must_use]
    pub fn of_deliveries() -> Self {
        Self::new(MAX_READING)
    }

    /// A turn of the user, if there is one now.
    pub(crate) fn try_turn(&self, user: UserId) -> Option<ReaderTurn> {
        let started = lock(&self.0).enter(user)?;
        Some(ReaderTurn { shared: Some(Arc::clone(&self.0)), started })
    }

    /// Waits until a request of the user may read. Whoever stops waiting leaves the queue.
    pub(crate) async fn turn(&self, user: UserId) -> ReaderTurn {
        loop {
            let mut receiver = {
                let mut queue = lock(&self.0);
                if let Some(started) = queue.enter(user) {
                    return ReaderTurn { shared: Some(Arc::clone(&self.0)), started };
                }
                let (sender, receiver) = oneshot::channel();
                queue.wait(user, sender);
                receiver
            };
            let turn = loop {
                match timeout(WAIT_TIMEOUT, &mut receiver).await {
                    Ok(turn) => break turn,
                    Err(_) => lock(&self.0).stop_for(user, Instant::now()),
                }
            };
            // The queue drops nobody who waits.
            if let Ok(turn) = turn {
                return turn;
            }
        }
    }
}

/// A reader that a request may use, given back when it is dropped.
pub(crate) struct ReaderTurn {
    shared: Option<SharedQueue>,
    started: Started,
}

impl ReaderTurn {
    /// Says what stops the read, for others whom it keeps waiting.
    pub(crate) fn stopped_by(&self, stop: &ReadStop) {
        let Some(shared) = &self.shared else { return };
        if let Some(running) = lock(shared).running.get_mut(&self.started.number) {
            running.stop = Some(stop.clone());
        }
    }
}

impl Drop for ReaderTurn {
    fn drop(&mut self) {
        let Some(shared) = self.shared.take() else { return };
        lock(&shared).leave(self.started, self.started.at.elapsed());
        hand_on(&shared);
    }
}

fn lock(shared: &SharedQueue) -> MutexGuard<'_, Queue<Sender<ReaderTurn>>> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Gives free readers to the next requests.
fn hand_on(shared: &SharedQueue) {
    loop {
        let Some((started, waiting)) = lock(shared).next(|waiting| !waiting.is_closed()) else {
            return;
        };
        let turn = ReaderTurn { shared: Some(Arc::clone(shared)), started };
        if let Err(mut unwanted) = waiting.send(turn) {
            // It left at this moment. Dropped as it is, the turn would come back here, and again.
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
    /// What stops it, until it was stopped for somebody.
    stop: Option<ReadStop>,
}

/// The queue: who holds how many readers, and who waits for one.
struct Queue<W> {
    readers: usize,
    waiting: FairQueue<W>,
    /// How many readers each user holds. Users who hold none and do not wait are not kept.
    users: HashMap<UserId, usize>,
    running: HashMap<u64, Running>,
    begun: u64,
}

impl<W> Queue<W> {
    fn new(readers: usize) -> Self {
        let (users, running) = (HashMap::new(), HashMap::new());
        Self { readers, waiting: FairQueue::new(usize::MAX), users, running, begun: 0 }
    }

    /// How many readers each of so many users may hold.
    fn most(&self, users: usize) -> usize {
        self.readers.checked_div(users.saturating_add(1)).unwrap_or(0).max(1)
    }

    /// Takes a reader for the user, when there is one and nobody of the user waits.
    fn enter(&mut self, user: UserId) -> Option<Started> {
        let (held, users) = match self.users.get(&user) {
            Some(held) => (*held, self.users.len()),
            None => (0, self.users.len().saturating_add(1)),
        };
        let is_free = self.running.len() < self.readers && held < self.most(users);
        if self.waiting.has_work_of(Some(user)) || !is_free {
            return None;
        }
        let charge = self.waiting.charge_unqueued(Some(user));
        Some(self.start(user, charge))
    }

    fn start(&mut self, user: UserId, charge: Charge) -> Started {
        let held = self.users.entry(user).or_default();
        *held = held.saturating_add(1);
        self.begun = self.begun.wrapping_add(1);
        let started = Started { number: self.begun, user, charge, at: Instant::now() };
        self.running.insert(self.begun, Running { started, stop: None });
        started
    }

    /// Queues a request behind the waiting ones of its user.
    fn wait(&mut self, user: UserId, waiting: W) {
        self.users.entry(user).or_default();
        // It has a place for everybody.
        drop(self.waiting.push(Some(user), waiting));
    }

    /// Gives back a reader, after so long.
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

    /// Takes a reader for the next who waits, if one is free that the user may have; those who are
    /// not there any more are passed over.
    fn next(&mut self, is_there: impl Fn(&W) -> bool) -> Option<(Started, W)> {
        while self.running.len() < self.readers {
            let (users, waited) = (self.users.len(), self.waiting.len());
            let (most, held) = (self.most(users), &self.users);
            let may = |flow: Option<UserId>| {
                flow.and_then(|user| held.get(&user)).is_some_and(|held| *held < most)
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
            // Without users who have left, each of the others may have more.
            if begun.is_some() || self.users.len() == users {
                return begun;
            }
        }
        None
    }

    /// Stops a long read for a user who waits and whose reads are short: of all that run too long,
    /// that of the user who has taken most time, if it is more than the user has.
    fn stop_for(&mut self, user: UserId, now: Instant) {
        let Usage { charged: own, estimate } = self.waiting.usage(Some(user));
        if estimate > SHORT || self.running.len() < self.readers {
            return;
        }
        let held = self.users.get(&user).copied().unwrap_or_default();
        if held >= self.most(self.users.len()) {
            return;
        }
        let ran = |running: &Running| now.saturating_duration_since(running.started.at);
        let of = |running: &Running| {
            self.waiting.usage(Some(running.started.user)).charged.saturating_add(ran(running))
        };
        let long = self.running.values().filter(|running| {
            let is_other = running.started.user != user && running.stop.is_some();
            is_other && ran(running) >= LONG && of(running) > own
        });
        let most = long.max_by_key(|running| of(running)).map(|running| running.started.number);
        let stop = most.and_then(|number| self.running.get_mut(&number)?.stop.take());
        if let Some(stop) = stop {
            stop.stop();
        }
    }
}
