//! Why a request about groups is refused.

use super::limits::{MAX_GROUPS, MAX_PASSED};
use crate::deletion::{MAX_MOVES, MAX_RELEASED_TEXTS};
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
    #[error("a group named \"{0}\" already exists")]
    AlreadyExists(String),
    /// Neither id nor name given.
    #[error("group id is required (a name serves too)")]
    Unnamed,
    /// The parent is the group itself or below it (behaviour 4.13).
    #[error("group \"{0}\" cannot have \"{1}\" as its parent: that would be a cycle")]
    Cycle(String, String),
    /// Only the owner changes a locked group, its membership or its accounts (behaviour 4.15).
    #[error("group \"{0}\" is locked by the book owner")]
    Locked(String),
    /// Only the owner locks and unlocks (behaviour 4.15).
    #[error("only the OWNER may lock and unlock groups")]
    LockIsOwners,
    /// The deletion would move too many groups and accounts (behaviour 10.11).
    #[error(
        "that would move groups and accounts more than {MAX_MOVES} times, or write more than \
         {MAX_RELEASED_TEXTS} bytes about them; delete fewer groups at \
         once, or take accounts out of them first"
    )]
    TooManyMoves,
    /// More groups than a book may have (behaviour 4.23).
    #[error("the book would have {0} groups; at most {MAX_GROUPS} are allowed")]
    TooMany(usize),
    /// The parents that a request names are too deep in the hierarchy, all together.
    #[error(
        "there are more than {MAX_PASSED} groups above the parents that are named; give fewer \
         groups a parent at once"
    )]
    TooManyPassed,
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
            | Self::TooManyMoves
            | Self::TooMany(_)
            | Self::TooManyPassed => Reason::BadRequest,
        }
    }
}
