//! The one way from async handlers to use cases: reads on a thread that may block, writes through
//! the writer of their lane.

use std::sync::Arc;
use std::time::Duration;

use daybook_service::Result;
use daybook_storage::{Error, Lane, Tx};
use tokio::time::timeout;

use crate::blocking::block;
use crate::error::{ApiError, Transport};
use crate::state::State;

/// How long a request with an idempotency key waits for its turn.
const KEY_TIMEOUT: Duration = Duration::from_secs(30);

/// Runs a use case on a snapshot, on a thread that may block.
pub(crate) async fn read<T: Send + 'static>(
    state: &State,
    work: impl FnOnce(&mut Tx<'_>) -> Result<T> + Send + 'static,
) -> std::result::Result<T, ApiError> {
    read_and(state, work, |done| done).await
}

/// The same, and what is made of it is made on that thread too, after the snapshot has been let go.
pub(crate) async fn read_and<T, R: Send + 'static>(
    state: &State,
    work: impl FnOnce(&mut Tx<'_>) -> Result<T> + Send + 'static,
    make: impl FnOnce(T) -> R + Send + 'static,
) -> std::result::Result<R, ApiError> {
    let store = Arc::clone(&state.store);
    Ok(block(move || store.read(work).map(make)).await??)
}

/// Hands a use case to the writer; the answer comes after its commit. No thread waits meanwhile.
pub(crate) async fn write<T, E>(
    state: &State,
    lane: Lane,
    work: impl FnOnce(&mut Tx<'_>) -> std::result::Result<T, E> + Send + 'static,
) -> std::result::Result<T, ApiError>
where
    T: Send + 'static,
    E: From<daybook_storage::Error> + Send + 'static,
    ApiError: From<E>,
{
    let (sender, receiver) = tokio::sync::oneshot::channel();
    state.store.submit(lane, work, move |outcome| {
        // Nobody listens any more when the client is gone; the write stands all the same.
        let _ = sender.send(outcome);
    });
    let outcome =
        receiver.await.map_err(|_| Transport::Failed("the writer went away".to_owned()))?;
    Ok(outcome?)
}

/// As [`write`], for a request that may have to wait for its own first sending (behaviour 0.16).
pub(crate) async fn write_patiently<T, E>(
    state: &State,
    lane: Lane,
    work: impl FnOnce(&mut Tx<'_>) -> std::result::Result<T, E> + Send + 'static,
) -> std::result::Result<T, ApiError>
where
    T: Send + 'static,
    E: From<daybook_storage::Error> + Send + 'static,
    ApiError: From<E>,
{
    let waiting = timeout(KEY_TIMEOUT, write(state, lane, work)).await;
    waiting.unwrap_or_else(|_| {
        Err(Error::Unavailable("a write still waits after 30 seconds".to_owned()).into())
    })
}
