//! Refusals about access tokens.

use crate::name::MAX_NAME;
use crate::reason::Reason;

use super::{MAX_BOOKS, MAX_DAYS, MAX_TOKENS};

/// Why a request about or with an access token was refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[expect(missing_docs, reason = "each variant has its message")]
pub enum Refusal {
    #[error("token not found: {0}")]
    Unknown(String),
    #[error("name has {0} characters; at most {MAX_NAME} are allowed")]
    NameTooLong(usize),
    #[error("invalid days {0}: expected 1 to {MAX_DAYS}")]
    Days(i64),
    #[error("books is empty: name the books, or omit it for a token without this limit")]
    NoBooks,
    #[error("books has {0} items; at most {MAX_BOOKS} are allowed")]
    TooManyBooks(usize),
    #[error("books not found: Ids: [{}]", .0.join(", "))]
    UnknownBooks(Vec<String>),
    #[error("a user has at most {MAX_TOKENS} active tokens: revoke some first")]
    TooMany,
    /// The scope of the token does not allow the request (behaviour 11.9).
    #[error("the access token is limited: {0}")]
    InsufficientScope(&'static str),
}

impl Refusal {
    pub(crate) const fn reason(&self) -> Reason {
        match self {
            Self::Unknown(_) | Self::UnknownBooks(_) => Reason::NotFound,
            Self::InsufficientScope(_) => Reason::InsufficientScope,
            Self::NameTooLong(_)
            | Self::Days(_)
            | Self::NoBooks
            | Self::TooManyBooks(_)
            | Self::TooMany => Reason::BadRequest,
        }
    }
}
