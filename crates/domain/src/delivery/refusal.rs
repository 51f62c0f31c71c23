//! Refusals about deliveries and responses.

use crate::reason::Reason;

/// Why a request about deliveries or responses was refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// The book has no event with that id.
    #[error("event not found: {0}")]
    UnknownEvent(String),
    /// The book has no events with these ids.
    #[error("events not found. Ids: [{}]", .0.join(", "))]
    UnknownEvents(Vec<String>),
    /// An item has no event id.
    #[error("event id is required")]
    EventIdRequired,
    /// The app is not installed in the book.
    #[error("the app \"{0}\" is not installed in this book")]
    NotInstalled(String),
    /// The event is BOOK_DELETED.
    #[error("BOOK_DELETED cannot be replayed")]
    NotReplayed,
    /// The operator has paused the app in the book.
    #[error("the operator of this server has paused the app in this book")]
    Paused,
    /// The app has not responded to the event.
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
