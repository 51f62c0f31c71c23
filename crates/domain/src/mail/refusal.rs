//! Why a mail is not tried again.

use crate::id::MailId;

/// Why a mail is not tried again (behaviour 7.10).
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// It is tried without being asked for.
    #[error("the mail {0} waits to be sent; it was not given up")]
    Waiting(MailId),
    /// What it said is not kept.
    #[error("the mail {0} was sent")]
    Sent(MailId),
    /// It would help nobody.
    #[error("the link in the mail {0} works no more; its reader asks for another")]
    LinkEnded(MailId),
}
