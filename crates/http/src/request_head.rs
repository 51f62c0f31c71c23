//! What is read from the headers of a request.

use actix_web::HttpRequest;
use actix_web::http::header::{
    AUTHORIZATION, CONTENT_LENGTH, HOST, HeaderMap, HeaderName, IF_MATCH, TRANSFER_ENCODING,
};
use actix_web::http::uri::Authority;
use daybook_domain::app::AppId;
use daybook_service::Error;

use crate::error::ApiError;
use crate::state::AppState;

/// Where a list goes on (behaviour 2.1).
const CURSOR: HeaderName = HeaderName::from_static("cursor");
/// Longest agent id that is kept, in characters.
const MAX_AGENT: usize = 255;

/// `If-Match` of a write, several of them joined with commas. A value that is not text never
/// matches.
pub(crate) fn if_match(request: &HttpRequest) -> Option<String> {
    if request.method().is_safe() {
        return None;
    }
    let given: Vec<&str> =
        request.headers().get_all(IF_MATCH).map(|value| value.to_str().unwrap_or("?")).collect();
    (!given.is_empty()).then(|| given.join(", "))
}

/// Where a list goes on (behaviour 2.1).
pub(crate) fn cursor(request: &HttpRequest) -> Option<&str> {
    header(request, &CURSOR)
}

fn header<'r>(request: &'r HttpRequest, name: &HeaderName) -> Option<&'r str> {
    request.headers().get(name).and_then(|value| value.to_str().ok())
}

/// Whether a request has a body (RFC 9112, 6).
pub(crate) fn has_body(headers: &HeaderMap) -> bool {
    headers.contains_key(TRANSFER_ENCODING)
        || headers.get(CONTENT_LENGTH).is_some_and(|length| length != "0")
}

/// The host that a request was sent to, perhaps with a port. A client of HTTP/1.0 sends none, and
/// some send one that no link may lead to.
pub(crate) fn host(request: &HttpRequest) -> Option<&str> {
    let is_host = |text: &&str| !text.contains('@') && text.parse::<Authority>().is_ok();
    header(request, &HOST).filter(is_host)
}

/// The access token of a request.
pub(crate) fn bearer(request: &HttpRequest) -> Option<&str> {
    let (scheme, token) = header(request, &AUTHORIZATION)?.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then(|| token.trim())
}

/// The app that a request names as its origin (behaviour 9.2).
///
/// # Errors
/// 400 for an agent of the server itself.
pub(crate) fn agent(request: &HttpRequest, state: &AppState) -> Result<Option<String>, ApiError> {
    let mut given = state.headers.agent.iter().filter_map(|name| header(request, name));
    let given = given.next().map(str::trim).filter(|given| !given.is_empty());
    given.map_or(Ok(()), AppId::check_agent).map_err(Error::from)?;
    Ok(given.map(|given| given.chars().take(MAX_AGENT).collect()))
}
