//! The reasons of refusals.

use crate::open_enum::open_enum;

open_enum! {
    /// Why the server refused a request (behaviour 10.2).
    ///
    /// ```
    /// use daybook_client::Reason;
    ///
    /// assert_eq!(Reason::from("lockedDate"), Reason::LockedDate);
    /// assert_eq!(Reason::from("tooLate"), Reason::Other("tooLate".to_owned()));
    /// assert_eq!(Reason::LockedDate.as_str(), "lockedDate");
    /// ```
    pub enum Reason {
        /// A value or the state of a resource does not allow the request.
        BadRequest = "badRequest",
        /// The body is not JSON.
        ParseError = "parseError",
        /// The body has a wrong JSON type, an unknown enumeration value or a NUL.
        Invalid = "invalid",
        /// The transaction is checked and read-only.
        CheckedTransaction = "checkedTransaction",
        /// The date is on or before the lock date or the closing date.
        LockedDate = "lockedDate",
        /// An account would fall below its minimum balance.
        InsufficientFunds = "insufficientFunds",
        /// The preview of an import has changed since it was shown.
        PreviewChanged = "previewChanged",
        /// The query has too many terms.
        QueryTooLarge = "queryTooLarge",
        /// A strict query has a term that cannot be read.
        QueryNotUnderstood = "queryNotUnderstood",
        /// The response would be too large.
        AnswerTooLarge = "answerTooLarge",
        /// A valid access token is missing.
        Required = "required",
        /// The permission in the book is too low.
        Forbidden = "forbidden",
        /// The access token does not cover the request.
        InsufficientScope = "insufficientScope",
        /// The operator has disabled the user.
        Disabled = "disabled",
        /// The operator does not admit the user.
        NotAdmitted = "notAdmitted",
        /// The access token of a browser session has expired.
        TokenExpired = "tokenExpired",
        /// The resource is unknown or invisible to the caller.
        NotFound = "notFound",
        /// The path has no such method.
        MethodNotAllowed = "methodNotAllowed",
        /// The body arrived too slowly.
        RequestTimeout = "requestTimeout",
        /// Another resource has that id.
        Conflict = "conflict",
        /// The outcome of the write is unknown.
        OutcomeUnknown = "outcomeUnknown",
        /// The resource has another version than `If-Match` names.
        ConditionNotMet = "conditionNotMet",
        /// The body, or the content of a file, is too large.
        RequestTooLarge = "requestTooLarge",
        /// The storage quota is used up.
        StorageQuotaExceeded = "storageQuotaExceeded",
        /// The body is not JSON.
        UnsupportedMediaType = "unsupportedMediaType",
        /// The idempotency key belongs to another request.
        IdempotencyKeyReused = "idempotencyKeyReused",
        /// There were too many requests.
        RateLimitExceeded = "rateLimitExceeded",
        /// The server failed.
        InternalError = "internalError",
        /// The server is temporarily unavailable.
        BackendError = "backendError",
        /// The read took longer than the server allows.
        DeadlineExceeded = "deadlineExceeded",
        /// This server does not offer the operation.
        NotOffered = "notOffered",
    }
}
