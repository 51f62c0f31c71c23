//! Resolves the API key of a request.

use actix_web::HttpRequest;
use actix_web::http::header::HeaderName;
use daybook_domain::api_key::KeyDigest;
use daybook_edge::error::ApiError;
use daybook_edge::{parameters, run};
use daybook_service::api_key;

use super::cache::ResolvedApiKey;
use super::text::digest;
use crate::state::Auth;

/// The maximum length of a key; those of this installation have 47 characters.
const MAX_TEXT: usize = 255;

/// Returns the key in a header or the parameter `key` (behaviour 0.15, 9.1).
///
/// An unknown or revoked key is ignored.
///
/// # Errors
/// 503 when the database cannot be reached.
pub async fn resolve_api_key(
    request: &HttpRequest,
    state: &Auth,
) -> Result<Option<ResolvedApiKey>, ApiError> {
    let Some(digest) = digest_of_request(request, state) else { return Ok(None) };
    let generation = state.identity.bearers().confirmed_generation();
    let cached = generation.and_then(|generation| state.api_keys.find(&digest, generation));
    if let Some(cached) = cached {
        return Ok(cached);
    }
    let found = run::read(&state.edge, move |tx| api_key::find_active(tx, &digest)).await?;
    let found = found.map(|key| ResolvedApiKey { id: key.id, rate: key.rate });
    if let Some(generation) = generation {
        state.api_keys.add(digest, found, generation);
    }
    Ok(found)
}

/// Returns the digest of the key in a request. The header takes precedence over the parameter.
fn digest_of_request(request: &HttpRequest, state: &Auth) -> Option<KeyDigest> {
    let header = |name: &HeaderName| request.headers().get(name)?.to_str().ok();
    match state.edge.headers.api_key.iter().find_map(header) {
        Some(text) => digest_of_text(text),
        None if request.query_string().contains("key=") => {
            digest_of_text(&parameters::first(request, "key")?)
        }
        None => None,
    }
}

/// Returns the digest of a text that may be a key.
fn digest_of_text(text: &str) -> Option<KeyDigest> {
    let text = text.trim();
    (!text.is_empty() && text.len() <= MAX_TEXT).then(|| digest(text))
}
