//! Large copies of books, in several units of work.
//!
//! A small copy is an ordinary write. A large one has to provide two properties of a single unit of
//! work itself. A repeated request must not copy twice (behaviour 0.16): a mutex within the process
//! and a lease between processes make requests with the same key run one after another. And the
//! server must stop soon: the copy checks `stop` between its units of work.

use std::sync::Arc;
use std::time::Duration;

use daybook_domain::idempotency::{Claim, StoredResponse};
use daybook_edge::blocking::block;
use daybook_edge::error::ApiError;
use daybook_edge::run;
use daybook_service::book::{self, CopyRequest, View, WholeCopy};
use daybook_service::idempotency::{Once, find_response, run_once};
use daybook_service::{Context, Error, Target};
use daybook_storage::{Lease, Store, Tx};
use tokio::time::{Instant, sleep, timeout};

use crate::reply::{ApiResult, Reply};
use crate::request::ApiRequest;
use crate::respond;
use crate::state::AppState;

/// How long a repeated request waits for the one with the same key.
const KEY_TIMEOUT: Duration = Duration::from_secs(30);
/// The interval of attempts to get the lease.
const LEASE_INTERVAL: Duration = Duration::from_millis(500);

/// Encodes the response of a copy.
type Encode = fn(&View, &Context) -> Reply;

/// Copies a book in several units of work. The copy continues if the client disconnects.
pub(super) async fn copy_large(
    request: ApiRequest,
    id: String,
    copying: CopyRequest,
    encode: Encode,
) -> ApiResult {
    let (cx, state, claim) = request.into_claim()?;
    let user = cx.quota_subject();
    let copies = state.copies.clone();
    let name = claim.as_ref().map(lease_name);
    let mut key_guard = None;
    if let (Some(claim), Some(name)) = (&claim, &name) {
        let guard = timeout(KEY_TIMEOUT, copies.lock_key(name.clone())).await;
        key_guard = Some(guard.map_err(|_| in_progress())?);
        // A replay needs no slot.
        if let Some(known) = stored_answer(&state, &cx, claim).await? {
            return respond::replay(&state.edge, user, known).await;
        }
    }
    // A lease holds a database connection, so it is taken after the wait for a slot.
    let slot = copies.slot(cx.quota_subject()).await;
    let mut lease = None;
    if let (Some(claim), Some(name)) = (&claim, &name) {
        lease = Some(acquire_lease(&state, name).await?);
        // Another process may have finished the copy meanwhile.
        if let Some(known) = stored_answer(&state, &cx, claim).await? {
            return respond::replay(&state.edge, user, known).await;
        }
    }
    let store = Arc::clone(&state.edge.store);
    let done = block(move || {
        let _guards = (key_guard, slot, lease);
        let outcome = copy(&store, &cx, id, &copying, claim, encode, &*copies.stop);
        // Wake the sweep to remove the rows of an unfinished copy.
        if !matches!(outcome, Ok(Once::Done(_))) {
            copies.sweep.notify();
        }
        outcome
    });
    respond::once_reply(&state.edge, user, done.await??).await
}

/// Copies the book. The last unit of work stores the response under the key.
fn copy(
    store: &Store,
    cx: &Context,
    id: String,
    copying: &CopyRequest,
    claim: Option<Claim>,
    encode: Encode,
    stop: &dyn Fn() -> bool,
) -> Result<Once<Reply>, ApiError> {
    let (target, context) = (Target::Book(id.clone()), cx.clone());
    let has_key = claim.is_some();
    let finish = move |tx: &mut Tx<'_>, whole: WholeCopy| -> Result<Once<Reply>, ApiError> {
        let publish = |tx: &mut Tx<'_>| -> Result<Reply, ApiError> {
            Ok(encode(&whole.publish(tx)?, &context))
        };
        let Some(claim) = claim else { return publish(tx).map(Once::Done) };
        run_once(tx, &context, &target, &claim, |tx| {
            let reply = publish(tx)?;
            respond::with_stored(tx, &context, reply)
        })
    };
    let done = book::copy_in_portions(store, cx, &id, copying, stop, finish);
    if has_key { done.map_err(ApiError::repeatable) } else { done }
}

/// Returns the stored response of a request, if it was done before.
async fn stored_answer(
    state: &AppState,
    cx: &Context,
    claim: &Claim,
) -> Result<Option<StoredResponse>, ApiError> {
    let (context, claim) = (cx.clone(), claim.clone());
    let work = move |tx: &mut Tx<'_>| find_response(tx, &context, &claim);
    run::read_as(&state.edge, cx.quota_subject(), work).await
}

/// Returns the name of the lease, which is unique per request with a key.
fn lease_name(claim: &Claim) -> String {
    let Claim { user, key, operation, fingerprint: _ } = claim;
    format!("request {user} {operation} {}", key.as_str())
}

/// Waits for the lease, which excludes other processes from this request.
async fn acquire_lease(state: &AppState, name: &str) -> Result<Lease, ApiError> {
    let started = Instant::now();
    loop {
        let (store, name) = (Arc::clone(&state.edge.store), name.to_owned());
        if let Some(lease) = block(move || store.lease(&name)).await?? {
            return Ok(lease);
        }
        if started.elapsed() > KEY_TIMEOUT {
            return Err(in_progress());
        }
        sleep(LEASE_INTERVAL).await;
    }
}

fn in_progress() -> ApiError {
    let why = "another request with this key is in progress".to_owned();
    Error::from(daybook_storage::Error::Unavailable(why)).into()
}
