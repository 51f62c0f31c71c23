//! Refusals about users.

use super::MAX_NEWCOMERS;
use crate::email::{self, Email};
use crate::id::BookKey;
use crate::reason::Reason;

/// Why a user was not admitted, or a change of a user was refused (behaviour 11.11).
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[expect(missing_docs, reason = "each variant has its message")]
pub enum Refusal {
    #[error(
        "{0} is not admitted to this server: ask its operator to admit the address or its domain, \
         or the owner of a book to share it with you"
    )]
    NotAdmitted(Email),
    #[error(
        "{0} is not admitted to this server today: the owners who share books with it have each \
         invited {MAX_NEWCOMERS} new users today, or are new themselves; try again tomorrow"
    )]
    TooManyNewcomers(Email),
    #[error("{0} is the address of another user")]
    AddressTaken(Email),
    #[error("the book {0} is shared with both addresses: remove one of them from it first")]
    AddressShared(BookKey),
    #[error("this user owns {0} books: transfer or delete them first")]
    OwnsBooks(i64),
    #[error("only administrators may do this")]
    NotAdministrator,
    #[error("administrators cannot disable themselves")]
    DisablesThemselves,
    #[error(
        "invalid entry \"{entry}\": expected an address like alice@example.com or a domain like \
         @example.org: {fault}"
    )]
    Entry {
        /// The entry as given.
        entry: String,
        /// The refusal of the address or domain.
        fault: email::Refusal,
    },
}

impl Refusal {
    pub(crate) const fn reason(&self) -> Reason {
        match self {
            Self::NotAdmitted(_) | Self::TooManyNewcomers(_) => Reason::NotAdmitted,
            Self::NotAdministrator => Reason::Forbidden,
            Self::AddressTaken(_)
            | Self::AddressShared(_)
            | Self::OwnsBooks(_)
            | Self::DisablesThemselves
            | Self::Entry { .. } => Reason::BadRequest,
        }
    }
}
