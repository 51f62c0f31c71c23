//! Refusals about collections.

use crate::reason::Reason;

/// Limit of books of a collection.
pub const MAX_BOOKS: usize = 1_000;

/// Why a request about a collection was refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[expect(missing_docs, reason = "each variant has its message")]
pub enum Refusal {
    #[error("collection not found: {0}")]
    Unknown(String),
    #[error("id is required")]
    IdRequired,
    #[error("each book requires an id")]
    BookIdRequired,
    #[error("books not found. Ids: [{}]", .0.join(", "))]
    UnknownBooks(Vec<String>),
    #[error("the collection would have {0} books; at most {MAX_BOOKS} are allowed")]
    TooMany(usize),
}

impl Refusal {
    pub(crate) const fn reason(&self) -> Reason {
        match self {
            Self::Unknown(_) | Self::UnknownBooks(_) => Reason::NotFound,
            Self::IdRequired | Self::BookIdRequired | Self::TooMany(_) => Reason::BadRequest,
        }
    }
}
