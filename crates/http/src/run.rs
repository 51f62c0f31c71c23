//! The one way from async handlers to use cases: reads on a thread that may block, writes through
//! the writer of their lane.
//!
//! A read is also encoded on its thread. It is stopped at its deadline, and when nobody waits for
//! it any more, because its client has left (behaviour 0.32). A write is a closure in the queue of
//! its writer, and no thread waits for it; the writer answers through a oneshot channel after the
//! commit.

use std::sync::Arc;
use std::time::Duration;

use daybook_domain::id::UserId;
use daybook_domain::idempotency::StoredAnswer;
use daybook_service::idempotency::{Once, may_store_whole};
use daybook_service::{Context, Result};
use daybook_storage::{Error, ReadStop, ReaderPool, Submission, Tx};
use tokio::time::timeout;

use crate::blocking::block;
use crate::budget::{MemoryOwner, MemoryShare};
use crate::error::{ApiError, RequestError};
use crate::reply::{ApiResult, Reply};
use crate::response_budget::ResponseBudget;
use crate::state::AppState;

/// How long a request with an idempotency key may wait for its turn.
const KEY_TIMEOUT: Duration = Duration::from_secs(30);

/// Runs a use case on a snapshot, on a thread that may block, before it is known whose request it
/// is. It is quick.
///
/// # Errors
/// What the use case refuses; 503 when the database cannot be reached, or at the deadline.
pub(crate) async fn read<T: Send + 'static>(
    state: &AppState,
    work: impl FnOnce(&mut Tx<'_>) -> Result<T> + Send + 'static,
) -> std::result::Result<T, ApiError> {
    let (most, stop) = (state.read_deadline, ReadStop::new(state.read_deadline));
    within(state, (ReaderPool::Identity, &stop), (async {}, most), work, |done| done).await
}

/// As [`read`], for the server itself, and for strangers who are shown what has an address.
///
/// # Errors
/// As [`read`].
pub(crate) async fn read_for_server<T: Send + 'static>(
    state: &AppState,
    work: impl FnOnce(&mut Tx<'_>) -> Result<T> + Send + 'static,
) -> std::result::Result<T, ApiError> {
    let (most, stop) = (state.read_deadline, ReadStop::new(state.read_deadline));
    within(state, (ReaderPool::Server, &stop), (async {}, most), work, |done| done).await
}

/// As [`read`], when it is the turn of the user (behaviour 0.32); and makes the answer on that
/// thread too, after the snapshot has ended.
///
/// # Errors
/// As [`read`].
pub(crate) async fn read_and<T, R: Send + 'static>(
    state: &AppState,
    user: UserId,
    work: impl FnOnce(&mut Tx<'_>) -> Result<T> + Send + 'static,
    make: impl FnOnce(T) -> R + Send + 'static,
) -> std::result::Result<R, ApiError> {
    read_within(state, (user, state.read_deadline), work, make).await
}

/// As [`read_and`], of a request that has only so much time left.
///
/// # Errors
/// As [`read_and`].
pub(crate) async fn read_within<T, R: Send + 'static>(
    state: &AppState,
    (user, most): (UserId, Duration),
    work: impl FnOnce(&mut Tx<'_>) -> Result<T> + Send + 'static,
    make: impl FnOnce(T) -> R + Send + 'static,
) -> std::result::Result<R, ApiError> {
    let stop = ReadStop::new(most);
    let turn = async {
        let turn = state.reader_shares.turn(user).await;
        turn.stopped_by(&stop);
        turn
    };
    let read = within(state, (ReaderPool::Users, &stop), (turn, most), work, make).await;
    if let Err(ApiError::Service(daybook_service::Error::Storage(Error::Stopped))) = &read {
        // Stopped for somebody else, it had as long as it may have now.
        return Err(RequestError::DeadlineExceeded(state.read_deadline).into());
    }
    read
}

/// Reads when its turn has come, until the deadline.
async fn within<T, R: Send + 'static, P: Send + 'static>(
    state: &AppState,
    (pool, stop): (ReaderPool, &ReadStop),
    (turn, most): (impl Future<Output = P>, Duration),
    work: impl FnOnce(&mut Tx<'_>) -> Result<T> + Send + 'static,
    make: impl FnOnce(T) -> R + Send + 'static,
) -> std::result::Result<R, ApiError> {
    let store = Arc::clone(&state.store);
    let stop = stop.clone();
    let _awaited = AwaitedRead::of(&stop);
    let read = async {
        let turn = turn.await;
        let work = move || {
            // The turn ends with the work, however that ends, and whoever waits for it.
            let _turn = turn;
            let done = store.read_stoppable(pool, &stop, work)?;
            stop.check()?;
            Ok::<_, daybook_service::Error>(make(done))
        };
        block(work).await
    };
    let late = |_| RequestError::DeadlineExceeded(state.read_deadline);
    let done = timeout(most, read).await.map_err(late)?;
    Ok(done??)
}

/// A read that somebody waits for; dropped, it is stopped.
pub(crate) struct AwaitedRead(ReadStop);

impl AwaitedRead {
    /// Stops that read when it is dropped.
    pub(crate) fn of(stop: &ReadStop) -> Self {
        Self(stop.clone())
    }
}

impl Drop for AwaitedRead {
    fn drop(&mut self) {
        self.0.stop();
    }
}

/// Runs a use case on the writer of its lane, and returns after the commit. No thread waits
/// meanwhile. It is not begun when the client has left by then (behaviour 0.37).
///
/// # Errors
/// What the use case refuses; 503 when the queue of the writer is full.
pub(crate) async fn write<T, E>(
    state: &AppState,
    ticket: impl Into<Submission>,
    work: impl FnOnce(&mut Tx<'_>) -> std::result::Result<T, E> + Clone + Send + 'static,
) -> std::result::Result<T, ApiError>
where
    T: Send + 'static,
    E: From<daybook_storage::Error> + Send + 'static,
    ApiError: From<E>,
{
    // Dropped with this future, when the client leaves.
    let asker = Arc::new(());
    submit(state, ticket.into().while_caller_waits(&asker), work).await
}

/// The same work, which holds on to what was lent for it until it has run or was refused, also when
/// its request has ended before (behaviour 0.34).
pub(crate) fn holding<H: Clone + Send, T>(
    held: H,
    work: impl FnOnce(&mut Tx<'_>, &Context) -> Result<T> + Clone + Send,
) -> impl FnOnce(&mut Tx<'_>, &Context) -> Result<T> + Clone + Send {
    move |tx: &mut Tx<'_>, cx: &Context| {
        let _held = held;
        work(tx, cx)
    }
}

/// Makes the answer of a read from its result, in that room.
pub(crate) fn maker<T>(
    cx: Context,
    room: ResponseBudget,
    encode: impl FnOnce(&T, &Context) -> Reply + Send,
) -> impl FnOnce(T) -> Reply + Send {
    move |done| {
        let (reply, share) = room.around(|| encode(&done, &cx));
        reply.holding(share)
    }
}

/// Makes the answer of a write: at once while it is short, else on a thread that may block. The
/// write is done, so an answer that takes too much room is shortened (behaviour 0.33).
///
/// # Errors
/// 500 when the work panics.
pub(crate) async fn answer(
    state: &AppState,
    user: UserId,
    make: impl Fn() -> Reply + Send + 'static,
) -> ApiResult {
    let memory = || state.budget.grant(MemoryOwner::User(user));
    let (short, share) = ResponseBudget::at_once(memory()).around(&make);
    if !short.has_no_room() {
        return Ok(short.holding(share));
    }
    large_answer(state, user, make).await
}

/// As [`answer`], of what may be large: it is not tried at once before.
///
/// # Errors
/// As [`answer`].
pub(crate) async fn large_answer(
    state: &AppState,
    user: UserId,
    make: impl FnOnce() -> Reply + Send + 'static,
) -> ApiResult {
    let room = ResponseBudget::of_write(state.budget.grant(MemoryOwner::User(user)));
    let (reply, share) = block(move || answer_of_write(room, make)).await?;
    Ok(reply.holding(share))
}

/// Makes the answer of a write on a thread that may block, shortened if need be.
pub(crate) fn answer_of_write(
    room: ResponseBudget,
    make: impl FnOnce() -> Reply,
) -> (Reply, Option<MemoryShare>) {
    room.around(|| make().or_short(|| serde_json::json!({})))
}

/// Makes the answer of a write and what is stored of it under a key, in the unit of work itself:
/// so what is too large for that is shortened already here (behaviour 0.38), also because much is
/// stored for the user. With it comes what makes the whole, where that is so.
///
/// # Errors
/// 500 when its JSON could not be written, or the database fails.
pub(crate) fn answer_to_store<M: Fn() -> Reply>(
    tx: &mut Tx<'_>,
    cx: &Context,
    memory: impl Fn() -> MemoryShare,
    make: M,
) -> std::result::Result<((Reply, Option<M>), StoredAnswer), ApiError> {
    let (reply, share) = answer_of_write(ResponseBudget::of_stored(memory()), &make);
    let (reply, stored) = match reply.kept()? {
        Some(kept) if may_store_whole(tx, cx, kept.1.len())? => {
            let stored = reply.stored(kept);
            (reply.holding(share), stored)
        }
        Some(_) | None => {
            answer_of_write(ResponseBudget::of_ids(memory()), &make).0.and_stored()?
        }
    };
    let whole = reply.is_shortened().then_some(make);
    Ok(((reply, whole), stored))
}

/// What is answered to a request with a key: what [`answer_to_store`] has made, and where that was
/// too large to be stored the whole all the same; or what was answered before.
///
/// # Errors
/// As [`answer`].
pub(crate) async fn answer_once<M: FnOnce() -> Reply + Send + 'static>(
    state: &AppState,
    user: UserId,
    outcome: Once<(Reply, Option<M>)>,
) -> ApiResult {
    match outcome {
        Once::Done((reply, None)) => Ok(reply),
        Once::Done((_, Some(make))) => large_answer(state, user, make).await,
        Once::Answered(answer) => answer_again(state, user, answer).await,
    }
}

/// Makes an answer that was given before: it may be large when it is restored, and holds its memory
/// as any other does (behaviour 0.22).
///
/// # Errors
/// 500 for what is no answer, and when the work panics.
pub(crate) async fn answer_again(
    state: &AppState,
    user: UserId,
    answer: StoredAnswer,
) -> ApiResult {
    let room = ResponseBudget::of_read(state.budget.grant(MemoryOwner::User(user)));
    let (reply, share) = block(move || room.around(|| Reply::again(answer))).await?;
    Ok(reply?.holding(share))
}

/// As [`write()`], for a request that may have to wait for an earlier sending of itself (behaviour
/// 0.16). It is done also when the client has left: the key then tells.
///
/// # Errors
/// As [`write()`]; 503 when it waits for too long, and when its outcome is unknown: sent again with
/// its key it is not done twice.
pub(crate) async fn write_with_timeout<T, E>(
    state: &AppState,
    ticket: Submission,
    work: impl FnOnce(&mut Tx<'_>) -> std::result::Result<T, E> + Clone + Send + 'static,
) -> std::result::Result<T, ApiError>
where
    T: Send + 'static,
    E: From<daybook_storage::Error> + Send + 'static,
    ApiError: From<E>,
{
    let waiting = timeout(KEY_TIMEOUT, submit(state, ticket, work)).await;
    waiting
        .unwrap_or_else(|_| {
            Err(Error::Unavailable("a write still waits after 30 seconds".to_owned()).into())
        })
        .map_err(ApiError::repeatable)
}

async fn submit<T, E>(
    state: &AppState,
    ticket: Submission,
    work: impl FnOnce(&mut Tx<'_>) -> std::result::Result<T, E> + Clone + Send + 'static,
) -> std::result::Result<T, ApiError>
where
    T: Send + 'static,
    E: From<daybook_storage::Error> + Send + 'static,
    ApiError: From<E>,
{
    let (sender, receiver) = tokio::sync::oneshot::channel();
    state.store.submit_repeatable(ticket, work, move |outcome| {
        // Nobody receives it when the client has left; the write stands all the same.
        let _ = sender.send(outcome);
    });
    // The writer has panicked, which is a bug.
    Ok(receiver.await.map_err(|_| Error::OutcomeUnknown)??)
}
