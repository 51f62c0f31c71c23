//! What becomes of tokens that were given: clients revoke them (RFC 7009), and ask whether they are
//! still valid (RFC 7662).

use actix_web::http::header::AUTHORIZATION;
use actix_web::{HttpRequest, HttpResponse, web};
use daybook_domain::grant::Refusal;
use daybook_domain::id::GrantId;
use daybook_domain::instant::Instant;
use daybook_service::grant;
use daybook_storage::ShardKey;
use serde::Serialize;
use serde_json::json;

use super::client_auth::client;
use super::fields::Fields;
use super::refused::{InvalidClient, answered, invalid_client, refused};
use super::signed::RefreshToken;
use crate::error::ApiError;
use crate::form::Form;
use crate::identity::authenticate::own;
use crate::parameters;
use crate::request_head::{has_body, host};
use crate::run;
use crate::session::page::guarded;
use crate::state::AppState;

/// POST /auth/revoke: ends the grant of a token, and with it all tokens that hang on it. A token
/// that is unknown has ended. Existing programs send the token in the query, without a body and
/// without saying which client they are; whoever has the token of a client without a secret may
/// revoke it (behaviour 11.18).
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
    let (fields, now) = (&of_revocation(request, form)?, (state.clock)());
    if let Some(name) = fields.repeated() {
        return Ok(InvalidClient::Malformed(format!("{name} stands twice")).answer());
    }
    let names_client =
        fields.get("client_id").is_some() || request.headers().contains_key(AUTHORIZATION);
    let sender = match names_client.then(|| client(request, fields, state)).transpose()? {
        Some(Ok(known)) => Some(known.client.id.as_str()),
        Some(Err(unproven)) => return Ok(unproven.answer()),
        None => None,
    };
    let token = match fields.required("token") {
        Ok(token) => token,
        Err(refusal) => return Ok(refused(&refusal)),
    };
    let Some(named) = grant_of(state, token, now) else { return Ok(ended()) };
    let found = run::read(state, move |tx| grant::find(tx, named, now)).await?;
    let Some((found, _)) = found else { return Ok(ended()) };
    match sender {
        Some(id) if id != found.client => return Ok(refused(&Refusal::InvalidGrant)),
        None if has_secret(state, &found.client) => return Ok(invalid_client()),
        Some(_) | None => {}
    }
    run::write(state, ShardKey::of_user(found.user), move |tx| grant::end(tx, named)).await?;
    state.identity.forget();
    Ok(ended())
}

/// The parameters of a revocation: those of the form, and those of the query but for secrets, which
/// do not belong in addresses (RFC 6749, 2.3.1).
fn of_revocation(request: &HttpRequest, form: Result<Form, ApiError>) -> Result<Fields, ApiError> {
    let form = match form {
        Err(_) if !has_body(request.headers()) => Vec::new(),
        form => form?.0,
    };
    let query = parameters::pairs(request).into_iter();
    let named = query.filter(|(name, _)| matches!(&**name, "token" | "client_id"));
    Ok(Fields(form.into_iter().chain(named).collect()))
}

/// The answer when a token is valid no more.
fn ended() -> HttpResponse {
    guarded(HttpResponse::Ok()).finish()
}

/// Whether a client proves by a secret that it is the one it says.
fn has_secret(state: &AppState, client: &str) -> bool {
    state.clients.find(client).is_some_and(|known| known.secret.is_some())
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
