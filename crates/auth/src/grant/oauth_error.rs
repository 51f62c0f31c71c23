//! Errors of the endpoints for programs, in the form of RFC 6749, 5.2.

use actix_web::http::StatusCode;
use actix_web::http::header::{HeaderValue, RETRY_AFTER, WWW_AUTHENTICATE};
use actix_web::{HttpResponse, ResponseError};
use daybook_domain::grant::Refusal;
use daybook_edge::error::ApiError;
use serde::Serialize;

use crate::session::page::with_security_headers;

/// The body of an OAuth error.
#[derive(Serialize)]
struct OauthErrorOut<'e> {
    error: &'e str,
    error_description: &'e str,
}

/// `Retry-After` when too many devices are pending. Most users decide within a minute or two.
const TOO_MANY_DEVICES_RETRY_SECONDS: HeaderValue = HeaderValue::from_static("60");

/// Responds with a refusal: 400, or 503 when too many devices are pending.
pub(super) fn refuse(refusal: &Refusal) -> HttpResponse {
    let (code, description) = (refusal.code(), refusal.to_string());
    if *refusal != Refusal::TooManyDevices {
        return oauth_error(StatusCode::BAD_REQUEST, code, &description);
    }
    let mut response = oauth_error(StatusCode::SERVICE_UNAVAILABLE, code, &description);
    response.headers_mut().insert(RETRY_AFTER, TOO_MANY_DEVICES_RETRY_SECONDS);
    response
}

/// Responds with 400 and a code that is not a refusal of the domain.
pub(super) fn refuse_with_code(code: &str, description: &str) -> HttpResponse {
    oauth_error(StatusCode::BAD_REQUEST, code, description)
}

/// Why client authentication failed.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum InvalidClient {
    /// The request is malformed. The text says how.
    Malformed(String),
    /// The client is unknown, or its secret is wrong.
    Client,
}

impl InvalidClient {
    /// Returns the response to the client.
    pub(super) fn response(&self) -> HttpResponse {
        match self {
            Self::Malformed(description) => refuse_with_code("invalid_request", description),
            Self::Client => invalid_client(),
        }
    }
}

/// Responds with 401 `invalid_client`.
pub(super) fn invalid_client() -> HttpResponse {
    let text = "unknown client or wrong client secret";
    let mut response = oauth_error(StatusCode::UNAUTHORIZED, "invalid_client", text);
    let basic = HeaderValue::from_static("Basic realm=\"daybook\"");
    response.headers_mut().insert(WWW_AUTHENTICATE, basic);
    response
}

/// Converts the errors of the API to OAuth errors.
pub(super) fn into_oauth_response(outcome: Result<HttpResponse, ApiError>) -> HttpResponse {
    let error = match outcome {
        Ok(response) => return response,
        Err(error) => error,
    };
    let api_response = error.error_response();
    let code = match api_response.status() {
        StatusCode::SERVICE_UNAVAILABLE | StatusCode::TOO_MANY_REQUESTS => {
            "temporarily_unavailable"
        }
        status if status.is_server_error() || error.is_outcome_unknown() => "server_error",
        _ => "invalid_request",
    };
    // RFC 6749 does not define a status for a wrong media type.
    let status = match api_response.status() {
        StatusCode::UNSUPPORTED_MEDIA_TYPE => StatusCode::BAD_REQUEST,
        status => status,
    };
    let mut response = oauth_error(status, code, &error.to_string());
    response.head_mut().set_connection_type(api_response.head().connection_type());
    if let Some(wait) = api_response.headers().get(RETRY_AFTER) {
        response.headers_mut().insert(RETRY_AFTER, wait.clone());
    }
    response
}

fn oauth_error(status: StatusCode, error: &str, error_description: &str) -> HttpResponse {
    with_security_headers(HttpResponse::build(status))
        .json(OauthErrorOut { error, error_description })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn too_many_devices_has_retry_after() {
        let response = refuse(&Refusal::TooManyDevices);
        assert_eq!(response.status(), StatusCode::SERVICE_UNAVAILABLE);
        assert_eq!(response.headers().get(RETRY_AFTER), Some(&TOO_MANY_DEVICES_RETRY_SECONDS));
        assert!(!refuse(&Refusal::InvalidGrant).headers().contains_key(RETRY_AFTER));
    }
}
