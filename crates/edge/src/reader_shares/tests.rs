//! Tests of reader shares.

use std::collections::HashSet;

use proptest::prelude::*;

use super::*;

fn user(number: i64) -> UserId {
    UserId::new(number)
}

/// A step of the model.
#[derive(Debug, Clone)]
enum Step {
    /// A request of a user asks for a reader.
    Request(i64),
    /// A user returns the first of their readers.
    Return(i64),
    /// A waiter leaves.
    Leave(usize),
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let step = prop_oneof![
        3 => (0_i64..5).prop_map(Step::Request),
        2 => (0_i64..5).prop_map(Step::Return),
        1 => (0_usize..50).prop_map(Step::Leave),
    ];
    prop::collection::vec(step, 0..200)
}

const MILLISECOND: Duration = Duration::from_millis(1);

/// The queue beside plain lists of waiters and running reads.
struct Model {
    queue: Queue<usize>,
    waiting: Vec<(usize, i64)>,
    reading: Vec<(i64, Started)>,
    gone: HashSet<usize>,
    came: usize,
}

impl Model {
    fn new(readers: usize) -> Self {
        let (waiting, reading, gone) = (Vec::new(), Vec::new(), HashSet::new());
        Self { queue: Queue::new(readers), waiting, reading, gone, came: 0 }
    }

    fn held(&self, number: i64) -> usize {
        self.reading.iter().filter(|one| one.0 == number).count()
    }

    fn take(&mut self, step: &Step) {
        match step {
            Step::Request(number) => {
                self.came += 1;
                if let Some(started) = self.queue.enter(user(*number), None) {
                    assert!(self.waiting.iter().all(|(_, other)| other != number));
                    self.reading.push((*number, started));
                } else {
                    self.queue.wait(user(*number), self.came);
                    self.waiting.push((self.came, *number));
                }
            }
            Step::Return(number) => {
                if let Some(at) = self.reading.iter().position(|one| one.0 == *number) {
                    let (_, started) = self.reading.remove(at);
                    self.queue.leave(started, MILLISECOND);
                }
            }
            Step::Leave(at) => {
                if !self.waiting.is_empty() {
                    let (waiter, _) = self.waiting.remove(at % self.waiting.len());
                    self.gone.insert(waiter);
                }
            }
        }
        self.wake_next();
    }

    fn wake_next(&mut self) {
        loop {
            let gone = &self.gone;
            let next = self.queue.next(|waiter| !gone.contains(waiter));
            let Some((started, waiter)) = next else { break };
            let at = self.waiting.iter().position(|(waits, _)| *waits == waiter).unwrap();
            let (_, number) = self.waiting.remove(at);
            assert_eq!(user(number), started.user);
            // The first of each user comes first.
            assert!(self.waiting.iter().all(|(other, of)| *of != number || *other > waiter));
            self.reading.push((number, started));
        }
        assert_eq!(self.queue.running.len(), self.reading.len());
        assert!(self.reading.len() <= self.queue.readers);
        let most = self.queue.share(self.queue.users.len());
        // No reader is free that a waiter may have.
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
        // Each waiter gets a reader when the others return theirs.
        for _ in 0..steps.len() {
            for number in 0..5 {
                model.take(&Step::Return(number));
            }
        }
        prop_assert!(model.waiting.is_empty() && model.reading.is_empty());
        prop_assert!(model.queue.users.is_empty() && model.queue.waiting.is_empty());
    }
}

#[test]
fn rule_0_41_a_replica_has_shares_too() {
    let shares = ReaderShares::new(4);
    let take = |number, most| -> Vec<ReaderPermit> {
        (0..most).map_while(|_| shares.try_acquire(user(number))).collect()
    };
    let mut first = take(1, 4);
    assert_eq!(first.len(), 2, "half of them");
    let second = take(2, 4);
    assert_eq!(second.len(), 1);
    first.pop();
    assert_eq!(take(3, 4).len(), 1);
    drop((first, second));
    assert_eq!(take(2, 4).len(), 2);
}

#[test]
fn rule_0_32_least_time_comes_first() {
    let mut model = Model::new(1);
    for number in [0, 0, 0, 0, 1, 1, 2] {
        model.take(&Step::Request(number));
    }
    let mut order = vec![0];
    while let Some((number, _)) = model.reading.first().copied() {
        model.take(&Step::Return(number));
        order.extend(model.reading.first().map(|one| one.0));
    }
    assert_eq!(order, [0, 1, 2, 0, 1, 0, 0], "least time first");
}

#[test]
fn rule_0_32_short_reads_do_not_wait_for_long_ones() {
    let mut queue = Queue::<usize>::new(2);
    let long = Duration::from_secs(60);
    let stop = || ReadStop::new(long);
    let stops = [stop(), stop()];
    for (number, stop) in (1..).zip(&stops) {
        // Their reads have taken long before.
        let before = queue.enter(user(number), None).unwrap();
        queue.leave(before, Duration::from_millis(500) * u32::try_from(number).unwrap());
        queue.enter(user(number), Some(stop.clone())).unwrap();
    }
    queue.wait(user(3), 7);
    let stopped = |stop: &ReadStop| stop.check().is_err();
    queue.stop_for(user(3), Instant::now() + LONG / 2);
    assert!(!stops.iter().any(stopped), "none has run for so long");
    queue.stop_for(user(3), Instant::now() + LONG);
    assert_eq!(stops.each_ref().map(stopped), [false, true], "of the user who has taken most");
    // No read is stopped for a user whose reads are long.
    queue.waiting.charge(Charge { tenant: Some(user(4)), estimate: Duration::ZERO }, long);
    let charge = queue.waiting.charge_unqueued(Some(user(4)));
    queue.waiting.charge(charge, long);
    queue.wait(user(4), 8);
    queue.stop_for(user(4), Instant::now() + LONG);
    assert!(!stopped(&stops[0]));
}

#[test]
fn rule_0_32_long_reads_leave_a_reader() {
    let mut queue = Queue::<usize>::new(2);
    for number in [1, 2] {
        let long = queue.enter(user(number), None).unwrap();
        queue.leave(long, Duration::from_secs(10));
    }
    let long = queue.enter(user(2), None).unwrap();
    assert!(queue.enter(user(1), None).is_none(), "another long read runs");
    queue.wait(user(1), 7);
    assert!(queue.next(|_| true).is_none());
    let short = queue.enter(user(3), None).unwrap();
    queue.leave(short, MILLISECOND);
    assert!(queue.next(|_| true).is_none());
    let short = queue.enter(user(3), None).unwrap();
    queue.leave(long, MILLISECOND);
    assert!(queue.next(|_| true).is_some(), "short reads do not hold it back");
    queue.leave(short, MILLISECOND);
}

#[test]
fn rule_0_32_one_more_user_finds_a_free_reader() {
    let mut model = Model::new(8);
    for (number, held) in [(0, 4), (1, 2), (2, 2)] {
        (0..8).for_each(|_| model.take(&Step::Request(number)));
        assert_eq!(model.held(number), held, "of user {number}");
    }
}
