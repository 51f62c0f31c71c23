//! Accessors for request headers.

use actix_web::HttpRequest;
use actix_web::http::header::{
    AUTHORIZATION, CONTENT_LENGTH, CONTENT_TYPE, HOST, HeaderMap, HeaderName, IF_MATCH,
    TRANSFER_ENCODING,
};
use actix_web::http::uri::Authority;
use daybook_domain::app::AppId;
use daybook_service::Error;

use crate::error::ApiError;
use crate::headers::Headers;

/// The cursor of a list (behaviour 2.1).
const CURSOR: HeaderName = HeaderName::from_static("cursor");
/// The position in a stream of events (WHATWG HTML, 9.2).
const LAST_EVENT_ID: HeaderName = HeaderName::from_static("last-event-id");
/// Maximum length of an agent id in characters. Longer ones are truncated.
const MAX_AGENT: usize = 255;

/// Returns the `If-Match` headers of a write, joined with commas.
///
/// A value that is not text never matches.
pub fn if_match(request: &HttpRequest) -> Option<String> {
    if request.method().is_safe() {
        return None;
    }
    let values: Vec<&str> =
        request.headers().get_all(IF_MATCH).map(|value| value.to_str().unwrap_or("?")).collect();
    (!values.is_empty()).then(|| values.join(", "))
}

/// Returns the cursor of a list (behaviour 2.1).
pub fn cursor(request: &HttpRequest) -> Option<&str> {
    header(request, &CURSOR)
}

/// Returns the id of the last event that a client of a stream has received.
pub fn last_event_id(request: &HttpRequest) -> Option<&str> {
    header(request, &LAST_EVENT_ID)
}

fn header<'r>(request: &'r HttpRequest, name: &HeaderName) -> Option<&'r str> {
    request.headers().get(name).and_then(|value| value.to_str().ok())
}

/// Whether a request has a body (RFC 9112, 6).
pub fn has_body(headers: &HeaderMap) -> bool {
    headers.contains_key(TRANSFER_ENCODING)
        || headers.get(CONTENT_LENGTH).is_some_and(|length| length != "0")
}

/// Returns the host and port of a request.
///
/// HTTP/1.0 clients send none. A host that is not valid in a link is ignored.
pub fn host(request: &HttpRequest) -> Option<&str> {
    let is_host = |text: &&str| !text.contains('@') && text.parse::<Authority>().is_ok();
    header(request, &HOST).filter(is_host)
}

/// Returns the bearer token of a request.
pub fn bearer(request: &HttpRequest) -> Option<&str> {
    let (scheme, token) = header(request, &AUTHORIZATION)?.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then(|| token.trim())
}

/// Returns the agent of a request: the app that sends it (behaviour 9.2).
///
/// # Errors
/// 400 for an agent id that is reserved for the server.
pub fn agent(request: &HttpRequest, names: &Headers) -> Result<Option<String>, ApiError> {
    let value = names.agent.iter().find_map(|name| header(request, name)).map(str::trim);
    match value {
        None | Some("") => Ok(None),
        Some(agent) => {
            AppId::check_agent(agent).map_err(Error::from)?;
            Ok(Some(agent.chars().take(MAX_AGENT).collect()))
        }
    }
}

/// Whether the content type is absent or accepted.
///
/// `is_accepted` gets it in lower case and without parameters.
pub fn is_of_type(request: &HttpRequest, is_accepted: impl FnOnce(&str) -> bool) -> bool {
    let Some(value) = request.headers().get(CONTENT_TYPE) else { return true };
    let Ok(text) = value.to_str() else { return false };
    let essence = text.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    essence.is_empty() || is_accepted(&essence)
}
