//! What the ledger answers when it says no: typed where the rule lives, gathered here.

use crate::{
    access, account, amount, book, collaborator, collection, file, group, idempotency, name,
    property, saved_query, transaction, version,
};

/// The seven kinds of refusal. Whoever translates refusals (HTTP status codes, exit codes) needs
/// only these.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Kind {
    /// The request contradicts a rule; sending it again unchanged fails again.
    Invalid,
    /// The caller's permission is too little.
    Denied,
    /// What is named does not exist, or not for this caller.
    Missing,
    /// It was meant for an earlier state of what it changes.
    Stale,
    /// It contradicts an earlier request under the same name.
    Reused,
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
    /// The resource is in another state than expected (behaviour 0.17).
    ConditionNotMet,
    /// The idempotency key stands for another request (behaviour 0.16).
    IdempotencyKeyReused,
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
            Self::ConditionNotMet => "conditionNotMet",
            Self::IdempotencyKeyReused => "idempotencyKeyReused",
        }
    }

    /// The kind a reason belongs to.
    #[must_use]
    pub const fn kind(self) -> Kind {
        match self {
            Self::BadRequest | Self::CheckedTransaction | Self::LockedDate => Kind::Invalid,
            Self::Forbidden => Kind::Denied,
            Self::NotFound => Kind::Missing,
            Self::ConditionNotMet => Kind::Stale,
            Self::IdempotencyKeyReused => Kind::Reused,
        }
    }
}

/// Any refusal of the ledger.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// About access.
    #[error(transparent)]
    Access(#[from] access::Refusal),
    /// About an account.
    #[error(transparent)]
    Account(#[from] account::Refusal),
    /// About an amount.
    #[error(transparent)]
    Amount(#[from] amount::Refusal),
    /// About a book.
    #[error(transparent)]
    Book(#[from] book::Refusal),
    /// About a collaborator.
    #[error(transparent)]
    Collaborator(#[from] collaborator::Refusal),
    /// About a collection.
    #[error(transparent)]
    Collection(#[from] collection::Refusal),
    /// About a file.
    #[error(transparent)]
    File(#[from] file::Refusal),
    /// About a group.
    #[error(transparent)]
    Group(#[from] group::Refusal),
    /// About an idempotency key.
    #[error(transparent)]
    Idempotency(#[from] idempotency::Refusal),
    /// About a name.
    #[error(transparent)]
    Name(#[from] name::Refusal),
    /// About properties.
    #[error(transparent)]
    Property(#[from] property::Refusal),
    /// About a saved query.
    #[error(transparent)]
    SavedQuery(#[from] saved_query::Refusal),
    /// About a transaction.
    #[error(transparent)]
    Transaction(#[from] transaction::Refusal),
    /// About the state a caller expects.
    #[error(transparent)]
    Version(#[from] version::Refusal),
}

impl Refusal {
    /// The stable reason of this refusal.
    #[must_use]
    pub const fn reason(&self) -> Reason {
        match self {
            Self::Access(refusal) => refusal.reason(),
            Self::Account(refusal) => refusal.reason(),
            Self::Book(refusal) => refusal.reason(),
            Self::Collaborator(refusal) => refusal.reason(),
            Self::Collection(refusal) => refusal.reason(),
            Self::File(refusal) => refusal.reason(),
            Self::Group(refusal) => refusal.reason(),
            Self::Idempotency(refusal) => refusal.reason(),
            Self::SavedQuery(refusal) => refusal.reason(),
            Self::Transaction(refusal) => refusal.reason(),
            Self::Version(refusal) => refusal.reason(),
            Self::Amount(_) | Self::Name(_) | Self::Property(_) => Reason::BadRequest,
        }
    }

    /// The kind of this refusal.
    #[must_use]
    pub const fn kind(&self) -> Kind {
        self.reason().kind()
    }
}

impl From<book::copy::Refusal> for Refusal {
    fn from(refusal: book::copy::Refusal) -> Self {
        Self::Book(refusal.into())
    }
}
