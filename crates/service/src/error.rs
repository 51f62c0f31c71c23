//! Errors of use cases: a refusal of the domain, its place in a batch, or a failure of storage.
//!
//! A refusal has a stable `Reason`, and each reason a `Kind`, from which http derives the status.

use daybook_domain::{Reason, Refusal, RefusalKind};

/// Why a use case was refused or failed.
#[derive(Debug, Clone, thiserror::Error)]
pub enum Error {
    /// A domain rule refused the request.
    #[error("{0}")]
    Refused(Refusal),
    /// Domain rules refused items of a batch (behaviour 3.6.5).
    #[error("item {index}: {refusal}{}", others_of(.others))]
    Item {
        /// The index in the list, from 0.
        index: usize,
        /// The refusal.
        refusal: Refusal,
        /// Further refused items, up to the limit of [`crate::batch`].
        others: Vec<(usize, Refusal)>,
    },
    /// A malformed request, outside the rules of the domain.
    #[error("{0}")]
    BadRequest(String),
    /// An unknown event, or another resource outside the rules of the domain.
    #[error("{0} not found")]
    NotFound(&'static str),
    /// Another request changed the data between the two steps of this one. The client may retry.
    #[error("overtaken by another request: {0}")]
    ConcurrentChange(&'static str),
    /// Storage failed.
    #[error(transparent)]
    Storage(#[from] daybook_storage::Error),
}

fn others_of(others: &[(usize, Refusal)]) -> String {
    others.iter().map(|(index, refusal)| format!("; item {index}: {refusal}")).collect()
}

/// The result of a use case.
pub type Result<T> = std::result::Result<T, Error>;

/// Implements `From` of each noun's refusal for [`Error`], so `?` converts it.
macro_rules! refusals {
    ($($refusal:ty),* $(,)?) => {
        $(impl From<$refusal> for Error {
            fn from(refusal: $refusal) -> Self {
                Self::Refused(refusal.into())
            }
        })*
    };
}

refusals!(
    Refusal,
    daybook_domain::access::Refusal,
    daybook_domain::access_request::Refusal,
    daybook_domain::account::Refusal,
    daybook_domain::api_key::Refusal,
    daybook_domain::app::Refusal,
    daybook_domain::book::Refusal,
    daybook_domain::chart::Refusal,
    daybook_domain::collaborator::Refusal,
    daybook_domain::collection::Refusal,
    daybook_domain::comment::Refusal,
    daybook_domain::connection::Refusal,
    daybook_domain::delivery::Refusal,
    daybook_domain::email::Refusal,
    daybook_domain::file::Refusal,
    daybook_domain::grant::Refusal,
    daybook_domain::group::Refusal,
    daybook_domain::idempotency::Refusal,
    daybook_domain::import::Refusal,
    daybook_domain::integration::Refusal,
    daybook_domain::mail::Refusal,
    daybook_domain::name::Refusal,
    daybook_domain::query::Refusal,
    daybook_domain::reconciliation::Refusal,
    daybook_domain::report::Refusal,
    daybook_domain::saved_query::Refusal,
    daybook_domain::session::Refusal,
    daybook_domain::storage_quota::Refusal,
    daybook_domain::token::Refusal,
    daybook_domain::transaction::Refusal,
    daybook_domain::user::Refusal,
    daybook_domain::version::Refusal,
);

impl Error {
    /// Returns the stable reason of a refusal. Failures have none.
    #[must_use]
    pub const fn reason(&self) -> Option<Reason> {
        match self {
            Self::Refused(refusal) | Self::Item { refusal, .. } => Some(refusal.reason()),
            Self::BadRequest(_) => Some(Reason::BadRequest),
            Self::NotFound(_) => Some(Reason::NotFound),
            Self::ConcurrentChange(_) | Self::Storage(_) => None,
        }
    }

    /// Returns the reason and message of each refused item of a batch, or nothing otherwise.
    #[must_use]
    pub fn items(&self) -> Vec<(&'static str, String)> {
        let Self::Item { index, refusal, others } = self else { return Vec::new() };
        let shown = |index: usize, refusal: &Refusal| {
            (refusal.reason().as_str(), format!("item {index}: {refusal}"))
        };
        let others = others.iter().map(|(index, refusal)| shown(*index, refusal));
        [shown(*index, refusal)].into_iter().chain(others).collect()
    }

    /// Removes the index of the item, for requests that are not batches.
    #[must_use]
    pub fn without_index(self) -> Self {
        match self {
            Self::Item { refusal, .. } => Self::Refused(refusal),
            other @ (Self::Refused(_)
            | Self::BadRequest(_)
            | Self::NotFound(_)
            | Self::ConcurrentChange(_)
            | Self::Storage(_)) => other,
        }
    }

    /// Converts an unknown outcome into a retryable failure, for units of work that may run twice.
    #[must_use]
    pub fn repeatable(self) -> Self {
        match self {
            Self::Storage(daybook_storage::Error::OutcomeUnknown) => {
                daybook_storage::Error::Unavailable("an outcome is unknown".to_owned()).into()
            }
            other @ (Self::Item { .. }
            | Self::Refused(_)
            | Self::BadRequest(_)
            | Self::NotFound(_)
            | Self::ConcurrentChange(_)
            | Self::Storage(_)) => other,
        }
    }

    /// Returns the kind of this error.
    #[must_use]
    pub const fn kind(&self) -> RefusalKind {
        match self {
            Self::ConcurrentChange(_)
            | Self::Storage(
                daybook_storage::Error::Busy
                | daybook_storage::Error::Behind
                | daybook_storage::Error::Stopped
                | daybook_storage::Error::Unavailable(_),
            ) => RefusalKind::Limited,
            Self::Storage(daybook_storage::Error::OutcomeUnknown) => RefusalKind::Unconfirmed,
            Self::Storage(_) => RefusalKind::Internal,
            Self::Refused(refusal) | Self::Item { refusal, .. } => refusal.kind(),
            Self::BadRequest(_) => RefusalKind::Invalid,
            Self::NotFound(_) => RefusalKind::Missing,
        }
    }
}
