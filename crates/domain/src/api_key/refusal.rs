//! Refusals about API keys.

use crate::name::MAX_NAME;
use crate::reason::Reason;

use super::{MAX_KEYS, MAX_LISTED_KEYS, MAX_RATE, MIN_RATE};

/// Why a request about an API key was refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[expect(missing_docs, reason = "each variant has its message")]
pub enum Refusal {
    #[error("API key not found: {0}")]
    Unknown(String),
    #[error("name has {0} characters; at most {MAX_NAME} are allowed")]
    NameTooLong(usize),
    #[error("invalid rate {0}: expected {MIN_RATE} to {MAX_RATE} calls per minute")]
    Rate(u32),
    #[error("a user has at most {MAX_KEYS} API keys: revoke some first")]
    TooMany,
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
