//! Pauses of an app in a book, during which no event is delivered (behaviour 8.19).

use super::ResponseText;
use crate::instant::{DAY, Instant};
use crate::named::named;

/// Time after which the queued events of a paused app are given up.
const MAX_PAUSE: i64 = 30 * DAY;

named! {
    /// Why an app is paused in a book.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum PauseCause {
        /// The operator paused it.
        Operator = "operator",
        /// It failed for three days.
        Failures = "failing",
    }
}

/// Returns the instant up to which a pause must have begun for its events to be given up.
pub const fn pause_cutoff(now: Instant) -> Instant {
    now.plus(-MAX_PAUSE)
}

/// Creates the response of an event that is given up because of a pause.
pub fn expired_pause_response() -> ResponseText {
    ResponseText::error("not delivered: the app has been paused for 30 days")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn queued_events_expire_after_thirty_days() {
        let paused = Instant::new(5);
        let then = |days: i64| Instant::new(5 + days * DAY);
        assert!(paused > pause_cutoff(Instant::new(then(30).milliseconds() - 1)));
        assert!(paused <= pause_cutoff(then(30)));
        assert!(expired_pause_response().message.contains("paused"));
    }
}
