//! Finds the user of a bearer token.

use std::sync::Arc;

use actix_web::HttpRequest;
use daybook_domain::email::Email;
use daybook_domain::grant::is_built_in;
use daybook_domain::instant::Instant;
use daybook_domain::token::{TokenHolder, TokenScope};
use daybook_service::{Error, delivery, grant, session, token, user};
use daybook_storage::{ShardKey, Tx};

use super::bearer::{Bearer, TokenHash, hash};
use super::own_token::Claims;
use super::provider::outcome::{Refusal, Verified};
use crate::client_address::client_address;
use crate::error::{ApiError, RequestError};
use crate::run;
use crate::security::note_caller;
use crate::session::origin;
use crate::state::AppState;

/// How often a user is made again whose address or name somebody else has taken meanwhile.
const MAX_COLLISIONS: u32 = 20;

/// Whom a token lets in: as remembered, or verified now.
///
/// # Errors
/// 401 for a token that is not trusted; 403 for a disabled user, and for an expired token of a
/// session where a web app sends it (behaviour 11.4); 429 when the client has sent too many tokens
/// that are not trusted (behaviour 10.12).
pub(crate) async fn authenticate(
    request: &HttpRequest,
    state: &AppState,
    token: &str,
) -> Result<Arc<Bearer>, ApiError> {
    let now = (state.clock)();
    let hash = hash(token);
    let bearers = state.identity.bearers();
    if let Some(known) = bearers.find(&hash, now) {
        note_caller(request, known.user.id);
        return Ok(known);
    }
    let client = client_address(request, state);
    // A token that this installation has signed is looked at whoever else has guessed at the same
    // address, and when it has expired or was revoked it does not lock its neighbours out.
    let is_signed = state.identity.key().has_signed(token);
    if !is_signed && !bearers.was_good(&hash) {
        state.refused_tokens.check(client).map_err(RequestError::from)?;
    }
    let outcome = verify(request, state, (token, hash), now).await;
    if outcome.as_ref().is_err_and(ApiError::is_unauthenticated) {
        bearers.refuse(&hash);
        if !is_signed {
            state.refused_tokens.record(client);
        }
        if state.identity.key().is_expired_session(token, now)
            && origin::is_listed_app(request.headers(), &state.web_origins)
        {
            return Err(RequestError::SessionTokenExpired.into());
        }
    }
    outcome
}

/// Verifies a token, and remembers whom it lets in.
async fn verify(
    request: &HttpRequest,
    state: &AppState,
    (token, hash): (&str, TokenHash),
    now: Instant,
) -> Result<Arc<Bearer>, ApiError> {
    let identity = &state.identity;
    let generation = identity.bearers().generation();
    let bearer = match (identity.key().verify(token, now), identity.providers()) {
        (Some(claims), _) => own(state, claims, now).await?,
        (None, Some(providers)) => {
            let verified = providers.verify(token, now).await.map_err(refused)?;
            of_provider(state, verified, now).await?
        }
        (None, None) => return Err(RequestError::LoginRequired.into()),
    };
    let bearer = Arc::new(bearer);
    note_caller(request, bearer.user.id);
    if bearer.user.disabled_at.is_some() {
        return Err(RequestError::Disabled.into());
    }
    identity.bearers().add(hash, Arc::clone(&bearer), generation);
    Ok(bearer)
}

/// Whom a token of this installation lets in.
///
/// # Errors
/// 401 for a token that was revoked.
pub(crate) async fn own(
    state: &AppState,
    claims: Claims,
    now: Instant,
) -> Result<Bearer, ApiError> {
    if let Some((id, acting)) = claims.acting() {
        let (expires_at, ids, asked) =
            (claims.expires_at(), Arc::clone(&state.ids), acting.clone());
        let find = move |tx: &mut Tx<'_>| {
            delivery::bearer::bearer(tx, id, (&asked.agent, asked.installed.as_ref()), (ids, now))
        };
        let found = run::read(state, find).await?;
        let (user, scope) = found.ok_or(RequestError::LoginRequired)?;
        let bearer = Bearer::new(Arc::new(user), scope, expires_at);
        return Ok(Bearer { acting: Some(acting), ..bearer });
    }
    if let Some(id) = claims.grant() {
        let expires_at = claims.expires_at();
        let found = run::read(state, move |tx| grant::find(tx, id, now)).await?;
        let (grant, user) = found.ok_or(RequestError::LoginRequired)?;
        let is_built_in = is_built_in(&grant.client);
        let holder = if is_built_in { TokenHolder::BuiltInClient } else { TokenHolder::Client };
        let scope = TokenScope { holder, ..TokenScope::default() };
        return Ok(Bearer::new(Arc::new(user), scope, expires_at));
    }
    if let Some(id) = claims.session() {
        let expires_at = claims.expires_at();
        let found = run::read(state, move |tx| session::bearer(tx, id, now)).await?;
        let (_, user) = found.ok_or(RequestError::LoginRequired)?;
        return Ok(Bearer::new(Arc::new(user), TokenScope::default(), expires_at));
    }
    let id = claims.id().ok_or(RequestError::LoginRequired)?;
    let found = run::read(state, move |tx| token::bearer(tx, id, now)).await?;
    let (user, token) = found.ok_or(RequestError::LoginRequired)?;
    Ok(Bearer::new(Arc::new(user), token.scope, token.expires_at))
}

/// Whom a token of a provider lets in: somebody who is known, or who is admitted at the first sight
/// (behaviour 11.11).
async fn of_provider(
    state: &AppState,
    verified: Verified,
    now: Instant,
) -> Result<Bearer, ApiError> {
    let Verified { user: verified, until } = verified;
    let bearer = |user| Bearer::new(Arc::new(user), TokenScope::default(), until);
    let (wanted, admission) = (verified.clone(), Arc::clone(&state.admission));
    let known =
        run::read(state, move |tx| user::find_verified(tx, &wanted, &admission, now)).await?;
    if let Some(found) = known {
        return Ok(bearer(found));
    }
    let lane = lane_of(state, &verified.email).await?;
    let make = || {
        let (ids, admission) = (Arc::clone(&state.ids), Arc::clone(&state.admission));
        let verified = verified.clone();
        run::write(state, lane, move |tx| {
            user::sign_in_verified(tx, &verified, &admission, &ids, now)
        })
    };
    Ok(bearer(again_on_collision(make).await.map_err(ApiError::repeatable)?))
}

/// The lane in which somebody with that address signs in. What changes in a user who is known
/// changes in the lane of that user, wherever they come from: that is the order of locks.
pub(crate) async fn lane_of(state: &AppState, email: &Email) -> Result<ShardKey, ApiError> {
    let (newcomer, email) = (ShardKey::of_newcomer(email), email.clone());
    let known = run::read(state, move |tx| user::find(tx, &email)).await?;
    Ok(known.map_or(newcomer, |user| ShardKey::of_user(user.id)))
}

/// Makes a user by a unit of work, and tries again when another process made the same user, or one
/// of the same name, at the same moment.
pub(crate) async fn again_on_collision<T, F>(make: impl Fn() -> F) -> Result<T, ApiError>
where
    F: Future<Output = Result<T, ApiError>>,
{
    let mut outcome = make().await;
    for _ in 0..MAX_COLLISIONS {
        if !matches!(
            outcome,
            Err(ApiError::Service(Error::Storage(daybook_storage::Error::UniqueViolation(_))))
        ) {
            break;
        }
        outcome = make().await;
    }
    outcome
}

fn refused(refusal: Refusal) -> RequestError {
    match refusal {
        Refusal::Untrusted => RequestError::LoginRequired,
        Refusal::Scope => RequestError::NoEmail("its scope does not hold the e-mail address"),
        Refusal::Email => RequestError::NoEmail("its e-mail address is not known, or not verified"),
        Refusal::Unavailable(cause) => RequestError::ProviderUnavailable(cause),
    }
}
