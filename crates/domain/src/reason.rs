//! The reasons of refusals, stable words for clients, and the kinds they belong to.

/// The kinds of refusals. Callers that translate refusals, into HTTP status codes or exit codes,
/// need only these.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum RefusalKind {
    /// The request contradicts a rule; sending it again unchanged fails again.
    Invalid,
    /// The permission of the caller is not enough.
    Denied,
    /// The resource does not exist, or not for this caller.
    Missing,
    /// Another resource is in the way.
    Conflicting,
    /// The resource has changed since the caller read it.
    Stale,
    /// The idempotency key was used for another request.
    Reused,
    /// There is no room for it: what may be stored is used up.
    Exhausted,
    /// A capacity is exhausted for the moment.
    Limited,
    /// A failure that the caller did not cause.
    Internal,
    /// It is not known whether the request was carried out.
    Unconfirmed,
    /// It is not known who the caller is.
    Unauthenticated,
}

/// The stable reason that clients read in `errors[0].reason` (behaviour 10.2).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Reason {
    /// A validation error.
    BadRequest,
    /// A checked transaction is read-only (behaviour 3.4.1).
    CheckedTransaction,
    /// The date is locked or closed (behaviour 3.5).
    LockedDate,
    /// The query asks for more than is evaluated (behaviour 1.7.1, 5.17).
    QueryTooLarge,
    /// A part of the query would be ignored (behaviour 1.1.14).
    QueryNotUnderstood,
    /// The permission is not enough.
    Forbidden,
    /// The access token is limited, and does not reach so far (behaviour 11.9).
    InsufficientScope,
    /// Who is seen for the first time is not admitted (behaviour 11.11).
    NotAdmitted,
    /// The resource is unknown, or invisible to the caller.
    NotFound,
    /// Another resource has the id (behaviour 9.3).
    Conflict,
    /// The resource is in another state than expected (behaviour 0.17).
    ConditionNotMet,
    /// The idempotency key was used for another request (behaviour 0.16).
    IdempotencyKeyReused,
    /// More would be stored than may be (behaviour 10.14).
    StorageQuotaExceeded,
    /// The operator has disabled the user (behaviour 11.10).
    Disabled,
    /// Nobody is signed in.
    LoginRequired,
}

impl Reason {
    /// The reason as the API writes it.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::BadRequest => "badRequest",
            Self::CheckedTransaction => "checkedTransaction",
            Self::LockedDate => "lockedDate",
            Self::QueryTooLarge => "queryTooLarge",
            Self::QueryNotUnderstood => "queryNotUnderstood",
            Self::Forbidden => "forbidden",
            Self::InsufficientScope => "insufficientScope",
            Self::NotAdmitted => "notAdmitted",
            Self::NotFound => "notFound",
            Self::Conflict => "conflict",
            Self::ConditionNotMet => "conditionNotMet",
            Self::IdempotencyKeyReused => "idempotencyKeyReused",
            Self::StorageQuotaExceeded => "storageQuotaExceeded",
            Self::Disabled => "disabled",
            Self::LoginRequired => "required",
        }
    }

    /// The kind a reason belongs to.
    #[must_use]
    pub const fn kind(self) -> RefusalKind {
        match self {
            Self::BadRequest
            | Self::CheckedTransaction
            | Self::LockedDate
            | Self::QueryTooLarge
            | Self::QueryNotUnderstood => RefusalKind::Invalid,
            Self::Forbidden | Self::InsufficientScope | Self::NotAdmitted | Self::Disabled => {
                RefusalKind::Denied
            }
            Self::NotFound => RefusalKind::Missing,
            Self::Conflict => RefusalKind::Conflicting,
            Self::ConditionNotMet => RefusalKind::Stale,
            Self::IdempotencyKeyReused => RefusalKind::Reused,
            Self::StorageQuotaExceeded => RefusalKind::Exhausted,
            Self::LoginRequired => RefusalKind::Unauthenticated,
        }
    }
}
