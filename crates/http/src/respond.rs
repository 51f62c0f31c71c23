//! Turns the results of use cases into responses.
//!
//! A handler passes a use case and the function that encodes its result. [`WriteWork`] and
//! [`Encode`] erase their types, so everything behind a handler is compiled once. The use case runs
//! as in [`daybook_edge::run`]. A read is encoded on the thread that ran it, a write on the
//! blocking pool, or within its transaction if the response is stored.

use std::sync::Arc;
use std::time::Duration;

use daybook_domain::id::UserId;
use daybook_domain::idempotency::StoredResponse;
use daybook_edge::blocking::block;
use daybook_edge::budget::{Budget, Reservation};
use daybook_edge::error::ApiError;
use daybook_edge::response_budget::ResponseBudget;
use daybook_edge::{Edge, run};
use daybook_service::idempotency::{Once, may_store_whole};
use daybook_service::{self as service, Context};
use daybook_storage::Tx;

use crate::reply::{ApiResult, Reply};

/// Encodes the response from the result of a use case.
pub(crate) type Encode = Box<dyn FnOnce() -> Reply + Send>;

/// A use case that reads; it returns the function that encodes its result.
pub(crate) type ReadWork = Box<dyn FnOnce(&mut Tx<'_>) -> service::Result<Encode> + Send>;

/// A use case that reads, and may run again on the primary after it failed on a replica.
pub(crate) type RepeatedRead = Arc<dyn Fn(&mut Tx<'_>) -> service::Result<Encode> + Send + Sync>;

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

/// Runs a use case that reads and encodes its result on the same thread, after its snapshot.
///
/// # Errors
/// Those of [`run::read`].
pub(crate) async fn read_reply(
    edge: &Edge,
    user: UserId,
    deadline: Duration,
    work: ReadWork,
) -> ApiResult {
    let memory = memory_of(edge, user);
    let encode = move |encode: Encode| encode_within(ResponseBudget::new(memory), encode);
    run::read_and_encode(edge, user, deadline, work, encode).await
}

/// Runs a use case that needs few statements and may run twice, and encodes its result.
///
/// # Errors
/// Those of [`run::read`].
pub(crate) async fn read_reply_with_one_statement(
    edge: &Edge,
    user: UserId,
    deadline: Duration,
    work: RepeatedRead,
) -> ApiResult {
    let memory = memory_of(edge, user);
    let encode = move |encode: Encode| encode_within(ResponseBudget::new(memory), encode);
    run::read_with_one_statement_and_encode(edge, user, deadline, move |tx| work(tx), encode).await
}

/// Returns an empty reservation of a user.
fn memory_of(edge: &Edge, user: UserId) -> Reservation {
    edge.budget.reservation(user)
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
pub(crate) async fn encode_write(edge: &Edge, user: UserId, encode: Encode) -> ApiResult {
    let budget = ResponseBudget::new(memory_of(edge, user));
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
) -> Result<(Reply, StoredResponse), ApiError> {
    let memory = budget.reservation(cx.quota_subject());
    with_stored(tx, cx, encode_within(ResponseBudget::in_transaction(memory), encode))
}

/// Returns the response of a write with the form that is stored under its key: the ids alone if the
/// rest is too large to be stored, or it exceeds the storage quota of the user (behaviour 0.38).
///
/// # Errors
/// 500 if the response could not be encoded, or the database fails.
pub(crate) fn with_stored(
    tx: &mut Tx<'_>,
    cx: &Context,
    reply: Reply,
) -> Result<(Reply, StoredResponse), ApiError> {
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
pub(crate) async fn once_reply(edge: &Edge, user: UserId, outcome: Once<Reply>) -> ApiResult {
    match outcome {
        Once::Done(reply) => Ok(reply),
        Once::Replayed(stored) => replay(edge, user, stored).await,
    }
}

/// Restores a stored response on the blocking pool, within the memory of its user (behaviour 0.22).
///
/// # Errors
/// 500 for a damaged response, and when the work panics.
pub(crate) async fn replay(edge: &Edge, user: UserId, stored: StoredResponse) -> ApiResult {
    let budget = ResponseBudget::new(memory_of(edge, user));
    let (reply, memory) = block(move || budget.with(|| Reply::replay(stored))).await?;
    Ok(reply?.with_memory(memory))
}
