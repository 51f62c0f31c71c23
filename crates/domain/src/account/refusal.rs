//! Refusals about accounts.

use super::limits::MAX_GROUPS_OF_ACCOUNT;
use crate::deletion::{MAX_RELEASED, MAX_RELEASED_TEXTS};
use crate::reason::Reason;

/// Why a request about an account was refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// A transaction was once posted to the account (behaviour 4.7).
    #[error("account \"{0}\" has posted transactions and cannot be deleted: archive it instead")]
    HasPostings(String),
    /// A reconciliation is about the account (behaviour 14.10).
    #[error("account \"{0}\" has reconciliations: delete them first")]
    Reconciled(String),
    /// Too many drafts use the accounts to delete (behaviour 10.11).
    #[error(
        "the accounts are used by more than {MAX_RELEASED} sides of drafts, or these drafts have \
         more than {MAX_RELEASED_TEXTS} bytes of texts: remove them from some drafts first, or \
         archive them instead"
    )]
    TooManyDrafts,
    /// The account would be in more than [`MAX_GROUPS_OF_ACCOUNT`] groups (behaviour 4.23).
    #[error("the account would be in {0} groups; at most {MAX_GROUPS_OF_ACCOUNT} are allowed")]
    TooManyGroups(usize),
    /// The account is archived (behaviour 4.8).
    #[error("account \"{0}\" is archived; transactions cannot be posted to it")]
    Archived(String),
}

impl Refusal {
    pub(crate) const fn reason(&self) -> Reason {
        match self {
            Self::HasPostings(_)
            | Self::Reconciled(_)
            | Self::TooManyDrafts
            | Self::TooManyGroups(_)
            | Self::Archived(_) => Reason::BadRequest,
        }
    }
}
