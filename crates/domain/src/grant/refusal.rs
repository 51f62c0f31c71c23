//! Refusals of OAuth requests.

use crate::reason::Reason;

/// Why an OAuth request was refused. Each refusal has an error code of RFC 6749 or RFC 8628.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// The request is malformed, with a description.
    #[error("{0}")]
    InvalidRequest(String),
    /// The scope does not include `email` (behaviour 11.2).
    #[error("the scope must include email")]
    InvalidScope,
    /// The code or refresh token is unknown, has expired or belongs to another client.
    #[error("the code or token is unknown, has expired, or was issued to another client")]
    InvalidGrant,
    /// The code or refresh token was used before. Its grant ends.
    #[error("the code or token was already used; all tokens issued for it are revoked")]
    Reused,
    /// The user of the grant is disabled.
    #[error("the user is disabled")]
    Disabled,
    /// The user denied access.
    #[error("the user denied access")]
    AccessDenied,
    /// The user has not decided yet.
    #[error("the user has not decided yet")]
    AuthorizationPending,
    /// The client polls too frequently.
    #[error("polling too frequently")]
    SlowDown,
    /// The device code has expired.
    #[error("the device code has expired")]
    ExpiredToken,
    /// The user code is unknown, has expired or was decided upon.
    #[error("this code is unknown or has expired: a code is valid once, for 30 minutes")]
    UnknownUserCode,
    /// The limit of pending device authorizations is reached.
    #[error("too many devices are waiting; try again later")]
    TooManyDevices,
}

impl Refusal {
    /// Returns the registered error code.
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
            Self::TooManyDevices => "temporarily_unavailable",
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
            | Self::TooManyDevices => Reason::BadRequest,
        }
    }
}
