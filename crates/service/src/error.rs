//! What a use case answers when it does not do what was asked: the refusal of the domain, the place
//! in a batch where it happened, or the failure of storage. A refusal has a stable `Reason`, and
//! each reason a `Kind`, which http turns into a status.

use daybook_domain::{Reason, Refusal, RefusalKind};

/// Why a use case was refused or failed.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A rule says no.
    #[error("{0}")]
    Refused(Refusal),
    /// A rule says no to one item of a batch, counted from 0 (behaviour 3.6.5).
    #[error("item {index}: {refusal}")]
    Item {
        /// The place in the list.
        index: usize,
        /// What the rule says.
        refusal: Refusal,
    },
    /// A request is malformed in a way no resource's rules cover.
    #[error("{0}")]
    BadRequest(String),
    /// Unknown event, or another resource that no rule of the ledger is about.
    #[error("{0} not found")]
    NotFound(&'static str),
    /// Another request came between the two steps of this one; sent again, it starts anew.
    #[error("overtaken by another request: {0}")]
    Overtaken(&'static str),
    /// Storage could not.
    #[error(transparent)]
    Storage(#[from] daybook_storage::Error),
}

/// What a use case answers.
pub type Result<T> = std::result::Result<T, Error>;

/// Lets `?` turn each noun's refusal into an [`Error`]: `refusals!(account::Refusal)` makes the
/// `From` of it.
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
    daybook_domain::account::Refusal,
    daybook_domain::book::Refusal,
    daybook_domain::collaborator::Refusal,
    daybook_domain::collection::Refusal,
    daybook_domain::file::Refusal,
    daybook_domain::group::Refusal,
    daybook_domain::idempotency::Refusal,
    daybook_domain::name::Refusal,
    daybook_domain::saved_query::Refusal,
    daybook_domain::transaction::Refusal,
    daybook_domain::version::Refusal,
);

impl Error {
    /// The stable reason, for refusals; failures have none.
    #[must_use]
    pub const fn reason(&self) -> Option<Reason> {
        match self {
            Self::Refused(refusal) | Self::Item { refusal, .. } => Some(refusal.reason()),
            Self::BadRequest(_) => Some(Reason::BadRequest),
            Self::NotFound(_) => Some(Reason::NotFound),
            Self::Overtaken(_) | Self::Storage(_) => None,
        }
    }

    /// The error of a request that is no batch, where an index would say nothing.
    #[must_use]
    pub fn alone(self) -> Self {
        match self {
            Self::Item { refusal, .. } => Self::Refused(refusal),
            other @ (Self::Refused(_)
            | Self::BadRequest(_)
            | Self::NotFound(_)
            | Self::Overtaken(_)
            | Self::Storage(_)) => other,
        }
    }

    /// The kind of this error.
    #[must_use]
    pub const fn kind(&self) -> RefusalKind {
        match self {
            Self::Overtaken(_)
            | Self::Storage(
                daybook_storage::Error::Busy | daybook_storage::Error::Unavailable(_),
            ) => RefusalKind::Limited,
            Self::Storage(_) => RefusalKind::Internal,
            Self::Refused(refusal) | Self::Item { refusal, .. } => refusal.kind(),
            Self::BadRequest(_) => RefusalKind::Invalid,
            Self::NotFound(_) => RefusalKind::Missing,
        }
    }
}
