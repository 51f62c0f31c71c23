//! Why somebody is not let into a book, or not to an action in it.

use crate::reason::Reason;

/// Why somebody was not let into a book, or not to an action in it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// The book is unknown, or exists only for others (behaviour 7.4).
    #[error("book not found")]
    BookNotFound,
    /// The permission is too little.
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
