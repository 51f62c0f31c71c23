//! Why a request about collections is refused.

use crate::reason::Reason;

/// The most books of one collection.
pub const MAX_BOOKS: usize = 1_000;

/// Why something about a collection was refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// No collection with that id, or one of another user.
    #[error("collection not found: {0}")]
    Unknown(String),
    /// No id on update.
    #[error("id is required")]
    IdRequired,
    /// A book of the list has no id.
    #[error("each of the books needs an id")]
    BookIdRequired,
    /// Books that do not exist, or that the caller may not read.
    #[error("books not found. Ids: [{}]", .0.join(", "))]
    UnknownBooks(Vec<String>),
    /// More books than a collection may have.
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
