//! Why a request about groups is refused.

use crate::deletion::MAX_MOVES;
use crate::reason::Reason;

/// Why something about a group was refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// No group with that id or name.
    #[error("Group not found: {0}")]
    Unknown(String),
    /// Ids or names that do not exist, in a batch or in a body that must name a group (behaviour
    /// 3.6.5).
    #[error("groups not found. Ids: [{}]", .0.join(", "))]
    UnknownIds(Vec<String>),
    /// A reference in a body names no group.
    #[error("Group not found: {0}")]
    UnknownReference(String),
    /// Another group has the name (behaviour 4.5).
    #[error("a group named {0:?} already exists")]
    AlreadyExists(String),
    /// Neither id nor name given.
    #[error("group id is required (a name serves too)")]
    Unnamed,
    /// The parent is the group itself or below it (behaviour 4.13).
    #[error("group {0:?} cannot have {1:?} as its parent: that would be a cycle")]
    Cycle(String, String),
    /// Only the owner changes a locked group, its membership or its accounts (behaviour 4.15).
    #[error("group {0:?} is locked by the book owner")]
    Locked(String),
    /// Only the owner locks and unlocks (behaviour 4.15).
    #[error("only the OWNER may lock and unlock groups")]
    LockIsOwners,
    /// The deletion would move too many groups and accounts.
    #[error(
        "that would move groups and accounts more than {MAX_MOVES} times; delete fewer groups at \
            once"
    )]
    TooManyMoves,
}

impl Refusal {
    pub(crate) const fn reason(&self) -> Reason {
        match self {
            Self::Unknown(_) | Self::UnknownIds(_) => Reason::NotFound,
            Self::Locked(_) | Self::LockIsOwners => Reason::Forbidden,
            Self::UnknownReference(_)
            | Self::AlreadyExists(_)
            | Self::Unnamed
            | Self::Cycle(..)
            | Self::TooManyMoves => Reason::BadRequest,
        }
    }
}
