//! Why somebody may not ask for access, or the request is not found.

use super::MAX_MESSAGE;
use crate::reason::Reason;

/// Why a request for access was refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// No such request, or it is granted, expired or declined.
    #[error("access request not found")]
    Unknown,
    /// It does not say what is asked for.
    #[error("permission is required: OWNER, EDITOR, POSTER, RECORDER or VIEWER")]
    PermissionRequired,
    /// Only these are asked for: NONE is nothing, and only collaborators ask for OWNER.
    #[error(
        "permission \"{0}\" cannot be asked for, only EDITOR, POSTER, RECORDER or VIEWER, and by \
         collaborators OWNER"
    )]
    NotToBeAsked(String),
    /// The caller has it already, or more.
    #[error("the caller has this permission already")]
    NothingMore,
    /// The message is too long.
    #[error("the message has more than {MAX_MESSAGE} characters")]
    MessageTooLong,
}

impl Refusal {
    pub(crate) const fn reason(&self) -> Reason {
        match self {
            Self::Unknown => Reason::NotFound,
            Self::PermissionRequired
            | Self::NotToBeAsked(_)
            | Self::NothingMore
            | Self::MessageTooLong => Reason::BadRequest,
        }
    }
}
