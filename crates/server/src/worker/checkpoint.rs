//! The worker that writes a daily checkpoint of all event logs (behaviour 6.26), and checkpoints of
//! books before their removal.

use std::collections::HashSet;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use daybook_auth::identity::CheckpointKey;
use daybook_blobs::RemovalNote;
use daybook_domain::id::BookKey;
use daybook_domain::instant::Instant;
use daybook_edge::Wakeup;
use daybook_edge::blocking::block;
use daybook_edge::worker::{RoundReport, RunningRound, Stop, Worker};
use daybook_storage::Store;

use crate::checkpoint::{file, write, write_removal};

/// How often the worker checks whether a checkpoint is due.
const INTERVAL: Duration = Duration::from_secs(600);
/// Milliseconds between two checkpoints.
const DAY: i64 = 86_400_000;

/// The dependencies of the worker.
#[derive(Clone)]
pub(crate) struct CheckpointWorker {
    pub(crate) store: Arc<Store>,
    pub(crate) key: Arc<CheckpointKey>,
    pub(crate) directory: PathBuf,
    pub(crate) clock: fn() -> Instant,
    /// Checked between pages of books.
    pub(crate) stop: Stop,
}

pub(crate) fn worker(checkpoints: CheckpointWorker) -> Worker {
    let round = move || -> RunningRound {
        let checkpoints = checkpoints.clone();
        Box::pin(async move { block(move || checkpoints.round()).await? })
    };
    let wakeup = Wakeup::default();
    Worker { name: "checkpoint", interval: INTERVAL, wakeup, round: Box::new(round) }
}

impl CheckpointWorker {
    fn round(&self) -> anyhow::Result<RoundReport> {
        let Some(_lease) = self.store.lease("checkpoint")? else {
            return Ok(RoundReport::default());
        };
        let now = (self.clock)();
        let newest = file::newest(&self.directory, now)?;
        let age = newest.map(|at| now.milliseconds().saturating_sub(at.milliseconds()));
        if age.is_some_and(|age| age < DAY) {
            return Ok(RoundReport::default());
        }
        let is_stopped = || self.stop.is_requested();
        let written = write(&self.store, &self.directory, &self.key, now, &is_stopped)?;
        let Some((path, books)) = written else { return Ok(RoundReport::default()) };
        tracing::info!(file = %path.display(), books, "checkpoint written");
        Ok(RoundReport { found: 1, done: 1, left: 0 })
    }

    /// Returns the hook that writes a checkpoint of books before their removal, once for each book.
    ///
    /// A failure does not prevent the removal, because on a full disk the removal frees space.
    pub(crate) fn removal_note(self) -> RemovalNote {
        let noted = Mutex::new(HashSet::<BookKey>::new());
        Arc::new(move |due: &[BookKey]| {
            let mut noted = noted.lock().unwrap_or_else(PoisonError::into_inner);
            let new: Vec<BookKey> =
                due.iter().filter(|book| !noted.contains(*book)).cloned().collect();
            if !new.is_empty() {
                let now = (self.clock)();
                let written = write_removal(&self.store, &self.directory, &self.key, now, &new);
                if let Err(error) = written {
                    let error = format!("{error:#}");
                    tracing::error!(error, "books removed without a checkpoint");
                }
            }
            *noted = due.iter().cloned().collect();
        })
    }
}
