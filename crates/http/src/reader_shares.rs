//! Whose read comes next (behaviour 0.32). The connections for reading are shared out between the
//! users whose requests read, so that nobody keeps them from the others: of so many users each has
//! at most an equal share, in which one more user is counted, for whoever comes next. Requests that
//! wait are queued for each user, and the users take turns.
//!
//! Nobody waits on a thread. What is read to find out who sends a request, and by the server for
//! itself, takes no turn: the store has connections of its own for each of the two. Only events
//! that go to apps take turns there, among those who installed the apps (behaviour 8.9).

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use daybook_domain::id::UserId;
use tokio::sync::oneshot::{self, Sender};

/// Deliveries of a process that are read at once.
const MAX_READING: usize = 4;

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
        let entered = lock(&self.0).enter(user);
        entered.then(|| ReaderTurn { shared: Some(Arc::clone(&self.0)), user })
    }

    /// Waits until a request of the user may read. Whoever stops waiting leaves the queue.
    pub(crate) async fn turn(&self, user: UserId) -> ReaderTurn {
        loop {
            let receiver = {
                let mut queue = lock(&self.0);
                if queue.enter(user) {
                    return ReaderTurn { shared: Some(Arc::clone(&self.0)), user };
                }
                let (sender, receiver) = oneshot::channel();
                queue.wait(user, sender);
                receiver
            };
            // The queue drops nobody who waits.
            if let Ok(turn) = receiver.await {
                return turn;
            }
        }
    }
}

/// A reader that a request may use, given back when it is dropped.
pub(crate) struct ReaderTurn {
    shared: Option<SharedQueue>,
    user: UserId,
}

impl Drop for ReaderTurn {
    fn drop(&mut self) {
        let Some(shared) = self.shared.take() else { return };
        lock(&shared).leave(self.user);
        hand_on(&shared);
    }
}

fn lock(shared: &SharedQueue) -> MutexGuard<'_, Queue<Sender<ReaderTurn>>> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Gives free readers to those whose turn it is.
fn hand_on(shared: &SharedQueue) {
    loop {
        let Some((user, waiting)) = lock(shared).next(|waiting| !waiting.is_closed()) else {
            return;
        };
        if let Err(mut unwanted) =
            waiting.send(ReaderTurn { shared: Some(Arc::clone(shared)), user })
        {
            // It left at this moment. Dropped as it is, the turn would come back here, and again.
            unwanted.shared = None;
            lock(shared).leave(user);
        }
    }
}

/// The queue: who holds how many readers, and who waits for one.
struct Queue<W> {
    readers: usize,
    taken: usize,
    users: HashMap<UserId, Share<W>>,
    /// The users of whom somebody waits, in their order.
    order: VecDeque<UserId>,
}

/// What a user holds, and waits for. Users without either are not kept.
struct Share<W> {
    held: usize,
    waiting: VecDeque<W>,
}

impl<W> Default for Share<W> {
    fn default() -> Self {
        Self { held: 0, waiting: VecDeque::new() }
    }
}

impl<W> Queue<W> {
    fn new(readers: usize) -> Self {
        Self { readers, taken: 0, users: HashMap::new(), order: VecDeque::new() }
    }

    /// How many readers each of so many users may hold.
    fn most(&self, users: usize) -> usize {
        self.readers.checked_div(users.saturating_add(1)).unwrap_or(0).max(1)
    }

    /// Takes a reader for the user, when there is one and nobody of the user waits.
    fn enter(&mut self, user: UserId) -> bool {
        let (held, waits, users) = match self.users.get(&user) {
            Some(share) => (share.held, !share.waiting.is_empty(), self.users.len()),
            None => (0, false, self.users.len().saturating_add(1)),
        };
        if waits || self.taken >= self.readers || held >= self.most(users) {
            return false;
        }
        self.taken = self.taken.saturating_add(1);
        let share = self.users.entry(user).or_default();
        share.held = share.held.saturating_add(1);
        true
    }

    /// Puts somebody behind those of the user who wait.
    fn wait(&mut self, user: UserId, waiting: W) {
        let share = self.users.entry(user).or_default();
        if share.waiting.is_empty() {
            self.order.push_back(user);
        }
        share.waiting.push_back(waiting);
    }

    /// Gives back a reader of the user.
    fn leave(&mut self, user: UserId) {
        let Some(share) = self.users.get_mut(&user) else { return };
        share.held = share.held.saturating_sub(1);
        self.taken = self.taken.saturating_sub(1);
        if share.held == 0 && share.waiting.is_empty() {
            self.users.remove(&user);
        }
    }

    /// Takes a reader for the next who waits, if one is free that the user may have; those who are
    /// not there any more are passed over.
    fn next(&mut self, is_there: impl Fn(&W) -> bool) -> Option<(UserId, W)> {
        for _ in 0..self.order.len() {
            let user = self.order.pop_front()?;
            let most = self.most(self.users.len());
            let Some(share) = self.users.get_mut(&user) else { continue };
            while share.waiting.front().is_some_and(|waiting| !is_there(waiting)) {
                share.waiting.pop_front();
            }
            let may = self.taken < self.readers && share.held < most;
            let next = if may { share.waiting.pop_front() } else { None };
            if next.is_some() {
                share.held = share.held.saturating_add(1);
                self.taken = self.taken.saturating_add(1);
            }
            if !share.waiting.is_empty() {
                self.order.push_back(user);
            } else if share.held == 0 {
                self.users.remove(&user);
            }
            if let Some(next) = next {
                return Some((user, next));
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use proptest::prelude::*;

    use super::*;

    fn user(number: i64) -> UserId {
        UserId::new(number)
    }

    /// What happens to the queue: somebody comes, the first of a user's readers comes back,
    /// somebody who waits leaves.
    #[derive(Debug, Clone)]
    enum Step {
        Come(i64),
        Return(i64),
        Go(usize),
    }

    fn steps() -> impl Strategy<Value = Vec<Step>> {
        let step = prop_oneof![
            3 => (0_i64..5).prop_map(Step::Come),
            2 => (0_i64..5).prop_map(Step::Return),
            1 => (0_usize..50).prop_map(Step::Go),
        ];
        prop::collection::vec(step, 0..200)
    }

    /// The queue beside a plain list of who waits and who reads.
    struct Model {
        queue: Queue<usize>,
        waiting: Vec<(usize, i64)>,
        reading: Vec<i64>,
        gone: HashSet<usize>,
        came: usize,
    }

    impl Model {
        fn new(readers: usize) -> Self {
            let (waiting, reading, gone) = (Vec::new(), Vec::new(), HashSet::new());
            Self { queue: Queue::new(readers), waiting, reading, gone, came: 0 }
        }

        fn held(&self, number: i64) -> usize {
            self.reading.iter().filter(|one| **one == number).count()
        }

        fn take(&mut self, step: &Step) {
            match step {
                Step::Come(number) => {
                    self.came += 1;
                    if self.queue.enter(user(*number)) {
                        assert!(self.waiting.iter().all(|(_, other)| other != number));
                        self.reading.push(*number);
                    } else {
                        self.queue.wait(user(*number), self.came);
                        self.waiting.push((self.came, *number));
                    }
                }
                Step::Return(number) => {
                    if let Some(at) = self.reading.iter().position(|one| one == number) {
                        self.reading.remove(at);
                        self.queue.leave(user(*number));
                    }
                }
                Step::Go(at) => {
                    if !self.waiting.is_empty() {
                        let (ticket, _) = self.waiting.remove(at % self.waiting.len());
                        self.gone.insert(ticket);
                    }
                }
            }
            self.hand_on();
        }

        fn hand_on(&mut self) {
            loop {
                let gone = &self.gone;
                let Some((next, ticket)) = self.queue.next(|ticket| !gone.contains(ticket)) else {
                    break;
                };
                let at = self.waiting.iter().position(|(waits, _)| *waits == ticket).unwrap();
                let (_, number) = self.waiting.remove(at);
                assert_eq!(user(number), next);
                // The first of each user comes first.
                assert!(self.waiting.iter().all(|(other, of)| *of != number || *other > ticket));
                self.reading.push(number);
            }
            assert_eq!(self.queue.taken, self.reading.len());
            assert!(self.reading.len() <= self.queue.readers);
            let most = self.queue.most(self.queue.users.len());
            // No reader is free that somebody waits for who may have it.
            assert!(
                self.reading.len() == self.queue.readers
                    || self.waiting.iter().all(|(_, number)| self.held(*number) >= most)
            );
        }
    }

    proptest! {
        #[test]
        fn rule_0_32_no_reader_is_lost_and_no_share_exceeded(
            readers in 1_usize..10,
            steps in steps(),
        ) {
            let mut model = Model::new(readers);
            for step in &steps {
                model.take(step);
                for number in 0..5 {
                    prop_assert!(model.held(number) <= (readers / 2).max(1));
                }
            }
            // Who waits gets a reader when the others give theirs back.
            for _ in 0..steps.len() {
                for number in 0..5 {
                    model.take(&Step::Return(number));
                }
            }
            prop_assert!(model.waiting.is_empty() && model.reading.is_empty());
            prop_assert!(model.queue.users.is_empty() && model.queue.order.is_empty());
        }
    }

    #[test]
    fn rule_0_41_a_replica_has_shares_too() {
        let shares = ReaderShares::new(4);
        let take = |number, most| -> Vec<ReaderTurn> {
            (0..most).map_while(|_| shares.try_turn(user(number))).collect()
        };
        let mut first = take(1, 4);
        assert_eq!(first.len(), 2, "half of them, and nobody waits for more");
        let second = take(2, 4);
        assert_eq!(second.len(), 1);
        first.pop();
        assert_eq!(take(3, 4).len(), 1);
        drop((first, second));
        assert_eq!(take(2, 4).len(), 2);
    }

    #[test]
    fn rule_0_32_users_take_turns() {
        let mut model = Model::new(1);
        for number in [0, 0, 0, 0, 1, 1, 2] {
            model.take(&Step::Come(number));
        }
        let mut order = model.reading.clone();
        while let Some(number) = model.reading.first().copied() {
            model.take(&Step::Return(number));
            order.extend(model.reading.first());
        }
        assert_eq!(order, [0, 0, 1, 2, 0, 1, 0]);
    }

    #[test]
    fn rule_0_32_one_more_user_finds_a_free_reader() {
        let mut model = Model::new(8);
        for (number, held) in [(0, 4), (1, 2), (2, 2)] {
            (0..8).for_each(|_| model.take(&Step::Come(number)));
            assert_eq!(model.held(number), held, "of user {number}");
        }
    }
}
