//! The worker that writes down how often API keys are used (behaviour 10.13).

use std::sync::Arc;
use std::time::Duration;

use daybook_domain::instant::Instant;
use daybook_http::{ApiKeyCalls, Wakeup, block};
use daybook_storage::Store;

use super::{RoundReport, RunningRound, Worker};

/// What a process that is killed has counted for at most this long is lost.
const INTERVAL: Duration = Duration::from_secs(10);

/// The worker of this process. Whoever stops it flushes once more.
pub(crate) fn worker(calls: Arc<ApiKeyCalls>, store: Arc<Store>, clock: fn() -> Instant) -> Worker {
    let round = move || -> RunningRound {
        let (calls, store) = (Arc::clone(&calls), Arc::clone(&store));
        Box::pin(async move {
            block(move || calls.flush(&store, clock())).await??;
            Ok(RoundReport::default())
        })
    };
    Worker {
        name: "API key calls",
        interval: INTERVAL,
        wakeup: Wakeup::default(),
        round: Box::new(round),
    }
}
