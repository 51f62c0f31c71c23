//! Refusals about accounts.

use super::limits::{MAX_CHART, MAX_GROUPS_OF_ACCOUNT};
use crate::deletion::{MAX_RELEASED, MAX_RELEASED_TEXTS};
use crate::reason::Reason;

/// Why a request about an account was refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[expect(missing_docs, reason = "each variant has its message")]
pub enum Refusal {
    #[error("Account not found: {0}")]
    Unknown(String),
    /// Accounts of a batch or of a body do not exist (behaviour 3.6.5).
    #[error("accounts not found. Ids: [{}]", .0.join(", "))]
    UnknownIds(Vec<String>),
    #[error("Account not found: {0}")]
    UnknownReference(String),
    /// Another account has the name (behaviour 4.5).
    #[error("an account named \"{0}\" already exists")]
    AlreadyExists(String),
    #[error("account id or name is required")]
    Unnamed,
    /// A transaction was once posted to the account (behaviour 4.7).
    #[error("account \"{0}\" has posted transactions and cannot be deleted: archive it instead")]
    HasPostings(String),
    /// Too many drafts use the accounts to delete (behaviour 10.11).
    #[error(
        "the accounts are used by more than {MAX_RELEASED} sides of drafts, or these drafts have \
         more than {MAX_RELEASED_TEXTS} bytes of texts: remove them from some drafts first, or \
         archive them instead"
    )]
    TooManyDrafts,
    /// The chart of accounts would be larger than [`MAX_CHART`] (behaviour 4.22).
    #[error(
        "the accounts and groups of this book would have {0} bytes of names, properties and \
         memberships together; at most {MAX_CHART} are allowed"
    )]
    ChartTooLarge(i64),
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
            Self::Unknown(_) | Self::UnknownIds(_) => Reason::NotFound,
            Self::UnknownReference(_)
            | Self::AlreadyExists(_)
            | Self::Unnamed
            | Self::HasPostings(_)
            | Self::TooManyDrafts
            | Self::ChartTooLarge(_)
            | Self::TooManyGroups(_)
            | Self::Archived(_) => Reason::BadRequest,
        }
    }
}
