//! Refusals of OAuth requests.

use crate::reason::Reason;

/// Why an OAuth request was refused. Each refusal has an error code of RFC 6749 or RFC 8628.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[expect(missing_docs, reason = "each variant has its message")]
pub enum Refusal {
    #[error("{0}")]
    InvalidRequest(String),
    /// The scope does not include `email` (behaviour 11.2).
    #[error("the scope must include email")]
    InvalidScope,
    #[error("the code or token is unknown, has expired, or was issued to another client")]
    InvalidGrant,
    #[error("the code or token was already used; all tokens issued for it are revoked")]
    Reused,
    #[error("the user is disabled")]
    Disabled,
    #[error("the user denied access")]
    AccessDenied,
    #[error("the user has not decided yet")]
    AuthorizationPending,
    #[error("polling too frequently")]
    SlowDown,
    #[error("the device code has expired")]
    ExpiredToken,
    #[error("this code is unknown or has expired: a code is valid once, for 30 minutes")]
    UnknownUserCode,
    #[error("too many devices are waiting; try again later")]
    TooManyDevices,
    /// The user has not consented to a client with this id (behaviour 11.29).
    #[error("consent not found: {0}")]
    UnknownConsent(String),
}

impl Refusal {
    /// Returns the registered error code.
    pub const fn code(&self) -> &'static str {
        match self {
            Self::InvalidRequest(_) => "invalid_request",
            Self::InvalidScope => "invalid_scope",
            Self::InvalidGrant
            | Self::Reused
            | Self::Disabled
            | Self::UnknownUserCode
            | Self::UnknownConsent(_) => "invalid_grant",
            Self::AccessDenied => "access_denied",
            Self::AuthorizationPending => "authorization_pending",
            Self::SlowDown => "slow_down",
            Self::ExpiredToken => "expired_token",
            Self::TooManyDevices => "temporarily_unavailable",
        }
    }

    pub(crate) const fn reason(&self) -> Reason {
        match self {
            Self::UnknownUserCode | Self::UnknownConsent(_) => Reason::NotFound,
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
