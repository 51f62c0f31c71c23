//! Refusals about deliveries and responses.

use crate::reason::Reason;

/// Why a request about deliveries or responses was refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[expect(missing_docs, reason = "each variant has its message")]
pub enum Refusal {
    #[error("event not found: {0}")]
    UnknownEvent(String),
    #[error("events not found. Ids: [{}]", .0.join(", "))]
    UnknownEvents(Vec<String>),
    #[error("event id is required")]
    EventIdRequired,
    #[error("the app \"{0}\" is not installed in this book")]
    NotInstalled(String),
    #[error("BOOK_DELETED cannot be replayed")]
    NotReplayed,
    #[error("the operator of this server has paused the app in this book")]
    Paused,
    #[error("the app has not responded to this event")]
    NoResponse,
}

impl Refusal {
    pub(crate) const fn reason(&self) -> Reason {
        match self {
            Self::EventIdRequired | Self::NotReplayed | Self::Paused => Reason::BadRequest,
            Self::UnknownEvent(_)
            | Self::UnknownEvents(_)
            | Self::NotInstalled(_)
            | Self::NoResponse => Reason::NotFound,
        }
    }
}
