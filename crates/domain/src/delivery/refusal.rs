//! Why something about deliveries and responses was refused.

use crate::reason::Reason;

/// Why something about deliveries and responses was refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// No event with that id in the book.
    #[error("event not found: {0}")]
    UnknownEvent(String),
    /// No events with these ids in the book.
    #[error("events not found. Ids: [{}]", .0.join(", "))]
    UnknownEvents(Vec<String>),
    /// An item names no event.
    #[error("event id is required")]
    EventIdRequired,
    /// The app is not installed in the book.
    #[error("the app \"{0}\" is not installed in this book")]
    NotInstalled(String),
    /// It was the deletion of the book.
    #[error("BOOK_DELETED cannot be replayed")]
    NotReplayed,
    /// Nothing is delivered to the app in the book.
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
