//! The delivery log: what was tried, and what came back (behaviour 12.13).

use super::DeliveryAttempt;
use super::secret::without_secrets;
use crate::app::AppId;
use crate::instant::Instant;

/// The attempts to deliver an event to an app that are kept: the last ones.
pub const MAX_LOGGED: i64 = 100;
/// Bytes of an answer that are kept.
pub const MAX_LOGGED_ANSWER: usize = 1_024;
/// How long an attempt is kept.
const KEPT_TIME: i64 = 30 * 24 * 60 * 60_000;

/// A request to an app, and its answer, as far as they are kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Exchange {
    /// When the request was sent.
    pub at: Instant,
    /// How long it took until the last byte of the answer, or until none was waited for any more.
    pub milliseconds: i64,
    /// The HTTP status; none without an answer.
    pub status: Option<u16>,
    /// The beginning of the answer, as text.
    pub answer: Option<String>,
}

impl Exchange {
    /// What is kept of an answer: the first kilobyte of its text, without the secrets that the app
    /// was told or has told.
    ///
    /// ```
    /// use daybook_domain::delivery::Exchange;
    /// let kept = Exchange::excerpt(b"{\"you sent\":\"eyJhbGciOi\"}", &["eyJhbGciOi".to_owned()]);
    /// assert_eq!(kept, "{\"you sent\":\"[removed]\"}");
    /// ```
    #[must_use]
    pub fn excerpt(body: &[u8], secrets: &[String]) -> String {
        // No database keeps the character NUL in a text.
        let text = String::from_utf8_lossy(body).replace('\0', "");
        let text = without_secrets(&text, secrets);
        let end = text.floor_char_boundary(MAX_LOGGED_ANSWER);
        text.get(..end).unwrap_or_default().to_owned()
    }
}

/// An attempt in the delivery log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LoggedAttempt {
    /// The app.
    pub app: AppId,
    /// The number of the event.
    pub sequence: i64,
    /// Its number among the attempts to deliver the event to the app.
    pub number: i64,
    /// What was sent, and what came back.
    pub exchange: Exchange,
    /// Why it failed, if it did.
    pub failure: Option<String>,
}

impl DeliveryAttempt {
    /// Why it failed; nothing when the app has the event, whatever it says of it.
    #[must_use]
    pub fn failure(&self) -> Option<&str> {
        match self {
            Self::Answered(_) => None,
            Self::Busy(_) => Some("status 429"),
            Self::Failed(why) => Some(why),
        }
    }
}

/// Attempts before this are removed.
#[must_use]
pub const fn logged_since(now: Instant) -> Instant {
    Instant::new(now.milliseconds().saturating_sub(KEPT_TIME))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_answers_are_cut_between_characters() {
        let body = "é".repeat(MAX_LOGGED_ANSWER);
        assert_eq!(Exchange::excerpt(body.as_bytes(), &[]).len(), MAX_LOGGED_ANSWER);
        let odd = format!("a{body}");
        assert_eq!(Exchange::excerpt(odd.as_bytes(), &[]).len(), MAX_LOGGED_ANSWER - 1);
        assert_eq!(Exchange::excerpt(b"a\xffb\0", &[]), "a\u{fffd}b");
    }

    #[test]
    fn a_secret_does_not_stay_where_it_is_cut() {
        let secret = "s".repeat(40);
        let body = format!("{}{secret}", "x".repeat(MAX_LOGGED_ANSWER - 5));
        let kept = Exchange::excerpt(body.as_bytes(), std::slice::from_ref(&secret));
        assert!(kept.ends_with("x[remo"), "{kept}");
    }

    #[test]
    fn what_failed_says_why() {
        assert_eq!(DeliveryAttempt::Answered(None).failure(), None);
        assert_eq!(DeliveryAttempt::Busy(Some(1)).failure(), Some("status 429"));
        assert_eq!(DeliveryAttempt::Failed("no".to_owned()).failure(), Some("no"));
    }
}
