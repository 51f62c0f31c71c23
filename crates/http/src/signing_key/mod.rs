//! The key pairs that this installation signs with for others, who verify by the public keys
//! (behaviour 11.15). Its own access tokens are signed with a secret instead
//! ([`crate::identity::own_token`]).
//!
//! | Module | What it does |
//! |---|---|
//! | `rsa`, `pair` | Make, seal, open and show key pairs |
//! | `opened` | Remembers the opened keys of this process |
//!
//! The first keys are made when they are first needed. Of two processes that make them at once, the
//! one whose rows the database takes first wins, and the other reads them.

pub(crate) mod opened;
mod pair;
mod rsa;

use std::sync::Arc;

use actix_web::http::header::CACHE_CONTROL;
use actix_web::{HttpResponse, web};
use daybook_domain::instant::Instant;
use daybook_domain::signing_key::{KeyRing, NewPair, SigningAlgorithm};
use daybook_service::{Error, signing_key};
use daybook_storage::ShardKey;
use jsonwebtoken::{Header, encode};
use serde::Serialize;

use crate::blocking::block;
use crate::error::{ApiError, RequestError};
use crate::identity::own_token::LocalKey;
use crate::run;
use crate::state::AppState;
use opened::OpenedKeys;

pub(crate) use pair::place_of_pair;

pub use opened::UnusableKeys;
pub use rsa::NoPair;

/// How long others may keep the public keys. New keys sign after twice that
/// ([`daybook_domain::signing_key::ANNOUNCED_MINUTES`]).
const KEPT: &str = "public, max-age=300";

/// Makes a key pair of each algorithm, which takes up to a second of computing, and seals it with
/// the key of this installation.
///
/// # Errors
/// [`NoPair`] without randomness.
pub fn make_pairs(algorithms: &[SigningAlgorithm], key: &LocalKey) -> Result<Vec<NewPair>, NoPair> {
    algorithms.iter().map(|algorithm| pair::make(*algorithm, key)).collect()
}

/// Checks that the keys open with the key of this installation.
///
/// # Errors
/// [`UnusableKeys`].
pub fn check_keys(ring: KeyRing, key: &LocalKey, now: Instant) -> Result<(), UnusableKeys> {
    OpenedKeys::open(ring, key, now).map(drop)
}

/// GET /.well-known/jwks.json: the public keys of what this installation has signed.
pub(crate) async fn jwks(state: web::Data<AppState>) -> Result<HttpResponse, ApiError> {
    let published = opened(&state).await?.published((state.clock)());
    Ok(HttpResponse::Ok().insert_header((CACHE_CONTROL, KEPT)).json(published))
}

/// Signs claims as a JWT of a type, such as `JWT` or `at+jwt`, with the key that signs now.
///
/// # Errors
/// 500 when the keys do not open, or the claims cannot be written.
pub(crate) async fn sign<T: Serialize>(
    state: &AppState,
    algorithm: SigningAlgorithm,
    kind: &str,
    claims: &T,
) -> Result<String, ApiError> {
    let keys = opened(state).await?;
    let pair = keys
        .signing(algorithm, (state.clock)())
        .ok_or_else(|| RequestError::Failed("no key signs with this algorithm".to_owned()))?;
    let mut header = Header::new(pair::named(algorithm));
    header.typ = Some(kind.to_owned());
    header.kid = Some(pair.id().to_owned());
    encode(&header, claims, &pair.private).map_err(|error| failed(&error))
}

/// Has the keys at hand before something is written that is told in signed tokens alone.
///
/// # Errors
/// 503 when they cannot be read now. What else is in the way [`sign`] tells.
pub(crate) async fn prepare(state: &AppState) -> Result<(), ApiError> {
    match opened(state).await {
        Err(error) if error.is_unavailable() => Err(error),
        Ok(_) | Err(_) => Ok(()),
    }
}

/// The keys: as remembered, read, or made now.
async fn opened(state: &AppState) -> Result<Arc<OpenedKeys>, ApiError> {
    let cache = state.identity.signing_keys();
    if let Some(known) = cache.find() {
        return Ok(known);
    }
    let _reading = cache.reading.lock().await;
    if let Some(known) = cache.find() {
        return Ok(known);
    }
    let changes = cache.changes();
    let mut ring = run::read(state, signing_key::list).await?;
    let missing = ring.missing();
    if !missing.is_empty() {
        ring = add(state, missing).await?;
    }
    let (identity, now) = (Arc::clone(&state.identity), (state.clock)());
    let opened = block(move || OpenedKeys::open(ring, identity.key(), now)).await?;
    let opened = Arc::new(opened.map_err(|error| failed(&error))?);
    cache.add(&opened, changes);
    Ok(opened)
}

/// Makes the first keys, unless another process is faster.
async fn add(state: &AppState, missing: Vec<SigningAlgorithm>) -> Result<KeyRing, ApiError> {
    let (identity, now) = (Arc::clone(&state.identity), (state.clock)());
    let pairs = block(move || make_pairs(&missing, identity.key())).await?;
    let pairs = pairs.map_err(|error| failed(&error))?;
    let added =
        run::write(state, ShardKey::NO_BOOK, move |tx| signing_key::add_missing(tx, pairs, now))
            .await;
    match added {
        Err(ApiError::Service(Error::Storage(daybook_storage::Error::UniqueViolation(_)))) => {
            run::read(state, signing_key::list).await
        }
        outcome => outcome.map_err(ApiError::repeatable),
    }
}

fn failed(error: &dyn std::error::Error) -> ApiError {
    RequestError::Failed(error.to_string()).into()
}
