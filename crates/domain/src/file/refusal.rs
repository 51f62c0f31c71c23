//! Why a request about files is refused.

use crate::deletion::MAX_RELEASED;
use crate::reason::Reason;

/// Why something about a file was refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// Unknown, or another user's file for a recorder.
    #[error("file not found: {0}")]
    Unknown(String),
    /// A file object in `files[]` names no file of the book and brings no content (behaviour
    /// 3.2.12).
    #[error("file not found: {0}")]
    UnknownReference(String),
    /// A body without id where one is needed.
    #[error("id is required")]
    IdRequired,
    /// The content type is none.
    #[error("contentType {0:?} is not a media type of the form type/subtype")]
    ContentType(String),
    /// A checked transaction keeps its files as they are.
    #[error("the file is attached to the checked transaction {0}; uncheck it first")]
    HeldByChecked(String),
    /// So does a posted one on a locked date.
    #[error(
        "the file is attached to the transaction {0} on {1}, which is locked or closed in this \
            book"
    )]
    HeldOnLockedDate(String, String),
    /// The permission does not reach as far as the transactions that hold the file ask. Which one
    /// that is stays untold: the caller may not be allowed to see it.
    #[error(
        "permission {0} is not enough for this: the file is attached to a transaction that asks \
            for more"
    )]
    HoldersNeedMore(&'static str),
    /// Too many transactions would lose it (behaviour 10.11).
    #[error("more than {MAX_RELEASED} transactions hold the file; take it off some of them first")]
    TooManyHolders,
}

impl Refusal {
    pub(crate) const fn reason(&self) -> Reason {
        match self {
            Self::Unknown(_) => Reason::NotFound,
            Self::UnknownReference(_)
            | Self::IdRequired
            | Self::ContentType(_)
            | Self::TooManyHolders => Reason::BadRequest,
            Self::HeldByChecked(_) => Reason::CheckedTransaction,
            Self::HeldOnLockedDate(..) => Reason::LockedDate,
            Self::HoldersNeedMore(..) => Reason::Forbidden,
        }
    }
}
