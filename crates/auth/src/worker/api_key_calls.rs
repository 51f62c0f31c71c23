//! The worker that records the calls of API keys (behaviour 10.13).

use std::sync::Arc;
use std::time::Duration;

use daybook_domain::instant::Instant;
use daybook_edge::Wakeup;
use daybook_edge::blocking::block;
use daybook_edge::worker::{RoundReport, RunningRound, Worker};
use daybook_storage::Store;

use crate::api_key::calls::ApiKeyCalls;

/// The interval between two flushes. Calls counted since are lost if the process is killed.
const INTERVAL: Duration = Duration::from_secs(10);

/// Creates the worker. The process must flush once more after it stops.
pub fn worker(calls: Arc<ApiKeyCalls>, store: Arc<Store>, clock: fn() -> Instant) -> Worker {
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
