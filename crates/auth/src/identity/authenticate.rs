//! Resolves a bearer token to its user.

use std::sync::Arc;

use actix_web::HttpRequest;
use daybook_domain::email::Email;
use daybook_domain::grant::is_built_in;
use daybook_domain::instant::Instant;
use daybook_domain::token::{TokenHolder, TokenScope};
use daybook_edge::client_address::client_address;
use daybook_edge::error::{ApiError, RequestError};
use daybook_edge::run;
use daybook_service::{Error, delivery, grant, session, token, user};
use daybook_storage::{ShardKey, Tx};

use super::bearer::{Bearer, TokenHash, hash};
use super::own_token::{ActingApp, Claims};
use super::provider::outcome::{Refusal, Verified};
use crate::security;
use crate::state::Auth;

/// How often a write is retried after a unique violation by a concurrent one.
const MAX_COLLISIONS: u32 = 20;

/// Returns the bearer of a token from the cache, or verifies the token.
///
/// # Errors
/// 401 for an invalid token; 403 for a disabled user, and for an expired session token from a web
/// app (behaviour 11.4); 429 when the client has sent too many invalid tokens (behaviour 10.12).
pub async fn authenticate(
    request: &HttpRequest,
    state: &Auth,
    token: &str,
) -> Result<Arc<Bearer>, ApiError> {
    let now = (state.edge.clock)();
    let hash = hash(token);
    let bearers = state.identity.bearers();
    if let Some(cached) = bearers.find(&hash, now) {
        security::note_caller(request, cached.user.id);
        return Ok(cached);
    }
    let client = client_address(request, &state.edge);
    // Tokens that this installation signed are exempt from the limit in both directions: guesses
    // from the same address do not block them, and expired ones do not block the address.
    let is_signed = state.identity.key().has_signed(token);
    if !is_signed && !bearers.was_valid(&hash) {
        state.refused_tokens.check(client).map_err(RequestError::from)?;
    }
    let outcome = verify(request, state, token, hash, now).await;
    if outcome.as_ref().is_err_and(ApiError::is_unauthenticated) {
        bearers.mark_invalid(&hash);
        if !is_signed {
            state.refused_tokens.record(client);
        }
        if state.identity.key().is_expired_session(token, now)
            && state.web_origins.is_app(request.headers())
        {
            return Err(RequestError::SessionTokenExpired.into());
        }
    }
    outcome
}

/// Returns the bearer of a token that [`authenticate`] accepted when the request began.
///
/// An event stream calls it every second to notice the end of its token. This end does not count as
/// an invalid token of the address. When the cache has been cleared, streams verify their tokens
/// one at a time, so that new requests still find a connection.
///
/// # Errors
/// 401 for a token that is no longer valid; 403 for a disabled user.
pub async fn authenticate_again(
    request: &HttpRequest,
    state: &Auth,
    token: &str,
) -> Result<Arc<Bearer>, ApiError> {
    let (identity, hash) = (&state.identity, hash(token));
    let cached = || identity.bearers().find(&hash, (state.edge.clock)());
    if let Some(bearer) = cached() {
        return Ok(bearer);
    }
    // The semaphore is never closed.
    let _permit = identity.renewals().acquire().await;
    match cached() {
        Some(bearer) => Ok(bearer),
        None => verify(request, state, token, hash, (state.edge.clock)()).await,
    }
}

/// Verifies a token and caches its bearer.
async fn verify(
    request: &HttpRequest,
    state: &Auth,
    token: &str,
    hash: TokenHash,
    now: Instant,
) -> Result<Arc<Bearer>, ApiError> {
    let identity = &state.identity;
    let generation = identity.bearers().generation();
    let bearer = match (identity.key().verify(token, now), identity.providers()) {
        (Some(claims), _) => resolve_own_token(state, claims, now).await?,
        (None, Some(providers)) => {
            let verified = providers.verify(token, now).await.map_err(provider_error)?;
            resolve_provider_user(state, verified, now).await?
        }
        (None, None) => return Err(RequestError::LoginRequired.into()),
    };
    let bearer = Arc::new(bearer);
    security::note_caller(request, bearer.user.id);
    if bearer.user.disabled_at.is_some() {
        return Err(RequestError::Disabled.into());
    }
    identity.bearers().add(hash, Arc::clone(&bearer), generation);
    Ok(bearer)
}

/// Resolves a verified token of this installation by the row that it names.
///
/// # Errors
/// 401 for a revoked token.
pub(crate) async fn resolve_own_token(
    state: &Auth,
    claims: Claims,
    now: Instant,
) -> Result<Bearer, ApiError> {
    if let Some((id, acting)) = claims.acting() {
        let (expires_at, ids) = (claims.expires_at(), Arc::clone(&state.edge.ids));
        let ActingApp { agent, installed, .. } = acting.clone();
        let find = move |tx: &mut Tx<'_>| {
            delivery::bearer::authenticate(tx, id, &agent, installed.as_ref(), ids, now)
        };
        let found = run::read(&state.edge, find).await?;
        let (user, scope) = found.ok_or(RequestError::LoginRequired)?;
        let bearer = Bearer::new(Arc::new(user), scope, expires_at);
        return Ok(Bearer { acting: Some(acting), ..bearer });
    }
    if let Some(id) = claims.grant() {
        let expires_at = claims.expires_at();
        let found = run::read(&state.edge, move |tx| grant::find(tx, id, now)).await?;
        let (grant, user) = found.ok_or(RequestError::LoginRequired)?;
        let is_built_in = is_built_in(&grant.client);
        let holder = if is_built_in { TokenHolder::TrustedApp } else { TokenHolder::Client };
        let scope = TokenScope { holder, ..TokenScope::default() };
        return Ok(Bearer::new(Arc::new(user), scope, expires_at));
    }
    if let Some(id) = claims.session() {
        let expires_at = claims.expires_at();
        let found = run::read(&state.edge, move |tx| session::authenticate(tx, id, now)).await?;
        let (_, user) = found.ok_or(RequestError::LoginRequired)?;
        let is_console = claims.is_own();
        let holder = if is_console { TokenHolder::User } else { TokenHolder::TrustedApp };
        let scope = TokenScope { holder, ..TokenScope::default() };
        let bearer = Bearer::new(Arc::new(user), scope, expires_at);
        return Ok(Bearer { session: Some(id), is_console, ..bearer });
    }
    let id = claims.id().ok_or(RequestError::LoginRequired)?;
    let found = run::read(&state.edge, move |tx| token::authenticate(tx, id, now)).await?;
    let (user, token) = found.ok_or(RequestError::LoginRequired)?;
    Ok(Bearer::new(Arc::new(user), token.scope, token.expires_at))
}

/// Finds the user of a verified provider token, or creates an admitted one (behaviour 11.11).
async fn resolve_provider_user(
    state: &Auth,
    verified: Verified,
    now: Instant,
) -> Result<Bearer, ApiError> {
    let Verified { user: verified, until } = verified;
    let bearer = |user| Bearer::new(Arc::new(user), TokenScope::default(), until);
    let (requested, admission) = (verified.clone(), Arc::clone(&state.admission));
    let existing =
        run::read(&state.edge, move |tx| user::find_verified(tx, &requested, &admission, now))
            .await?;
    if let Some(user) = existing {
        return Ok(bearer(user));
    }
    let shard_key = shard_key_of(state, &verified.email).await?;
    let create = || {
        let (ids, admission) = (Arc::clone(&state.edge.ids), Arc::clone(&state.admission));
        let verified = verified.clone();
        run::write(&state.edge, shard_key, move |tx| {
            user::sign_in_verified(tx, &verified, &admission, &ids, now)
        })
    };
    Ok(bearer(retry_on_collision(create).await.map_err(ApiError::repeatable)?))
}

/// Returns the shard key for the sign-in of an address.
pub(crate) async fn shard_key_of(state: &Auth, email: &Email) -> Result<ShardKey, ApiError> {
    let email = email.clone();
    run::read(&state.edge, move |tx| user::find_shard_key(tx, &email)).await
}

/// Runs a write, and retries it after a unique violation.
///
/// Another process may insert the same user, or a user of the same name, at the same time.
pub(crate) async fn retry_on_collision<T, F>(write: impl Fn() -> F) -> Result<T, ApiError>
where
    F: Future<Output = Result<T, ApiError>>,
{
    let mut outcome = write().await;
    for _ in 0..MAX_COLLISIONS {
        if !matches!(
            outcome,
            Err(ApiError::Service(Error::Storage(daybook_storage::Error::UniqueViolation(_))))
        ) {
            break;
        }
        outcome = write().await;
    }
    outcome
}

fn provider_error(refusal: Refusal) -> RequestError {
    match refusal {
        Refusal::Untrusted => RequestError::LoginRequired,
        Refusal::Scope => RequestError::NoEmail("its scope does not include the e-mail address"),
        Refusal::Email => RequestError::NoEmail("its e-mail address is missing or not verified"),
        Refusal::Unavailable(cause) => RequestError::ProviderUnavailable(cause),
    }
}
