//! The tokens of a grant.

use actix_web::HttpResponse;
use daybook_domain::grant::{ACCESS_SECONDS, Grant};
use daybook_domain::instant::Instant;
use daybook_edge::error::{ApiError, RequestError};
use daybook_storage::user::User;
use serde::Serialize;

use super::id_token::id_token;
use super::signed_tokens::RefreshToken;
use crate::session::page::with_security_headers;
use crate::state::Auth;

/// The response of the token endpoint (RFC 6749, 5.1).
#[derive(Serialize)]
struct TokensOut {
    access_token: String,
    token_type: &'static str,
    expires_in: i64,
    refresh_token: String,
    scope: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    id_token: Option<String>,
}

/// Signs an access token of a grant.
///
/// # Errors
/// 500 when the token cannot be signed.
pub(super) fn access_token(
    state: &Auth,
    grant: &Grant,
    user: &User,
    now: Instant,
) -> Result<String, RequestError> {
    let expires_at = Grant::access_token_expiry(now);
    let key = state.identity.key();
    key.sign_for_grant(grant.id, &user.email, now, expires_at)
        .map_err(|error| RequestError::Failed(error.to_string()))
}

/// Responds with the tokens of a redeemed grant.
///
/// # Errors
/// 500 when a token cannot be signed.
pub(super) async fn respond(
    state: &Auth,
    grant: &Grant,
    user: &User,
    issuer: &str,
    nonce: Option<&str>,
    now: Instant,
) -> Result<HttpResponse, ApiError> {
    let access_token = access_token(state, grant, user, now)?;
    let id_token = id_token(state, grant, user, issuer, nonce, &access_token, now).await?;
    Ok(with_security_headers(HttpResponse::Ok()).json(TokensOut {
        access_token,
        token_type: "Bearer",
        expires_in: ACCESS_SECONDS,
        refresh_token: RefreshToken::new(grant).sign(state)?,
        scope: grant.scope.to_string(),
        id_token,
    }))
}
