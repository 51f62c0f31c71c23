//! The worker that removes old attempts from the delivery log (behaviour 12.13), gives up what has
//! waited for too long for a paused app (behaviour 8.19), and removes what waited for an app that
//! has left its book (behaviour 8.11).

use std::sync::Arc;
use std::time::Duration;

use daybook_domain::instant::Instant;
use daybook_http::{Wakeup, block};
use daybook_service::delivery::ended::{self, EndedPlace, EndedQueue};
use daybook_service::delivery::pause::{self, OverdueQueue, PausedPlace};
use daybook_service::{Error, delivery};
use daybook_storage::{ShardKey, Store};

use super::{RoundReport, RunningRound, Stop, Worker};

/// How long after the last round another begins.
const INTERVAL: Duration = Duration::from_secs(10 * 60);

/// What the sweep needs.
#[derive(Clone)]
struct DeliverySweep {
    store: Arc<Store>,
    clock: fn() -> Instant,
    stop: Stop,
}

/// The worker.
pub(crate) fn worker(
    store: Arc<Store>,
    clock: fn() -> Instant,
    stop: Stop,
    wakeup: Wakeup,
) -> Worker {
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

    /// Removes what waited in queues that have ended, portion by portion; how many queues had some.
    fn clear(&self) -> Result<usize, Error> {
        let (mut done, mut after) = (0, None);
        while !self.stop.asked() {
            let behind: Option<EndedPlace> = after.take();
            let portion = self.store.read(|tx| ended::list(tx, behind.as_ref()))?;
            let Some(last) = portion.last() else { break };
            after = Some(last.place.clone());
            for queue in portion.into_iter().filter(|queue| queue.has_rest) {
                self.clear_one(&queue)?;
                done += 1;
            }
        }
        Ok(done)
    }

    fn clear_one(&self, queue: &EndedQueue) -> Result<(), Error> {
        while !self.stop.asked() {
            let (lane, ended) = (ShardKey::of_book(queue.book.as_str()), queue.clone());
            if !self.store.write_repeatable(lane, move |tx| ended::clear(tx, &ended))? {
                break;
            }
        }
        Ok(())
    }

    /// Removes old attempts, portion by portion.
    fn remove(&self) -> Result<usize, Error> {
        let mut done = 0;
        while !self.stop.asked() {
            let now = (self.clock)();
            // Last in its group: who writes in a book may wait for these rows.
            let (removed, more) = self
                .store
                .write_repeatable(ShardKey::DELIVERIES, move |tx| delivery::log::sweep(tx, now))?;
            done += removed;
            if !more {
                break;
            }
        }
        Ok(done)
    }

    /// Gives up what waits for apps that have been paused for too long, portion by portion.
    fn give_up(&self) -> Result<usize, Error> {
        let now = (self.clock)();
        let (mut done, mut after) = (0, None);
        while !self.stop.asked() {
            let behind: Option<PausedPlace> = after.take();
            let portion = self.store.read(|tx| pause::overdue(tx, behind.as_ref(), now))?;
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
        while !self.stop.asked() {
            let (lane, portion) = (ShardKey::of_book(queue.book.as_str()), queue.clone());
            let (given_up, more) =
                self.store.write_repeatable(lane, move |tx| pause::give_up(tx, &portion, now))?;
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
                "events were given up: their app has been paused for 30 days"
            );
        }
        Ok(usize::try_from(events).unwrap_or_default())
    }
}
