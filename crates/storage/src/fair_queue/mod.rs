//! The queue before a writer, and before the connections for reading: fair between users, in order
//! for each of them.
//!
//! The time of a writer, or of readers, is what users share. Each has a flow: the units of work
//! that wait, and the time
//! that those before them have taken. The next unit is that of the flow that has taken least. Who
//! comes back after a pause begins where the others are, so nobody saves up time. This is the
//! fair queueing of networks, with time that was measured in place of the length of packets.
//!
//! A group is committed as a whole, so it must not grow long: it takes on work until what is to be
//! expected of it, by what each flow's units took before, fills [`GROUP_TIME`]. A flow that is
//! alone is not held up.

#[cfg(test)]
mod tests;

use std::collections::{BTreeSet, HashMap, VecDeque};
use std::ops::Bound;
use std::time::Duration;

use daybook_domain::id::UserId;

/// Whose time a unit of work takes: a user's, or that of the program.
pub type Tenant = Option<UserId>;

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

impl<J> Waiting<J> {
    /// A flow that begins where the others are.
    const fn fresh(clock: Duration) -> Self {
        Self { jobs: VecDeque::new(), taken: clock, expected: FIRST_EXPECTED }
    }
}

/// A unit of work that was taken from the queue.
#[derive(Debug)]
pub struct Scheduled<J> {
    /// The unit of work.
    pub job: J,
    /// To whom it is charged.
    pub bill: Charge,
}

/// To whom a unit of work is charged, and what was charged beforehand.
#[derive(Debug, Clone, Copy)]
pub struct Charge {
    /// Whose it is.
    pub flow: Tenant,
    /// What was expected of it.
    pub expected: Duration,
}

/// Units of work that wait, each with its flow.
#[derive(Debug)]
pub struct FairQueue<J> {
    flows: HashMap<Tenant, Waiting<J>>,
    /// The flows with waiting work, least time first.
    order: BTreeSet<(Duration, Tenant)>,
    /// The time that the first flow of the last group had taken before: where others begin.
    clock: Duration,
    /// The most that any flow has taken: where all begin after a rest.
    latest: Duration,
    length: usize,
    capacity: usize,
}

impl<J> FairQueue<J> {
    /// A queue for so many units of work, half of them of one user.
    #[must_use]
    pub fn new(capacity: usize) -> Self {
        let (flows, order) = (HashMap::new(), BTreeSet::new());
        Self { flows, order, clock: Duration::ZERO, latest: Duration::ZERO, length: 0, capacity }
    }

    /// Adds a unit of work.
    ///
    /// # Errors
    /// The unit of work, when no place is left for it.
    pub fn push(&mut self, flow: Tenant, job: J) -> Result<(), J> {
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
    #[must_use]
    pub const fn len(&self) -> usize {
        self.length
    }

    /// Whether nothing waits.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.length == 0
    }

    /// Whether a unit of work of this flow waits.
    #[must_use]
    pub fn has(&self, flow: Tenant) -> bool {
        self.flows.get(&flow).is_some_and(|waiting| !waiting.jobs.is_empty())
    }

    /// Adds a unit of work before the others of its flow, whether or not there is a place.
    pub(crate) fn push_first(&mut self, flow: Tenant, job: J) {
        self.wait(flow, |waiting| waiting.jobs.push_front(job));
    }

    /// Takes the next unit of work, as [`Self::take_group`] does, of a flow that may have one now.
    /// Those that nobody wants any more are dropped.
    pub fn take_one(
        &mut self,
        may: impl Fn(Tenant) -> bool,
        is_wanted: impl Fn(&J) -> bool,
    ) -> Option<Scheduled<J>> {
        let mut next = self.order.first().copied();
        while let Some(place) = next {
            next = self.order.range((Bound::Excluded(place), Bound::Unbounded)).next().copied();
            let (taken, flow) = place;
            let waiting = self.flows.get_mut(&flow)?;
            while waiting.jobs.front().is_some_and(|job| !is_wanted(job)) {
                waiting.jobs.pop_front();
                self.length -= 1;
            }
            if waiting.jobs.is_empty() {
                self.order.remove(&place);
            } else if may(flow) {
                self.clock = self.clock.max(taken);
                return self.take_of(place);
            }
        }
        None
    }

    /// Begins work of a flow that need not wait; it is charged as if it had.
    pub fn begin(&mut self, flow: Tenant) -> Charge {
        self.forget_idle();
        let clock = self.clock;
        let waiting = self.flows.entry(flow).or_insert_with(|| Waiting::fresh(clock));
        let expected = waiting.expected;
        waiting.taken = waiting.taken.max(clock) + expected;
        self.latest = self.latest.max(waiting.taken);
        Charge { flow, expected }
    }

    /// Notes that nothing waits and nothing is under way: nobody owes anything any more.
    pub const fn rest(&mut self) {
        self.clock = self.latest;
    }

    /// The time that was taken of a flow, and what is expected of its next unit of work.
    #[must_use]
    pub fn standing(&self, flow: Tenant) -> (Duration, Duration) {
        let known = self.flows.get(&flow).map(|waiting| (waiting.taken, waiting.expected));
        known.unwrap_or((self.clock, FIRST_EXPECTED))
    }

    /// Takes the first unit of work of a flow that waits there in the order.
    fn take_of(&mut self, (taken, flow): (Duration, Tenant)) -> Option<Scheduled<J>> {
        let waiting = self.flows.get_mut(&flow)?;
        self.order.remove(&(taken, flow));
        let job = waiting.jobs.pop_front()?;
        let expected = waiting.expected;
        waiting.taken = taken + expected;
        self.latest = self.latest.max(waiting.taken);
        if !waiting.jobs.is_empty() {
            self.order.insert((waiting.taken, flow));
        }
        self.length -= 1;
        Some(Scheduled { job, bill: Charge { flow, expected } })
    }

    /// Takes the units of work of the next group. It is empty only when nothing waits, and nothing
    /// is under way: then nobody owes anything any more.
    pub(crate) fn take_group(&mut self) -> Vec<Scheduled<J>> {
        if self.length == 0 {
            self.rest();
        }
        let (mut group, mut filled) = (Vec::new(), Duration::ZERO);
        // A flow that is alone delays nobody.
        let is_shared = self.order.len() > 1;
        while group.len() < MAX_IN_GROUP {
            let Some((taken, flow)) = self.order.first().copied() else { break };
            let (_, expected) = self.standing(flow);
            if is_shared && !group.is_empty() && filled + expected > GROUP_TIME {
                break;
            }
            if group.is_empty() {
                // Of the others of the group some may come back.
                self.clock = self.clock.max(taken);
            }
            let Some(taken) = self.take_of((taken, flow)) else { break };
            filled += expected;
            group.push(taken);
        }
        group
    }

    /// Charges what a unit of work took.
    pub fn charge(&mut self, bill: Charge, took: Duration) {
        self.settle(bill, took);
        if let Some(waiting) = self.flows.get_mut(&bill.flow) {
            waiting.expected = (waiting.expected * 3 + took) / 4;
        }
    }

    /// Puts units of work back that were taken and not begun, each before the others of its flow.
    /// They are given in the order in which they were taken.
    pub(crate) fn put_back(&mut self, group: Vec<Scheduled<J>>) {
        for Scheduled { job, bill } in group.into_iter().rev() {
            self.settle(bill, Duration::ZERO);
            self.wait(bill.flow, |waiting| waiting.jobs.push_front(job));
        }
    }

    /// Adds a unit of work to its flow, which is then in its place.
    fn wait(&mut self, flow: Tenant, add: impl FnOnce(&mut Waiting<J>)) {
        let clock = self.clock;
        let waiting = self.flows.entry(flow).or_insert_with(|| Waiting::fresh(clock));
        self.order.remove(&(waiting.taken, flow));
        add(waiting);
        self.order.insert((waiting.taken, flow));
        self.length += 1;
    }

    /// Puts what was taken in place of what was expected.
    fn settle(&mut self, bill: Charge, took: Duration) {
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
    times: Vec<(Charge, Duration)>,
    took: Duration,
) -> Vec<(Charge, Duration)> {
    let working: Duration = times.iter().map(|(_, time)| *time).sum();
    let besides = took.saturating_sub(working).as_nanos();
    let whole = working.as_nanos().max(1);
    let part = |time: Duration| {
        let part = besides.saturating_mul(time.as_nanos()).checked_div(whole).unwrap_or(0);
        time + Duration::from_nanos(u64::try_from(part).unwrap_or(u64::MAX))
    };
    times.into_iter().map(|(bill, time)| (bill, part(time))).collect()
}
