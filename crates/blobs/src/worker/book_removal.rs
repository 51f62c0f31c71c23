//! The worker that removes deleted books when their wait is over (behaviour 6.22):
//! [`BookRemoval`].

use std::time::Duration;

use daybook_edge::Wakeup;
use daybook_edge::worker::{RoundReport, RunningRound, Worker};

use crate::removal::{BookRemoval, RemovalReport};

/// How long after a round the next one starts without a wakeup. The wait of a book may be over, or
/// another process may have ended before it removed one.
const INTERVAL: Duration = Duration::from_secs(60);

/// Creates the worker. `wakeup` is notified when a book is deleted without a wait.
pub fn worker(removal: BookRemoval, wakeup: Wakeup) -> Worker {
    let round = Box::new(move || round(removal.clone()));
    Worker { name: "book removal", interval: INTERVAL, wakeup, round }
}

fn round(removal: BookRemoval) -> RunningRound {
    Box::pin(async move {
        let RemovalReport { found, removed } = removal.run().await.map_err(anyhow::Error::msg)?;
        Ok(RoundReport { found, done: removed, left: found.saturating_sub(removed) })
    })
}
