//! Refusals of access to a book.

use crate::reason::Reason;

/// Why access to a book, or an action in it, was refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// The book does not exist, or is hidden from the user (behaviour 7.4).
    #[error("book not found")]
    BookNotFound,
    /// The permission does not allow the action.
    #[error("permission {0} is not enough for this")]
    NotEnough(&'static str),
}

impl Refusal {
    pub(crate) const fn reason(&self) -> Reason {
        match self {
            Self::BookNotFound => Reason::NotFound,
            Self::NotEnough(_) => Reason::Forbidden,
        }
    }
}
