//! Email: templates, delivery attempts and retention (behaviour 7.10).
//!
//! A use case writes a [`Mail`] into the outbox in the same unit of work as the change that causes
//! it. The mail worker of the server takes the mail that is due, calls [`Mail::start_attempt`],
//! hands it to the SMTP server and calls [`Mail::apply_outcome`]. A failed attempt is retried after
//! a pause that grows from a minute to an hour. A mail ends when the SMTP server accepts it, when
//! the server refuses it permanently or when its deadline passes. The content of a sent mail is
//! erased at once. A mail that was given up keeps its content, so the operator can read it and
//! retry it. The rows of both are removed a week after their end.

mod content;
mod quoting;
mod refusal;
mod templates;
#[cfg(test)]
mod tests;

pub use content::MailContent;
pub use refusal::Refusal;
pub use templates::{
    Invitation, access_request_mail, app_paused_mail, sign_in_link_mail, transfer_offer_mail,
};

use crate::email::Email;
use crate::id::{BookKey, MailId, UserId};
use crate::instant::{DAY, Instant, MINUTE};
use crate::named::named;
use crate::session::LINK_MINUTES;

/// Limit of mails of one kind that a user's requests cause in a day (behaviour 7.10).
///
/// Further requests succeed without a mail.
pub const MAX_MAILS_PER_DAY: i64 = 100;
/// Maximum length of a stored failure text, in characters.
const MAX_FAILURE: usize = 500;
/// Time within which the first attempt must start (behaviour 7.10).
const FIRST_ATTEMPT_WINDOW: i64 = 30 * DAY;
/// Time for retries after the first attempt (behaviour 7.10).
const RETRY_WINDOW: i64 = DAY;
/// Time until the row of an ended mail is removed (behaviour 7.10).
const RETENTION: i64 = 7 * DAY;
/// Longest pause between two attempts.
const MAX_PAUSE: i64 = 60 * MINUTE;
/// Lease of an attempt. After it another process may try, because the first one has crashed.
const LEASE_TIME: i64 = 5 * MINUTE;

named! {
    /// The occasion of a mail.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum MailKind {
        /// A book is shared (behaviour 7.5) or its ownership is offered (behaviour 6.28).
        Invitation = "invitation",
        /// A user requests access to a book (behaviour 7.6).
        AccessRequest = "access-request",
        /// A sign-in link was requested (behaviour 11.14).
        SignInLink = "sign-in-link",
        /// An app was paused in a book (behaviour 8.19).
        AppPaused = "app-paused",
    }
}

impl MailKind {
    /// Returns the time within which the first attempt must start, in milliseconds.
    ///
    /// A sign-in link is not sent after it has expired.
    const fn first_attempt_window(self) -> i64 {
        match self {
            Self::Invitation | Self::AccessRequest | Self::AppPaused => FIRST_ATTEMPT_WINDOW,
            Self::SignInLink => LINK_MINUTES * MINUTE,
        }
    }
}

named! {
    /// The final state of a mail.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum MailEnd {
        /// The mail server accepted it.
        Sent = "sent",
        /// The mail server refused it, or its deadline passed.
        GivenUp = "given-up",
    }
}

/// The outcome of an attempt to send a mail.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MailAttempt {
    /// The mail server accepted it.
    Sent,
    /// A temporary failure, with its description.
    Failed(String),
    /// A permanent refusal, with its description.
    Refused(String),
}

/// The cause of a mail: the occasion, the requesting user and the book.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MailCause {
    /// The occasion.
    pub kind: MailKind,
    /// The user whose request caused it. `None` for sign-in links, whose requests are not
    /// authenticated, and for mails that the server itself causes.
    pub user: Option<UserId>,
    /// The book, if the mail is about one.
    pub book: Option<BookKey>,
}

/// A mail in the outbox.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mail {
    /// The id. Later mails have higher ids.
    pub id: MailId,
    /// The address it is sent to.
    pub recipient: Email,
    /// The cause.
    pub cause: MailCause,
    /// Subject and body. Empty after the mail was sent.
    pub content: MailContent,
    /// The time of creation.
    pub created_at: Instant,
    /// The time of the next attempt. During an attempt, the end of its lease.
    pub due_at: Instant,
    /// The time at which it is given up.
    pub until: Instant,
    /// The number of attempts that have started.
    pub attempts: i64,
    /// The time of its end and its final state.
    pub ended: Option<(Instant, MailEnd)>,
    /// The description of the last failure.
    pub failure: Option<String>,
}

impl Mail {
    /// Creates a mail that is due now.
    pub const fn new(
        id: MailId,
        recipient: Email,
        cause: MailCause,
        content: MailContent,
        now: Instant,
    ) -> Self {
        let until = now.plus(cause.kind.first_attempt_window());
        Self {
            id,
            recipient,
            cause,
            content,
            created_at: now,
            due_at: now,
            until,
            attempts: 0,
            ended: None,
            failure: None,
        }
    }

    /// Counts an attempt that starts now and leases the mail to it.
    ///
    /// The first attempt sets the deadline of the retries.
    #[must_use]
    pub fn start_attempt(self, now: Instant) -> Self {
        let until =
            if self.attempts == 0 { self.until.min(now.plus(RETRY_WINDOW)) } else { self.until };
        let attempts = self.attempts.saturating_add(1);
        Self { attempts, until, due_at: now.plus(LEASE_TIME), ..self }
    }

    /// Applies the outcome of an attempt.
    #[must_use]
    pub fn apply_outcome(self, attempt: &MailAttempt, now: Instant) -> Self {
        match attempt {
            MailAttempt::Sent => self.mark_sent(now),
            MailAttempt::Failed(failure) => self.retry_later(failure, now),
            MailAttempt::Refused(failure) => self.give_up(failure, now),
        }
    }

    /// Gives up a mail whose deadline has passed.
    #[must_use]
    pub fn expire(self, now: Instant) -> Self {
        let failure = self.failure.clone().unwrap_or_else(|| "it was not sent in time".to_owned());
        self.give_up(&failure, now)
    }

    /// Schedules a mail that was given up, with the deadlines of a new one.
    ///
    /// # Errors
    /// Every [`Refusal`].
    pub fn retry(self, now: Instant) -> Result<Self, Refusal> {
        match (self.ended, self.cause.kind) {
            (None, _) => Err(Refusal::Waiting(self.id)),
            (Some((_, MailEnd::Sent)), _) => Err(Refusal::Sent(self.id)),
            (Some((_, MailEnd::GivenUp)), MailKind::SignInLink) => Err(Refusal::LinkEnded(self.id)),
            (
                Some((_, MailEnd::GivenUp)),
                kind @ (MailKind::Invitation | MailKind::AccessRequest | MailKind::AppPaused),
            ) => {
                let until = now.plus(kind.first_attempt_window());
                Ok(Self { due_at: now, until, attempts: 0, ended: None, ..self })
            }
        }
    }

    /// Ends the mail and erases its content.
    fn mark_sent(self, now: Instant) -> Self {
        Self {
            content: MailContent::default(),
            failure: None,
            ended: Some((now, MailEnd::Sent)),
            ..self
        }
    }

    /// Schedules the next attempt, or gives up when it would be after the deadline.
    ///
    /// The pauses double from a minute to an hour.
    fn retry_later(self, failure: &str, now: Instant) -> Self {
        let doublings = u32::try_from(self.attempts.saturating_sub(1).clamp(0, 6)).unwrap_or(6);
        let pause = MINUTE.saturating_mul(1_i64 << doublings).min(MAX_PAUSE);
        let due_at = now.plus(pause);
        if due_at >= self.until {
            return self.give_up(failure, now);
        }
        Self { due_at, failure: Some(to_stored(failure)), ..self }
    }

    /// Ends the mail and keeps its content for the operator.
    fn give_up(self, failure: &str, now: Instant) -> Self {
        Self { failure: Some(to_stored(failure)), ended: Some((now, MailEnd::GivenUp)), ..self }
    }
}

/// Truncates a failure text and replaces its control characters with spaces.
fn to_stored(failure: &str) -> String {
    let printable = failure.chars().map(|c| if c.is_control() { ' ' } else { c });
    printable.take(MAX_FAILURE).collect()
}

/// Returns a failure without words that may have a link (behaviour 9.22).
///
/// Administrators see it. A mail server may quote the mail, and a sign-in link is only for the
/// recipient.
pub fn without_links(failure: &str) -> String {
    let has_link = |word: &str| word.contains("://") || word.contains("code=");
    let words = failure.split_whitespace();
    let words = words.map(|word| if has_link(word) { "[removed]" } else { word });
    words.collect::<Vec<_>>().join(" ")
}

/// Returns the instant one day before `now`, for [`MAX_MAILS_PER_DAY`].
pub const fn one_day_before(now: Instant) -> Instant {
    now.plus(-DAY)
}

/// Returns the instant one minute before `now`, for the limit of sign-in links per minute.
pub const fn one_minute_before(now: Instant) -> Instant {
    now.plus(-MINUTE)
}

/// Returns the instant before which ended mails are removed.
pub const fn retention_cutoff(now: Instant) -> Instant {
    now.plus(-RETENTION)
}
