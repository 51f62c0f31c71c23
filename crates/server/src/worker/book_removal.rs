//! The worker that removes deleted books that wait no longer (behaviour 6.22). How:
//! [`daybook_http::BookRemoval`].

use std::time::Duration;

use daybook_http::{BookRemoval, RemovedBooks, Wakeup};

use super::{RoundReport, RunningRound, Worker};

/// How long after the last round another begins although nobody rang: the time of a book may be
/// over, or another process may have ended before its book was gone.
const INTERVAL: Duration = Duration::from_secs(60);

/// The worker; `wakeup` is notified when a book is deleted that does not wait.
pub(crate) fn worker(removal: BookRemoval, wakeup: Wakeup) -> Worker {
    let round = Box::new(move || round(removal.clone()));
    Worker { name: "book removal", interval: INTERVAL, wakeup, round }
}

fn round(removal: BookRemoval) -> RunningRound {
    Box::pin(async move {
        let RemovedBooks { found, removed } = removal.run().await.map_err(anyhow::Error::msg)?;
        Ok(RoundReport { found, done: removed, left: found.saturating_sub(removed) })
    })
}
