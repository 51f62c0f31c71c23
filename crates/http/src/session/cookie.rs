//! The cookies that a browser keeps. No script reads them, and no other site makes a browser send
//! them but by a link.

use std::borrow::Cow;

use actix_web::cookie::time::Duration;
use actix_web::cookie::{Cookie, SameSite};
use actix_web::{HttpRequest, HttpResponse};
use base64::Engine;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use daybook_domain::id::SessionId;
use daybook_domain::session::{SESSION_DAYS, SecretDigest};
use reqwest::Url;

use super::return_to::ReturnTo;
use super::secret::{LoginSecret, digest};
use crate::error::RequestError;
use crate::outgoing::address::is_loopback;
use crate::request_head::host;
use crate::state::AppState;

/// The cookie of the session: its id and its secret.
const SESSION: &str = "daybook_session";
/// The cookie of the address to return to after signing in.
const RETURN: &str = "daybook_return";
/// How long the way back is remembered.
const RETURN_MINUTES: i64 = 60;

/// The session that a browser shows: its id and the digest of its secret.
pub(super) fn session(request: &HttpRequest) -> Option<(SessionId, SecretDigest)> {
    let cookie = request.cookie(SESSION)?;
    let (id, secret) = cookie.value().split_once('.')?;
    Some((id.parse().ok()?, digest(secret)))
}

/// Makes a browser keep a session.
pub(super) fn keep_session(
    request: &HttpRequest,
    state: &AppState,
    (id, secret): (SessionId, &LoginSecret),
) -> Cookie<'static> {
    let value = format!("{id}.{}", secret.as_str());
    made(request, state, (SESSION, value), Duration::days(SESSION_DAYS))
}

/// Makes a browser keep the session that it shows, for as long again.
pub(super) fn keep_on(request: &HttpRequest, state: &AppState) -> Option<Cookie<'static>> {
    let value = request.cookie(SESSION)?.value().to_owned();
    Some(made(request, state, (SESSION, value), Duration::days(SESSION_DAYS)))
}

/// Makes a browser forget its session.
pub(super) fn forget_session(request: &HttpRequest, state: &AppState) -> Cookie<'static> {
    made(request, state, (SESSION, String::new()), Duration::ZERO)
}

/// Where to return to, as it was remembered. It is checked again: a cookie is a browser's own.
pub(super) fn way_back(request: &HttpRequest, state: &AppState) -> Option<ReturnTo> {
    let bytes = BASE64_URL_SAFE_NO_PAD.decode(request.cookie(RETURN)?.value()).ok()?;
    ReturnTo::read(&String::from_utf8(bytes).ok()?, state)
}

/// Makes a browser remember where to return to.
pub(super) fn keep_way_back(
    request: &HttpRequest,
    state: &AppState,
    to: &ReturnTo,
) -> Cookie<'static> {
    // An address may hold characters that end the value of a cookie.
    let value = BASE64_URL_SAFE_NO_PAD.encode(to.as_str());
    made(request, state, (RETURN, value), Duration::minutes(RETURN_MINUTES))
}

/// Makes a browser forget where to return to.
pub(super) fn forget_way_back(request: &HttpRequest, state: &AppState) -> Cookie<'static> {
    made(request, state, (RETURN, String::new()), Duration::ZERO)
}

/// Adds a cookie to an answer.
///
/// # Errors
/// 500 when it cannot be written.
pub(super) fn add(answer: &mut HttpResponse, cookie: &Cookie<'_>) -> Result<(), RequestError> {
    answer.add_cookie(cookie).map_err(|error| RequestError::Failed(error.to_string()))
}

/// A cookie for the pages and endpoints of signing in.
pub(super) fn made(
    request: &HttpRequest,
    state: &AppState,
    (name, value): (impl Into<Cow<'static, str>>, String),
    age: Duration,
) -> Cookie<'static> {
    let path = format!("{}/auth", state.public_path());
    Cookie::build(name, value)
        .path(path)
        .max_age(age)
        .http_only(true)
        .same_site(SameSite::Lax)
        .secure(!is_plain_loopback(request, state))
        .finish()
}

/// Whether a browser reaches the server on its own machine without TLS, where a secure cookie would
/// not be kept.
fn is_plain_loopback(request: &HttpRequest, state: &AppState) -> bool {
    let base = Url::parse(&state.base(host(request)));
    base.is_ok_and(|url| url.scheme() == "http" && is_loopback(&url))
}
