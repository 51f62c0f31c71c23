//! Failures of requests.

use std::time::Duration;

use serde::Deserialize;

use crate::reason::Reason;

/// The result of a request.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Why a request has no result.
///
/// ```
/// # daybook_tests::run_example(async |example| {
/// use daybook_client::{Client, Error, Reason};
///
/// let client = Client::builder(&example.url).token(&example.token).build()?;
/// let error = client.book("unknown").get_book(&Default::default()).await.unwrap_err();
/// assert_eq!(error.reason(), Some(&Reason::NotFound));
/// assert_eq!(error.status(), Some(404));
/// # Ok(()) });
/// ```
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The server refused the request.
    #[error("{0}")]
    Api(Box<ApiError>),
    /// The token endpoint refused the request (RFC 6749, 5.2).
    #[error("{0}")]
    OAuth(OAuthError),
    /// The connection failed, or the response was incomplete.
    #[error("no response from the server: {message}")]
    Transport {
        /// The causes, without the address.
        message: String,
        /// Whether a timeout ended the attempt.
        is_timeout: bool,
    },
    /// The response has another shape than the contract says.
    #[error("unexpected response to {operation}: {source}")]
    Decode {
        /// Method and path of the request.
        operation: String,
        /// The fault in the JSON.
        source: serde_json::Error,
    },
    /// A file of the caller cannot be read or written.
    #[error("{0}")]
    File(std::io::Error),
    /// An argument of the caller is not usable.
    #[error("{0}")]
    Invalid(String),
}

impl Error {
    /// Returns the reason of a refusal by the API.
    ///
    /// ```
    /// let error = daybook_client::Error::Invalid("no base URL".to_owned());
    /// assert_eq!(error.reason(), None);
    /// ```
    #[must_use]
    pub fn reason(&self) -> Option<&Reason> {
        self.api().map(|error| &error.reason)
    }

    /// Returns the HTTP status of a refusal by the API.
    ///
    /// ```
    /// let error = daybook_client::Error::Invalid("no base URL".to_owned());
    /// assert_eq!(error.status(), None);
    /// ```
    #[must_use]
    pub fn status(&self) -> Option<u16> {
        self.api().map(|error| error.status)
    }

    /// Returns the refusal by the API.
    ///
    /// ```
    /// let error = daybook_client::Error::Invalid("no base URL".to_owned());
    /// assert!(error.api().is_none());
    /// ```
    #[must_use]
    pub const fn api(&self) -> Option<&ApiError> {
        match self {
            Self::Api(error) => Some(error),
            Self::OAuth(_)
            | Self::Transport { .. }
            | Self::Decode { .. }
            | Self::File(_)
            | Self::Invalid(_) => None,
        }
    }
}

impl From<reqwest::Error> for Error {
    fn from(error: reqwest::Error) -> Self {
        // The URL may hold a query of the user.
        let error = error.without_url();
        let mut causes = vec![error.to_string()];
        let mut cause = std::error::Error::source(&error);
        while let Some(inner) = cause {
            causes.push(inner.to_string());
            cause = inner.source();
        }
        Self::Transport { message: causes.join(": "), is_timeout: error.is_timeout() }
    }
}

/// A refusal by the API (behaviour 10.1).
///
/// ```
/// # daybook_tests::run_example(async |example| {
/// # let client = daybook_client::Client::builder(&example.url).token("x").build()?;
/// let error = client.get_user().await.unwrap_err();
/// let refusal = error.api().expect("the server answered");
/// assert_eq!(refusal.status, 401);
/// assert!(refusal.message.contains("Login Required"));
/// # Ok(()) });
/// ```
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct ApiError {
    /// The HTTP status.
    pub status: u16,
    /// The reason, for programs.
    pub reason: Reason,
    /// The message, for people.
    pub message: String,
    /// One entry for each refused item of a batch, up to 100 (3.6.5); else one.
    pub refusals: Vec<Refusal>,
    /// How long the server asks to wait.
    pub retry_after: Option<Duration>,
    /// The id of the request in the server's log.
    pub request_id: Option<String>,
    /// How often the request was sent.
    pub attempts: u32,
}

/// One refused item.
///
/// ```
/// use daybook_client::{Reason, Refusal};
///
/// let refusal = Refusal { reason: Reason::BadRequest, message: "date is required".to_owned() };
/// assert_eq!(refusal.reason.as_str(), "badRequest");
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal {
    /// The reason, for programs.
    pub reason: Reason,
    /// The message, for people.
    pub message: String,
}

/// A refusal by the token endpoint.
///
/// ```
/// # daybook_tests::run_example(async |example| {
/// let client = daybook_client::Client::builder(&example.url).build()?;
/// let error = client.refresh_tokens("daybook-cli", "x").await.unwrap_err();
/// assert!(matches!(error, daybook_client::Error::OAuth(error) if error.code == "invalid_grant"));
/// # Ok(()) });
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, thiserror::Error)]
#[error("{description} ({code})")]
pub struct OAuthError {
    /// The error code, such as `invalid_grant`.
    #[serde(rename = "error")]
    pub code: String,
    /// The description, for people.
    #[serde(default, rename = "error_description")]
    pub description: String,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct ErrorBody {
    error: ErrorPart,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct ErrorPart {
    message: String,
    errors: Vec<ErrorItem>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct ErrorItem {
    reason: String,
    message: String,
}

impl ApiError {
    /// Reads a refusal. A body that is no error of the API, as of a proxy, has no reason.
    pub(crate) fn read(status: u16, body: &[u8]) -> Self {
        let ErrorBody { error } = serde_json::from_slice(body).unwrap_or_default();
        let item = |item: ErrorItem| Refusal {
            reason: Reason::from(item.reason.as_str()),
            message: item.message,
        };
        let refusals: Vec<Refusal> = error.errors.into_iter().map(item).collect();
        let reason = refusals.first().map(|refusal| refusal.reason.clone());
        let message = match error.message.is_empty() {
            true => format!("the server answered with status {status}"),
            false => error.message,
        };
        Self {
            status,
            reason: reason.unwrap_or_else(|| Reason::Other(String::new())),
            message,
            refusals,
            retry_after: None,
            request_id: None,
            attempts: 1,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn body_of_a_proxy_is_an_error_without_a_reason() {
        let error = ApiError::read(502, b"<html>Bad gateway</html>");
        assert_eq!(error.reason, Reason::Other(String::new()));
        assert_eq!(error.message, "the server answered with status 502");
    }

    #[test]
    fn refusals_of_a_batch_are_kept() {
        let body = br#"{"error":{"code":400,"message":"two","errors":[
            {"domain":"global","reason":"lockedDate","message":"0: locked"},
            {"domain":"global","reason":"new","message":"1: new"}]}}"#;
        let error = ApiError::read(400, body);
        assert_eq!(error.reason, Reason::LockedDate);
        assert_eq!(error.refusals[1].reason, Reason::Other("new".to_owned()));
    }
}
