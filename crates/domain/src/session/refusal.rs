//! Why somebody does not sign in.

use super::LINK_MINUTES;
use crate::reason::Reason;

/// Why somebody does not sign in, or is signed out.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// The link is unknown, was used before, or is too old.
    #[error("this link does not work: a link works once, for {LINK_MINUTES} minutes")]
    LinkUnusable,
    /// The operator has disabled the user of the link.
    #[error("this user is disabled")]
    Disabled,
    /// No session, or one that has ended.
    #[error("nobody is signed in")]
    SignedOut,
}

impl Refusal {
    pub(crate) const fn reason(&self) -> Reason {
        match self {
            Self::LinkUnusable => Reason::NotFound,
            Self::Disabled => Reason::Disabled,
            Self::SignedOut => Reason::LoginRequired,
        }
    }
}
