//! Runs use cases from async code.
//!
//! A read runs on the blocking pool, within the reader share of its user. It is stopped at its
//! deadline and when its client has gone (behaviour 0.32). A write is a closure in the queue of a
//! writer; no thread waits for it, and the writer returns its result through a oneshot channel
//! after the commit.

use std::sync::Arc;
use std::time::Duration;

use daybook_domain::id::UserId;
use daybook_service as service;
use daybook_storage::{Error, ReadStop, ReaderPool, Store, Submission, Tx};
use tokio::time::timeout;

use crate::blocking::block;
use crate::error::{ApiError, RequestError};
use crate::state::Edge;

/// How long a request with an idempotency key waits for its write.
const KEY_TIMEOUT: Duration = Duration::from_secs(30);

/// Runs a use case that reads, with the connections for authentication. It must be quick.
///
/// # Errors
/// The refusal of the use case; 503 when the database cannot be reached, and at the deadline.
pub async fn read<T: Send + 'static>(
    edge: &Edge,
    work: impl FnOnce(&mut Tx<'_>) -> service::Result<T> + Send + 'static,
) -> Result<T, ApiError> {
    read_in(edge, ReaderPool::Identity, None, edge.read_deadline, work, |result| result).await
}

/// Runs a use case that reads, with the connections of the server itself and of public addresses.
///
/// # Errors
/// Those of [`read`].
pub async fn read_for_server<T: Send + 'static>(
    edge: &Edge,
    work: impl FnOnce(&mut Tx<'_>) -> service::Result<T> + Send + 'static,
) -> Result<T, ApiError> {
    read_in(edge, ReaderPool::Server, None, edge.read_deadline, work, |result| result).await
}

/// Runs a use case that reads, within the reader share of a user (behaviour 0.32).
///
/// # Errors
/// Those of [`read`].
pub async fn read_as<T: Send + 'static>(
    edge: &Edge,
    user: UserId,
    work: impl FnOnce(&mut Tx<'_>) -> service::Result<T> + Send + 'static,
) -> Result<T, ApiError> {
    let deadline = edge.read_deadline;
    read_in(edge, ReaderPool::Users, Some(user), deadline, work, |result| result).await
}

/// Runs a use case that reads, and encodes its result on the same thread, after its snapshot.
///
/// # Errors
/// Those of [`read`].
pub async fn read_and_encode<T, R: Send + 'static>(
    edge: &Edge,
    user: UserId,
    deadline: Duration,
    work: impl FnOnce(&mut Tx<'_>) -> service::Result<T> + Send + 'static,
    encode: impl FnOnce(T) -> R + Send + 'static,
) -> Result<R, ApiError> {
    read_in(edge, ReaderPool::Users, Some(user), deadline, work, encode).await
}

/// Runs a use case that needs few statements and may run twice, and encodes its result.
///
/// # Errors
/// Those of [`read`].
pub async fn read_with_one_statement_and_encode<T, R: Send + 'static>(
    edge: &Edge,
    user: UserId,
    deadline: Duration,
    work: impl Fn(&mut Tx<'_>) -> service::Result<T> + Send + 'static,
    encode: impl FnOnce(T) -> R + Send + 'static,
) -> Result<R, ApiError> {
    let read = move |store: &Store, stop: &ReadStop| {
        store.read_with_one_statement(ReaderPool::Users, stop, work)
    };
    read_by(edge, Some(user), deadline, read, encode).await
}

/// Reads on a snapshot when a reader is free for the user, until the deadline.
async fn read_in<T, R: Send + 'static>(
    edge: &Edge,
    pool: ReaderPool,
    user: Option<UserId>,
    deadline: Duration,
    work: impl FnOnce(&mut Tx<'_>) -> service::Result<T> + Send + 'static,
    encode: impl FnOnce(T) -> R + Send + 'static,
) -> Result<R, ApiError> {
    let read = move |store: &Store, stop: &ReadStop| store.read_until_stopped(pool, stop, work);
    read_by(edge, user, deadline, read, encode).await
}

/// Calls `read` when a reader is free for the user, until the deadline.
async fn read_by<T, R: Send + 'static>(
    edge: &Edge,
    user: Option<UserId>,
    deadline: Duration,
    read: impl FnOnce(&Store, &ReadStop) -> service::Result<T> + Send + 'static,
    encode: impl FnOnce(T) -> R + Send + 'static,
) -> Result<R, ApiError> {
    let stop = ReadStop::new(deadline);
    let _stop = StopOnDrop(stop.clone());
    let reply = async {
        let reader = match user {
            Some(user) => Some(edge.reader_shares.acquire(user, Some(&stop)).await),
            None => None,
        };
        let (store, stop) = (Arc::clone(&edge.store), stop.clone());
        block(move || {
            // Hold the reader until the work ends, even if the caller has gone.
            let _reader = reader;
            let result = read(&store, &stop)?;
            stop.check()?;
            Ok::<_, service::Error>(encode(result))
        })
        .await
    };
    let exceeded = || RequestError::DeadlineExceeded(edge.read_deadline);
    match timeout(deadline, reply).await.map_err(|_| exceeded())?? {
        // It was stopped for another user.
        Err(service::Error::Storage(Error::Stopped)) if user.is_some() => Err(exceeded().into()),
        result => Ok(result?),
    }
}

/// Stops a read when it is dropped, together with the request that waits for the read.
pub struct StopOnDrop(pub ReadStop);

impl Drop for StopOnDrop {
    fn drop(&mut self) {
        self.0.stop();
    }
}

/// Runs a use case that writes, and returns after the commit. It is skipped if the client has gone
/// before it begins (behaviour 0.37).
///
/// # Errors
/// The refusal of the use case; 503 when the queue of the writer is full.
pub async fn write<T, E>(
    edge: &Edge,
    submission: impl Into<Submission>,
    work: impl FnOnce(&mut Tx<'_>) -> Result<T, E> + Clone + Send + 'static,
) -> Result<T, ApiError>
where
    T: Send + 'static,
    E: From<Error> + Send + 'static,
    ApiError: From<E>,
{
    // Dropped with this future, when the client leaves.
    let caller = Arc::new(());
    submit(edge, submission.into().while_caller_waits(&caller), work).await
}

/// Runs a use case with an idempotency key. It runs even if the client has gone, because a later
/// request with the same key must get its outcome. It may wait for an earlier request with the same
/// key (behaviour 0.16).
///
/// # Errors
/// Those of [`write()`]; 503 when it waits for too long, and when its outcome is unknown. The
/// client may send it again with its key.
pub async fn write_with_timeout<T, E>(
    edge: &Edge,
    submission: Submission,
    work: impl FnOnce(&mut Tx<'_>) -> Result<T, E> + Clone + Send + 'static,
) -> Result<T, ApiError>
where
    T: Send + 'static,
    E: From<Error> + Send + 'static,
    ApiError: From<E>,
{
    let waiting = timeout(KEY_TIMEOUT, submit(edge, submission, work)).await;
    let late =
        |_| Err(Error::Unavailable("a write still waits after 30 seconds".to_owned()).into());
    waiting.unwrap_or_else(late).map_err(ApiError::repeatable)
}

async fn submit<T, E>(
    edge: &Edge,
    submission: Submission,
    work: impl FnOnce(&mut Tx<'_>) -> Result<T, E> + Clone + Send + 'static,
) -> Result<T, ApiError>
where
    T: Send + 'static,
    E: From<Error> + Send + 'static,
    ApiError: From<E>,
{
    let (sender, receiver) = tokio::sync::oneshot::channel();
    edge.store.submit_repeatable(submission, work, move |outcome| {
        // Fails if the client has gone. The write is committed nevertheless.
        let _ = sender.send(outcome);
    });
    // The writer panicked, which is a bug.
    Ok(receiver.await.map_err(|_| Error::OutcomeUnknown)??)
}
