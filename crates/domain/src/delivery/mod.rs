//! Webhooks: events on their way to the apps that are installed in their book (behaviour 8.6 -
//! 8.12). Who receives an event, what an answer means, when it is tried again, when it is given up.
//! How events are sent is a matter of http.

mod answer;
mod log;
mod pause;
mod receiver;
mod refusal;
mod retry_state;
mod secret;

pub use answer::{AppResponse, MAX_MESSAGE, ResponseKind, ResponseText, read_answer};
pub use log::{Exchange, LoggedAttempt, MAX_LOGGED, MAX_LOGGED_ANSWER, logged_since};
pub use pause::{PauseCause, paused_too_long, waited_too_long};
pub use receiver::{Receiver, webhook};
pub use refusal::Refusal;
pub use retry_state::{DeliveryAttempt, FailureStreak, Next, RetryState};

use std::sync::Arc;

use crate::app::AppId;
use crate::id::{BookId, BookKey, UserId};

/// The most apps that act one after another, each on the event of the one before: deeper events are
/// not delivered (behaviour 8.11).
pub const MAX_DEPTH: i64 = 10;
/// Minutes for which the access token of a delivery is valid (behaviour 8.6).
pub const TOKEN_MINUTES: i64 = 60;
/// Minutes for which the JWT of a delivery is valid (behaviour 8.6).
pub const JWT_MINUTES: i64 = 5;

/// Whether an event is too deep in a chain of apps to be delivered. What a user does has the depth
/// 0, what an app does with the access token of a delivery one more than the event it was sent.
#[must_use]
pub const fn is_too_deep(depth: i64) -> bool {
    depth > MAX_DEPTH
}

/// An event on its way to an app.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EventDelivery {
    /// The book, by its number.
    pub book: BookId,
    /// The book, by its public id.
    pub key: BookKey,
    /// The app.
    pub app: AppId,
    /// The number of the event.
    pub sequence: i64,
    /// How many apps acted one after another until the event.
    pub depth: i64,
    /// How often it was tried.
    pub tries: RetryState,
    /// The event, when its book is gone (behaviour 8.20).
    pub copy: Option<Arc<EventCopy>>,
}

/// What is sent of an event whose book is gone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EventCopy {
    /// The id of the event.
    pub id: String,
    /// Who installed the app.
    pub installer: UserId,
    /// Where it is sent.
    pub url: String,
    /// The event as that user read it when the book was about to go.
    pub body: String,
}
