//! The delivery log: requests to apps and their responses (behaviour 12.13).

use super::DeliveryAttempt;
use super::response::remove_nul;
use super::secret::remove_secrets;
use crate::app::AppId;
use crate::instant::{DAY, Instant};

/// Number of attempts stored for an event and an app. Older ones are removed.
pub const MAX_LOGGED: i64 = 100;
/// Maximum length of a stored response body, in bytes.
pub const MAX_LOGGED_ANSWER: usize = 1_024;
/// Time until an attempt is removed.
const RETENTION: i64 = 30 * DAY;

/// The stored part of a request to an app and of its response.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Exchange {
    /// The time at which the request was sent.
    pub at: Instant,
    /// The time until the last byte of the response, or until the timeout.
    pub milliseconds: i64,
    /// The HTTP status, if there was a response.
    pub status: Option<u16>,
    /// The beginning of the response body, as text.
    pub answer: Option<String>,
}

impl Exchange {
    /// Returns the first kilobyte of a response body without secrets, for storage.
    ///
    /// ```
    /// use daybook_domain::delivery::Exchange;
    /// let text = Exchange::excerpt(b"{\"you sent\":\"eyJhbGciOi\"}", &["eyJhbGciOi".to_owned()]);
    /// assert_eq!(text, "{\"you sent\":\"[removed]\"}");
    /// ```
    pub fn excerpt(body: &[u8], secrets: &[String]) -> String {
        // Secrets are removed first, so that truncation cannot leave a part of one.
        let text = remove_secrets(&remove_nul(&String::from_utf8_lossy(body)), secrets);
        let end = text.floor_char_boundary(MAX_LOGGED_ANSWER);
        text.get(..end).unwrap_or_default().to_owned()
    }
}

/// An entry of the delivery log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LoggedAttempt {
    /// The app.
    pub app: AppId,
    /// The number of the event.
    pub sequence: i64,
    /// The number among the attempts to deliver the event to the app.
    pub number: i64,
    /// The request and its response.
    pub exchange: Exchange,
    /// The description of the failure, if the attempt failed.
    pub failure: Option<String>,
}

impl DeliveryAttempt {
    /// Returns the failure for the log. A response that reports an error is not a failure.
    pub fn failure(&self) -> Option<&str> {
        match self {
            Self::Answered(_) => None,
            Self::Busy(_) => Some("status 429"),
            Self::Failed(failure) => Some(failure),
        }
    }
}

/// Returns the instant before which attempts are removed.
pub const fn log_retention_cutoff(now: Instant) -> Instant {
    now.plus(-RETENTION)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_bodies_are_truncated_between_characters() {
        let body = "é".repeat(MAX_LOGGED_ANSWER);
        assert_eq!(Exchange::excerpt(body.as_bytes(), &[]).len(), MAX_LOGGED_ANSWER);
        let odd = format!("a{body}");
        assert_eq!(Exchange::excerpt(odd.as_bytes(), &[]).len(), MAX_LOGGED_ANSWER - 1);
        assert_eq!(Exchange::excerpt(b"a\xffb\0", &[]), "a\u{fffd}b");
    }

    #[test]
    fn truncation_leaves_no_part_of_a_secret() {
        let secret = "s".repeat(40);
        let body = format!("{}{secret}", "x".repeat(MAX_LOGGED_ANSWER - 5));
        let text = Exchange::excerpt(body.as_bytes(), std::slice::from_ref(&secret));
        assert!(text.ends_with("x[remo"), "{text}");
    }

    #[test]
    fn failed_attempts_have_a_failure() {
        assert_eq!(DeliveryAttempt::Answered(None).failure(), None);
        assert_eq!(DeliveryAttempt::Busy(Some(1)).failure(), Some("status 429"));
        assert_eq!(DeliveryAttempt::Failed("no".to_owned()).failure(), Some("no"));
    }
}
