//! The writers of a store. Each book has a writer of its own, so that what comes together for it
//! becomes one group. While that one is at work on a long group, what it would delay goes to a
//! writer that has nothing to do: the rows of books are locked, and in one order ([`ShardKey`]),
//! whoever writes.

use crate::error::{Error, Result};
use crate::fair_queue::Tenant;
use crate::job::Job;
use crate::shard_key::ShardKey;
use crate::writer::Writer;

/// Writers, one or several.
pub(crate) struct Writers(Vec<Writer>);

impl Writers {
    /// Starts so many.
    pub(crate) fn start(count: usize, start: impl Fn() -> Result<Writer>) -> Result<Self> {
        (0..count).map(|_| start()).collect::<Result<_>>().map(Self)
    }

    /// Adds a unit of work to the queue of a writer; a full queue answers at once.
    pub(crate) fn enqueue(&self, flow: Tenant, job: Box<dyn Job>) {
        let lane = job.lane();
        let Some(own) = self.own(lane) else {
            return job.refuse(Error::Unavailable("no writer runs".to_owned()));
        };
        let idle = || self.0.iter().find(|writer| writer.is_idle());
        let may_change = lane.is_of_book() && self.0.len() > 1;
        let other = if may_change && own.delays(lane, flow) { idle() } else { None };
        other.unwrap_or(own).enqueue(flow, job);
    }

    fn own(&self, lane: ShardKey) -> Option<&Writer> {
        let count = u64::try_from(self.0.len()).ok()?;
        self.0.get(usize::try_from(lane.0.checked_rem(count)?).ok()?)
    }

    /// One lane for each of them.
    pub(crate) fn lanes(&self) -> impl Iterator<Item = ShardKey> + use<> {
        (0_u64..).take(self.0.len()).map(ShardKey)
    }
}
