//! Why something about an API key was refused.

use crate::name::MAX_NAME;
use crate::reason::Reason;

use super::{MAX_KEYS, MAX_LISTED_KEYS, MAX_RATE, MIN_RATE};

/// Why something about an API key was refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// No key of this user with that id.
    #[error("API key not found: {0}")]
    Unknown(String),
    /// Longer than [`MAX_NAME`] characters.
    #[error("name has {0} characters; at most {MAX_NAME} are allowed")]
    NameTooLong(usize),
    /// Not a number of calls from [`MIN_RATE`] to [`MAX_RATE`].
    #[error("the rate is {0}; a key has {MIN_RATE} to {MAX_RATE} calls a minute")]
    Rate(u32),
    /// More than [`MAX_KEYS`] keys that are not revoked.
    #[error("a user has at most {MAX_KEYS} API keys; revoke some first")]
    TooMany,
    /// More than [`MAX_LISTED_KEYS`] keys, revoked ones included.
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
