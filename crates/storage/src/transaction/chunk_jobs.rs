//! Jobs that add chunks to the trigram index.
//!
//! A unit of work that completes a chunk does not wait until it is indexed, and between the chunks
//! of a large batch the writer serves others. The job of a chunk runs before the other work of its
//! tenant, so the index never falls far behind. If a chunk is not indexed, because the process
//! ended or the database failed, the next new transaction of the book or the next start retries it.

use std::collections::HashSet;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::commit::fair_queue::Tenant;
use crate::commit::job::{Job, QueuedWork};
use crate::commit::shard_key::ShardKey;
use crate::commit::submission::Submission;
use crate::commit::tx::Tx;
use crate::error::Result;

/// The books with a queued job.
#[derive(Debug, Clone, Default)]
pub(crate) struct ChunkJobs(Arc<Mutex<HashSet<String>>>);

/// The entry of a queued job, removed on drop.
struct QueuedChunk {
    jobs: ChunkJobs,
    book: String,
}

impl Drop for QueuedChunk {
    fn drop(&mut self) {
        self.jobs.queued().remove(&self.book);
    }
}

impl ChunkJobs {
    fn queued(&self) -> MutexGuard<'_, HashSet<String>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the job for a book, unless one is queued. It takes the time of `tenant`, who
    /// recorded the transactions.
    pub(crate) fn next(&self, book: &str, tenant: Tenant) -> Option<Box<dyn Job>> {
        if !self.queued().insert(book.to_owned()) {
            return None;
        }
        let entry = QueuedChunk { jobs: self.clone(), book: book.to_owned() };
        let work = move |tx: &mut Tx<'_>| {
            let book = entry.book.clone();
            drop(entry);
            tx.index_next(&book)
        };
        let done = |outcome: Result<()>| {
            if let Err(error) = outcome {
                tracing::warn!(%error, "trigram indexing failed, will be retried");
            }
        };
        let submission = Submission::for_tenant(ShardKey::of_book(book), tenant);
        Some(Box::new(QueuedWork::new(submission, work, done)))
    }
}
