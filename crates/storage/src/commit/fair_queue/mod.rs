//! A queue that serves tenants fairly by the time their work takes.
//!
//! Writers use it, and so do requests that wait for a connection to read. It is start-time fair
//! queueing (Goyal et al. 1996) with measured times in place of packet lengths. Each tenant has a
//! virtual time: the time its work has taken so far. The queue serves the tenant with the least
//! virtual time next. When a unit of work is taken, the tenant is charged an estimate, a moving
//! average; when it ends, the estimate is replaced by the measured time. A tenant that was idle
//! continues at the clock of the queue, so it cannot save up time.
//!
//! A group has at most [`MAX_IN_GROUP`] units of work. If several tenants have queued work, the sum
//! of their estimates is at most [`GROUP_TIME`], unless the first one alone exceeds it. A user
//! therefore waits for at most one long unit of work of another user. A user may fill half of the
//! queue; work of the program has no such limit.

#[cfg(test)]
mod tests;

use std::collections::{BTreeSet, HashMap, VecDeque};
use std::ops::Bound;
use std::time::Duration;

use daybook_domain::id::UserId;

/// The owner of the time that a unit of work takes: a user, or the program.
pub type Tenant = Option<UserId>;

/// Maximum number of units of work in a group.
pub(crate) const MAX_IN_GROUP: usize = 256;
/// Maximum duration of a group, unless a single unit of work takes longer.
pub(crate) const GROUP_TIME: Duration = Duration::from_millis(100);
/// The estimate for the first unit of work of a tenant.
const FIRST_ESTIMATE: Duration = Duration::from_millis(1);
/// Maximum number of idle tenants that are remembered before those behind the clock are dropped.
const MAX_IDLE: usize = 1_024;

/// The queued work and the virtual time of one tenant.
#[derive(Debug)]
struct TenantState<J> {
    jobs: VecDeque<J>,
    /// The virtual time: the time taken so far, and the estimates of running work.
    charged: Duration,
    /// The estimate for the next unit of work, a moving average.
    estimate: Duration,
}

impl<J> TenantState<J> {
    /// Creates the state of a new tenant at the clock of the queue.
    const fn new(clock: Duration) -> Self {
        Self { jobs: VecDeque::new(), charged: clock, estimate: FIRST_ESTIMATE }
    }
}

/// A unit of work that was taken from the queue.
#[derive(Debug)]
pub struct Scheduled<J> {
    /// The unit of work.
    pub job: J,
    /// The charge, to be corrected when the work ends.
    pub charge: Charge,
}

/// An estimate that was charged to a tenant.
#[derive(Debug, Clone, Copy)]
pub struct Charge {
    /// The tenant.
    pub tenant: Tenant,
    /// The estimate.
    pub estimate: Duration,
}

/// The virtual time of a tenant and the estimate for its next unit of work.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Usage {
    /// The virtual time.
    pub charged: Duration,
    /// The estimate.
    pub estimate: Duration,
}

/// Queued units of work by tenant.
#[derive(Debug)]
pub struct FairQueue<J> {
    tenants: HashMap<Tenant, TenantState<J>>,
    /// The tenants with queued work, least virtual time first.
    order: BTreeSet<(Duration, Tenant)>,
    /// The virtual time of the first tenant of the last group. New and idle tenants start here.
    clock: Duration,
    /// The greatest virtual time of any tenant. All tenants start here after the queue was idle.
    latest: Duration,
    length: usize,
    capacity: usize,
}

impl<J> FairQueue<J> {
    /// Creates a queue for `capacity` units of work. A user may have half of them.
    #[must_use]
    pub fn new(capacity: usize) -> Self {
        Self {
            tenants: HashMap::new(),
            order: BTreeSet::new(),
            clock: Duration::ZERO,
            latest: Duration::ZERO,
            length: 0,
            capacity,
        }
    }

    /// Adds a unit of work.
    ///
    /// # Errors
    /// The unit of work, if the queue is full or the user has filled half of it.
    pub fn push(&mut self, tenant: Tenant, job: J) -> Result<(), J> {
        let queued = self.tenants.get(&tenant).map_or(0, |state| state.jobs.len());
        let has_its_share = tenant.is_some() && queued >= self.capacity.div_ceil(2);
        if self.length >= self.capacity || has_its_share {
            return Err(job);
        }
        self.drop_idle_tenants();
        let clock = self.clock;
        self.add(tenant, |state| {
            if state.jobs.is_empty() {
                state.charged = state.charged.max(clock);
            }
            state.jobs.push_back(job);
        });
        Ok(())
    }

    /// Returns the number of queued units of work.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.length
    }

    /// Returns whether the queue is empty.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.length == 0
    }

    /// Returns whether the tenant has queued work.
    #[must_use]
    pub fn has_work_of(&self, tenant: Tenant) -> bool {
        self.tenants.get(&tenant).is_some_and(|state| !state.jobs.is_empty())
    }

    /// Adds a unit of work before the others of its tenant, regardless of the capacity.
    pub(crate) fn push_first(&mut self, tenant: Tenant, job: J) {
        self.add(tenant, |state| state.jobs.push_front(job));
    }

    /// Takes the next unit of work of a tenant for which `may_run` holds.
    ///
    /// Units of work for which `is_wanted` does not hold are dropped.
    pub fn take_one(
        &mut self,
        may_run: impl Fn(Tenant) -> bool,
        is_wanted: impl Fn(&J) -> bool,
    ) -> Option<Scheduled<J>> {
        let mut next = self.order.first().copied();
        while let Some(entry) = next {
            next = self.order.range((Bound::Excluded(entry), Bound::Unbounded)).next().copied();
            let (charged, tenant) = entry;
            let state = self.tenants.get_mut(&tenant)?;
            while state.jobs.front().is_some_and(|job| !is_wanted(job)) {
                state.jobs.pop_front();
                self.length -= 1;
            }
            if state.jobs.is_empty() {
                self.order.remove(&entry);
            } else if may_run(tenant) {
                self.clock = self.clock.max(charged);
                return self.take_first_of(charged, tenant);
            }
        }
        None
    }

    /// Charges work of a tenant that starts without queueing.
    pub fn charge_unqueued(&mut self, tenant: Tenant) -> Charge {
        self.drop_idle_tenants();
        let clock = self.clock;
        let state = self.tenants.entry(tenant).or_insert_with(|| TenantState::new(clock));
        let estimate = state.estimate;
        state.charged = state.charged.max(clock) + estimate;
        self.latest = self.latest.max(state.charged);
        Charge { tenant, estimate }
    }

    /// Advances the clock to the greatest virtual time, when no work is queued or running.
    pub const fn level(&mut self) {
        self.clock = self.latest;
    }

    /// Returns the virtual time of a tenant and the estimate for its next unit of work.
    #[must_use]
    pub fn usage(&self, tenant: Tenant) -> Usage {
        let known = self
            .tenants
            .get(&tenant)
            .map(|state| Usage { charged: state.charged, estimate: state.estimate });
        known.unwrap_or(Usage { charged: self.clock, estimate: FIRST_ESTIMATE })
    }

    /// Takes the first unit of work of a tenant, which is in the order at `charged`.
    fn take_first_of(&mut self, charged: Duration, tenant: Tenant) -> Option<Scheduled<J>> {
        let state = self.tenants.get_mut(&tenant)?;
        self.order.remove(&(charged, tenant));
        let job = state.jobs.pop_front()?;
        let estimate = state.estimate;
        state.charged = charged + estimate;
        self.latest = self.latest.max(state.charged);
        if !state.jobs.is_empty() {
            self.order.insert((state.charged, tenant));
        }
        self.length -= 1;
        Some(Scheduled { job, charge: Charge { tenant, estimate } })
    }

    /// Takes the units of work of the next group.
    ///
    /// The caller must have corrected the charges of the group before, so an empty queue means
    /// that no work is running, and the clock is leveled.
    pub(crate) fn take_group(&mut self) -> Vec<Scheduled<J>> {
        if self.length == 0 {
            self.level();
        }
        let mut group = Vec::new();
        let mut group_time = Duration::ZERO;
        // A single tenant delays no other, so its group may take longer.
        let is_shared = self.order.len() > 1;
        while group.len() < MAX_IN_GROUP {
            let Some((charged, tenant)) = self.order.first().copied() else { break };
            let estimate = self.usage(tenant).estimate;
            if is_shared && !group.is_empty() && group_time + estimate > GROUP_TIME {
                break;
            }
            if group.is_empty() {
                // Other units of work of the group may be put back, so they do not count.
                self.clock = self.clock.max(charged);
            }
            let Some(scheduled) = self.take_first_of(charged, tenant) else { break };
            group_time += estimate;
            group.push(scheduled);
        }
        group
    }

    /// Replaces the estimate of a charge by the measured time.
    pub fn charge(&mut self, charge: Charge, took: Duration) {
        self.correct(charge, took);
        if let Some(state) = self.tenants.get_mut(&charge.tenant) {
            state.estimate = (state.estimate * 3 + took) / 4;
        }
    }

    /// Puts back units of work that were taken and not started, each before the others of its
    /// tenant.
    ///
    /// `group` is in the order in which they were taken.
    pub(crate) fn put_back(&mut self, group: Vec<Scheduled<J>>) {
        for Scheduled { job, charge } in group.into_iter().rev() {
            self.correct(charge, Duration::ZERO);
            self.add(charge.tenant, |state| state.jobs.push_front(job));
        }
    }

    /// Adds a unit of work to its tenant and updates the order.
    fn add(&mut self, tenant: Tenant, add: impl FnOnce(&mut TenantState<J>)) {
        let clock = self.clock;
        let state = self.tenants.entry(tenant).or_insert_with(|| TenantState::new(clock));
        self.order.remove(&(state.charged, tenant));
        add(state);
        self.order.insert((state.charged, tenant));
        self.length += 1;
    }

    /// Corrects the virtual time of a tenant by the difference of `took` and the estimate.
    fn correct(&mut self, charge: Charge, took: Duration) {
        let Some(state) = self.tenants.get_mut(&charge.tenant) else { return };
        let before = state.charged;
        state.charged = (before + took).saturating_sub(charge.estimate);
        self.latest = self.latest.max(state.charged);
        if self.order.remove(&(before, charge.tenant)) {
            self.order.insert((state.charged, charge.tenant));
        }
    }

    /// Drops idle tenants that are not ahead of the clock, if there are many. A new tenant would
    /// start at the same virtual time.
    fn drop_idle_tenants(&mut self) {
        if self.tenants.len() > self.order.len() + MAX_IDLE {
            let clock = self.clock;
            self.tenants.retain(|_, state| !state.jobs.is_empty() || state.charged > clock);
        }
    }
}

/// Adds to each time its proportional share of the rest of the group's time, such as the commit.
pub(crate) fn with_shares_of_commit(
    times: Vec<(Charge, Duration)>,
    took: Duration,
) -> Vec<(Charge, Duration)> {
    let working: Duration = times.iter().map(|(_, time)| *time).sum();
    let rest = took.saturating_sub(working).as_nanos();
    let whole = working.as_nanos().max(1);
    let with_share = |time: Duration| {
        let share = rest.saturating_mul(time.as_nanos()).checked_div(whole).unwrap_or(0);
        time + Duration::from_nanos(u64::try_from(share).unwrap_or(u64::MAX))
    };
    times.into_iter().map(|(charge, time)| (charge, with_share(time))).collect()
}
