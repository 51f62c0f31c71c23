//! Token revocation (RFC 7009) and introspection (RFC 7662).

use actix_web::http::header::AUTHORIZATION;
use actix_web::{HttpRequest, HttpResponse, web};
use daybook_domain::grant::Refusal;
use daybook_domain::id::GrantId;
use daybook_domain::instant::Instant;
use daybook_edge::error::ApiError;
use daybook_edge::form::Form;
use daybook_edge::request_head::{has_body, host};
use daybook_edge::{parameters, run};
use daybook_service::grant;
use serde::Serialize;
use serde_json::json;

use super::client_auth::authenticate_client;
use super::fields::Fields;
use super::oauth_error::{InvalidClient, into_oauth_response, invalid_client, refuse};
use super::signed_tokens::RefreshToken;
use crate::identity::authenticate::resolve_own_token;
use crate::session::page::with_security_headers;
use crate::state::Auth;

/// POST /auth/revoke: ends the grant of a token, and with it all tokens of the grant.
///
/// An unknown token counts as revoked. Existing programs send the token in the query, without a
/// body and without a client id. The token of a public client suffices to revoke it (behaviour
/// 11.18).
pub async fn revoke(
    request: HttpRequest,
    state: web::Data<Auth>,
    form: Result<Form, ApiError>,
) -> HttpResponse {
    into_oauth_response(revoke_token(&request, &state, form).await)
}

async fn revoke_token(
    request: &HttpRequest,
    state: &Auth,
    form: Result<Form, ApiError>,
) -> Result<HttpResponse, ApiError> {
    let (fields, now) = (&revocation_fields(request, form)?, (state.edge.clock)());
    if let Some(name) = fields.repeated() {
        return Ok(InvalidClient::Malformed(format!("{name} is repeated")).response());
    }
    let has_client_id =
        fields.get("client_id").is_some() || request.headers().contains_key(AUTHORIZATION);
    let client_id = if has_client_id {
        match authenticate_client(request, fields, state)? {
            Ok(registered) => Some(registered.client.id.as_str()),
            Err(invalid) => return Ok(invalid.response()),
        }
    } else {
        None
    };
    let token = match fields.required("token") {
        Ok(token) => token,
        Err(refusal) => return Ok(refuse(&refusal)),
    };
    let Some(grant_id) = grant_of(state, token, now) else { return Ok(revoked_response()) };
    let found = run::read(&state.edge, move |tx| grant::find(tx, grant_id, now)).await?;
    let Some((found, _)) = found else { return Ok(revoked_response()) };
    match client_id {
        Some(id) if id != found.client => return Ok(refuse(&Refusal::InvalidGrant)),
        None if is_confidential(state, &found.client) => return Ok(invalid_client()),
        Some(_) | None => {}
    }
    run::write(&state.edge, grant::shard_key(found.user), move |tx| grant::end(tx, grant_id))
        .await?;
    state.identity.clear_bearers();
    Ok(revoked_response())
}

/// Returns the parameters of a revocation: the form, and `token` and `client_id` of the query.
///
/// A secret in the query is ignored (RFC 6749, 2.3.1).
fn revocation_fields(
    request: &HttpRequest,
    form: Result<Form, ApiError>,
) -> Result<Fields, ApiError> {
    let form = match form {
        Err(_) if !has_body(request.headers()) => Vec::new(),
        form => form?.0,
    };
    let query = parameters::pairs(request).into_iter();
    let query = query.filter(|(name, _)| matches!(&**name, "token" | "client_id"));
    Ok(Fields(form.into_iter().chain(query).collect()))
}

/// Returns the response to a successful revocation.
fn revoked_response() -> HttpResponse {
    with_security_headers(HttpResponse::Ok()).finish()
}

/// Whether a client is registered with a secret (RFC 6749, 2.1).
fn is_confidential(state: &Auth, client: &str) -> bool {
    state.clients.find(client).is_some_and(|registered| registered.secret.is_some())
}

/// Returns the grant that a refresh token or an access token names.
fn grant_of(state: &Auth, token: &str, now: Instant) -> Option<GrantId> {
    let refresh = RefreshToken::read(token, state, now).and_then(|token| token.grant());
    refresh.or_else(|| state.identity.key().verify(token, now)?.grant())
}

/// The introspection response for a valid token.
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

/// POST /auth/introspect: tells whether a token is valid, and its owner.
///
/// Only clients with a secret may call it.
pub async fn introspect(
    request: HttpRequest,
    state: web::Data<Auth>,
    form: Result<Form, ApiError>,
) -> HttpResponse {
    into_oauth_response(introspect_token(&request, &state, form).await)
}

async fn introspect_token(
    request: &HttpRequest,
    state: &Auth,
    form: Result<Form, ApiError>,
) -> Result<HttpResponse, ApiError> {
    let (fields, now) = (&Fields(form?.0), (state.edge.clock)());
    match authenticate_client(request, fields, state)? {
        Ok(registered) if registered.secret.is_some() => {}
        Ok(_) => return Ok(invalid_client()),
        Err(invalid) => return Ok(invalid.response()),
    }
    let token = match fields.required("token") {
        Ok(token) => token,
        Err(refusal) => return Ok(refuse(&refusal)),
    };
    let base = state.edge.site.base(host(request));
    let active = match RefreshToken::read(token, state, now) {
        Some(refresh) => introspect_refresh_token(state, &refresh, base, now).await?,
        None => introspect_access_token(state, token, base, now).await?,
    };
    let mut response = with_security_headers(HttpResponse::Ok());
    Ok(match active {
        Some(active) => response.json(active),
        None => response.json(json!({ "active": false })),
    })
}

async fn introspect_refresh_token(
    state: &Auth,
    token: &RefreshToken,
    iss: String,
    now: Instant,
) -> Result<Option<ActiveOut>, ApiError> {
    let Some(id) = token.grant() else { return Ok(None) };
    let found = run::read(&state.edge, move |tx| grant::find(tx, id, now)).await?;
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

/// Describes a valid access token.
///
/// Limited tokens (behaviour 11.9) are reported as inactive, because other servers cannot enforce
/// their limits.
async fn introspect_access_token(
    state: &Auth,
    token: &str,
    iss: String,
    now: Instant,
) -> Result<Option<ActiveOut>, ApiError> {
    let Some(claims) = state.identity.key().verify(token, now) else { return Ok(None) };
    let grant = claims.grant();
    let bearer = match resolve_own_token(state, claims, now).await {
        Ok(bearer) => bearer,
        Err(error) if error.is_unauthenticated() => return Ok(None),
        Err(error) => return Err(error),
    };
    if bearer.user.disabled_at.is_some() || bearer.scope.is_limited() {
        return Ok(None);
    }
    let found = match grant {
        Some(id) => run::read(&state.edge, move |tx| grant::find(tx, id, now)).await?,
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
