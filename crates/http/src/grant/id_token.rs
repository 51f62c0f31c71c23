//! Who somebody is, for clients: ID tokens and userinfo (OpenID Connect Core, 2 and 5).

use actix_web::{HttpRequest, HttpResponse, web};
use base64::Engine;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use daybook_domain::grant::{Grant, GrantScope};
use daybook_domain::instant::Instant;
use daybook_domain::signing_key::SigningAlgorithm;
use daybook_service::grant;
use daybook_storage::user::User;
use serde::Serialize;

use crate::error::{ApiError, RequestError};
use crate::identity::authenticate::authenticate;
use crate::request_head::bearer;
use crate::run;
use crate::session::page::guarded;
use crate::session::secret::digest;
use crate::signing_key;
use crate::state::AppState;

/// What is told about a user.
#[derive(Serialize)]
struct UserClaims {
    sub: String,
    email: String,
    email_verified: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    given_name: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    family_name: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    picture: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    preferred_username: Option<String>,
}

impl UserClaims {
    /// What a scope lets a client learn.
    fn new(user: &User, scope: &GrantScope) -> Self {
        let profile = scope.has("profile").then(|| user.profile.clone());
        let username = profile.as_ref().map(|_| user.username.clone());
        let profile = profile.unwrap_or_default();
        Self {
            sub: user.id.to_string(),
            email: user.email.to_string(),
            email_verified: true,
            name: profile.full_name(),
            given_name: profile.given_name,
            family_name: profile.family_name,
            picture: profile.picture,
            preferred_username: username,
        }
    }
}

/// What userinfo answers: who somebody is, and for what and how long the token is valid.
#[derive(Serialize)]
struct UserinfoOut {
    #[serde(flatten)]
    user: UserClaims,
    scope: String,
    /// Seconds.
    expires_in: i64,
}

/// The claims of an ID token.
#[derive(Serialize)]
struct IdClaims<'c> {
    iss: &'c str,
    aud: &'c str,
    exp: i64,
    iat: i64,
    auth_time: i64,
    #[serde(skip_serializing_if = "Option::is_none")]
    nonce: Option<&'c str>,
    at_hash: String,
    #[serde(flatten)]
    user: UserClaims,
}

/// The ID token that comes with an access token; none without the scope `openid`.
///
/// # Errors
/// 500 when it cannot be signed.
pub(super) async fn id_token(
    state: &AppState,
    (grant, user): (&Grant, &User),
    (issuer, nonce): (&str, Option<&str>),
    access_token: &str,
    now: Instant,
) -> Result<Option<String>, ApiError> {
    if !grant.scope.has("openid") {
        return Ok(None);
    }
    let claims = IdClaims {
        iss: issuer,
        aud: &grant.client,
        exp: Grant::access_until(now).seconds(),
        iat: now.seconds(),
        auth_time: grant.signed_in_at.seconds(),
        nonce,
        at_hash: access_token_hash(access_token),
        user: UserClaims::new(user, &grant.scope),
    };
    // RS256 is what clients expect that say nothing else (OpenID Connect Core, 15.1).
    signing_key::sign(state, SigningAlgorithm::Rs256, "JWT", &claims).await.map(Some)
}

/// The left half of the token's SHA-256 (OpenID Connect Core, 3.1.3.6).
fn access_token_hash(token: &str) -> String {
    let digest = digest(token);
    let (half, _) = digest.split_at(digest.len() / 2);
    BASE64_URL_SAFE_NO_PAD.encode(half)
}

/// GET and POST /auth/userinfo: who the bearer of a token is.
pub(crate) async fn userinfo(
    request: HttpRequest,
    state: web::Data<AppState>,
) -> Result<HttpResponse, ApiError> {
    let now = (state.clock)();
    let token = bearer(&request).ok_or(RequestError::LoginRequired)?;
    let caller = authenticate(&request, &state, token).await?;
    let granted = state.identity.key().verify(token, now).and_then(|claims| claims.grant());
    let found = match granted {
        Some(id) => run::read(&state, move |tx| grant::find(tx, id, now)).await?,
        None => None,
    };
    let scope = found.map_or_else(|| GrantScope::stored("email"), |(grant, _)| grant.scope);
    Ok(guarded(HttpResponse::Ok()).json(UserinfoOut {
        user: UserClaims::new(&caller.user, &scope),
        scope: scope.to_string(),
        expires_in: caller.expires_at.seconds().saturating_sub(now.seconds()),
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_hash_of_a_token_is_the_left_half() {
        // The example of OpenID Connect Core, A.3, whose algorithm is RS256.
        let token = "jHkWEdUXMU1BwAsC4vtUsZwnNvTIxEl0z9K3vx5KF0Y";
        assert_eq!(access_token_hash(token), "77QmUPtjPfzWtF2AnpK9RQ");
    }
}
