//! The header `Log-Position`: read-your-writes with replicas (behaviour 0.42).
//!
//! The response to a write has the position of the database log after it. A read that sends the
//! position uses only a replica that has reached it.

use actix_web::http::header::{HeaderMap, HeaderName, HeaderValue};
use daybook_storage::LogPosition;

use crate::state::AppState;

const LOG_POSITION: HeaderName = HeaderName::from_static("log-position");

/// Returns the position that a read must see; `None` without a header or replicas.
///
/// A malformed position is one that no replica reaches.
pub(crate) fn requested(state: &AppState, headers: &HeaderMap) -> Option<LogPosition> {
    if state.edge.store.replicas() == 0 {
        return None;
    }
    let value = headers.get(&LOG_POSITION)?;
    let position = value.to_str().ok().and_then(|text| LogPosition::parse(text.trim()));
    Some(position.unwrap_or(LogPosition::BEYOND))
}

/// Adds the current position to the response of a write, if there are replicas.
pub(crate) fn add_header(state: &AppState, headers: &mut HeaderMap) {
    let position = state.edge.store.log_position().map(|position| position.to_string());
    if let Some(value) = position.and_then(|text| HeaderValue::from_str(&text).ok()) {
        headers.insert(LOG_POSITION, value);
    }
}
