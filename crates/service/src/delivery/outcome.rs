//! Outcomes of deliveries, from the preparation of the request to the delivery log.

use daybook_domain::delivery::{DeliveryAttempt, Exchange, ResponseText};
use daybook_storage::delivery::lease::Leased;

/// The outcome of a leased delivery.
#[derive(Debug, Clone)]
pub enum DeliveryOutcome {
    /// The request was attempted. The exchange goes into the delivery log, and the attempt decides
    /// about retries.
    Attempted(DeliveryAttempt, Exchange),
    /// The delivery ends without a request, and the app is not at fault. The reason, if there is
    /// one to show, becomes the app's response to the event.
    Skipped(Option<ResponseText>),
    /// No attempt can succeed while the app is as it is. The delivery ends and counts as a failure
    /// of the app; the reason becomes its response.
    Failed(ResponseText),
    /// The user who installed the app has lost access to the book, so the whole queue ends.
    QueueEnded,
}

impl DeliveryOutcome {
    /// Returns the word for the outcome in the server's log.
    #[must_use]
    pub const fn as_str(&self) -> &'static str {
        match self {
            Self::Attempted(..) => "attempted",
            Self::Skipped(_) => "skipped",
            Self::Failed(_) => "failed",
            Self::QueueEnded => "queue ended",
        }
    }
}

/// The consequences of a delivery for the worker.
#[derive(Debug, Default)]
pub struct Finished {
    /// The next delivery of the queue, under the next lease.
    pub next: Option<Leased>,
    /// Whether the app has failed for so long that it is to be paused.
    pub must_pause: bool,
    /// Whether a detached delivery ended without success: the app will never learn that the book
    /// was deleted.
    pub lost: bool,
    /// An attempt without an entry in the delivery log, because the book has none any more.
    pub unlogged: Option<UnloggedAttempt>,
}

/// An attempt that only the server's log can show.
#[derive(Debug)]
pub struct UnloggedAttempt {
    /// The request and its answer.
    pub exchange: Exchange,
    /// Why the attempt failed, if it did.
    pub failure: Option<String>,
}
