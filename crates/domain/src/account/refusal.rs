//! Why a request about accounts is refused.

use super::limits::{MAX_CHART, MAX_GROUPS_OF_ACCOUNT};
use crate::deletion::{MAX_RELEASED, MAX_RELEASED_TEXTS};
use crate::reason::Reason;

/// Why something about an account was refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// No account with that id or name.
    #[error("Account not found: {0}")]
    Unknown(String),
    /// Ids or names that do not exist, in a batch or in a body that must name an account (behaviour
    /// 3.6.5).
    #[error("accounts not found. Ids: [{}]", .0.join(", "))]
    UnknownIds(Vec<String>),
    /// A reference in a body names no account; unlike a missing resource this is an error of the
    /// body.
    #[error("Account not found: {0}")]
    UnknownReference(String),
    /// Another account has the name (behaviour 4.5).
    #[error("an account named \"{0}\" already exists")]
    AlreadyExists(String),
    /// Neither id nor name given.
    #[error("account id is required (a name serves too)")]
    Unnamed,
    /// It once had a posted transaction (behaviour 4.7).
    #[error("account \"{0}\" has posted transactions and cannot be deleted; archive it instead")]
    HasPostings(String),
    /// The account is named by too many drafts, which would lose it (behaviour 10.11).
    #[error(
        "more than {MAX_RELEASED} sides of drafts name what is to be deleted, or these drafts have \
         more than {MAX_RELEASED_TEXTS} bytes of texts; take it off some of them first, or archive \
         it instead"
    )]
    TooManyDrafts,
    /// The accounts and groups of a book would take too much together (behaviour 4.22).
    #[error(
        "the accounts and groups of this book would have {0} bytes of names, properties and \
         memberships together; at most {MAX_CHART} are allowed"
    )]
    ChartTooLarge(i64),
    /// The account would be in too many groups (behaviour 4.23).
    #[error("the account would be in {0} groups; at most {MAX_GROUPS_OF_ACCOUNT} are allowed")]
    TooManyGroups(usize),
    /// The account is archived and nothing can be posted on it (behaviour 4.8).
    #[error("account \"{0}\" is archived; nothing can be posted to it")]
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
