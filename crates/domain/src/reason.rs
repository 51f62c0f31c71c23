//! Reasons of refusals, which are stable for clients, and the kinds of reasons.

use crate::named::named;

/// A kind of refusal, enough to choose an HTTP status or an exit code.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum RefusalKind {
    /// The request violates a rule. Repeating it fails again.
    Invalid,
    /// The caller's permission does not allow it.
    Denied,
    /// The resource does not exist, or is hidden from the caller.
    Missing,
    /// It conflicts with another resource.
    Conflicting,
    /// The resource has changed since the caller read it.
    Stale,
    /// The idempotency key was used for another request.
    Reused,
    /// A storage quota is used up.
    Exhausted,
    /// A capacity is exhausted at the moment.
    Limited,
    /// A failure that the caller did not cause.
    Internal,
    /// It is unknown whether the request was executed.
    Unconfirmed,
    /// The caller is not authenticated.
    Unauthenticated,
}

named! {
    /// The stable reason in `errors[0].reason` (behaviour 10.2).
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
    pub enum Reason {
        /// A validation error.
        BadRequest = "badRequest",
        /// A checked transaction is read-only (behaviour 3.4.1).
        CheckedTransaction = "checkedTransaction",
        /// The date is locked or closed (behaviour 3.5).
        LockedDate = "lockedDate",
        /// An account would be lowered below its minimum balance (behaviour 3.13).
        InsufficientFunds = "insufficientFunds",
        /// The query exceeds a limit (behaviour 1.7.1, 5.17).
        QueryTooLarge = "queryTooLarge",
        /// The query has a part that would be ignored (behaviour 1.1.14).
        QueryNotUnderstood = "queryNotUnderstood",
        /// The permission does not allow it.
        Forbidden = "forbidden",
        /// The scope of the access token does not allow it (behaviour 11.9).
        InsufficientScope = "insufficientScope",
        /// A new user is not admitted (behaviour 11.11).
        NotAdmitted = "notAdmitted",
        /// The resource does not exist, or is hidden from the caller.
        NotFound = "notFound",
        /// Another resource already has the id (behaviour 9.3).
        Conflict = "conflict",
        /// The preview of an import has changed (behaviour 15.7).
        PreviewChanged = "previewChanged",
        /// The resource has another version than expected (behaviour 0.17).
        ConditionNotMet = "conditionNotMet",
        /// The idempotency key was used for another request (behaviour 0.16).
        IdempotencyKeyReused = "idempotencyKeyReused",
        /// A storage quota would be exceeded (behaviour 10.14).
        StorageQuotaExceeded = "storageQuotaExceeded",
        /// The operator has disabled the user (behaviour 11.10).
        Disabled = "disabled",
        /// The request is not signed in.
        LoginRequired = "required",
    }
}

impl Reason {
    /// Returns the kind of the reason.
    pub const fn kind(self) -> RefusalKind {
        match self {
            Self::BadRequest
            | Self::CheckedTransaction
            | Self::LockedDate
            | Self::InsufficientFunds
            | Self::QueryTooLarge
            | Self::QueryNotUnderstood => RefusalKind::Invalid,
            Self::Forbidden | Self::InsufficientScope | Self::NotAdmitted | Self::Disabled => {
                RefusalKind::Denied
            }
            Self::NotFound => RefusalKind::Missing,
            Self::Conflict | Self::PreviewChanged => RefusalKind::Conflicting,
            Self::ConditionNotMet => RefusalKind::Stale,
            Self::IdempotencyKeyReused => RefusalKind::Reused,
            Self::StorageQuotaExceeded => RefusalKind::Exhausted,
            Self::LoginRequired => RefusalKind::Unauthenticated,
        }
    }
}
