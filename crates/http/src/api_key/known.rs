//! Finds the API key of a request.

use actix_web::HttpRequest;
use actix_web::http::header::HeaderName;
use daybook_domain::api_key::KeyDigest;
use daybook_service::api_key;

use super::cache::ResolvedApiKey;
use super::text::digest;
use crate::error::ApiError;
use crate::parameters;
use crate::run;
use crate::state::AppState;

/// Longest text that is looked for; those of this installation have 47 characters.
const MAX_TEXT: usize = 255;

/// The key of a request, in a header or the parameter `key` (behaviour 0.15, 9.1). A text that is
/// no key, or a revoked one, counts as none.
///
/// # Errors
/// 503 when the database cannot be reached.
pub(crate) async fn find(
    request: &HttpRequest,
    state: &AppState,
) -> Result<Option<ResolvedApiKey>, ApiError> {
    let Some(digest) = sent(request, state) else { return Ok(None) };
    let generation = state.identity.bearers().trusted_generation();
    let known = generation.and_then(|generation| state.api_keys.find(&digest, generation));
    if let Some(known) = known {
        return Ok(known);
    }
    let found = run::read(state, move |tx| api_key::active(tx, &digest)).await?;
    let found = found.map(|key| ResolvedApiKey { id: key.id, rate: key.rate });
    if let Some(generation) = generation {
        state.api_keys.add(digest, found, generation);
    }
    Ok(found)
}

/// The digest of the text that a request brings. The header wins over the parameter.
fn sent(request: &HttpRequest, state: &AppState) -> Option<KeyDigest> {
    let named = |name: &HeaderName| request.headers().get(name)?.to_str().ok();
    match state.headers.api_key.iter().find_map(named) {
        Some(text) => readable(text),
        None if request.query_string().contains("key=") => {
            readable(&parameters::first(request, "key")?)
        }
        None => None,
    }
}

/// The digest of a text that may be a key.
fn readable(text: &str) -> Option<KeyDigest> {
    let text = text.trim();
    (!text.is_empty() && text.len() <= MAX_TEXT).then(|| digest(text))
}
