//! Mails and their way out: what they say, when they are tried, when they are given up (behaviour
//! 7.10). How they are sent is a matter of the server.

mod content;
mod quoting;
mod refusal;
mod templates;
#[cfg(test)]
mod tests;

pub use content::MailContent;
pub use refusal::Refusal;
pub use templates::{Invitation, access_asked, app_paused, book_offered, sign_in_link};

use crate::email::Email;
use crate::id::{BookKey, MailId, UserId};
use crate::instant::Instant;
use crate::session::LINK_MINUTES;

/// The most mails of a kind that the requests of a user cause in a day; beyond it none are written
/// (behaviour 7.10).
pub const MAX_CAUSED: i64 = 100;
/// Characters that are kept of why a mail was not sent.
const MAX_FAILURE: usize = 500;
const MINUTE: i64 = 60_000;
const DAY: i64 = 24 * 60 * MINUTE;
/// How long a mail waits for its first attempt (behaviour 7.10).
const WAITING_TIME: i64 = 30 * DAY;
/// How long it is tried after that (behaviour 7.10).
const TRYING_TIME: i64 = DAY;
/// How long it is kept after its end (behaviour 7.10).
const KEPT_TIME: i64 = 7 * DAY;
/// The longest pause between two attempts.
const MAX_PAUSE: i64 = 60 * MINUTE;
/// How long an attempt may take. After that somebody else tries: the process has ended.
const LEASE_TIME: i64 = 5 * MINUTE;

/// What a mail is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MailKind {
    /// Somebody shares a book (behaviour 7.5), or offers it (behaviour 6.28).
    Invitation,
    /// Somebody asks for access to a book (behaviour 7.6).
    AccessRequest,
    /// A link that signs in (behaviour 11.14).
    SignInLink,
    /// An app is paused in a book (behaviour 8.19).
    AppPaused,
}

impl MailKind {
    const ALL: [Self; 4] =
        [Self::Invitation, Self::AccessRequest, Self::SignInLink, Self::AppPaused];

    /// The name of the kind.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Invitation => "invitation",
            Self::AccessRequest => "access-request",
            Self::SignInLink => "sign-in-link",
            Self::AppPaused => "app-paused",
        }
    }

    /// Finds the kind with that name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.as_str() == name)
    }

    /// How long a mail of this kind waits for its first attempt. A link that has ended helps
    /// nobody.
    const fn waiting_time(self) -> i64 {
        match self {
            Self::Invitation | Self::AccessRequest | Self::AppPaused => WAITING_TIME,
            Self::SignInLink => LINK_MINUTES * MINUTE,
        }
    }
}

/// What became of a mail.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MailEnd {
    /// A mail server has taken it.
    Sent,
    /// It was refused, or could not be sent in time.
    GivenUp,
}

impl MailEnd {
    /// The name of the end.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Sent => "sent",
            Self::GivenUp => "given-up",
        }
    }

    /// Finds the end with that name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        [Self::Sent, Self::GivenUp].into_iter().find(|end| end.as_str() == name)
    }
}

/// What an attempt to send a mail came to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MailAttempt {
    /// A mail server has taken it.
    Sent,
    /// It failed for now, and why.
    Failed(String),
    /// It was refused for good, and why.
    Refused(String),
}

/// Why a mail is written: whose request causes it, and in which book.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MailCause {
    /// What it is about.
    pub kind: MailKind,
    /// The user whose request it was; nobody for a link, which anybody may ask for, and for what
    /// the server notices by itself.
    pub user: Option<UserId>,
    /// The book.
    pub book: Option<BookKey>,
}

/// A mail in the outbox.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mail {
    /// Grows with creation.
    pub id: MailId,
    /// Who gets it.
    pub recipient: Email,
    /// Why.
    pub cause: MailCause,
    /// What it says; nothing any more when it was sent.
    pub content: MailContent,
    /// When it was written.
    pub created_at: Instant,
    /// When it is to be tried next. While it is tried, when somebody else may.
    pub due_at: Instant,
    /// When it is given up.
    pub until: Instant,
    /// How often it was tried.
    pub attempts: i64,
    /// What became of it, and when.
    pub ended: Option<(Instant, MailEnd)>,
    /// Why the last attempt failed.
    pub failure: Option<String>,
}

impl Mail {
    /// A mail that was written now, to be sent at once.
    #[must_use]
    pub const fn new(
        id: MailId,
        recipient: Email,
        cause: MailCause,
        content: MailContent,
        now: Instant,
    ) -> Self {
        let until = later(now, cause.kind.waiting_time());
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

    /// The mail while it is tried. The first attempt says until when it is tried.
    #[must_use]
    pub fn tried(self, now: Instant) -> Self {
        let until =
            if self.attempts == 0 { self.until.min(later(now, TRYING_TIME)) } else { self.until };
        let attempts = self.attempts.saturating_add(1);
        Self { attempts, until, due_at: later(now, LEASE_TIME), ..self }
    }

    /// The mail after an attempt.
    #[must_use]
    pub fn after(self, attempt: &MailAttempt, now: Instant) -> Self {
        match attempt {
            MailAttempt::Sent => self.sent(now),
            MailAttempt::Failed(why) => self.failed(why, now),
            MailAttempt::Refused(why) => self.refused(why, now),
        }
    }

    /// The mail after its time is over.
    #[must_use]
    pub fn overdue(self, now: Instant) -> Self {
        let why = self.failure.clone().unwrap_or_else(|| "it was not sent in time".to_owned());
        self.refused(&why, now)
    }

    /// A mail that was given up, to be sent at once as if it was written now.
    ///
    /// # Errors
    /// [`Refusal`].
    pub fn again(self, now: Instant) -> Result<Self, Refusal> {
        match (self.ended, self.cause.kind) {
            (None, _) => Err(Refusal::Waiting(self.id)),
            (Some((_, MailEnd::Sent)), _) => Err(Refusal::Sent(self.id)),
            (Some((_, MailEnd::GivenUp)), MailKind::SignInLink) => Err(Refusal::LinkEnded(self.id)),
            (
                Some((_, MailEnd::GivenUp)),
                kind @ (MailKind::Invitation | MailKind::AccessRequest | MailKind::AppPaused),
            ) => {
                let until = later(now, kind.waiting_time());
                Ok(Self { due_at: now, until, attempts: 0, ended: None, ..self })
            }
        }
    }

    /// What it said is not kept.
    fn sent(self, now: Instant) -> Self {
        let (content, failure) = (MailContent::default(), None);
        Self { content, failure, ended: Some((now, MailEnd::Sent)), ..self }
    }

    /// The pauses grow from a minute to an hour, until it is given up.
    fn failed(self, why: &str, now: Instant) -> Self {
        let doublings = u32::try_from(self.attempts.saturating_sub(1).clamp(0, 6)).unwrap_or(6);
        let pause = MINUTE.saturating_mul(1_i64 << doublings).min(MAX_PAUSE);
        let due_at = later(now, pause);
        if due_at >= self.until {
            return self.refused(why, now);
        }
        Self { due_at, failure: Some(kept(why)), ..self }
    }

    /// What it said is kept for the operator.
    fn refused(self, why: &str, now: Instant) -> Self {
        Self { failure: Some(kept(why)), ended: Some((now, MailEnd::GivenUp)), ..self }
    }
}

/// What is kept of a failure.
fn kept(why: &str) -> String {
    let shown = why.chars().map(|c| if c.is_control() { ' ' } else { c });
    shown.take(MAX_FAILURE).collect()
}

/// The day that ends now: the mails that a user has caused since then are counted.
#[must_use]
pub const fn counted_since(now: Instant) -> Instant {
    later(now, -DAY)
}

/// The minute that ends now: the links that were mailed since then are counted.
#[must_use]
pub const fn a_minute_before(now: Instant) -> Instant {
    later(now, -MINUTE)
}

/// Mails that ended before this are removed.
#[must_use]
pub const fn kept_since(now: Instant) -> Instant {
    later(now, -KEPT_TIME)
}

const fn later(instant: Instant, milliseconds: i64) -> Instant {
    Instant::new(instant.milliseconds().saturating_add(milliseconds))
}
