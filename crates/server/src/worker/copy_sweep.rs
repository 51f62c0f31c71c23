//! The worker that removes abandoned copies of books, whose process was killed or failed (behaviour
//! 6.14).

use std::sync::Arc;
use std::time::Duration;

use daybook_edge::Wakeup;
use daybook_edge::blocking::block;
use daybook_edge::worker::{RoundReport, RunningRound, Stop, Worker};
use daybook_service::book::{self, SweptCopies};
use daybook_storage::Store;

/// How long after a round the next one starts without a wakeup. Another process may have ended
/// before its copy was complete.
const INTERVAL: Duration = Duration::from_secs(60);

/// Creates the worker. `wakeup` is notified when a copy has failed.
pub(crate) fn worker(store: Arc<Store>, stop: Stop, wakeup: Wakeup) -> Worker {
    let round = move || -> RunningRound {
        let (store, stop) = (Arc::clone(&store), stop.clone());
        Box::pin(async move {
            let swept = block(move || book::sweep(&store, &|| stop.is_requested())).await??;
            let SweptCopies { found, removed } = swept;
            Ok(RoundReport { found, done: removed, left: found.saturating_sub(removed) })
        })
    };
    Worker { name: "copy sweep", interval: INTERVAL, wakeup, round: Box::new(round) }
}
