//! The claims about a user: ID tokens and userinfo (OpenID Connect Core, 2 and 5).

use actix_web::{HttpRequest, HttpResponse, web};
use base64::Engine;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use daybook_domain::grant::{Grant, GrantScope};
use daybook_domain::instant::Instant;
use daybook_domain::signing_key::SigningAlgorithm;
use daybook_domain::user::Profile;
use daybook_edge::error::{ApiError, RequestError};
use daybook_edge::request_head::bearer;
use daybook_edge::run;
use daybook_service::grant;
use daybook_storage::user::User;
use serde::Serialize;

use crate::identity::authenticate::authenticate;
use crate::session::page::with_security_headers;
use crate::session::secret::digest;
use crate::signing_key;
use crate::state::Auth;

/// The claims about a user.
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
    /// Returns the claims that the scope covers.
    fn new(user: &User, scope: &GrantScope) -> Self {
        let (profile, username) = if scope.has("profile") {
            (user.profile.clone(), Some(user.username.clone()))
        } else {
            (Profile::default(), None)
        };
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

/// The response of userinfo: the user, and the scope and lifetime of the token.
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

/// Signs the ID token for an access token; `None` without the scope `openid`.
///
/// # Errors
/// 500 when the token cannot be signed.
pub(super) async fn id_token(
    state: &Auth,
    grant: &Grant,
    user: &User,
    issuer: &str,
    nonce: Option<&str>,
    access_token: &str,
    now: Instant,
) -> Result<Option<String>, ApiError> {
    if !grant.scope.has("openid") {
        return Ok(None);
    }
    let claims = IdClaims {
        iss: issuer,
        aud: &grant.client,
        exp: Grant::access_token_expiry(now).seconds(),
        iat: now.seconds(),
        auth_time: grant.signed_in_at.seconds(),
        nonce,
        at_hash: access_token_hash(access_token),
        user: UserClaims::new(user, &grant.scope),
    };
    // RS256 is the default that all clients support (OpenID Connect Core, 15.1).
    signing_key::sign(state, SigningAlgorithm::Rs256, "JWT", &claims).await.map(Some)
}

/// Returns the left half of the token's SHA-256 (OpenID Connect Core, 3.1.3.6).
fn access_token_hash(token: &str) -> String {
    let digest = digest(token);
    let (half, _) = digest.split_at(digest.len() / 2);
    BASE64_URL_SAFE_NO_PAD.encode(half)
}

/// GET and POST /auth/userinfo: returns the claims about the owner of a token.
pub async fn userinfo(
    request: HttpRequest,
    state: web::Data<Auth>,
) -> Result<HttpResponse, ApiError> {
    let now = (state.edge.clock)();
    let token = bearer(&request).ok_or(RequestError::LoginRequired)?;
    let caller = authenticate(&request, &state, token).await?;
    let grant_id = state.identity.key().verify(token, now).and_then(|claims| claims.grant());
    let found = match grant_id {
        Some(id) => run::read(&state.edge, move |tx| grant::find(tx, id, now)).await?,
        None => None,
    };
    let scope = found.map_or_else(|| GrantScope::stored("email"), |(grant, _)| grant.scope);
    Ok(with_security_headers(HttpResponse::Ok()).json(UserinfoOut {
        user: UserClaims::new(&caller.user, &scope),
        scope: scope.to_string(),
        expires_in: caller.expires_at.seconds().saturating_sub(now.seconds()),
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn access_token_hash_is_the_left_half() {
        // The example of OpenID Connect Core, A.3, whose algorithm is RS256.
        let token = "jHkWEdUXMU1BwAsC4vtUsZwnNvTIxEl0z9K3vx5KF0Y";
        assert_eq!(access_token_hash(token), "77QmUPtjPfzWtF2AnpK9RQ");
    }
}
