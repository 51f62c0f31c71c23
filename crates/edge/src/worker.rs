//! Background workers, which run beside the requests.
//!
//! A [`Worker`] has a name, an interval and a `round`. [`start`] runs a round at the start, after
//! each interval, and whenever the worker is woken. All work to do is in the database or in the
//! file store, never in memory. So a round that fails, panics or is stopped loses nothing, and the
//! next one continues. Each round writes a log line with the backlog.

use std::pin::Pin;
use std::time::{Duration, Instant};

use actix_web::rt::spawn;
use actix_web::rt::task::{JoinError, JoinHandle};
use tokio::sync::watch;
use tokio::time::sleep;

use crate::wakeup::Wakeup;

/// A background worker.
pub struct Worker {
    /// The name in the log.
    pub name: &'static str,
    /// The longest time between the end of a round and the next one.
    pub interval: Duration,
    /// Starts a round early when it is notified.
    pub wakeup: Wakeup,
    /// Does the work. A stop drops the future; blocking work must check [`Stop::is_requested`].
    pub round: Box<dyn Fn() -> RunningRound>,
}

/// A running round.
pub type RunningRound = Pin<Box<dyn Future<Output = anyhow::Result<RoundReport>>>>;

/// The result of a round.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct RoundReport {
    /// The number of items to do.
    pub found: usize,
    /// The number of items that were done.
    pub done: usize,
    /// The number of items that are left: the backlog.
    pub left: usize,
}

/// The signal that the process is about to end.
#[derive(Debug, Clone, Default)]
pub struct Stop(watch::Sender<bool>);

impl Stop {
    /// Requests all workers to stop.
    pub fn request(&self) {
        self.0.send_replace(true);
    }

    /// Returns whether the workers are to stop.
    pub fn is_requested(&self) -> bool {
        *self.0.borrow()
    }

    /// Waits until the workers are to stop.
    pub async fn requested(&self) {
        // It cannot fail, because `self` owns the sender.
        let _ = self.0.subscribe().wait_for(|requested| *requested).await;
    }
}

/// Starts workers. Each ends soon after `stop` is requested.
pub fn start(workers: Vec<Worker>, stop: &Stop) -> Vec<JoinHandle<()>> {
    workers.into_iter().map(|worker| spawn(run(worker, stop.clone()))).collect()
}

async fn run(worker: Worker, stop: Stop) {
    while !stop.is_requested() {
        let started = Instant::now();
        // A task of its own confines a panic to the round.
        let mut round = spawn((worker.round)());
        let outcome = tokio::select! {
            outcome = &mut round => outcome,
            () = stop.requested() => return round.abort(),
        };
        log(worker.name, started.elapsed(), outcome);
        tokio::select! {
            () = sleep(worker.interval) => {}
            () = worker.wakeup.notified() => {}
            () = stop.requested() => {}
        }
    }
}

/// Logs a round: at `info` if there was work, otherwise at `debug`.
fn log(worker: &str, took: Duration, outcome: Result<anyhow::Result<RoundReport>, JoinError>) {
    let milliseconds = took.as_millis();
    match outcome {
        Ok(Ok(RoundReport { found: 0, .. })) => {
            tracing::debug!(worker, milliseconds, "worker round found nothing")
        }
        Ok(Ok(RoundReport { found, done, left })) => {
            tracing::info!(worker, found, done, left, milliseconds, "worker round finished")
        }
        Ok(Err(error)) => tracing::warn!(
            worker,
            milliseconds,
            error = format!("{error:#}"),
            "worker round failed"
        ),
        Err(error) => tracing::error!(
            worker,
            milliseconds,
            %error,
            "worker round panicked"
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
    fn worker_survives_a_panic_and_ends_on_stop() {
        let (begun, wakeup, stop) = (Rc::new(Cell::new(0)), Wakeup::default(), Stop::default());
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
            stop.request();
            for worker in running {
                worker.await.unwrap();
            }
        });
    }
}
