//! The write path: units of work, their queue, and group commit.
//!
//! A caller submits a closure with a [`submission::Submission`]: the shard key, the tenant that is
//! charged for its time, and whether the caller still waits. [`writers`] chooses a writer by the
//! shard key and puts the closure into its queue ([`queue`]), which serves tenants fairly
//! ([`fair_queue`]). The thread of a [`writer`] takes a group from the queue and runs it in one
//! database transaction ([`group`]). Each closure runs as a unit of work ([`tx::Tx`]), which queues
//! new rows in a [`write_buffer`] and opens a savepoint before it changes rows in place. Long
//! buffers are flushed on a second thread. The writer flushes, commits once, and then completes
//! every [`job`] of the group.
//!
//! A refused unit of work is rolled back alone. A failed statement or commit fails the group, and
//! the writer reconnects. If the connection breaks during the commit, the writer determines the
//! outcome by a [`mark`]. Where commits are slow, [`delay`] makes it wait briefly for more work.

pub(crate) mod delay;
pub mod fair_queue;
pub(crate) mod group;
pub(crate) mod job;
pub(crate) mod mark;
pub(crate) mod queue;
pub(crate) mod shard_key;
pub(crate) mod submission;
pub(crate) mod tx;
pub(crate) mod write_buffer;
pub(crate) mod writer;
pub(crate) mod writers;
