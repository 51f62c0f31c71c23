//! Refusals about API keys.

use crate::name::MAX_NAME;
use crate::reason::Reason;

use super::{MAX_KEYS, MAX_LISTED_KEYS, MAX_RATE, MIN_RATE};

/// Why a request about an API key was refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// The user has no key with that id.
    #[error("API key not found: {0}")]
    Unknown(String),
    /// The name is longer than [`MAX_NAME`].
    #[error("name has {0} characters; at most {MAX_NAME} are allowed")]
    NameTooLong(usize),
    /// The rate is outside [`MIN_RATE`] to [`MAX_RATE`].
    #[error("invalid rate {0}: expected {MIN_RATE} to {MAX_RATE} calls per minute")]
    Rate(u32),
    /// The user already has [`MAX_KEYS`] active keys.
    #[error("a user has at most {MAX_KEYS} API keys: revoke some first")]
    TooMany,
    /// The user already has [`MAX_LISTED_KEYS`] keys, including revoked ones.
    #[error("a user creates at most {MAX_LISTED_KEYS} API keys in 30 days")]
    TooManyRevoked,
}

impl Refusal {
    pub(crate) const fn reason(&self) -> Reason {
        match self {
            Self::Unknown(_) => Reason::NotFound,
            Self::NameTooLong(_) | Self::Rate(_) | Self::TooMany | Self::TooManyRevoked => {
                Reason::BadRequest
            }
        }
    }
}
