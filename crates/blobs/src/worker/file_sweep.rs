//! The worker that removes orphans: stored bytes that no file names (behaviour 9.17). See
//! [`FileSweep`].

use std::time::Duration;

use daybook_edge::Wakeup;
use daybook_edge::worker::{RoundReport, RunningRound, Worker};

use crate::sweep::{FileSweep, SweepReport};

/// The longest time between two sweeps.
const MAX_INTERVAL: Duration = Duration::from_secs(60 * 60);

/// Creates the worker. It sweeps as often as orphans become old enough, but at least hourly and at
/// most each second.
pub fn worker(sweep: FileSweep) -> Worker {
    Worker {
        name: "file sweep",
        interval: sweep.orphan_age.clamp(Duration::from_secs(1), MAX_INTERVAL),
        wakeup: Wakeup::default(),
        round: Box::new(move || round(sweep.clone())),
    }
}

fn round(sweep: FileSweep) -> RunningRound {
    Box::pin(async move {
        let swept = sweep.run().await.map_err(anyhow::Error::msg)?;
        // `None` means that another process is sweeping.
        Ok(swept.map_or_else(RoundReport::default, |SweepReport { found, removed }| RoundReport {
            found,
            done: removed,
            left: found.saturating_sub(removed),
        }))
    })
}
