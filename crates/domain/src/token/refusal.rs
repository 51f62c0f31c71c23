//! Why something about a token was refused.

use crate::name::MAX_NAME;
use crate::reason::Reason;

use super::{MAX_BOOKS, MAX_DAYS, MAX_TOKENS};

/// Why something about a token was refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// No token of this user with that id.
    #[error("token not found: {0}")]
    Unknown(String),
    /// Longer than [`MAX_NAME`] characters.
    #[error("name has {0} characters; at most {MAX_NAME} are allowed")]
    NameTooLong(usize),
    /// Not a number of days from 1 to [`MAX_DAYS`].
    #[error("days is {0}; a token is valid for 1 to {MAX_DAYS} days")]
    Days(i64),
    /// A list of books without a book.
    #[error("books is empty; name the books, or leave it out for a token without this limit")]
    NoBooks,
    /// More than [`MAX_BOOKS`] books.
    #[error("books has {0} items; at most {MAX_BOOKS} are allowed")]
    TooManyBooks(usize),
    /// Books that do not exist for the user.
    #[error("books not found: Ids: [{}]", .0.join(", "))]
    UnknownBooks(Vec<String>),
    /// More than [`MAX_TOKENS`] active tokens.
    #[error("a user has at most {MAX_TOKENS} active tokens; revoke some first")]
    TooMany,
    /// The token of the request does not reach so far (behaviour 11.9).
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
