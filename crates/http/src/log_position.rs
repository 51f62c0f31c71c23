//! The header in which the answer of a write says where it ends in the log of the database, and a
//! read what it must see (behaviour 0.42).

use actix_web::http::header::{HeaderMap, HeaderName, HeaderValue};
use daybook_storage::LogPosition;

use crate::state::AppState;

const LOG_POSITION: HeaderName = HeaderName::from_static("log-position");

/// What a request must see at least. What cannot be read is taken for what no replica has.
pub(crate) fn asked(state: &AppState, headers: &HeaderMap) -> Option<LogPosition> {
    let given = headers.get(&LOG_POSITION).filter(|_| state.store.replicas() > 0)?;
    let position = given.to_str().ok().and_then(|text| LogPosition::parse(text.trim()));
    Some(position.unwrap_or(LogPosition::BEYOND))
}

/// Names in the answer of a write where the log ended after it, where there are replicas.
pub(crate) fn show(state: &AppState, headers: &mut HeaderMap) {
    let position = state.store.log_position().map(|position| position.to_string());
    if let Some(value) = position.and_then(|text| HeaderValue::from_str(&text).ok()) {
        headers.insert(LOG_POSITION, value);
    }
}
