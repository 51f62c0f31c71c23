//! The home of background workers: what runs beside the requests is started, logged and stopped
//! here.
//!
//! A [`Worker`] is a name, an interval and a `round`. The home runs a round at the start, after
//! each interval, and whenever the worker is woken. What there is to do stands in the
//! database or in the file store, never in memory: a round that fails, panics or is cut off by a
//! stop loses nothing, and the next one goes on. Each round leaves a line in the log that shows the
//! backlog.
//!
//! Several processes may serve one PostgreSQL. What keeps two of them from doing the same is a
//! lease ([`daybook_storage::Lease`]), which ends with its process; and if two did the same all
//! the same, no harm would be done:
//!
//! - [`audit`] runs when an audit is requested, and each minute. It takes a lease for each book.
//!   The result is recorded under the lock of the book, and only while the audit is still wanted.
//! - [`book_removal`] runs when a book is deleted that does not wait, and each minute. It takes the
//!   lease of each book that it removes.
//! - [`checkpoint`] runs each ten minutes, and writes once a day. It takes one lease, so that
//!   processes that share a directory write one file.
//! - [`copy_sweep`] runs when a copy has failed, and each minute. It takes the lease of each copy,
//!   so it leaves alone what is still being made.
//! - [`file_sweep`] runs each hour, or more often for a shorter `--files-orphan-seconds`. It takes
//!   one lease. Removing an orphan that is gone already changes nothing.
//! - [`mail`] runs when a mail may have been written, and each minute. It takes each mail for some
//!   minutes in the database; what another process is taking is passed over. A mail that was sent
//!   by a process that ended before it wrote that down is sent again.
//! - [`webhook`] runs when events with receivers were recorded, and each second. It takes the queue
//!   of an app in a book for less than a minute at a time in the database, in order; what another
//!   process is taking is passed over.
//! - [`delivery_sweep`] runs each ten minutes in every process, without a lease: what another
//!   process is removing is passed over, and what is given up is under the lock of its book.
//! - [`identity`] runs each two seconds in every process, without a lease: each forgets for itself
//!   whom tokens let in, and the signing keys, when users, tokens or keys have changed.
//! - [`api_key_calls`] runs each ten seconds in every process, without a lease: each writes down
//!   what it has counted, which alone of all this stands in memory, and once more at the stop.
//!
//! Expired idempotency keys need no worker: one request with a key in eight removes some of them in
//! its own unit of work, and skips rows that another process is removing.
//!
//! A new worker is a file here, an item in the list above, and a line in `serve.rs`.

pub(crate) mod api_key_calls;
pub(crate) mod audit;
pub(crate) mod book_removal;
pub(crate) mod checkpoint;
pub(crate) mod copy_sweep;
pub(crate) mod delivery_sweep;
pub(crate) mod file_sweep;
pub(crate) mod identity;
pub(crate) mod mail;
pub(crate) mod webhook;

use std::pin::Pin;
use std::time::{Duration, Instant};

use actix_web::rt::spawn;
use actix_web::rt::task::{JoinError, JoinHandle};
use daybook_http::Wakeup;
use tokio::sync::watch;
use tokio::time::sleep;

/// A background worker.
pub(crate) struct Worker {
    /// What the log calls it.
    pub(crate) name: &'static str,
    /// How long after a round the next one begins at the latest.
    pub(crate) interval: Duration,
    /// Begins a round before that when it is rung.
    pub(crate) wakeup: Wakeup,
    /// Does what there is to do. A stop drops it where it awaits; work that blocks asks
    /// [`Stop::asked`] itself.
    pub(crate) round: Box<dyn Fn() -> RunningRound>,
}

/// A round that runs.
pub(crate) type RunningRound = Pin<Box<dyn Future<Output = anyhow::Result<RoundReport>>>>;

/// What a round came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct RoundReport {
    /// What there was to do.
    pub(crate) found: usize,
    /// What was done of it.
    pub(crate) done: usize,
    /// What is still to do: the backlog.
    pub(crate) left: usize,
}

/// Tells the workers that the process is about to end.
#[derive(Debug, Clone)]
pub(crate) struct Stop(watch::Sender<bool>);

impl Stop {
    pub(crate) fn new() -> Self {
        Self(watch::Sender::new(false))
    }

    /// Asks all workers to stop.
    pub(crate) fn ask(&self) {
        self.0.send_replace(true);
    }

    /// Whether they are asked to.
    pub(crate) fn asked(&self) -> bool {
        *self.0.borrow()
    }

    /// Waits until they are asked to.
    async fn wait(&self) {
        // It cannot fail: the sender is ours.
        let _ = self.0.subscribe().wait_for(|asked| *asked).await;
    }
}

/// Starts workers. Each ends soon after `stop` is asked for.
pub(crate) fn start(workers: Vec<Worker>, stop: &Stop) -> Vec<JoinHandle<()>> {
    workers.into_iter().map(|worker| spawn(run(worker, stop.clone()))).collect()
}

async fn run(worker: Worker, stop: Stop) {
    while !stop.asked() {
        let started = Instant::now();
        // A task of its own, so that a panic ends the round and not the worker.
        let mut round = spawn((worker.round)());
        let outcome = tokio::select! {
            outcome = &mut round => outcome,
            () = stop.wait() => return round.abort(),
        };
        log(worker.name, started.elapsed(), outcome);
        tokio::select! {
            () = sleep(worker.interval) => {}
            () = worker.wakeup.notified() => {}
            () = stop.wait() => {}
        }
    }
}

/// Logs a round: at `info` if there was something to do, else at `debug`.
fn log(worker: &str, took: Duration, outcome: Result<anyhow::Result<RoundReport>, JoinError>) {
    let milliseconds = took.as_millis();
    match outcome {
        Ok(Ok(RoundReport { found: 0, .. })) => {
            tracing::debug!(worker, milliseconds, "a round of a background worker found nothing")
        }
        Ok(Ok(RoundReport { found, done, left })) => tracing::info!(
            worker,
            found,
            done,
            left,
            milliseconds,
            "a round of a background worker"
        ),
        Ok(Err(error)) => tracing::warn!(
            worker,
            milliseconds,
            error = format!("{error:#}"),
            "a round of a background worker failed; the next one tries again"
        ),
        Err(error) => tracing::error!(
            worker,
            milliseconds,
            %error,
            "a round of a background worker panicked; the next one tries again"
        ),
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;
    use std::rc::Rc;

    use actix_web::rt::System;

    use super::*;

    #[test]
    fn a_worker_outlives_a_panic_and_ends_when_it_is_asked_to() {
        let (begun, wakeup, stop) = (Rc::new(Cell::new(0)), Wakeup::default(), Stop::new());
        let counter = Rc::clone(&begun);
        let round = move || -> RunningRound {
            counter.set(counter.get() + 1);
            let first = counter.get() == 1;
            Box::pin(async move {
                assert!(!first, "the first round panics");
                Ok(RoundReport::default())
            })
        };
        let interval = Duration::from_secs(3_600);
        let worker =
            Worker { name: "test", interval, wakeup: wakeup.clone(), round: Box::new(round) };
        System::new().block_on(async {
            let running = start(vec![worker], &stop);
            while begun.get() < 2 {
                wakeup.notify();
                sleep(Duration::from_millis(1)).await;
            }
            stop.ask();
            for worker in running {
                worker.await.unwrap();
            }
        });
    }
}
