//! Errors of the endpoints that programs ask, in the form of RFC 6749, 5.2.

use actix_web::http::StatusCode;
use actix_web::http::header::{HeaderValue, RETRY_AFTER, WWW_AUTHENTICATE};
use actix_web::{HttpResponse, ResponseError};
use daybook_domain::grant::Refusal;
use serde::Serialize;

use crate::error::ApiError;
use crate::session::page::guarded;

/// What a program reads.
#[derive(Serialize)]
struct OauthErrorOut<'e> {
    error: &'e str,
    error_description: &'e str,
}

/// Seconds after which there may be room again: those who wait decide in a minute or two.
const ROOM_SECONDS: HeaderValue = HeaderValue::from_static("60");

/// Refuses a request: 400, or 503 when there is no room.
pub(super) fn refused(refusal: &Refusal) -> HttpResponse {
    let (code, description) = (refusal.code(), refusal.to_string());
    if *refusal != Refusal::Crowded {
        return with(StatusCode::BAD_REQUEST, code, &description);
    }
    let mut answer = with(StatusCode::SERVICE_UNAVAILABLE, code, &description);
    answer.headers_mut().insert(RETRY_AFTER, ROOM_SECONDS);
    answer
}

/// Refuses a request with a code that no rule of the domain has.
pub(super) fn refused_with(code: &str, description: &str) -> HttpResponse {
    with(StatusCode::BAD_REQUEST, code, description)
}

/// Why it is not known which client asks.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum InvalidClient {
    /// The request is malformed: what is wrong.
    Malformed(String),
    /// The client is unknown, or its secret is wrong.
    Client,
}

impl InvalidClient {
    /// What the program is told.
    pub(super) fn answer(&self) -> HttpResponse {
        match self {
            Self::Malformed(what) => refused_with("invalid_request", what),
            Self::Client => invalid_client(),
        }
    }
}

/// Refuses a client that is unknown, or does not prove who it is.
pub(super) fn invalid_client() -> HttpResponse {
    let text = "the client is unknown, or its secret is wrong";
    let mut answer = with(StatusCode::UNAUTHORIZED, "invalid_client", text);
    let basic = HeaderValue::from_static("Basic realm=\"daybook\"");
    answer.headers_mut().insert(WWW_AUTHENTICATE, basic);
    answer
}

/// What a program reads, also when a request failed or was turned away.
pub(super) fn answered(outcome: Result<HttpResponse, ApiError>) -> HttpResponse {
    let error = match outcome {
        Ok(answer) => return answer,
        Err(error) => error,
    };
    let usual = error.error_response();
    let code = match usual.status() {
        StatusCode::SERVICE_UNAVAILABLE | StatusCode::TOO_MANY_REQUESTS => {
            "temporarily_unavailable"
        }
        status if status.is_server_error() || error.is_outcome_unknown() => "server_error",
        _ => "invalid_request",
    };
    // RFC 6749 knows no status for another type of the body.
    let status = match usual.status() {
        StatusCode::UNSUPPORTED_MEDIA_TYPE => StatusCode::BAD_REQUEST,
        status => status,
    };
    let mut answer = with(status, code, &error.to_string());
    answer.head_mut().set_connection_type(usual.head().connection_type());
    if let Some(wait) = usual.headers().get(RETRY_AFTER) {
        answer.headers_mut().insert(RETRY_AFTER, wait.clone());
    }
    answer
}

fn with(status: StatusCode, error: &str, error_description: &str) -> HttpResponse {
    guarded(HttpResponse::build(status)).json(OauthErrorOut { error, error_description })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_finds_no_room_is_told_when_to_come_back() {
        let answer = refused(&Refusal::Crowded);
        assert_eq!(answer.status(), StatusCode::SERVICE_UNAVAILABLE);
        assert_eq!(answer.headers().get(RETRY_AFTER), Some(&ROOM_SECONDS));
        assert!(!refused(&Refusal::InvalidGrant).headers().contains_key(RETRY_AFTER));
    }
}
