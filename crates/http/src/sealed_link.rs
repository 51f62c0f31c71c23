//! Links: addresses that repeat a read without an `Authorization` header (behaviour 13.14).
//!
//! The address contains the request and the access token of the caller, sealed. So a link needs no
//! row, works in every process, and the token is verified whenever the link is opened: it ends with
//! the token, the session or the user.

use base64::Engine;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use daybook_auth::identity::Sealer;
use daybook_domain::instant::Instant;
use daybook_edge::error::{ApiError, RequestError};
use daybook_service::Error;
use serde::{Deserialize, Serialize};

use crate::reply::{self, ApiResult};
use crate::request::{ApiRequest, LinkedRequest};
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
    /// exportBook.
    Export,
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
    let link = Link { operation, request: request.linked()?, expires_at };
    let text = link.seal(request.state.auth.identity.key().sealer())?;
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
    fn seal(&self, sealer: &Sealer) -> Result<String, ApiError> {
        let failed = |error: String| RequestError::Failed(format!("sealing a link: {error}"));
        let content = serde_json::to_vec(self).map_err(|error| failed(error.to_string()))?;
        let sealed = sealer.seal(&CONTEXT, &content);
        Ok(BASE64_URL_SAFE_NO_PAD.encode(sealed.map_err(|error| failed(error.to_string()))?))
    }

    /// Opens the sealed part of an address.
    ///
    /// # Errors
    /// [`RequestError::InvalidLink`], also after the expiry.
    pub(crate) fn open(sealer: &Sealer, text: &str, now: Instant) -> Result<Self, RequestError> {
        let link = Self::unseal(sealer, text).filter(|link| now.milliseconds() < link.expires_at);
        link.ok_or(RequestError::InvalidLink)
    }

    fn unseal(sealer: &Sealer, text: &str) -> Option<Self> {
        let sealed = BASE64_URL_SAFE_NO_PAD.decode(text).ok()?;
        let content = sealer.open(&CONTEXT, &sealed).ok()?;
        serde_json::from_slice(&content).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn link_opens_until_it_expires() {
        let sealer = Sealer::with_secret(&[1; 32]);
        let request: LinkedRequest = serde_json::from_str(
            r#"{"token": "t", "book": "b", "id": "journal", "parameters": [["period", "2026"]]}"#,
        )
        .unwrap();
        let link = Link { operation: LinkedOperation::Report, request, expires_at: 1_000 };
        let text = link.seal(&sealer).unwrap();
        assert!(Link::open(&sealer, &text, Instant::new(999)).is_ok());
        let refused = |sealer: &Sealer, text: &str, now| {
            let opened = Link::open(sealer, text, Instant::new(now));
            assert!(matches!(opened, Err(RequestError::InvalidLink)), "{text} at {now}");
        };
        refused(&sealer, &text, 1_000);
        refused(&Sealer::with_secret(&[2; 32]), &text, 0);
        refused(&sealer, &text[1..], 0);
        refused(&sealer, "", 0);
    }
}
