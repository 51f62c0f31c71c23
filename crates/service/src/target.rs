//! The target of a write of the API. It determines the shard, the tokens whose scope includes it,
//! and the lock that is taken before an idempotency key is claimed.
//!
//! Each noun outside books states the target of its use cases, such as [`crate::app::TARGET`]. Use
//! cases of sign-in, of workers and of the operator have a shard key instead, such as
//! [`crate::mail::SHARD_KEY`].

use daybook_domain::idempotency::Key;
use daybook_storage::{ShardKey, Submission};

use crate::context::Context;
use crate::error::Result;

/// The data that a request of the API writes to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Target {
    /// The book with this public id.
    Book(String),
    /// A book that the request creates.
    NewBook,
    /// The caller's data across books.
    Caller,
    /// The caller's connections. They are in the scope of an app's token even if the token is
    /// limited to books.
    Connections,
}

impl Target {
    /// Checks that the target is in the scope of the caller's token. A use case on a book checks it
    /// itself ([`crate::access`]).
    ///
    /// # Errors
    /// [`daybook_domain::token::Refusal::InsufficientScope`].
    pub fn check_scope(&self, cx: &Context) -> Result<()> {
        match self {
            Self::Book(_) => Ok(()),
            Self::NewBook | Self::Caller => Ok(cx.scope.check_outside_books()?),
            Self::Connections => Ok(cx.scope.check_connections()?),
        }
    }

    /// Returns the submission of a write to this target, whose time is charged to the caller.
    ///
    /// `key` is the idempotency key of the request. A repetition gets the same shard.
    #[must_use]
    pub fn submission(&self, cx: &Context, key: Option<&Key>) -> Submission {
        let shard_key = match self {
            Self::Book(book) => ShardKey::of_book(book),
            Self::NewBook => key.map_or(ShardKey::NO_BOOK, |key| ShardKey::of_key(key.as_str())),
            Self::Caller | Self::Connections => ShardKey::of_user(cx.user.id),
        };
        Submission::for_user(shard_key, cx.quota_subject())
    }
}
