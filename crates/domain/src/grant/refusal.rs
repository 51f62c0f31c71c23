//! Why no token is given.

use crate::reason::Reason;

/// Why a client gets nothing, in the error codes of RFC 6749 and RFC 8628.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// The request is malformed: what is wrong.
    #[error("{0}")]
    InvalidRequest(String),
    /// The scope has no e-mail address (behaviour 11.2).
    #[error("the scope must hold email")]
    InvalidScope,
    /// A code or a refresh token that is unknown, has expired, or is another client's.
    #[error("the code or token is unknown or has expired, or was given to another client")]
    InvalidGrant,
    /// A code or a refresh token that was used before; all that hangs on its grant ends.
    #[error("the code or token was used before; all tokens given for it are revoked")]
    Reused,
    /// The user of the grant is disabled.
    #[error("the user is disabled")]
    Disabled,
    /// The user has refused.
    #[error("the user has refused")]
    AccessDenied,
    /// The user has not decided yet.
    #[error("the user has not decided yet")]
    AuthorizationPending,
    /// The client asks too often.
    #[error("wait longer between two questions")]
    SlowDown,
    /// A device code that has expired.
    #[error("the device code has expired")]
    ExpiredToken,
    /// A user code that belongs to nobody, or that has been decided upon.
    #[error("this code does not work: a code is valid for 30 minutes, until somebody decides")]
    UnknownUserCode,
    /// More programs wait for a decision than are kept.
    #[error("too many devices are waiting; try again later")]
    Crowded,
}

impl Refusal {
    /// The error code.
    #[must_use]
    pub const fn code(&self) -> &'static str {
        match self {
            Self::InvalidRequest(_) => "invalid_request",
            Self::InvalidScope => "invalid_scope",
            Self::InvalidGrant | Self::Reused | Self::Disabled | Self::UnknownUserCode => {
                "invalid_grant"
            }
            Self::AccessDenied => "access_denied",
            Self::AuthorizationPending => "authorization_pending",
            Self::SlowDown => "slow_down",
            Self::ExpiredToken => "expired_token",
            Self::Crowded => "temporarily_unavailable",
        }
    }

    pub(crate) const fn reason(&self) -> Reason {
        match self {
            Self::UnknownUserCode => Reason::NotFound,
            Self::AccessDenied => Reason::Forbidden,
            Self::Disabled => Reason::Disabled,
            Self::InvalidRequest(_)
            | Self::InvalidScope
            | Self::InvalidGrant
            | Self::Reused
            | Self::AuthorizationPending
            | Self::SlowDown
            | Self::ExpiredToken
            | Self::Crowded => Reason::BadRequest,
        }
    }
}
