//! What callers tell refusals apart by: a stable reason, and the kind it belongs to.

/// The seven kinds of refusal. Whoever translates refusals (HTTP status codes, exit codes) needs
/// only these.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum RefusalKind {
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
    pub const fn kind(self) -> RefusalKind {
        match self {
            Self::BadRequest | Self::CheckedTransaction | Self::LockedDate => RefusalKind::Invalid,
            Self::Forbidden => RefusalKind::Denied,
            Self::NotFound => RefusalKind::Missing,
            Self::ConditionNotMet => RefusalKind::Stale,
            Self::IdempotencyKeyReused => RefusalKind::Reused,
        }
    }
}
