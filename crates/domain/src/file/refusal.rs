//! Refusals about files.

use crate::deletion::{MAX_RELEASED, MAX_RELEASED_TEXTS};
use crate::id::ReconciliationId;
use crate::reason::Reason;

/// Why a request about a file was refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[expect(missing_docs, reason = "each variant has its message")]
pub enum Refusal {
    #[error("file not found: {0}")]
    Unknown(String),
    /// An entry of `files[]` has neither an existing file nor content (behaviour 3.2.12).
    #[error("file not found: {0}")]
    UnknownReference(String),
    #[error("id is required")]
    IdRequired,
    #[error("invalid contentType \"{0}\": expected a media type of the form type/subtype")]
    ContentType(String),
    #[error("the file is attached to the checked transaction {0}: uncheck it first")]
    AttachedToChecked(String),
    #[error(
        "the file is attached to the transaction {0} on {1}, and this date is locked or closed in \
         this book"
    )]
    AttachedOnLockedDate(String, String),
    #[error(
        "permission {0} is not enough for this: the file is attached to a transaction that \
         requires a higher permission"
    )]
    AttachedBeyondPermission(&'static str),
    /// The file is the statement of a reconciliation (behaviour 14.10).
    #[error("the file is the statement of reconciliation {0}: remove it there first")]
    OnReconciliation(ReconciliationId),
    /// The file is attached to too many transactions (behaviour 10.11).
    #[error(
        "the file is attached to more than {MAX_RELEASED} transactions, or they have more than \
         {MAX_RELEASED_TEXTS} bytes of texts: remove it from some of them first"
    )]
    TooManyReferences,
}

impl Refusal {
    pub(crate) const fn reason(&self) -> Reason {
        match self {
            Self::Unknown(_) => Reason::NotFound,
            Self::UnknownReference(_)
            | Self::IdRequired
            | Self::ContentType(_)
            | Self::OnReconciliation(_)
            | Self::TooManyReferences => Reason::BadRequest,
            Self::AttachedToChecked(_) => Reason::CheckedTransaction,
            Self::AttachedOnLockedDate(..) => Reason::LockedDate,
            Self::AttachedBeyondPermission(..) => Reason::Forbidden,
        }
    }
}
