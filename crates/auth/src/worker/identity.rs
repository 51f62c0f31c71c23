//! The worker that drops cached authentications and signing keys when users, tokens or keys have
//! changed (behaviour 11.8, 11.15).

use std::sync::Arc;

use daybook_edge::Wakeup;
use daybook_edge::blocking::block;
use daybook_edge::worker::{RoundReport, RunningRound, Worker};
use daybook_storage::Store;

use crate::identity::{IDENTITY_INTERVAL, Identity};

/// Creates the worker of this process.
pub fn worker(identity: Arc<Identity>, store: Arc<Store>) -> Worker {
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
