//! The worker that removes what copies of books left that were not finished: their process was
//! killed, or something failed (behaviour 6.14).

use std::sync::Arc;
use std::time::Duration;

use daybook_http::{Wakeup, block};
use daybook_service::book::{self, SweptCopies};
use daybook_storage::Store;

use super::{RoundReport, RunningRound, Stop, Worker};

/// How long after the last round another begins although nobody rang: another process may have
/// ended before its copy was whole.
const INTERVAL: Duration = Duration::from_secs(60);

/// The worker; `wakeup` is notified when a copy has failed.
pub(crate) fn worker(store: Arc<Store>, stop: Stop, wakeup: Wakeup) -> Worker {
    let round = move || -> RunningRound {
        let (store, stop) = (Arc::clone(&store), stop.clone());
        Box::pin(async move {
            let swept = block(move || book::sweep(&store, &|| stop.asked())).await??;
            let SweptCopies { found, removed } = swept;
            Ok(RoundReport { found, done: removed, left: found.saturating_sub(removed) })
        })
    };
    Worker { name: "copy sweep", interval: INTERVAL, wakeup, round: Box::new(round) }
}
