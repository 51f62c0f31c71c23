//! Signing keys: the key pairs for tokens that others verify, such as ID tokens (behaviour 11.15).
//!
//! A signing key is a row with its public thumbprint as id and the private key sealed by
//! [`crate::identity::sealer`]. There is one current key per algorithm (Ed25519 and RSA, `pair`).
//! `/.well-known/jwks.json` publishes the public keys.
//!
//! The first request that needs keys generates them. If two processes do so at once, the unique
//! index of the table lets one insert, and the other reads its keys. A rotation (`daybook keys
//! rotate`) inserts new keys, which are published at once and sign some minutes later, when all
//! caches have them. Old keys stay published until the tokens that they signed have expired.
//!
//! Each process caches the opened keys (`key_cache`) until the counter of identity changes in the
//! database grows. Keys that do not open, for instance because `token.key` was replaced, are an
//! error at startup.
//!
//! Access tokens of this installation are signed with a secret instead
//! ([`crate::identity::own_token`]).

pub(crate) mod key_cache;
mod pair;

use std::sync::Arc;

use actix_web::http::header::CACHE_CONTROL;
use actix_web::{HttpResponse, web};
use daybook_domain::instant::Instant;
use daybook_domain::signing_key::{KeyRing, NewPair, SigningAlgorithm};
use daybook_edge::blocking::block;
use daybook_edge::error::{ApiError, RequestError};
use daybook_edge::run;
use daybook_service::{Error, signing_key};
use jsonwebtoken::{Header, encode};
use serde::Serialize;

use crate::identity::own_token::LocalKey;
use crate::state::Auth;
use key_cache::OpenedKeys;

pub(crate) use pair::pair_context;

pub use key_cache::UnusableKeys;
pub use pair::KeyPairError;

/// How long clients may cache the public keys. New keys sign after twice that
/// ([`daybook_domain::signing_key::ANNOUNCED_MINUTES`]).
const JWKS_CACHE_CONTROL: &str = "public, max-age=300";

/// Generates and seals a key pair of each algorithm, which takes up to a second of CPU time.
///
/// # Errors
/// [`KeyPairError`] if the random number generator of the system fails.
pub fn make_pairs(
    algorithms: &[SigningAlgorithm],
    key: &LocalKey,
) -> Result<Vec<NewPair>, KeyPairError> {
    algorithms.iter().map(|algorithm| pair::make(*algorithm, key)).collect()
}

/// Checks that the signing keys open with the key of this installation.
///
/// # Errors
/// [`UnusableKeys`].
pub fn check_keys(ring: KeyRing, key: &LocalKey, now: Instant) -> Result<(), UnusableKeys> {
    OpenedKeys::open(ring, key, now).map(drop)
}

/// GET /.well-known/jwks.json: returns the public keys.
pub async fn jwks(state: web::Data<Auth>) -> Result<HttpResponse, ApiError> {
    let published = opened_keys(&state).await?.published((state.edge.clock)());
    Ok(HttpResponse::Ok().insert_header((CACHE_CONTROL, JWKS_CACHE_CONTROL)).json(published))
}

/// Signs claims as a JWT of a type, such as `JWT` or `at+jwt`, with the current key.
///
/// # Errors
/// 500 when the keys do not open, or the claims cannot be serialized.
pub async fn sign<T: Serialize>(
    state: &Auth,
    algorithm: SigningAlgorithm,
    kind: &str,
    claims: &T,
) -> Result<String, ApiError> {
    let keys = opened_keys(state).await?;
    let pair = keys
        .signing(algorithm, (state.edge.clock)())
        .ok_or_else(|| RequestError::Failed("no signing key of this algorithm".to_owned()))?;
    let mut header = Header::new(pair::jwt_algorithm(algorithm));
    header.typ = Some(kind.to_owned());
    header.kid = Some(pair.id().to_owned());
    encode(&header, claims, &pair.private).map_err(|error| failed(&error))
}

/// Loads the signing keys before a write whose only response is a signed token.
///
/// Otherwise the write could commit without a response that tells of it.
///
/// # Errors
/// 503 when the database cannot be read. Other errors are left to [`sign`].
pub(crate) async fn load_signing_keys(state: &Auth) -> Result<(), ApiError> {
    match opened_keys(state).await {
        Err(error) if error.is_unavailable() => Err(error),
        Ok(_) | Err(_) => Ok(()),
    }
}

/// Returns the keys from the cache or the database, and generates missing ones.
async fn opened_keys(state: &Auth) -> Result<Arc<OpenedKeys>, ApiError> {
    let cache = state.identity.signing_keys();
    if let Some(cached) = cache.find() {
        return Ok(cached);
    }
    let _loading = cache.loading.lock().await;
    if let Some(cached) = cache.find() {
        return Ok(cached);
    }
    let changes = cache.changes();
    let mut ring = run::read(&state.edge, signing_key::list).await?;
    let missing = ring.missing();
    if !missing.is_empty() {
        ring = generate_keys(state, missing).await?;
    }
    let (identity, now) = (Arc::clone(&state.identity), (state.edge.clock)());
    let opened = block(move || OpenedKeys::open(ring, identity.key(), now)).await?;
    let opened = Arc::new(opened.map_err(|error| failed(&error))?);
    cache.add(&opened, changes);
    Ok(opened)
}

/// Generates and inserts the first keys, or reads those of a faster process.
async fn generate_keys(state: &Auth, missing: Vec<SigningAlgorithm>) -> Result<KeyRing, ApiError> {
    let (identity, now) = (Arc::clone(&state.identity), (state.edge.clock)());
    let pairs = block(move || make_pairs(&missing, identity.key())).await?;
    let pairs = pairs.map_err(|error| failed(&error))?;
    let added = run::write(&state.edge, signing_key::SHARD_KEY, move |tx| {
        signing_key::add_missing(tx, pairs, now)
    })
    .await;
    match added {
        Err(ApiError::Service(Error::Storage(daybook_storage::Error::UniqueViolation(_)))) => {
            run::read(&state.edge, signing_key::list).await
        }
        outcome => outcome.map_err(ApiError::repeatable),
    }
}

fn failed(error: &dyn std::error::Error) -> ApiError {
    RequestError::Failed(error.to_string()).into()
}
