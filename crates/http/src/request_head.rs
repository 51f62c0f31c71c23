//! Accessors for request headers.

use actix_web::HttpRequest;
use actix_web::http::header::{
    AUTHORIZATION, CONTENT_LENGTH, HOST, HeaderMap, HeaderName, IF_MATCH, TRANSFER_ENCODING,
};
use actix_web::http::uri::Authority;
use daybook_domain::app::AppId;
use daybook_service::Error;

use crate::error::ApiError;
use crate::state::AppState;

/// The cursor of a list (behaviour 2.1).
const CURSOR: HeaderName = HeaderName::from_static("cursor");
/// Agent ids are truncated to so many characters.
const MAX_AGENT: usize = 255;

/// Returns the `If-Match` headers of a write, joined with commas.
///
/// A value that is not text never matches.
pub(crate) fn if_match(request: &HttpRequest) -> Option<String> {
    if request.method().is_safe() {
        return None;
    }
    let values: Vec<&str> =
        request.headers().get_all(IF_MATCH).map(|value| value.to_str().unwrap_or("?")).collect();
    (!values.is_empty()).then(|| values.join(", "))
}

/// Returns the cursor of a list (behaviour 2.1).
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

/// Returns the host and port of a request.
///
/// HTTP/1.0 clients send none. A host that is not valid in a link is ignored.
pub(crate) fn host(request: &HttpRequest) -> Option<&str> {
    let is_host = |text: &&str| !text.contains('@') && text.parse::<Authority>().is_ok();
    header(request, &HOST).filter(is_host)
}

/// Returns the bearer token of a request.
pub(crate) fn bearer(request: &HttpRequest) -> Option<&str> {
    let (scheme, token) = header(request, &AUTHORIZATION)?.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then(|| token.trim())
}

/// Returns the agent of a request: the app that sends it (behaviour 9.2).
///
/// # Errors
/// 400 for an agent id that is reserved for the server.
pub(crate) fn agent(request: &HttpRequest, state: &AppState) -> Result<Option<String>, ApiError> {
    let value = state.headers.agent.iter().find_map(|name| header(request, name)).map(str::trim);
    match value {
        None | Some("") => Ok(None),
        Some(agent) => {
            AppId::check_agent(agent).map_err(Error::from)?;
            Ok(Some(agent.chars().take(MAX_AGENT).collect()))
        }
    }
}
