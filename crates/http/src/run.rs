//! The way from async handlers to use cases and back to a response.
//!
//! A read runs and is encoded on the blocking pool, within the reader share of its user. It is
//! stopped at its deadline and when its client has gone (behaviour 0.32). A write is a closure in
//! the queue of a writer; no thread waits for it, and the writer returns its result through a
//! oneshot channel after the commit.
//!
//! A handler passes a use case and the function that encodes its result. [`WriteWork`] and
//! [`Encode`] erase their types, so everything behind a handler is compiled once.

use std::sync::Arc;
use std::time::Duration;

use daybook_domain::id::UserId;
use daybook_domain::idempotency::StoredAnswer;
use daybook_service::idempotency::{Once, may_store_whole};
use daybook_service::{self as service, Context};
use daybook_storage::{Error, ReadStop, ReaderPool, Submission, Tx};
use tokio::time::timeout;

use crate::blocking::block;
use crate::budget::{Budget, MemoryOwner, Reservation};
use crate::error::{ApiError, RequestError};
use crate::reply::{ApiResult, Reply};
use crate::response_budget::ResponseBudget;
use crate::state::AppState;

/// How long a request with an idempotency key waits for its write.
const KEY_TIMEOUT: Duration = Duration::from_secs(30);

/// Encodes the response from the result of a use case.
pub(crate) type Encode = Box<dyn FnOnce() -> Reply + Send>;

/// A use case that reads; it returns the function that encodes its result.
pub(crate) type ReadWork = Box<dyn FnOnce(&mut Tx<'_>) -> service::Result<Encode> + Send>;

/// A use case that writes, with the function that encodes its result. A clone can run again.
pub(crate) struct WriteWork(Box<dyn ErasedWrite>);

impl WriteWork {
    pub(crate) fn new<T: Send + 'static>(
        work: impl FnOnce(&mut Tx<'_>, &Context) -> service::Result<T> + Clone + Send + 'static,
        encode: impl FnOnce(&T, &Context) -> Reply + Clone + Send + 'static,
    ) -> Self {
        Self(Box::new(TypedWrite { work, encode }))
    }

    /// Runs the use case and returns the function that encodes its result.
    ///
    /// # Errors
    /// The refusal of the use case.
    pub(crate) fn run(self, tx: &mut Tx<'_>, cx: &Context) -> service::Result<Encode> {
        self.0.run(tx, cx)
    }
}

impl Clone for WriteWork {
    fn clone(&self) -> Self {
        Self(self.0.boxed_clone())
    }
}

trait ErasedWrite: Send {
    fn boxed_clone(&self) -> Box<dyn ErasedWrite>;
    fn run(self: Box<Self>, tx: &mut Tx<'_>, cx: &Context) -> service::Result<Encode>;
}

#[derive(Clone)]
struct TypedWrite<W, E> {
    work: W,
    encode: E,
}

impl<T, W, E> ErasedWrite for TypedWrite<W, E>
where
    T: Send + 'static,
    W: FnOnce(&mut Tx<'_>, &Context) -> service::Result<T> + Clone + Send + 'static,
    E: FnOnce(&T, &Context) -> Reply + Clone + Send + 'static,
{
    fn boxed_clone(&self) -> Box<dyn ErasedWrite> {
        Box::new(self.clone())
    }

    fn run(self: Box<Self>, tx: &mut Tx<'_>, cx: &Context) -> service::Result<Encode> {
        let Self { work, encode } = *self;
        let (result, cx) = (work(tx, cx)?, cx.clone());
        Ok(Box::new(move || encode(&result, &cx)))
    }
}

/// Runs a use case that reads, with the connections for authentication. It must be quick.
///
/// # Errors
/// The refusal of the use case; 503 when the database cannot be reached, and at the deadline.
pub(crate) async fn read<T: Send + 'static>(
    state: &AppState,
    work: impl FnOnce(&mut Tx<'_>) -> service::Result<T> + Send + 'static,
) -> Result<T, ApiError> {
    read_in(state, ReaderPool::Identity, None, state.read_deadline, work, |result| result).await
}

/// Runs a use case that reads, with the connections of the server itself and of public addresses.
///
/// # Errors
/// Those of [`read`].
pub(crate) async fn read_for_server<T: Send + 'static>(
    state: &AppState,
    work: impl FnOnce(&mut Tx<'_>) -> service::Result<T> + Send + 'static,
) -> Result<T, ApiError> {
    read_in(state, ReaderPool::Server, None, state.read_deadline, work, |result| result).await
}

/// Runs a use case that reads, within the reader share of a user (behaviour 0.32).
///
/// # Errors
/// Those of [`read`].
pub(crate) async fn read_as<T: Send + 'static>(
    state: &AppState,
    user: UserId,
    work: impl FnOnce(&mut Tx<'_>) -> service::Result<T> + Send + 'static,
) -> Result<T, ApiError> {
    let deadline = state.read_deadline;
    read_in(state, ReaderPool::Users, Some(user), deadline, work, |result| result).await
}

/// Runs a use case that reads and encodes its result on the same thread, after its snapshot.
///
/// # Errors
/// Those of [`read`].
pub(crate) async fn read_reply(
    state: &AppState,
    user: UserId,
    deadline: Duration,
    work: ReadWork,
) -> ApiResult {
    let memory = memory_of(state, user);
    let encode = move |encode: Encode| encode_within(ResponseBudget::new(memory), encode);
    read_in(state, ReaderPool::Users, Some(user), deadline, work, encode).await
}

/// Reads when a reader is free for the user, until the deadline.
async fn read_in<T, R: Send + 'static>(
    state: &AppState,
    pool: ReaderPool,
    user: Option<UserId>,
    deadline: Duration,
    work: impl FnOnce(&mut Tx<'_>) -> service::Result<T> + Send + 'static,
    encode: impl FnOnce(T) -> R + Send + 'static,
) -> Result<R, ApiError> {
    let stop = ReadStop::new(deadline);
    let _stop = StopOnDrop(stop.clone());
    let read = async {
        let reader = match user {
            Some(user) => Some(state.reader_shares.acquire(user, Some(&stop)).await),
            None => None,
        };
        let (store, stop) = (Arc::clone(&state.store), stop.clone());
        block(move || {
            // Hold the reader until the work ends, even if the caller has gone.
            let _reader = reader;
            let result = store.read_stoppable(pool, &stop, work)?;
            stop.check()?;
            Ok::<_, service::Error>(encode(result))
        })
        .await
    };
    let exceeded = || RequestError::DeadlineExceeded(state.read_deadline);
    match timeout(deadline, read).await.map_err(|_| exceeded())?? {
        // It was stopped for another user.
        Err(service::Error::Storage(Error::Stopped)) if user.is_some() => Err(exceeded().into()),
        result => Ok(result?),
    }
}

/// Stops a read when it is dropped, with the request that waits for it.
pub(crate) struct StopOnDrop(pub(crate) ReadStop);

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
pub(crate) async fn write<T, E>(
    state: &AppState,
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
    submit(state, submission.into().while_caller_waits(&caller), work).await
}

/// Runs a use case with an idempotency key. It runs even if the client has gone, because the key
/// promises to tell the outcome later. It may wait for an earlier sending of the same request
/// (behaviour 0.16).
///
/// # Errors
/// Those of [`write()`]; 503 when it waits for too long, and when its outcome is unknown. The
/// client may send it again with its key.
pub(crate) async fn write_with_timeout<T, E>(
    state: &AppState,
    submission: Submission,
    work: impl FnOnce(&mut Tx<'_>) -> Result<T, E> + Clone + Send + 'static,
) -> Result<T, ApiError>
where
    T: Send + 'static,
    E: From<Error> + Send + 'static,
    ApiError: From<E>,
{
    let waiting = timeout(KEY_TIMEOUT, submit(state, submission, work)).await;
    let late =
        |_| Err(Error::Unavailable("a write still waits after 30 seconds".to_owned()).into());
    waiting.unwrap_or_else(late).map_err(ApiError::repeatable)
}

async fn submit<T, E>(
    state: &AppState,
    submission: Submission,
    work: impl FnOnce(&mut Tx<'_>) -> Result<T, E> + Clone + Send + 'static,
) -> Result<T, ApiError>
where
    T: Send + 'static,
    E: From<Error> + Send + 'static,
    ApiError: From<E>,
{
    let (sender, receiver) = tokio::sync::oneshot::channel();
    state.store.submit_repeatable(submission, work, move |outcome| {
        // The receiver is gone if the client is; the write stands all the same.
        let _ = sender.send(outcome);
    });
    // The writer panicked, which is a bug.
    Ok(receiver.await.map_err(|_| Error::OutcomeUnknown)??)
}

/// Returns an empty reservation of a user.
fn memory_of(state: &AppState, user: UserId) -> Reservation {
    state.budget.reservation(MemoryOwner::User(user))
}

/// Encodes a response within a budget. The response keeps its memory until it has been sent.
pub(crate) fn encode_within(budget: ResponseBudget, encode: impl FnOnce() -> Reply) -> Reply {
    let (reply, memory) = budget.with(encode);
    reply.with_memory(memory)
}

/// Encodes the response of a write on the blocking pool.
///
/// # Errors
/// 500 when the encoding panics.
pub(crate) async fn encode_write(state: &AppState, user: UserId, encode: Encode) -> ApiResult {
    let budget = ResponseBudget::new(memory_of(state, user));
    Ok(block(move || encode_within(budget, encode).shortened_if_too_large()).await?)
}

/// Encodes the response of a write within its transaction. Returns it with its stored form.
///
/// # Errors
/// Those of [`with_stored`].
pub(crate) fn encode_and_store(
    tx: &mut Tx<'_>,
    cx: &Context,
    budget: &Budget,
    encode: impl FnOnce() -> Reply,
) -> Result<(Reply, StoredAnswer), ApiError> {
    let memory = budget.reservation(MemoryOwner::User(cx.quota_subject()));
    with_stored(tx, cx, encode_within(ResponseBudget::in_transaction(memory), encode))
}

/// Returns the response of a write with the form that is stored under its key: the ids alone if
/// the rest is too large to be stored, or the user has no room for it (behaviour 0.38).
///
/// # Errors
/// 500 if the response could not be encoded, or the database fails.
pub(crate) fn with_stored(
    tx: &mut Tx<'_>,
    cx: &Context,
    reply: Reply,
) -> Result<(Reply, StoredAnswer), ApiError> {
    let reply = reply.shortened_if_too_large();
    let stored = match reply.to_stored()? {
        Some(stored) if may_store_whole(tx, cx, stored.body.len())? => stored,
        Some(_) | None => reply.to_stored_ids()?,
    };
    Ok((reply, stored))
}

/// Returns the response of a request with a key: the one encoded now, or the stored one.
///
/// # Errors
/// Those of [`replay`].
pub(crate) async fn once_reply(state: &AppState, user: UserId, outcome: Once<Reply>) -> ApiResult {
    match outcome {
        Once::Done(reply) => Ok(reply),
        Once::Answered(stored) => replay(state, user, stored).await,
    }
}

/// Restores a stored response on the blocking pool, within the memory of its user (behaviour 0.22).
///
/// # Errors
/// 500 for a damaged response, and when the work panics.
pub(crate) async fn replay(state: &AppState, user: UserId, stored: StoredAnswer) -> ApiResult {
    let budget = ResponseBudget::new(memory_of(state, user));
    let (reply, memory) = block(move || budget.with(|| Reply::replay(stored))).await?;
    Ok(reply?.with_memory(memory))
}
