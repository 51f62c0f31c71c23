//! Refusals about groups.

use super::limits::{MAX_GROUPS, MAX_VISITED};
use crate::deletion::{MAX_MOVES, MAX_RELEASED_TEXTS};
use crate::reason::Reason;

/// Why a request about a group was refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[expect(missing_docs, reason = "each variant has its message")]
pub enum Refusal {
    /// The parent is the group itself or below it (behaviour 4.13).
    #[error("group \"{0}\" cannot have \"{1}\" as its parent: the groups would form a cycle")]
    Cycle(String, String),
    /// The caller changes a locked group, its membership or its accounts without being the owner
    /// (behaviour 4.15).
    #[error("group \"{0}\" is locked by the book owner")]
    Locked(String),
    /// The caller changes a lock without being the owner (behaviour 4.15).
    #[error("only the OWNER may lock and unlock groups")]
    OwnerLocks,
    /// The deletion would move too many groups and accounts (behaviour 10.11).
    #[error(
        "the deletion would move groups and accounts more than {MAX_MOVES} times, or write more \
         than {MAX_RELEASED_TEXTS} bytes of events: delete fewer groups at once, or remove \
         accounts from them first"
    )]
    TooManyMoves,
    /// The book would have more than [`MAX_GROUPS`] groups (behaviour 4.23).
    #[error("the book would have {0} groups; at most {MAX_GROUPS} are allowed")]
    TooMany(usize),
    #[error(
        "the parents in this request have more than {MAX_VISITED} ancestors together: set fewer \
         parents at once"
    )]
    TooManyVisited,
}

impl Refusal {
    pub(crate) const fn reason(&self) -> Reason {
        match self {
            Self::Locked(_) | Self::OwnerLocks => Reason::Forbidden,
            Self::Cycle(..) | Self::TooManyMoves | Self::TooMany(_) | Self::TooManyVisited => {
                Reason::BadRequest
            }
        }
    }
}
