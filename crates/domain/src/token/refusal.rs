//! Refusals about access tokens.

use crate::name::MAX_NAME;
use crate::reason::Reason;

use super::{MAX_BOOKS, MAX_DAYS, MAX_TOKENS};

/// Why a request about or with an access token was refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// The user has no token with that id.
    #[error("token not found: {0}")]
    Unknown(String),
    /// The name is longer than [`MAX_NAME`].
    #[error("name has {0} characters; at most {MAX_NAME} are allowed")]
    NameTooLong(usize),
    /// The lifetime is outside 1 to [`MAX_DAYS`].
    #[error("invalid days {0}: expected 1 to {MAX_DAYS}")]
    Days(i64),
    /// The list of books is empty.
    #[error("books is empty: name the books, or omit it for a token without this limit")]
    NoBooks,
    /// The list has more than [`MAX_BOOKS`] books.
    #[error("books has {0} items; at most {MAX_BOOKS} are allowed")]
    TooManyBooks(usize),
    /// These books do not exist for the user.
    #[error("books not found: Ids: [{}]", .0.join(", "))]
    UnknownBooks(Vec<String>),
    /// The user already has [`MAX_TOKENS`] active tokens.
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
