//! Why somebody is not admitted, or nobody can be.

use super::MAX_NEWCOMERS;
use crate::email::{self, Email};
use crate::id::BookKey;
use crate::reason::Reason;

/// Why somebody is not admitted, or nobody can be (behaviour 11.11).
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// A first sight of an address that is neither admitted nor pending.
    #[error(
        "{0} is not admitted to this server: ask its operator to admit the address or its domain, \
         or the owner of a book to share it with you"
    )]
    NotAdmitted(Email),
    /// A first sight of an address that is pending, for which too many came today.
    #[error(
        "{0} is not admitted to this server today: the owners of the books that are shared with it \
         have brought in {MAX_NEWCOMERS} new users each, or are new themselves; try again tomorrow"
    )]
    TooManyNewcomers(Email),
    /// The address belongs to another user.
    #[error("{0} is the address of another user")]
    AddressTaken(Email),
    /// A book is shared with both addresses, so one of them has to go first.
    #[error("the book {0} is shared with both addresses: remove one of them from it first")]
    AddressShared(BookKey),
    /// A user who owns books stays.
    #[error("this user owns {0} books: give them to others, or delete them, first")]
    OwnsBooks(i64),
    /// What is to be admitted is neither an address nor a domain.
    #[error(
        "\"{entry}\" is neither an address like alice@example.com nor a domain like @example.org: \
         {fault}"
    )]
    Entry {
        /// The entry as given.
        entry: String,
        /// What is wrong with it.
        fault: email::Refusal,
    },
}

impl Refusal {
    pub(crate) const fn reason(&self) -> Reason {
        match self {
            Self::NotAdmitted(_) | Self::TooManyNewcomers(_) => Reason::NotAdmitted,
            Self::AddressTaken(_)
            | Self::AddressShared(_)
            | Self::OwnsBooks(_)
            | Self::Entry { .. } => Reason::BadRequest,
        }
    }
}
