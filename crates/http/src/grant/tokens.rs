//! The tokens that hang on a grant.

use actix_web::HttpResponse;
use daybook_domain::grant::{ACCESS_SECONDS, Grant};
use daybook_domain::instant::Instant;
use daybook_storage::user::User;
use serde::Serialize;

use super::id_token::id_token;
use super::signed::RefreshToken;
use crate::error::{ApiError, RequestError};
use crate::session::page::guarded;
use crate::state::AppState;

/// The answer of a token endpoint (RFC 6749, 5.1).
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

/// An access token that hangs on a grant.
///
/// # Errors
/// 500 when it cannot be signed.
pub(super) fn access_token(
    state: &AppState,
    grant: &Grant,
    user: &User,
    now: Instant,
) -> Result<String, RequestError> {
    let until = Grant::access_until(now);
    let signed = state.identity.key().sign_for_grant(grant.id, &user.email, now, until);
    signed.map_err(|error| RequestError::Failed(error.to_string()))
}

/// Answers with the tokens of a grant that was redeemed. `asked` is the address of this server, and
/// the nonce of the request for a code.
///
/// # Errors
/// 500 when one cannot be signed.
pub(super) async fn answer(
    state: &AppState,
    (grant, user): (&Grant, &User),
    asked: (&str, Option<&str>),
    now: Instant,
) -> Result<HttpResponse, ApiError> {
    let access_token = access_token(state, grant, user, now)?;
    let id_token = id_token(state, (grant, user), asked, &access_token, now).await?;
    Ok(guarded(HttpResponse::Ok()).json(TokensOut {
        access_token,
        token_type: "Bearer",
        expires_in: ACCESS_SECONDS,
        refresh_token: RefreshToken::new(grant).sign(state)?,
        scope: grant.scope.to_string(),
        id_token,
    }))
}
