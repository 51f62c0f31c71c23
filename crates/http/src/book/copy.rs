//! Large copies of books. A small copy is a write like any other. A large one is several units of
//! work, and has to keep two promises that one unit of work keeps by itself: a request that is sent
//! again is done once (behaviour 0.16), and the server ends soon after it is asked to.

use std::sync::Arc;
use std::time::Duration;

use daybook_domain::idempotency::{Claim, StoredAnswer};
use daybook_service::book::{self, Copying, View, WholeCopy};
use daybook_service::idempotency::{KeyScope, Once, answered, once};
use daybook_service::{Context, Error};
use daybook_storage::{Lease, Store, Tx};
use tokio::time::{Instant, sleep, timeout};

use crate::blocking::block;
use crate::error::ApiError;
use crate::reply::{ApiResult, Reply};
use crate::request::ApiRequest;
use crate::run;
use crate::state::AppState;

/// How long a repetition waits for the request it repeats, and how often it looks.
const KEY_TIMEOUT: Duration = Duration::from_secs(30);
const LOOK_AGAIN: Duration = Duration::from_millis(500);

/// Makes the answer of a copy.
type Encode = fn(&View, &Context) -> Reply;

/// A copy in several units of work. It goes on when the client leaves.
pub(super) async fn large(
    request: ApiRequest,
    (id, copying): (String, Copying),
    encode: Encode,
) -> ApiResult {
    let (cx, state, claim) = request.into_claim()?;
    let user = cx.payer();
    let copies = state.copies.clone();
    let name = claim.as_ref().map(name_of_request);
    let mut of_key = None;
    if let (Some(claim), Some(name)) = (&claim, &name) {
        let turn = timeout(KEY_TIMEOUT, copies.turn_of_key(name.clone())).await;
        of_key = Some(turn.map_err(|_| still_at_work())?);
        // Who is given a recorded answer needs no slot.
        if let Some(known) = known(&state, &cx, claim).await? {
            return run::answer_again(&state, user, known).await;
        }
    }
    // The lease comes after the slot: who waits for a slot holds no connection.
    let slot = copies.slot(cx.payer()).await;
    let mut lease = None;
    if let (Some(claim), Some(name)) = (&claim, &name) {
        lease = Some(lease_of_request(&state, name).await?);
        // Another process may have made it meanwhile.
        if let Some(known) = known(&state, &cx, claim).await? {
            return run::answer_again(&state, user, known).await;
        }
    }
    let store = Arc::clone(&state.store);
    let done = block(move || {
        let _held = (of_key, slot, lease);
        let outcome = copy(&store, &cx, (id, &copying), (claim, encode), &*copies.stop);
        // What is left of a copy that failed, or that another process made before, can go.
        if !matches!(outcome, Ok(Once::Done(_))) {
            copies.sweep.notify();
        }
        outcome
    });
    match done.await?? {
        Once::Done(reply) => Ok(reply),
        Once::Answered(known) => run::answer_again(&state, user, known).await,
    }
}

/// Makes the copy; its last unit of work records the answer under the key.
fn copy(
    store: &Store,
    cx: &Context,
    (id, copying): (String, &Copying),
    (claim, encode): (Option<Claim>, Encode),
    stop: &dyn Fn() -> bool,
) -> Result<Once<Reply>, ApiError> {
    let (scope, asked) = (KeyScope::Book(id.clone()), cx.clone());
    let has_key = claim.is_some();
    let finish = move |tx: &mut Tx<'_>, whole: WholeCopy| -> Result<Once<Reply>, ApiError> {
        let answer = |tx: &mut Tx<'_>| -> Result<Reply, ApiError> {
            Ok(encode(&whole.publish(tx)?, &asked))
        };
        let Some(claim) = claim else { return answer(tx).map(Once::Done) };
        once(tx, &asked, (&scope, &claim), |tx| answer(tx)?.and_stored())
    };
    let done = book::copy_in_portions(store, cx, (&id, copying), stop, finish);
    if has_key { done.map_err(ApiError::repeatable) } else { done }
}

/// The recorded answer of a request, if it was done before.
async fn known(
    state: &AppState,
    cx: &Context,
    claim: &Claim,
) -> Result<Option<StoredAnswer>, ApiError> {
    let (asked, claim) = (cx.clone(), claim.clone());
    let work = move |tx: &mut Tx<'_>| answered(tx, &asked, &claim);
    run::read_and(state, cx.payer(), work, |known| known).await
}

/// What tells a request with a key from all others.
fn name_of_request(claim: &Claim) -> String {
    let Claim { user, key, operation, fingerprint: _ } = claim;
    format!("request {user} {operation} {}", key.as_str())
}

/// Waits until no other process is at work on this request, and keeps them from it.
async fn lease_of_request(state: &AppState, name: &str) -> Result<Lease, ApiError> {
    let begun = Instant::now();
    loop {
        let (store, name) = (Arc::clone(&state.store), name.to_owned());
        if let Some(lease) = block(move || store.lease(&name)).await?? {
            return Ok(lease);
        }
        if begun.elapsed() > KEY_TIMEOUT {
            return Err(still_at_work());
        }
        sleep(LOOK_AGAIN).await;
    }
}

fn still_at_work() -> ApiError {
    let why = "another request with this key is still at work".to_owned();
    Error::from(daybook_storage::Error::Unavailable(why)).into()
}
