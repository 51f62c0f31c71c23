//! Refusals of access requests.

use super::MAX_MESSAGE;
use crate::reason::Reason;

/// Why an access request was refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[expect(missing_docs, reason = "each variant has its message")]
pub enum Refusal {
    #[error("access request not found")]
    Unknown,
    #[error("permission is required: OWNER, EDITOR, POSTER, RECORDER or VIEWER")]
    PermissionRequired,
    #[error(
        "permission \"{0}\" cannot be requested: expected EDITOR, POSTER, RECORDER or VIEWER, or \
         OWNER from a collaborator"
    )]
    NotRequestable(String),
    #[error("the caller already has this permission")]
    AlreadyGranted,
    #[error("the message has more than {MAX_MESSAGE} characters")]
    MessageTooLong,
}

impl Refusal {
    pub(crate) const fn reason(&self) -> Reason {
        match self {
            Self::Unknown => Reason::NotFound,
            Self::PermissionRequired
            | Self::NotRequestable(_)
            | Self::AlreadyGranted
            | Self::MessageTooLong => Reason::BadRequest,
        }
    }
}
