//! Chunks of the trigram index as units of work of their own. Whoever completes a chunk does not
//! wait until it is indexed, and between the chunks of a large batch the writer does what others
//! wait for. A chunk comes before what its user has waiting, so the index never falls far behind.
//! One that was not indexed, because the process has ended or the database failed, is noted again
//! by the next new transaction of its book, and at the next start.

use std::collections::HashSet;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::error::Result;
use crate::fair_queue::Tenant;
use crate::job::{Job, QueuedWork};
use crate::shard_key::ShardKey;
use crate::submission::Submission;
use crate::tx::Tx;

/// The books for which such a unit of work waits.
#[derive(Debug, Clone, Default)]
pub(crate) struct ChunkJobs(Arc<Mutex<HashSet<String>>>);

/// A book for which one waits, until this is dropped.
struct WaitingChunk {
    jobs: ChunkJobs,
    book: String,
}

impl Drop for WaitingChunk {
    fn drop(&mut self) {
        self.jobs.waiting().remove(&self.book);
    }
}

impl ChunkJobs {
    fn waiting(&self) -> MutexGuard<'_, HashSet<String>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The unit of work for a book, unless one waits. It takes the time of who recorded the
    /// transactions.
    pub(crate) fn next(&self, book: &str, flow: Tenant) -> Option<Box<dyn Job>> {
        if !self.waiting().insert(book.to_owned()) {
            return None;
        }
        let waiting = WaitingChunk { jobs: self.clone(), book: book.to_owned() };
        let work = move |tx: &mut Tx<'_>| {
            let book = waiting.book.clone();
            drop(waiting);
            tx.index_next(&book)
        };
        let done = |outcome: Result<()>| {
            if let Err(error) = outcome {
                tracing::warn!(%error, "texts are not indexed yet");
            }
        };
        let ticket = Submission::of_flow(ShardKey::of_book(book), flow);
        Some(Box::new(QueuedWork::new(ticket, work, done)))
    }
}
