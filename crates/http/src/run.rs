//! The one way from async handlers into blocking work, and back.

use std::sync::Arc;

use actix_web::web;
use daybook_service::Result;
use daybook_storage::{Lane, Tx};

use crate::error::{ApiError, Transport};
use crate::state::State;

/// Runs a use case on a snapshot, on a thread that may block.
pub(crate) async fn read<T: Send + 'static>(
    state: &State,
    work: impl FnOnce(&mut Tx<'_>) -> Result<T> + Send + 'static,
) -> std::result::Result<T, ApiError> {
    let store = Arc::clone(&state.store);
    let outcome = web::block(move || store.read(work)).await;
    Ok(outcome.map_err(|_| Transport::Failed("a read was cancelled or panicked".to_owned()))??)
}

/// Hands a use case to the writer; the answer comes after its commit. No thread waits meanwhile.
pub(crate) async fn write<T: Send + 'static>(
    state: &State,
    lane: Lane,
    work: impl FnOnce(&mut Tx<'_>) -> Result<T> + Send + 'static,
) -> std::result::Result<T, ApiError> {
    let (sender, receiver) = tokio::sync::oneshot::channel();
    state.store.submit(lane, work, move |outcome| {
        // Nobody listens any more when the client is gone; the write stands all the same.
        let _ = sender.send(outcome);
    });
    let outcome = receiver.await.map_err(|_| Transport::Failed("the writer went away".to_owned()))?;
    Ok(outcome?)
}
