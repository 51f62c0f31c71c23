//! Webhooks: delivery of events to the apps that are installed in a book (behaviour 8.6 - 8.12).
//!
//! An event is queued for each [`Receiver`] whose integration names its type. The events of an app
//! in a book are delivered one after another. An attempt ends as a [`DeliveryAttempt`]: an answer
//! (the HTTP response of the app), a busy app (429) or a failure. [`RetryState`] then says whether
//! the event is delivered, retried after a pause or given up. The response of the app, or the
//! reason for giving up, is recorded as a [`ResponseText`]. An app that fails for three days is
//! paused in the book: its events stay queued for 30 days. Attempts are stored in the delivery log,
//! with secrets removed.
//!
//! The service crate decides what to deliver, and the webhooks crate sends the requests.

mod log;
mod pause;
mod receiver;
mod refusal;
mod response;
mod retry_state;
mod secret;

pub use log::{Exchange, LoggedAttempt, MAX_LOGGED, MAX_LOGGED_ANSWER, log_retention_cutoff};
pub use pause::{PauseCause, expired_pause_response, pause_cutoff};
pub use receiver::{Receiver, webhook_url};
pub use refusal::Refusal;
pub use response::{AppResponse, MAX_MESSAGE, ResponseKind, ResponseText, read_response};
pub use retry_state::{DeliveryAttempt, FailureStreak, Next, RetryState};

use std::sync::Arc;

use crate::app::AppId;
use crate::id::{BookId, BookKey, UserId};

/// Limit of the depth of events that are delivered (behaviour 8.11).
pub const MAX_DEPTH: i64 = 10;
/// Lifetime of the access token of a delivery, in minutes (behaviour 8.6).
pub const TOKEN_MINUTES: i64 = 60;
/// Lifetime of the JWT of a delivery, in minutes (behaviour 8.6).
pub const JWT_MINUTES: i64 = 5;

/// Returns whether an event is too deep in a chain of apps to be delivered.
///
/// Events of users have depth 0. An event that an app causes with the access token of a delivery is
/// one deeper than the delivered event.
pub const fn is_too_deep(depth: i64) -> bool {
    depth > MAX_DEPTH
}

/// An event that is queued for an app.
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
    /// The depth of the event in a chain of apps.
    pub depth: i64,
    /// The failures so far.
    pub retry_state: RetryState,
    /// A copy of the event, when its book was removed (behaviour 8.20).
    pub copy: Option<Arc<EventCopy>>,
}

/// A copy of an event whose book was removed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EventCopy {
    /// The id of the event.
    pub id: String,
    /// The user who installed the app.
    pub installer: UserId,
    /// The webhook address.
    pub url: String,
    /// The event as that user read it before the removal.
    pub body: String,
}
