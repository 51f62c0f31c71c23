//! Errors on the wire. Status codes are decided here and nowhere else (behaviour 10): a table turns
//! the kind of a refusal into a status, and a second one does so for what is wrong before any use
//! case runs. What went wrong inside the server goes to the log, never to the caller.

use std::fmt;
use std::time::Duration;

use actix_web::http::StatusCode;
use actix_web::http::header::{ALLOW, RETRY_AFTER, WWW_AUTHENTICATE};
use actix_web::{HttpResponse, ResponseError};
use daybook_domain::{Refusal, RefusalKind, account, grant, group, session, transaction};
use daybook_service::Error;

use crate::blocking::Panicked;
use crate::problem::ErrorOut;

/// Seconds that a caller is asked to wait before trying again.
const RETRY_AFTER_SECONDS: &str = "1";

/// The message of errors that trying again may help.
pub(crate) const UNAVAILABLE: &str = "temporarily unavailable; try again shortly";

/// Whatever is answered instead of a result.
#[derive(Debug)]
pub(crate) enum ApiError {
    /// A use case refused or failed.
    Service(Error),
    /// The request never reached a use case.
    RequestError(RequestError),
}

/// What is wrong with a request before a use case is called.
#[derive(Debug)]
pub(crate) enum RequestError {
    LoginRequired,
    /// The token is trusted, and tells no verified e-mail address: why.
    NoEmail(&'static str),
    /// More than a rate allows (behaviour 10.6, 10.12): seconds to wait, and what it is about.
    TooMany(u64, String),
    /// The operator has disabled the user.
    Disabled,
    /// An app of an origin that may not use sessions.
    UnknownOrigin,
    /// A web app that uses sessions must refresh its access token (behaviour 11.4).
    SessionTokenExpired,
    UnknownRoute,
    /// Something that clients look for and that no server of this kind has: what.
    NotOffered(&'static str),
    /// With the methods the path takes.
    MethodNotAllowed(String),
    Malformed(String),
    InvalidFormat(String),
    TooLarge,
    FileTooLarge,
    FormTooLarge,
    UnsupportedMediaType,
    NoForm,
    UnreadableForm,
    BodyTooSlow,
    HeadTooSlow,
    /// An answer takes more room than it may: what to ask for instead (behaviour 0.33).
    AnswerTooLarge(&'static str),
    /// A read took longer than it may (behaviour 0.32).
    DeadlineExceeded(Duration),
    /// There is no memory for the request: why.
    Crowded(&'static str),
    FilesUnavailable(String),
    /// An identity provider does not answer, so it is not known whom the token lets in.
    ProviderUnavailable(String),
    Failed(String),
}

impl From<Error> for ApiError {
    fn from(error: Error) -> Self {
        Self::Service(error)
    }
}

impl From<daybook_storage::Error> for ApiError {
    fn from(error: daybook_storage::Error) -> Self {
        Self::Service(error.into())
    }
}

impl From<RequestError> for ApiError {
    fn from(error: RequestError) -> Self {
        Self::RequestError(error)
    }
}

impl From<Panicked> for ApiError {
    fn from(error: Panicked) -> Self {
        Self::RequestError(RequestError::Failed(error.to_string()))
    }
}

impl fmt::Display for ApiError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message())
    }
}

/// The one place where the kinds of refusals become status codes.
const fn status_of(kind: RefusalKind) -> StatusCode {
    match kind {
        RefusalKind::Invalid => StatusCode::BAD_REQUEST,
        RefusalKind::Denied => StatusCode::FORBIDDEN,
        RefusalKind::Missing => StatusCode::NOT_FOUND,
        // Clients repeat what is answered 5xx, and would do it twice (behaviour 10.4).
        RefusalKind::Conflicting | RefusalKind::Unconfirmed => StatusCode::CONFLICT,
        RefusalKind::Stale => StatusCode::PRECONDITION_FAILED,
        RefusalKind::Reused => StatusCode::UNPROCESSABLE_ENTITY,
        RefusalKind::Exhausted => StatusCode::PAYLOAD_TOO_LARGE,
        RefusalKind::Limited => StatusCode::SERVICE_UNAVAILABLE,
        RefusalKind::Internal => StatusCode::INTERNAL_SERVER_ERROR,
        RefusalKind::Unauthenticated => StatusCode::UNAUTHORIZED,
    }
}

impl RequestError {
    const fn status(&self) -> StatusCode {
        match self {
            Self::LoginRequired | Self::NoEmail(_) => StatusCode::UNAUTHORIZED,
            Self::TooMany(..) => StatusCode::TOO_MANY_REQUESTS,
            Self::Disabled | Self::UnknownOrigin | Self::SessionTokenExpired => {
                StatusCode::FORBIDDEN
            }
            Self::UnknownRoute => StatusCode::NOT_FOUND,
            Self::MethodNotAllowed(_) => StatusCode::METHOD_NOT_ALLOWED,
            Self::Malformed(_)
            | Self::InvalidFormat(_)
            | Self::UnreadableForm
            | Self::AnswerTooLarge(_) => StatusCode::BAD_REQUEST,
            Self::TooLarge | Self::FileTooLarge | Self::FormTooLarge => {
                StatusCode::PAYLOAD_TOO_LARGE
            }
            Self::UnsupportedMediaType | Self::NoForm => StatusCode::UNSUPPORTED_MEDIA_TYPE,
            Self::BodyTooSlow | Self::HeadTooSlow => StatusCode::REQUEST_TIMEOUT,
            Self::DeadlineExceeded(_)
            | Self::Crowded(_)
            | Self::FilesUnavailable(_)
            | Self::ProviderUnavailable(_)
            | Self::NotOffered(_) => StatusCode::SERVICE_UNAVAILABLE,
            Self::Failed(_) => StatusCode::INTERNAL_SERVER_ERROR,
        }
    }

    const fn reason(&self) -> &'static str {
        match self {
            Self::LoginRequired | Self::NoEmail(_) => "required",
            Self::TooMany(..) => "rateLimitExceeded",
            Self::Disabled => "disabled",
            Self::UnknownOrigin => "forbidden",
            Self::SessionTokenExpired => "tokenExpired",
            Self::NotOffered(_) => "notOffered",
            Self::UnknownRoute => "notFound",
            Self::MethodNotAllowed(_) => "methodNotAllowed",
            Self::Malformed(_) | Self::UnreadableForm => "parseError",
            Self::InvalidFormat(_) => "invalid",
            Self::TooLarge | Self::FileTooLarge | Self::FormTooLarge => "requestTooLarge",
            Self::UnsupportedMediaType | Self::NoForm => "unsupportedMediaType",
            Self::BodyTooSlow | Self::HeadTooSlow => "requestTimeout",
            Self::AnswerTooLarge(_) => "answerTooLarge",
            Self::DeadlineExceeded(_) => "deadlineExceeded",
            Self::Crowded(_) | Self::FilesUnavailable(_) | Self::ProviderUnavailable(_) => {
                "backendError"
            }
            Self::Failed(_) => "internalError",
        }
    }
}

impl ApiError {
    /// Whether it says that an account, group or transaction is missing in a book that the caller
    /// may see (behaviour 4.4).
    pub(crate) const fn is_missing_resource(&self) -> bool {
        matches!(
            self,
            Self::Service(Error::Refused(
                Refusal::Account(account::Refusal::Unknown(_))
                    | Refusal::Group(group::Refusal::Unknown(_))
                    | Refusal::Transaction(transaction::Refusal::Unknown(_))
            ))
        )
    }

    /// Why somebody is not signed in, if that is what it says.
    pub(crate) const fn session_refusal(&self) -> Option<&session::Refusal> {
        match self {
            Self::Service(Error::Refused(Refusal::Session(refusal))) => Some(refusal),
            Self::Service(_) | Self::RequestError(_) => None,
        }
    }

    /// Why an app is granted nothing, if that is what it says.
    pub(crate) const fn grant_refusal(&self) -> Option<&grant::Refusal> {
        match self {
            Self::Service(Error::Refused(Refusal::Grant(refusal))) => Some(refusal),
            Self::Service(_) | Self::RequestError(_) => None,
        }
    }

    /// Whether it says that a token lets nobody in.
    pub(crate) fn is_unauthenticated(&self) -> bool {
        self.status() == StatusCode::UNAUTHORIZED
    }

    /// Whether the same may succeed a moment later.
    pub(crate) fn is_unavailable(&self) -> bool {
        self.status() == StatusCode::SERVICE_UNAVAILABLE
    }

    /// Whether it says that a web app must refresh its access token.
    pub(crate) const fn is_expired_session(&self) -> bool {
        matches!(self, Self::RequestError(RequestError::SessionTokenExpired))
    }

    /// Whether it says that a stored value is damaged.
    pub(crate) const fn is_corrupt(&self) -> bool {
        matches!(self, Self::Service(Error::Storage(daybook_storage::Error::Corrupt(_))))
    }

    /// Whether it says that nobody knows what became of a write.
    pub(crate) const fn is_outcome_unknown(&self) -> bool {
        matches!(self, Self::Service(Error::Storage(daybook_storage::Error::OutcomeUnknown)))
    }

    /// The error of a write that may be done twice: where nobody knows what became of it, the
    /// caller may send it again.
    pub(crate) fn repeatable(self) -> Self {
        match self {
            Self::Service(error) => Self::Service(error.repeatable()),
            Self::RequestError(error) => Self::RequestError(error),
        }
    }

    /// Whether it says that nobody is signed in.
    pub(crate) const fn is_signed_out(&self) -> bool {
        matches!(self.session_refusal(), Some(session::Refusal::SignedOut))
    }

    /// The error of a request that is no batch: without the index of an item.
    pub(crate) fn alone(self) -> Self {
        match self {
            Self::Service(error) => Self::Service(error.alone()),
            Self::RequestError(error) => Self::RequestError(error),
        }
    }

    fn status(&self) -> StatusCode {
        match self {
            Self::Service(error) => status_of(error.kind()),
            Self::RequestError(error) => error.status(),
        }
    }

    pub(crate) fn reason(&self) -> &'static str {
        match self {
            Self::Service(error) => match (error.reason(), error.kind()) {
                (Some(reason), _) => reason.as_str(),
                (None, RefusalKind::Limited) => "backendError",
                (None, RefusalKind::Unconfirmed) => "outcomeUnknown",
                (
                    None,
                    RefusalKind::Invalid
                    | RefusalKind::Denied
                    | RefusalKind::Missing
                    | RefusalKind::Conflicting
                    | RefusalKind::Stale
                    | RefusalKind::Reused
                    | RefusalKind::Exhausted
                    | RefusalKind::Internal
                    | RefusalKind::Unauthenticated,
                ) => "internalError",
            },
            Self::RequestError(error) => error.reason(),
        }
    }

    /// The message that the caller reads. What went wrong inside stays in the log.
    fn message(&self) -> String {
        match self {
            Self::Service(error) => match error.kind() {
                RefusalKind::Limited => UNAVAILABLE.to_owned(),
                RefusalKind::Internal => "internal error".to_owned(),
                RefusalKind::Invalid
                | RefusalKind::Denied
                | RefusalKind::Missing
                | RefusalKind::Conflicting
                | RefusalKind::Stale
                | RefusalKind::Reused
                | RefusalKind::Exhausted
                | RefusalKind::Unconfirmed
                | RefusalKind::Unauthenticated => error.to_string(),
            },
            Self::RequestError(error) => error.message(),
        }
    }

    /// The body that clients read.
    fn shown(&self) -> ErrorOut {
        let items = if let Self::Service(error) = self { error.items() } else { Vec::new() };
        ErrorOut::new(self.status(), self.reason(), self.message()).with_items(items)
    }
}

impl ResponseError for ApiError {
    fn status_code(&self) -> StatusCode {
        self.status()
    }

    fn error_response(&self) -> HttpResponse {
        let status = self.status();
        if status.is_server_error() {
            let cause = match self {
                Self::Service(error) => error.to_string(),
                Self::RequestError(
                    RequestError::Failed(cause)
                    | RequestError::FilesUnavailable(cause)
                    | RequestError::ProviderUnavailable(cause),
                ) => cause.clone(),
                Self::RequestError(other) => other.message(),
            };
            if status == StatusCode::SERVICE_UNAVAILABLE {
                tracing::warn!(%cause, "turned away");
            } else {
                tracing::error!(%cause, status = status.as_u16(), "request failed");
            }
        }
        let mut response = HttpResponse::build(status);
        let is_lasting = matches!(self, Self::RequestError(RequestError::NotOffered(_)));
        if status == StatusCode::SERVICE_UNAVAILABLE && !is_lasting {
            response.insert_header((RETRY_AFTER, RETRY_AFTER_SECONDS));
        }
        if let Self::RequestError(RequestError::TooMany(seconds, _)) = self {
            response.insert_header((RETRY_AFTER, *seconds));
        }
        if let Self::RequestError(RequestError::MethodNotAllowed(methods)) = self {
            response.insert_header((ALLOW, methods.as_str()));
        }
        if status == StatusCode::UNAUTHORIZED {
            response.insert_header((WWW_AUTHENTICATE, "Bearer"));
        }
        let unread = matches!(status, StatusCode::PAYLOAD_TOO_LARGE | StatusCode::REQUEST_TIMEOUT);
        if unread && matches!(self, Self::RequestError(_)) {
            // The rest of the body is not worth reading.
            response.force_close();
        }
        response.json(self.shown())
    }
}

/// The whole answer to a request whose head did not arrive in time (behaviour 0.20), which the HTTP
/// server never sees.
pub(crate) fn head_timeout() -> Vec<u8> {
    let error = ApiError::from(RequestError::HeadTooSlow);
    let body = serde_json::to_string(&error.shown()).unwrap_or_default();
    let (status, length) = (error.status(), body.len());
    format!(
        "HTTP/1.1 {status}\r\ncontent-type: application/json\r\ncontent-length: {length}\r\n\
            connection: close\r\naccess-control-allow-origin: *\r\n\r\n{body}"
    )
    .into_bytes()
}
