//! What the ledger answers when it says no: typed where the rule lives, gathered here.

use crate::{account, amount, book, collaborator, group, name, property, transaction};

/// The kinds of refusal. Whoever translates refusals (HTTP status codes, exit codes) needs only these.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Kind {
    /// The request contradicts a rule; sending it again unchanged fails again.
    Invalid,
    /// The caller's permission is too little.
    Denied,
    /// What is named does not exist, or not for this caller.
    Missing,
    /// A capacity is used up for the moment.
    Limited,
    /// Not the caller's fault.
    Internal,
}

/// The stable word clients read in `errors[0].reason` (behaviour 10.2).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Reason {
    /// A validation error.
    BadRequest,
    /// A checked transaction is read-only (behaviour 3.4.1).
    CheckedTransaction,
    /// The date is locked or closed (behaviour 3.5).
    LockedDate,
    /// Too little permission.
    Forbidden,
    /// Unknown or invisible.
    NotFound,
}

impl Reason {
    /// The word on the wire.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::BadRequest => "badRequest",
            Self::CheckedTransaction => "checkedTransaction",
            Self::LockedDate => "lockedDate",
            Self::Forbidden => "forbidden",
            Self::NotFound => "notFound",
        }
    }

    /// The kind a reason belongs to.
    #[must_use]
    pub const fn kind(self) -> Kind {
        match self {
            Self::BadRequest | Self::CheckedTransaction | Self::LockedDate => Kind::Invalid,
            Self::Forbidden => Kind::Denied,
            Self::NotFound => Kind::Missing,
        }
    }
}

/// Any refusal of the ledger.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// About an account.
    #[error(transparent)]
    Account(#[from] account::Refusal),
    /// About an amount.
    #[error(transparent)]
    Amount(#[from] amount::Refusal),
    /// About a book.
    #[error(transparent)]
    Book(#[from] book::Refusal),
    /// About access and collaborators.
    #[error(transparent)]
    Collaborator(#[from] collaborator::Refusal),
    /// About a group.
    #[error(transparent)]
    Group(#[from] group::Refusal),
    /// About a name.
    #[error(transparent)]
    Name(#[from] name::Refusal),
    /// About properties.
    #[error(transparent)]
    Property(#[from] property::Refusal),
    /// About a transaction.
    #[error(transparent)]
    Transaction(#[from] transaction::Refusal),
}

impl Refusal {
    /// The stable reason of this refusal.
    #[must_use]
    pub const fn reason(&self) -> Reason {
        match self {
            Self::Account(refusal) => refusal.reason(),
            Self::Book(refusal) => refusal.reason(),
            Self::Collaborator(refusal) => refusal.reason(),
            Self::Group(refusal) => refusal.reason(),
            Self::Transaction(refusal) => refusal.reason(),
            Self::Amount(_) | Self::Name(_) | Self::Property(_) => Reason::BadRequest,
        }
    }

    /// The kind of this refusal.
    #[must_use]
    pub const fn kind(&self) -> Kind {
        self.reason().kind()
    }
}
