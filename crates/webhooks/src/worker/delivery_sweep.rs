//! The worker that cleans up after deliveries.
//!
//! It removes expired attempts from the delivery log (behaviour 12.13), gives up deliveries of apps
//! that have been paused for too long (behaviour 8.19), and removes deliveries of apps that have
//! left their book (behaviour 8.11).

use std::sync::Arc;
use std::time::Duration;

use daybook_domain::instant::Instant;
use daybook_edge::Wakeup;
use daybook_edge::blocking::block;
use daybook_edge::worker::{RoundReport, RunningRound, Stop, Worker};
use daybook_service::delivery::ended::{self, EndedPlace, EndedQueue};
use daybook_service::delivery::pause::{self, OverdueQueue, PausedPlace};
use daybook_service::{Error, book, delivery};
use daybook_storage::Store;

/// The time between two rounds.
const INTERVAL: Duration = Duration::from_secs(10 * 60);

/// The dependencies of the worker.
#[derive(Clone)]
struct DeliverySweep {
    store: Arc<Store>,
    clock: fn() -> Instant,
    stop: Stop,
}

/// Creates the worker.
pub fn worker(store: Arc<Store>, clock: fn() -> Instant, stop: Stop, wakeup: Wakeup) -> Worker {
    let sweep = DeliverySweep { store, clock, stop };
    let round = move || -> RunningRound {
        let sweep = sweep.clone();
        Box::pin(async move { Ok(block(move || sweep.round()).await??) })
    };
    Worker { name: "delivery sweep", interval: INTERVAL, wakeup, round: Box::new(round) }
}

impl DeliverySweep {
    fn round(&self) -> Result<RoundReport, Error> {
        let done = self.clear()? + self.remove()? + self.give_up()?;
        Ok(RoundReport { found: done, done, left: 0 })
    }

    /// Removes the deliveries of ended queues in portions. Returns how many queues had some.
    fn clear(&self) -> Result<usize, Error> {
        let (mut done, mut after) = (0, None);
        while !self.stop.is_requested() {
            let behind: Option<EndedPlace> = after.take();
            let portion = self.store.read(|tx| ended::list(tx, behind.as_ref()))?;
            let Some(last) = portion.last() else { break };
            after = Some(last.place.clone());
            for queue in portion.into_iter().filter(|queue| queue.has_rows) {
                self.clear_one(&queue)?;
                done += 1;
            }
        }
        Ok(done)
    }

    fn clear_one(&self, queue: &EndedQueue) -> Result<(), Error> {
        while !self.stop.is_requested() {
            let (shard, ended) = (book::shard_key(&queue.book), queue.clone());
            if !self.store.write_repeatable(shard, move |tx| ended::clear(tx, &ended))? {
                break;
            }
        }
        Ok(())
    }

    /// Removes expired attempts in portions.
    fn remove(&self) -> Result<usize, Error> {
        let mut done = 0;
        while !self.stop.is_requested() {
            let now = (self.clock)();
            let (removed, more) = self
                .store
                .write_repeatable(delivery::SHARD_KEY, move |tx| delivery::log::sweep(tx, now))?;
            done += removed;
            if !more {
                break;
            }
        }
        Ok(done)
    }

    /// Gives up the deliveries of apps that have been paused for too long, in portions.
    fn give_up(&self) -> Result<usize, Error> {
        let now = (self.clock)();
        let (mut done, mut after) = (0, None);
        while !self.stop.is_requested() {
            let behind: Option<PausedPlace> = after.take();
            let portion = self.store.read(|tx| pause::list_overdue(tx, behind.as_ref(), now))?;
            let Some(last) = portion.last() else { break };
            after = Some(last.place.clone());
            for queue in portion {
                done += self.give_up_in(&queue, now)?;
            }
        }
        Ok(done)
    }

    fn give_up_in(&self, queue: &OverdueQueue, now: Instant) -> Result<usize, Error> {
        let mut events = 0;
        while !self.stop.is_requested() {
            let (shard, portion) = (book::shard_key(&queue.book), queue.clone());
            let (given_up, more) =
                self.store.write_repeatable(shard, move |tx| pause::give_up(tx, &portion, now))?;
            events += given_up;
            if !more {
                break;
            }
        }
        if events > 0 {
            tracing::warn!(
                app = queue.app.as_str(),
                book = queue.book.as_str(),
                events,
                "webhook deliveries of a paused app given up"
            );
        }
        Ok(usize::try_from(events).unwrap_or_default())
    }
}
