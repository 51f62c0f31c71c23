//! What becomes of tokens that were given: clients revoke them (RFC 7009), and ask whether they are
//! still valid (RFC 7662).

use actix_web::{HttpRequest, HttpResponse, web};
use daybook_domain::id::GrantId;
use daybook_domain::instant::Instant;
use daybook_service::grant;
use daybook_storage::Lane;
use serde::Serialize;
use serde_json::json;

use super::client_proof::client;
use super::fields::Fields;
use super::refused::{answered, invalid_client, refused};
use super::signed::RefreshToken;
use crate::error::ApiError;
use crate::form::Form;
use crate::identity::authenticate::own;
use crate::request_head::host;
use crate::run;
use crate::session::page::guarded;
use crate::state::AppState;

/// POST /auth/revoke: ends the grant of a token, and with it all tokens that hang on it. A token
/// that is unknown has ended.
pub(crate) async fn revoke(
    request: HttpRequest,
    state: web::Data<AppState>,
    form: Result<Form, ApiError>,
) -> HttpResponse {
    answered(revoked(&request, &state, form).await)
}

async fn revoked(
    request: &HttpRequest,
    state: &AppState,
    form: Result<Form, ApiError>,
) -> Result<HttpResponse, ApiError> {
    let (fields, now) = (&Fields(form?.0), (state.clock)());
    let id = match client(request, fields, state)? {
        Ok(known) => known.client.id.as_str(),
        Err(unproven) => return Ok(unproven.answer()),
    };
    let token = match fields.required("token") {
        Ok(token) => token,
        Err(refusal) => return Ok(refused(&refusal)),
    };
    if let Some(named) = grant_of(state, token, now) {
        let found = run::read(state, move |tx| grant::find(tx, named, now)).await?;
        match found {
            Some((found, _)) if found.client != id => {
                return Ok(refused(&daybook_domain::grant::Refusal::InvalidGrant));
            }
            Some((found, _)) => {
                let lane = Lane::of_user(found.user);
                run::write(state, lane, move |tx| grant::end(tx, named)).await?;
                state.identity.forget();
            }
            None => {}
        }
    }
    Ok(guarded(HttpResponse::Ok()).finish())
}

/// The grant that a refresh token or an access token names.
fn grant_of(state: &AppState, token: &str, now: Instant) -> Option<GrantId> {
    let refresh = RefreshToken::read(token, state, now).and_then(|token| token.grant());
    refresh.or_else(|| state.identity.key().verify(token, now)?.grant())
}

/// What is told about a token that is valid.
#[derive(Serialize)]
struct ActiveOut {
    active: bool,
    scope: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    client_id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    token_type: Option<&'static str>,
    exp: i64,
    sub: String,
    iss: String,
    username: String,
    email: String,
    email_verified: bool,
}

/// POST /auth/introspect: whether a token is valid, and whose it is. Only clients with a secret may
/// ask.
pub(crate) async fn introspect(
    request: HttpRequest,
    state: web::Data<AppState>,
    form: Result<Form, ApiError>,
) -> HttpResponse {
    answered(introspected(&request, &state, form).await)
}

async fn introspected(
    request: &HttpRequest,
    state: &AppState,
    form: Result<Form, ApiError>,
) -> Result<HttpResponse, ApiError> {
    let (fields, now) = (&Fields(form?.0), (state.clock)());
    match client(request, fields, state)? {
        Ok(known) if known.secret.is_some() => {}
        Ok(_) => return Ok(invalid_client()),
        Err(unproven) => return Ok(unproven.answer()),
    }
    let token = match fields.required("token") {
        Ok(token) => token,
        Err(refusal) => return Ok(refused(&refusal)),
    };
    let base = state.base(host(request));
    let active = match RefreshToken::read(token, state, now) {
        Some(refresh) => of_refresh_token(state, &refresh, base, now).await?,
        None => of_access_token(state, token, base, now).await?,
    };
    let mut answer = guarded(HttpResponse::Ok());
    Ok(match active {
        Some(active) => answer.json(active),
        None => answer.json(json!({ "active": false })),
    })
}

async fn of_refresh_token(
    state: &AppState,
    token: &RefreshToken,
    iss: String,
    now: Instant,
) -> Result<Option<ActiveOut>, ApiError> {
    let Some(id) = token.grant() else { return Ok(None) };
    let found = run::read(state, move |tx| grant::find(tx, id, now)).await?;
    let found = found
        .filter(|(found, user)| found.rotation == token.rotation && user.disabled_at.is_none());
    Ok(found.map(|(found, user)| ActiveOut {
        active: true,
        scope: found.scope.to_string(),
        client_id: Some(found.client),
        token_type: None,
        exp: token.exp(),
        sub: user.id.to_string(),
        iss,
        username: user.username,
        email: user.email.to_string(),
        email_verified: true,
    }))
}

/// A token that is limited (behaviour 11.9) is none for other servers, which cannot keep its
/// limits.
async fn of_access_token(
    state: &AppState,
    token: &str,
    iss: String,
    now: Instant,
) -> Result<Option<ActiveOut>, ApiError> {
    let Some(claims) = state.identity.key().verify(token, now) else { return Ok(None) };
    let grant = claims.grant();
    let bearer = match own(state, claims, now).await {
        Ok(bearer) => bearer,
        Err(error) if error.is_unauthenticated() => return Ok(None),
        Err(error) => return Err(error),
    };
    if bearer.user.disabled_at.is_some() || bearer.scope.is_limited() {
        return Ok(None);
    }
    let found = match grant {
        Some(id) => run::read(state, move |tx| grant::find(tx, id, now)).await?,
        None => None,
    };
    let (scope, client_id) = match found {
        Some((found, _)) => (found.scope.to_string(), Some(found.client)),
        None => ("email".to_owned(), None),
    };
    Ok(Some(ActiveOut {
        active: true,
        scope,
        client_id,
        token_type: Some("Bearer"),
        exp: bearer.expires_at.seconds(),
        sub: bearer.user.id.to_string(),
        iss,
        username: bearer.user.username.clone(),
        email: bearer.user.email.to_string(),
        email_verified: true,
    }))
}
