//! Why a request about files is refused.

use crate::deletion::{MAX_RELEASED, MAX_RELEASED_TEXTS};
use crate::reason::Reason;

/// Why something about a file was refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// No file with that id, or one of another user, for a recorder.
    #[error("file not found: {0}")]
    Unknown(String),
    /// An entry of `files[]` names no file of the book and has no content (behaviour 3.2.12).
    #[error("file not found: {0}")]
    UnknownReference(String),
    /// No id where one is needed.
    #[error("id is required")]
    IdRequired,
    /// The content type is not a media type.
    #[error("contentType \"{0}\" is not a media type of the form type/subtype")]
    ContentType(String),
    /// A checked transaction has the file.
    #[error("the file is attached to the checked transaction {0}; uncheck it first")]
    HeldByChecked(String),
    /// A transaction posted on a locked date has the file.
    #[error(
        "the file is attached to the transaction {0} on {1}, which is locked or closed in this \
            book"
    )]
    HeldOnLockedDate(String, String),
    /// A transaction has the file that the caller may not edit. It is not named, because the caller
    /// may not be allowed to see it.
    #[error(
        "permission {0} is not enough for this: the file is attached to a transaction that asks \
            for more"
    )]
    HoldersNeedMore(&'static str),
    /// Too many transactions have the file (behaviour 10.11).
    #[error(
        "more than {MAX_RELEASED} transactions hold the file, or they have more than \
         {MAX_RELEASED_TEXTS} bytes of texts; take it off some of them first"
    )]
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
