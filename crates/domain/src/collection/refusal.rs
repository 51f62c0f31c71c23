//! Refusals about collections.

use crate::reason::Reason;

/// Limit of books of a collection.
pub const MAX_BOOKS: usize = 1_000;

/// Why a request about a collection was refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// The user has no collection with that id.
    #[error("collection not found: {0}")]
    Unknown(String),
    /// An update has no id.
    #[error("id is required")]
    IdRequired,
    /// A book of the list has no id.
    #[error("each book requires an id")]
    BookIdRequired,
    /// These books do not exist, or are hidden from the caller.
    #[error("books not found. Ids: [{}]", .0.join(", "))]
    UnknownBooks(Vec<String>),
    /// The collection would have more than [`MAX_BOOKS`] books.
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
