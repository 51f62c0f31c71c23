//! The writers of a store.
//!
//! Each book has its own writer, so concurrent writes of a book share a group. While that writer
//! runs a long group, writes that would be delayed go to an idle writer. This is safe, because rows
//! of books are locked, and every writer locks them in the order of [`ShardKey`].

use crate::commit::fair_queue::Tenant;
use crate::commit::job::Job;
use crate::commit::shard_key::ShardKey;
use crate::commit::writer::Writer;
use crate::error::{Error, Result};

/// The writers of a store, at least one.
pub(crate) struct Writers(Vec<Writer>);

impl Writers {
    /// Starts `count` writers.
    pub(crate) fn start(count: usize, start: impl Fn() -> Result<Writer>) -> Result<Self> {
        (0..count).map(|_| start()).collect::<Result<_>>().map(Self)
    }

    /// Adds a job to the queue of a writer. If the queue is full, it refuses the job at once.
    pub(crate) fn enqueue(&self, tenant: Tenant, job: Box<dyn Job>) {
        let shard_key = job.shard_key();
        let Some(own) = self.writer_of(shard_key) else {
            return job.refuse(Error::Unavailable("no writer runs".to_owned()));
        };
        let may_move = shard_key.is_book() && self.0.len() > 1;
        let other = if may_move && own.would_delay(shard_key, tenant) {
            self.0.iter().find(|writer| writer.is_idle())
        } else {
            None
        };
        other.unwrap_or(own).enqueue(tenant, job);
    }

    fn writer_of(&self, shard_key: ShardKey) -> Option<&Writer> {
        let count = u64::try_from(self.0.len()).ok()?;
        self.0.get(usize::try_from(shard_key.0.checked_rem(count)?).ok()?)
    }

    /// Returns the number of queued jobs of each writer.
    pub(crate) fn depths(&self) -> Vec<usize> {
        self.0.iter().map(Writer::depth).collect()
    }

    /// Returns one shard key for each writer.
    pub(crate) fn shard_keys(&self) -> impl Iterator<Item = ShardKey> + use<> {
        (0_u64..).take(self.0.len()).map(ShardKey)
    }
}
