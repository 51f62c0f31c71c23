//! Refusals of access requests.

use super::MAX_MESSAGE;
use crate::reason::Reason;

/// Why an access request was refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// The request does not exist, or was granted, declined or has expired.
    #[error("access request not found")]
    Unknown,
    /// The body names no permission.
    #[error("permission is required: OWNER, EDITOR, POSTER, RECORDER or VIEWER")]
    PermissionRequired,
    /// The permission is unknown or NONE, or OWNER is requested by a user who is not a
    /// collaborator.
    #[error(
        "permission \"{0}\" cannot be requested: expected EDITOR, POSTER, RECORDER or VIEWER, or \
         OWNER from a collaborator"
    )]
    NotRequestable(String),
    /// The caller has this permission or a higher one.
    #[error("the caller already has this permission")]
    AlreadyGranted,
    /// The message is longer than [`MAX_MESSAGE`].
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
