//! The worker that drops cached authentications and signing keys when users, tokens or keys have
//! changed (behaviour 11.8, 11.15).

use std::sync::Arc;

use daybook_http::{IDENTITY_INTERVAL, Identity, Wakeup, block};
use daybook_storage::Store;

use super::{RoundReport, RunningRound, Worker};

/// Creates the worker of this process.
pub(crate) fn worker(identity: Arc<Identity>, store: Arc<Store>) -> Worker {
    let round = move || -> RunningRound {
        let (identity, store) = (Arc::clone(&identity), Arc::clone(&store));
        Box::pin(async move {
            block(move || identity.refresh(&store)).await??;
            Ok(RoundReport::default())
        })
    };
    Worker {
        name: "identity",
        interval: IDENTITY_INTERVAL,
        wakeup: Wakeup::default(),
        round: Box::new(round),
    }
}
