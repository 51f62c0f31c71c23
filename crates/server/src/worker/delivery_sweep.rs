//! The worker that removes old attempts from the delivery log (behaviour 12.13).

use std::sync::Arc;
use std::time::Duration;

use daybook_domain::instant::Instant;
use daybook_http::{Wakeup, block};
use daybook_service::{Error, delivery};
use daybook_storage::{Lane, Store};

use super::{RoundReport, RunningRound, Stop, Worker};

/// How long after the last round another begins.
const INTERVAL: Duration = Duration::from_secs(10 * 60);

/// The worker.
pub(crate) fn worker(store: Arc<Store>, clock: fn() -> Instant, stop: Stop) -> Worker {
    let round = move || -> RunningRound {
        let (store, stop) = (Arc::clone(&store), stop.clone());
        Box::pin(async move { Ok(block(move || sweep(&store, clock, &stop)).await??) })
    };
    let wakeup = Wakeup::default();
    Worker { name: "delivery sweep", interval: INTERVAL, wakeup, round: Box::new(round) }
}

fn sweep(store: &Store, clock: fn() -> Instant, stop: &Stop) -> Result<RoundReport, Error> {
    let mut done = 0;
    while !stop.asked() {
        let now = clock();
        let (removed, more) =
            store.write(Lane::NO_BOOK, move |tx| delivery::log::sweep(tx, now))?;
        done += removed;
        if !more {
            break;
        }
    }
    Ok(RoundReport { found: done, done, left: 0 })
}
