//! The queue before a writer: fair between users, in order for each of them.
//!
//! A writer's time is what users share. Each has a flow: the units of work that wait, and the time
//! that those before them have taken. The next unit is that of the flow that has taken least. Who
//! comes back after a pause begins where the others are, so nobody saves up time. This is the
//! fair queueing of networks, with time that was measured in place of the length of packets.
//!
//! A group is committed as a whole, so it must not grow long: it takes on work until what is to be
//! expected of it, by what each flow's units took before, fills [`GROUP_TIME`]. A flow that is
//! alone is not held up.

use std::collections::{BTreeSet, HashMap, VecDeque};
use std::time::Duration;

use daybook_domain::id::UserId;

/// Whose time a unit of work takes: a user's, or that of the program.
pub(crate) type QueueFlow = Option<UserId>;

/// Most units of work in one commit.
pub(crate) const MAX_IN_GROUP: usize = 256;
/// How long the units of work of one commit take together, unless one alone takes longer.
pub(crate) const GROUP_TIME: Duration = Duration::from_millis(100);
/// What is expected of the first unit of work of a flow.
const FIRST_EXPECTED: Duration = Duration::from_millis(1);
/// Flows without waiting work that are remembered, before those are forgotten that owe nothing.
const MAX_IDLE: usize = 1_024;

/// The work of one user.
#[derive(Debug)]
struct Waiting<J> {
    jobs: VecDeque<J>,
    /// The time that was taken, and what is expected of the work that is under way.
    taken: Duration,
    /// What is expected of the next unit of work: a moving average.
    expected: Duration,
}

/// A unit of work that was taken from the queue.
#[derive(Debug)]
pub(crate) struct Taken<J> {
    pub(crate) job: J,
    pub(crate) bill: Bill,
}

/// To whom a unit of work is charged, and what was charged beforehand.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Bill {
    pub(crate) flow: QueueFlow,
    pub(crate) expected: Duration,
}

/// Units of work that wait, each with its flow.
#[derive(Debug)]
pub(crate) struct FairQueue<J> {
    flows: HashMap<QueueFlow, Waiting<J>>,
    /// The flows with waiting work, least time first.
    order: BTreeSet<(Duration, QueueFlow)>,
    /// The time that the first flow of the last group had taken before: where others begin.
    clock: Duration,
    /// The most that any flow has taken: where all begin after a rest.
    latest: Duration,
    length: usize,
    capacity: usize,
}

impl<J> FairQueue<J> {
    /// A queue for so many units of work, half of them of one user.
    pub(crate) fn new(capacity: usize) -> Self {
        let (flows, order) = (HashMap::new(), BTreeSet::new());
        Self { flows, order, clock: Duration::ZERO, latest: Duration::ZERO, length: 0, capacity }
    }

    /// Adds a unit of work.
    ///
    /// # Errors
    /// The unit of work, when no place is left for it.
    pub(crate) fn push(&mut self, flow: QueueFlow, job: J) -> Result<(), J> {
        let has = self.flows.get(&flow).map_or(0, |waiting| waiting.jobs.len());
        let has_its_share = flow.is_some() && has >= self.capacity.div_ceil(2);
        if self.length >= self.capacity || has_its_share {
            return Err(job);
        }
        self.forget_idle();
        let clock = self.clock;
        self.wait(flow, |waiting| {
            if waiting.jobs.is_empty() {
                waiting.taken = waiting.taken.max(clock);
            }
            waiting.jobs.push_back(job);
        });
        Ok(())
    }

    /// How many units of work wait.
    pub(crate) const fn len(&self) -> usize {
        self.length
    }

    /// Whether nothing waits.
    pub(crate) const fn is_empty(&self) -> bool {
        self.length == 0
    }

    /// Whether a unit of work of this flow waits.
    pub(crate) fn has(&self, flow: QueueFlow) -> bool {
        self.flows.get(&flow).is_some_and(|waiting| !waiting.jobs.is_empty())
    }

    /// Adds a unit of work before the others of its flow, whether or not there is a place.
    pub(crate) fn push_first(&mut self, flow: QueueFlow, job: J) {
        self.wait(flow, |waiting| waiting.jobs.push_front(job));
    }

    /// Takes the units of work of the next group. It is empty only when nothing waits, and nothing
    /// is under way: then nobody owes anything any more.
    pub(crate) fn take_group(&mut self) -> Vec<Taken<J>> {
        if self.length == 0 {
            self.clock = self.latest;
        }
        let (mut group, mut filled) = (Vec::new(), Duration::ZERO);
        // A flow that is alone delays nobody.
        let is_shared = self.order.len() > 1;
        while group.len() < MAX_IN_GROUP {
            let Some((taken, flow)) = self.order.first().copied() else { break };
            let Some(waiting) = self.flows.get_mut(&flow) else { break };
            let expected = waiting.expected;
            if is_shared && !group.is_empty() && filled + expected > GROUP_TIME {
                break;
            }
            if group.is_empty() {
                // Of the others of the group some may come back.
                self.clock = self.clock.max(taken);
            }
            self.order.pop_first();
            let Some(job) = waiting.jobs.pop_front() else { break };
            waiting.taken = taken + expected;
            self.latest = self.latest.max(waiting.taken);
            if !waiting.jobs.is_empty() {
                self.order.insert((waiting.taken, flow));
            }
            self.length -= 1;
            filled += expected;
            group.push(Taken { job, bill: Bill { flow, expected } });
        }
        group
    }

    /// Charges what a unit of work took.
    pub(crate) fn charge(&mut self, bill: Bill, took: Duration) {
        self.settle(bill, took);
        if let Some(waiting) = self.flows.get_mut(&bill.flow) {
            waiting.expected = (waiting.expected * 3 + took) / 4;
        }
    }

    /// Puts units of work back that were taken and not begun, each before the others of its flow.
    /// They are given in the order in which they were taken.
    pub(crate) fn put_back(&mut self, group: Vec<Taken<J>>) {
        for Taken { job, bill } in group.into_iter().rev() {
            self.settle(bill, Duration::ZERO);
            self.wait(bill.flow, |waiting| waiting.jobs.push_front(job));
        }
    }

    /// Adds a unit of work to its flow, which is then in its place.
    fn wait(&mut self, flow: QueueFlow, add: impl FnOnce(&mut Waiting<J>)) {
        let clock = self.clock;
        let fresh = || Waiting { jobs: VecDeque::new(), taken: clock, expected: FIRST_EXPECTED };
        let waiting = self.flows.entry(flow).or_insert_with(fresh);
        self.order.remove(&(waiting.taken, flow));
        add(waiting);
        self.order.insert((waiting.taken, flow));
        self.length += 1;
    }

    /// Puts what was taken in place of what was expected.
    fn settle(&mut self, bill: Bill, took: Duration) {
        let Some(waiting) = self.flows.get_mut(&bill.flow) else { return };
        let before = waiting.taken;
        waiting.taken = (before + took).saturating_sub(bill.expected);
        self.latest = self.latest.max(waiting.taken);
        if self.order.remove(&(before, bill.flow)) {
            self.order.insert((waiting.taken, bill.flow));
        }
    }

    /// Forgets flows without work, once there are many, that begin where a new one would.
    fn forget_idle(&mut self) {
        if self.flows.len() > self.order.len() + MAX_IDLE {
            let clock = self.clock;
            self.flows.retain(|_, waiting| !waiting.jobs.is_empty() || waiting.taken > clock);
        }
    }
}

/// Adds to each time its part of what the whole group took besides.
pub(crate) fn with_parts_of_commit(
    times: Vec<(Bill, Duration)>,
    took: Duration,
) -> Vec<(Bill, Duration)> {
    let working: Duration = times.iter().map(|(_, time)| *time).sum();
    let besides = took.saturating_sub(working).as_nanos();
    let whole = working.as_nanos().max(1);
    let part = |time: Duration| {
        let part = besides.saturating_mul(time.as_nanos()).checked_div(whole).unwrap_or(0);
        time + Duration::from_nanos(u64::try_from(part).unwrap_or(u64::MAX))
    };
    times.into_iter().map(|(bill, time)| (bill, part(time))).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const fn user(number: i64) -> QueueFlow {
        Some(UserId::new(number))
    }

    const MILLISECOND: Duration = Duration::from_millis(1);

    /// Runs groups as a writer does until so many units of work have run; answers them in order.
    fn serve(
        queue: &mut FairQueue<(i64, u32)>,
        most: usize,
        cost: impl Fn(i64) -> Duration,
    ) -> Vec<(i64, u32)> {
        let mut served = Vec::new();
        while served.len() < most {
            let (mut took, mut left) = (Duration::ZERO, Vec::new());
            let group = queue.take_group();
            if group.is_empty() {
                break;
            }
            for taken in group {
                if took >= GROUP_TIME {
                    left.push(taken);
                    continue;
                }
                took += cost(taken.job.0);
                queue.charge(taken.bill, cost(taken.job.0));
                served.push(taken.job);
            }
            queue.put_back(left);
        }
        served
    }

    #[test]
    fn who_asks_for_little_does_not_wait_for_who_asks_for_much() {
        let mut queue = FairQueue::new(4_096);
        let cost = |who| if who == 1 { MILLISECOND * 1_000 } else { MILLISECOND };
        (0..100).for_each(|at| queue.push(user(1), (1, at)).unwrap());
        serve(&mut queue, 1, cost);
        for at in 0..10 {
            queue.push(user(2), (2, at)).unwrap();
            let served = serve(&mut queue, 2, cost);
            let before = served.iter().take_while(|job| job.0 == 1).count();
            assert!(before <= 1, "it waits for one long unit at most: {served:?}");
        }
        queue.push(user(2), (2, 10)).unwrap();
        serve(&mut queue, 1, cost);
        queue.push(user(2), (2, 11)).unwrap();
        let groups = [queue.take_group(), queue.take_group()];
        assert!(groups.iter().any(|group| group.len() == 1), "a long one is alone in its group");
    }

    #[test]
    fn a_user_has_half_of_the_places() {
        let mut queue = FairQueue::new(10);
        let pushed = (0..10).filter(|at| queue.push(user(1), (1, *at)).is_ok()).count();
        assert_eq!(pushed, 5);
        (0..5).for_each(|at| queue.push(None, (0, at)).unwrap());
        assert_eq!(queue.push(user(2), (2, 0)), Err((2, 0)), "there are ten places");
        assert_eq!(queue.take_group().len(), 10);
        (0..10).for_each(|at| queue.push(None, (0, at)).unwrap());
        assert_eq!(queue.take_group().len(), 10, "the program has no share");
        assert!(queue.take_group().is_empty());
    }

    #[test]
    fn idle_flows_are_forgotten() {
        let mut queue = FairQueue::new(4);
        for who in 0..10_000 {
            queue.push(user(who), (who, 0)).unwrap();
            serve(&mut queue, 2, |_| MILLISECOND);
        }
        assert!(queue.flows.len() <= MAX_IDLE + 2, "{}", queue.flows.len());
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        /// Two who always have work waiting get the same time, whatever their units take.
        #[test]
        fn time_is_shared(one in 1_u32..400, other in 1_u32..400) {
            let mut queue = FairQueue::new(10_000);
            for at in 0..2_000 {
                queue.push(user(1), (1, at)).unwrap();
                queue.push(user(2), (2, at)).unwrap();
            }
            let cost = |who| MILLISECOND * if who == 1 { one } else { other };
            let served = serve(&mut queue, 2_000, cost);
            let took = |who| -> Duration {
                served.iter().filter(|job| job.0 == who).map(|job| cost(job.0)).sum()
            };
            let bound = (GROUP_TIME + cost(1) + cost(2)) * 2;
            let apart = took(1).abs_diff(took(2));
            prop_assert!(apart <= bound, "{:?} {:?}", took(1), took(2));
        }

        /// Nothing is lost, nothing comes twice, and each user's work keeps its order, also when
        /// part of a group is put back.
        #[test]
        fn order_is_kept(
            steps in prop::collection::vec((0_i64..4, 1_u32..300, any::<bool>()), 1..200),
        ) {
            let mut queue = FairQueue::new(1_000);
            let (mut pushed, mut served) = (Vec::new(), Vec::new());
            for (at, (who, took, puts_back)) in (0..).zip(steps) {
                queue.push(user(who), (who, at)).unwrap();
                pushed.push((who, at));
                if at % 3 == 0 {
                    let mut group = queue.take_group();
                    let rest = group.split_off(group.len() / if puts_back { 2 } else { 1 });
                    for Taken { job, bill } in group {
                        queue.charge(bill, MILLISECOND * took);
                        served.push(job);
                    }
                    queue.put_back(rest);
                }
            }
            served.extend(serve(&mut queue, 1_000, |_| MILLISECOND));
            for who in 0..4 {
                let of = |all: &[(i64, u32)]| -> Vec<(i64, u32)> {
                    all.iter().filter(|job| job.0 == who).copied().collect()
                };
                prop_assert_eq!(of(&pushed), of(&served));
            }
            prop_assert_eq!(pushed.len(), served.len());
        }
    }
}
