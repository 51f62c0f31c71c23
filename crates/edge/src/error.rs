//! Errors on the wire (behaviour 10).
//!
//! All status codes are decided here. One table maps the kinds of refusals of use cases, another
//! the errors outside of them. The causes of internal errors are logged and not sent to the client.

use std::fmt;
use std::time::Duration;

use actix_web::http::StatusCode;
use actix_web::http::header::{ALLOW, RETRY_AFTER, WWW_AUTHENTICATE};
use actix_web::{HttpResponse, ResponseError};
use daybook_domain::{Refusal, RefusalKind, chart, grant, session, transaction};
use daybook_service::Error;

use crate::blocking::BlockingError;
use crate::metric::{RATE_LIMITED, RateLimit};
use crate::problem::ErrorOut;

/// The `Retry-After` of 503 responses.
const RETRY_AFTER_SECONDS: &str = "1";

/// The message of temporary errors.
const UNAVAILABLE: &str = "temporarily unavailable; try again shortly";

/// The error of a request.
#[derive(Debug)]
pub enum ApiError {
    /// A use case refused or failed.
    Service(Error),
    /// The request never reached a use case.
    RequestError(RequestError),
}

/// An error outside of the use cases.
#[derive(Debug)]
pub enum RequestError {
    /// The request has no valid access token.
    LoginRequired,
    /// The token is valid, but yields no verified e-mail address. The text says why.
    NoEmail(&'static str),
    /// A rate limit was exceeded (behaviour 10.6, 10.12). Its kind, the seconds to wait, and the
    /// message.
    TooMany(RateLimit, u64, String),
    /// The operator has disabled the user.
    Disabled,
    /// An app of an origin that may not use sessions.
    UnknownOrigin,
    /// A page of another origin than that of this server.
    ForeignOrigin,
    /// A web app that uses sessions must refresh its access token (behaviour 11.4).
    SessionTokenExpired,
    /// No operation has this path.
    UnknownRoute,
    /// A link that this server did not make, or that has expired (behaviour 13.14).
    InvalidLink,
    /// A feature of the hosted service that this server does not have.
    NotOffered(&'static str),
    /// The method is not allowed; the text lists the allowed ones.
    MethodNotAllowed(String),
    /// The body is not valid JSON. The text is the error of the parser.
    Malformed(String),
    /// The body does not have the documented shape. The text says where.
    InvalidFormat(String),
    /// The body has too many bytes or values (behaviour 10.8).
    TooLarge,
    /// The content of a file has too many bytes.
    FileTooLarge,
    /// The file of an import has too many bytes (behaviour 15.1).
    ImportTooLarge,
    /// The form has too many bytes.
    FormTooLarge,
    /// The body is not JSON.
    UnsupportedMediaType,
    /// The body is not a form.
    NotAForm,
    /// The form is not UTF-8, or contains NUL.
    UnreadableForm,
    /// The body did not arrive in time (behaviour 0.19).
    BodyTooSlow,
    /// The response exceeds its budget (behaviour 0.33). The text is the advice to the client.
    ResponseTooLarge(&'static str),
    /// A read exceeded the read deadline (behaviour 0.32).
    DeadlineExceeded(Duration),
    /// The memory or the slots for such requests are used up. The text says which.
    Overloaded(&'static str),
    /// The file store failed. The text is the cause, for the log.
    FilesUnavailable(String),
    /// An identity provider did not respond, so the token could not be verified.
    ProviderUnavailable(String),
    /// An internal error. The text is the cause, for the log.
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

impl From<BlockingError> for ApiError {
    fn from(error: BlockingError) -> Self {
        Self::RequestError(RequestError::Failed(error.to_string()))
    }
}

impl fmt::Display for ApiError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message())
    }
}

/// Maps the kind of a refusal to a status code.
const fn status_of(kind: RefusalKind) -> StatusCode {
    match kind {
        RefusalKind::Invalid => StatusCode::BAD_REQUEST,
        RefusalKind::Denied => StatusCode::FORBIDDEN,
        RefusalKind::Missing => StatusCode::NOT_FOUND,
        // Clients retry after 5xx, which could apply the write twice (behaviour 10.4).
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
            Self::Disabled
            | Self::UnknownOrigin
            | Self::ForeignOrigin
            | Self::SessionTokenExpired => StatusCode::FORBIDDEN,
            Self::UnknownRoute | Self::InvalidLink => StatusCode::NOT_FOUND,
            Self::MethodNotAllowed(_) => StatusCode::METHOD_NOT_ALLOWED,
            Self::Malformed(_)
            | Self::InvalidFormat(_)
            | Self::UnreadableForm
            | Self::ResponseTooLarge(_) => StatusCode::BAD_REQUEST,
            Self::TooLarge | Self::FileTooLarge | Self::ImportTooLarge | Self::FormTooLarge => {
                StatusCode::PAYLOAD_TOO_LARGE
            }
            Self::UnsupportedMediaType | Self::NotAForm => StatusCode::UNSUPPORTED_MEDIA_TYPE,
            Self::BodyTooSlow => StatusCode::REQUEST_TIMEOUT,
            Self::DeadlineExceeded(_)
            | Self::Overloaded(_)
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
            Self::UnknownOrigin | Self::ForeignOrigin => "forbidden",
            Self::SessionTokenExpired => "tokenExpired",
            Self::NotOffered(_) => "notOffered",
            Self::UnknownRoute | Self::InvalidLink => "notFound",
            Self::MethodNotAllowed(_) => "methodNotAllowed",
            Self::Malformed(_) | Self::UnreadableForm => "parseError",
            Self::InvalidFormat(_) => "invalid",
            Self::TooLarge | Self::FileTooLarge | Self::ImportTooLarge | Self::FormTooLarge => {
                "requestTooLarge"
            }
            Self::UnsupportedMediaType | Self::NotAForm => "unsupportedMediaType",
            Self::BodyTooSlow => "requestTimeout",
            Self::ResponseTooLarge(_) => "answerTooLarge",
            Self::DeadlineExceeded(_) => "deadlineExceeded",
            Self::Overloaded(_) | Self::FilesUnavailable(_) | Self::ProviderUnavailable(_) => {
                "backendError"
            }
            Self::Failed(_) => "internalError",
        }
    }

    /// Returns the message for the client.
    fn message(&self) -> String {
        match self {
            Self::LoginRequired => {
                "Login Required: send a valid access token as Authorization: Bearer <token>"
                    .to_owned()
            }
            Self::NoEmail(why) => {
                format!("Login Required: this access token cannot be used: {why}")
            }
            Self::TooMany(_, _, message) => message.clone(),
            Self::Disabled => "this user is disabled; ask the operator of this server".to_owned(),
            Self::UnknownOrigin => {
                "apps of this origin may not use sessions; see the option --web-origins".to_owned()
            }
            Self::ForeignOrigin => "only pages of this server may send this request".to_owned(),
            Self::SessionTokenExpired => {
                "the access token of this session has expired; get the next one from /auth/refresh"
                    .to_owned()
            }
            Self::UnknownRoute => "route not found".to_owned(),
            Self::InvalidLink => {
                "this link is invalid or has expired: request a new one".to_owned()
            }
            Self::NotOffered(what) => format!("this server does not offer {what}"),
            Self::MethodNotAllowed(allowed) => {
                format!("method not allowed; this path supports {allowed}")
            }
            Self::Malformed(text) => format!("the body is not valid JSON: {text}"),
            Self::InvalidFormat(text) => format!("InvalidFormatException: {text}"),
            Self::TooLarge => {
                "the body is larger than 32 MB or has more than 1,000,000 values".to_owned()
            }
            Self::FileTooLarge => {
                "the content of a file is larger than 20 MB (20,971,520 bytes)".to_owned()
            }
            Self::ImportTooLarge => {
                "the file of an import is larger than 64 MB (67,108,864 bytes)".to_owned()
            }
            Self::FormTooLarge => "the form is larger than 16 KB".to_owned(),
            Self::UnsupportedMediaType => {
                "unsupported media type; send JSON as Content-Type: application/json".to_owned()
            }
            Self::NotAForm => "unsupported media type; send a form as Content-Type: \
                application/x-www-form-urlencoded"
                .to_owned(),
            Self::UnreadableForm => {
                "the form is not valid UTF-8 or contains the character NUL".to_owned()
            }
            Self::BodyTooSlow => "the body did not arrive in time".to_owned(),
            Self::ResponseTooLarge(advice) => {
                format!("the response would be larger than 64 MB (67,108,864 bytes); {advice}")
            }
            Self::DeadlineExceeded(deadline) => format!(
                "reading exceeded the deadline of {} s; request less: a shorter period, fewer \
                    terms, a smaller limit",
                deadline.as_secs()
            ),
            Self::Overloaded(why) => (*why).to_owned(),
            Self::FilesUnavailable(_) => UNAVAILABLE.to_owned(),
            Self::ProviderUnavailable(_) => {
                "the identity provider does not respond; try again shortly".to_owned()
            }
            Self::Failed(_) => "internal error".to_owned(),
        }
    }
}

impl ApiError {
    /// Whether an account, group or transaction is missing in a visible book (behaviour 4.4).
    pub const fn is_missing_resource(&self) -> bool {
        matches!(
            self,
            Self::Service(Error::Refused(
                Refusal::Chart(chart::Refusal::Unknown(..))
                    | Refusal::Transaction(transaction::Refusal::Unknown(_))
            ))
        )
    }

    /// Returns the refusal of a session or sign-in link, if it is one.
    pub const fn session_refusal(&self) -> Option<&session::Refusal> {
        match self {
            Self::Service(Error::Refused(Refusal::Session(refusal))) => Some(refusal),
            Self::Service(_) | Self::RequestError(_) => None,
        }
    }

    /// Returns the refusal of an OAuth grant, if it is one.
    pub const fn grant_refusal(&self) -> Option<&grant::Refusal> {
        match self {
            Self::Service(Error::Refused(Refusal::Grant(refusal))) => Some(refusal),
            Self::Service(_) | Self::RequestError(_) => None,
        }
    }

    /// Whether authentication failed.
    pub fn is_unauthenticated(&self) -> bool {
        self.status() == StatusCode::UNAUTHORIZED
    }

    /// Whether the error is temporary.
    pub fn is_unavailable(&self) -> bool {
        self.status() == StatusCode::SERVICE_UNAVAILABLE
    }

    /// Whether a web app must refresh its access token.
    pub const fn is_expired_session(&self) -> bool {
        matches!(self, Self::RequestError(RequestError::SessionTokenExpired))
    }

    /// Whether a stored value is corrupt.
    pub const fn is_corrupt(&self) -> bool {
        matches!(self, Self::Service(Error::Storage(daybook_storage::Error::Corrupt(_))))
    }

    /// Whether the outcome of a commit is unknown.
    pub const fn is_outcome_unknown(&self) -> bool {
        matches!(self, Self::Service(Error::Storage(daybook_storage::Error::OutcomeUnknown)))
    }

    /// Converts an unknown outcome of an idempotent write to a temporary error.
    pub fn repeatable(self) -> Self {
        match self {
            Self::Service(error) => Self::Service(error.repeatable()),
            Self::RequestError(error) => Self::RequestError(error),
        }
    }

    /// Whether the browser has no valid session.
    pub const fn is_signed_out(&self) -> bool {
        matches!(self.session_refusal(), Some(session::Refusal::SignedOut))
    }

    /// Removes the index of the item, for requests that are not batches.
    pub fn without_item_index(self) -> Self {
        match self {
            Self::Service(error) => Self::Service(error.without_index()),
            Self::RequestError(error) => Self::RequestError(error),
        }
    }

    fn status(&self) -> StatusCode {
        match self {
            Self::Service(error) => status_of(error.kind()),
            Self::RequestError(error) => error.status(),
        }
    }

    /// Returns the reason on the wire (behaviour 10.2).
    pub fn reason(&self) -> &'static str {
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

    /// Returns the message for the client, without internal causes.
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

    /// Returns the body of the response.
    fn body(&self) -> ErrorOut {
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
                self.count_shortage();
                tracing::warn!(%cause, "request shed");
            } else {
                tracing::error!(%cause, status = status.as_u16(), "request failed");
            }
        }
        let mut response = HttpResponse::build(status);
        let is_lasting = matches!(self, Self::RequestError(RequestError::NotOffered(_)));
        if status == StatusCode::SERVICE_UNAVAILABLE && !is_lasting {
            response.insert_header((RETRY_AFTER, RETRY_AFTER_SECONDS));
        }
        if let Self::RequestError(RequestError::TooMany(limit, seconds, _)) = self {
            RATE_LIMITED.count(limit.as_str());
            response.insert_header((RETRY_AFTER, *seconds));
        }
        if let Self::RequestError(RequestError::MethodNotAllowed(methods)) = self {
            response.insert_header((ALLOW, methods.as_str()));
        }
        if status == StatusCode::UNAUTHORIZED {
            response.insert_header((WWW_AUTHENTICATE, "Bearer"));
        }
        let has_unread_body =
            matches!(status, StatusCode::PAYLOAD_TOO_LARGE | StatusCode::REQUEST_TIMEOUT);
        if has_unread_body && matches!(self, Self::RequestError(_)) {
            // Closing the connection is cheaper than reading the rest of the body.
            response.force_close();
        }
        response.json(self.body())
    }
}
