//! Refusals to sign in.

use super::LINK_MINUTES;
use crate::email::Email;
use crate::reason::Reason;

/// Why a sign-in or the use of a session was refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// The link is unknown, used or expired.
    #[error("this link is not valid: a link works once, for {LINK_MINUTES} minutes")]
    LinkUnusable,
    /// The operator has disabled the user.
    #[error("this user is disabled")]
    Disabled,
    /// The server mails links, which replace invitations.
    #[error("this server sends mail: users get their links by mail")]
    MailsLinks,
    /// The invited address belongs to a user.
    #[error("{0} is a user already")]
    AlreadyUser(Email),
    /// Too many links of the address still work.
    #[error("too many links of this address still work; wait until they expire")]
    TooManyLinks,
    /// The session is missing or has ended.
    #[error("not signed in")]
    SignedOut,
    /// The user has no active session with this id (behaviour 11.28).
    #[error("session not found: {0}")]
    Unknown(String),
}

impl Refusal {
    pub(crate) const fn reason(&self) -> Reason {
        match self {
            Self::LinkUnusable | Self::Unknown(_) => Reason::NotFound,
            Self::Disabled => Reason::Disabled,
            Self::MailsLinks | Self::AlreadyUser(_) | Self::TooManyLinks => Reason::BadRequest,
            Self::SignedOut => Reason::LoginRequired,
        }
    }
}
