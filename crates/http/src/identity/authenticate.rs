//! Finds the user of a bearer token.

use std::sync::Arc;

use daybook_domain::email::Email;
use daybook_domain::instant::Instant;
use daybook_domain::token::TokenScope;
use daybook_service::{Error, token, user};
use daybook_storage::Lane;
use daybook_storage::user::User;

use super::bearer::{Bearer, hash};
use super::own_token::Claims;
use crate::error::{ApiError, Transport};
use crate::run;
use crate::state::AppState;

/// Whom a token lets in: as remembered, or verified now.
///
/// # Errors
/// 401 for a token that is not trusted, 403 for a disabled user.
pub(crate) async fn authenticate(state: &AppState, token: &str) -> Result<Arc<Bearer>, ApiError> {
    let now = (state.clock)();
    let identity = &state.identity;
    let hash = hash(token);
    if let Some(known) = identity.bearers().find(&hash, now) {
        return Ok(known);
    }
    let generation = identity.bearers().generation();
    let claims = identity.key().verify(token, now).ok_or(Transport::LoginRequired)?;
    let bearer = Arc::new(bearer(state, claims, now).await?);
    if bearer.user.disabled_at.is_some() {
        return Err(Transport::Disabled.into());
    }
    identity.bearers().add(hash, Arc::clone(&bearer), generation);
    Ok(bearer)
}

async fn bearer(state: &AppState, claims: Claims, now: Instant) -> Result<Bearer, ApiError> {
    let Some(id) = claims.id() else {
        // Printed before tokens had ids: the signature is all there is.
        let expires_at = claims.expires_at();
        let user = Arc::new(sign_in(state, claims.into_email()).await?);
        return Ok(Bearer { user, scope: TokenScope::default(), expires_at });
    };
    let found = run::read(state, move |tx| token::bearer(tx, id, now)).await?;
    let (user, token) = found.ok_or(Transport::LoginRequired)?;
    Ok(Bearer { user: Arc::new(user), scope: token.scope, expires_at: token.expires_at })
}

/// The user with that address, found in the database or made.
async fn sign_in(state: &AppState, email: Email) -> Result<User, ApiError> {
    let wanted = email.clone();
    if let Some(found) = run::read(state, move |tx| user::find(tx, &wanted)).await? {
        return Ok(found);
    }
    let make = || {
        let (ids, now, email) = (Arc::clone(&state.ids), (state.clock)(), email.clone());
        run::write(state, Lane::of_newcomer(&email), move |tx| user::sign_in(tx, &email, &ids, now))
    };
    match make().await {
        // Another process made the same user, or one of the same name, at the same moment.
        Err(ApiError::Service(Error::Storage(daybook_storage::Error::UniqueViolation(_)))) => {
            make().await
        }
        outcome => outcome,
    }
}
