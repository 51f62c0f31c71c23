//! Links: addresses that repeat a read without an `Authorization` header (behaviour 13.14).
//!
//! The address contains the request and the access token of the caller, sealed. So a link needs no
//! row, works in every process, and the token is verified whenever the link is opened: it ends with
//! the token, the session or the user.

use base64::Engine;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use daybook_domain::instant::Instant;
use daybook_edge::error::{ApiError, RequestError};
use daybook_service::Error;
use serde::{Deserialize, Serialize};

use crate::reply::{self, ApiResult};
use crate::request::{ApiRequest, LinkedRequest};
use crate::state::AppState;

/// How long a link works, in milliseconds.
const LIFETIME_MILLISECONDS: i64 = 5 * 60 * 1_000;
/// The maximum length of the sealed part. Proxies accept at least 8,000 bytes in a request line
/// (RFC 9112, 3).
const MAX_LENGTH: usize = 7_500;
/// Separates links from the sealed columns of the database.
const CONTEXT: [&str; 1] = ["links"];

/// An operation that links repeat.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum LinkedOperation {
    /// getReport.
    Report,
}

/// The sealed content of a link.
#[derive(Serialize, Deserialize)]
pub(crate) struct Link {
    pub(crate) operation: LinkedOperation,
    pub(crate) request: LinkedRequest,
    /// Milliseconds since the Unix epoch.
    expires_at: i64,
}

/// A link as it is shown.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct LinkOut {
    url: String,
    expires_at: String,
}

/// Creates a link that repeats a request as another operation.
///
/// # Errors
/// 400 if the request is too long for an address.
pub(crate) fn create(request: &ApiRequest, operation: LinkedOperation) -> ApiResult {
    let now: Instant = request.cx.now;
    let expires_at = now.milliseconds().saturating_add(LIFETIME_MILLISECONDS);
    let text = Link { operation, request: request.linked()?, expires_at }.seal(&request.state)?;
    if text.len() > MAX_LENGTH {
        let message = format!(
            "the link would have {} characters; at most {MAX_LENGTH} are allowed: use fewer or \
             shorter parameters",
            text.len()
        );
        return Err(Error::BadRequest(message).into());
    }
    let (url, expires_at) = (format!("{}/links/{text}", request.base()), expires_at.to_string());
    Ok(reply::ok(&LinkOut { url, expires_at }))
}

impl Link {
    fn seal(&self, state: &AppState) -> Result<String, ApiError> {
        let failed = |error: String| RequestError::Failed(format!("sealing a link: {error}"));
        let content = serde_json::to_vec(self).map_err(|error| failed(error.to_string()))?;
        let sealed = state.auth.identity.key().sealer().seal(&CONTEXT, &content);
        Ok(BASE64_URL_SAFE_NO_PAD.encode(sealed.map_err(|error| failed(error.to_string()))?))
    }

    /// Opens the sealed part of an address.
    ///
    /// # Errors
    /// [`RequestError::InvalidLink`], also after the expiry.
    pub(crate) fn open(state: &AppState, text: &str) -> Result<Self, RequestError> {
        let link = Self::unseal(state, text).ok_or(RequestError::InvalidLink)?;
        let is_valid = (state.edge.clock)().milliseconds() < link.expires_at;
        if is_valid { Ok(link) } else { Err(RequestError::InvalidLink) }
    }

    fn unseal(state: &AppState, text: &str) -> Option<Self> {
        let sealed = BASE64_URL_SAFE_NO_PAD.decode(text).ok()?;
        let content = state.auth.identity.key().sealer().open(&CONTEXT, &sealed).ok()?;
        serde_json::from_slice(&content).ok()
    }
}
