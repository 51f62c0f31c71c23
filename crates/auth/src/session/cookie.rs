//! The session cookie and the cookie of the return target.
//!
//! Both are `HttpOnly` and `SameSite=Lax`.

use std::borrow::Cow;

use actix_web::cookie::time::Duration;
use actix_web::cookie::{Cookie, SameSite};
use actix_web::{HttpRequest, HttpResponse};
use base64::Engine;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use daybook_domain::id::SessionId;
use daybook_domain::session::{SESSION_DAYS, SecretDigest};
use daybook_edge::error::RequestError;
use daybook_edge::outgoing::address::is_loopback;
use daybook_edge::request_head::host;
use reqwest::Url;

use super::return_to::ReturnTo;
use super::secret::{LoginSecret, digest};
use crate::state::Auth;

/// The name of the session cookie; its value is the id and the secret.
const SESSION: &str = "daybook_session";
/// The name of the cookie with the address to return to after signing in.
const RETURN: &str = "daybook_return";
/// The lifetime of the return cookie.
const RETURN_MINUTES: i64 = 60;

/// Reads the session id and the digest of its secret from the session cookie.
pub(super) fn session(request: &HttpRequest) -> Option<(SessionId, SecretDigest)> {
    let cookie = request.cookie(SESSION)?;
    let (id, secret) = cookie.value().split_once('.')?;
    Some((id.parse().ok()?, digest(secret)))
}

/// Returns the cookie that stores a new session.
pub(super) fn set_session(
    request: &HttpRequest,
    state: &Auth,
    id: SessionId,
    secret: &LoginSecret,
) -> Cookie<'static> {
    let value = format!("{id}.{}", secret.as_str());
    build(request, state, SESSION, value, Duration::days(SESSION_DAYS))
}

/// Returns the session cookie of the request with a renewed lifetime.
pub(super) fn extend_session(request: &HttpRequest, state: &Auth) -> Option<Cookie<'static>> {
    let value = request.cookie(SESSION)?.value().to_owned();
    Some(build(request, state, SESSION, value, Duration::days(SESSION_DAYS)))
}

/// Returns the cookie that removes the session cookie.
pub(super) fn remove_session(request: &HttpRequest, state: &Auth) -> Cookie<'static> {
    build(request, state, SESSION, String::new(), Duration::ZERO)
}

/// Reads and validates the return target. The browser could have changed it.
pub(super) fn return_to(request: &HttpRequest, state: &Auth) -> Option<ReturnTo> {
    let bytes = BASE64_URL_SAFE_NO_PAD.decode(request.cookie(RETURN)?.value()).ok()?;
    ReturnTo::read(&String::from_utf8(bytes).ok()?, state)
}

/// Returns the cookie that stores the return target.
pub(super) fn set_return_to(
    request: &HttpRequest,
    state: &Auth,
    return_to: &ReturnTo,
) -> Cookie<'static> {
    // A URL may contain characters that end the value of a cookie.
    let value = BASE64_URL_SAFE_NO_PAD.encode(return_to.as_str());
    build(request, state, RETURN, value, Duration::minutes(RETURN_MINUTES))
}

/// Returns the cookie that removes the return target.
pub(super) fn remove_return_to(request: &HttpRequest, state: &Auth) -> Cookie<'static> {
    build(request, state, RETURN, String::new(), Duration::ZERO)
}

/// Adds a cookie to a response.
///
/// # Errors
/// 500 when it cannot be written.
pub(super) fn add(response: &mut HttpResponse, cookie: &Cookie<'_>) -> Result<(), RequestError> {
    response.add_cookie(cookie).map_err(|error| RequestError::Failed(error.to_string()))
}

/// Builds a cookie that browsers send to `/auth` only.
pub(super) fn build(
    request: &HttpRequest,
    state: &Auth,
    name: impl Into<Cow<'static, str>>,
    value: String,
    age: Duration,
) -> Cookie<'static> {
    let path = format!("{}/auth", state.edge.site.public_path());
    Cookie::build(name, value)
        .path(path)
        .max_age(age)
        .http_only(true)
        .same_site(SameSite::Lax)
        .secure(!is_plain(request, state))
        .finish()
}

/// Whether browsers reach the server without TLS, so that they do not store `Secure` cookies.
///
/// Only the operator decides so for a network, by the public URL.
fn is_plain(request: &HttpRequest, state: &Auth) -> bool {
    let site = &state.edge.site;
    let base = Url::parse(&site.base(host(request)));
    let is_decided = |url: &Url| site.public_url.is_some() || is_loopback(url);
    base.is_ok_and(|url| url.scheme() == "http" && is_decided(&url))
}
