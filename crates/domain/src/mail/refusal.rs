//! Refusals to retry a mail.

use crate::id::MailId;
use crate::reason::Reason;

/// Why a mail cannot be retried (behaviour 7.10).
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// The mail is still scheduled.
    #[error("the mail {0} waits to be sent; only a mail that was given up can be retried")]
    Waiting(MailId),
    /// The mail was sent, and its content erased.
    #[error("the mail {0} was already sent")]
    Sent(MailId),
    /// The sign-in link in it has expired.
    #[error("the sign-in link in the mail {0} has expired; its recipient can request a new one")]
    LinkEnded(MailId),
}

impl Refusal {
    pub(crate) const fn reason(&self) -> Reason {
        Reason::BadRequest
    }
}
