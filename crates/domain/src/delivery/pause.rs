//! Pauses: nothing is delivered to an app in a book (behaviour 8.19).

use super::ResponseText;
use crate::instant::Instant;

/// How long the events of a paused app wait.
const WAITING_TIME: i64 = 30 * 24 * 60 * 60_000;

/// Why an app is paused in a book.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PauseCause {
    /// The operator wants it.
    Operator,
    /// It has failed for days.
    Failing,
}

impl PauseCause {
    const ALL: [Self; 2] = [Self::Operator, Self::Failing];

    /// The name of the cause.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Operator => "operator",
            Self::Failing => "failing",
        }
    }

    /// Finds the cause with that name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|cause| cause.as_str() == name)
    }
}

/// What waits for an app that was paused before this is given up.
#[must_use]
pub const fn paused_too_long(now: Instant) -> Instant {
    Instant::new(now.milliseconds().saturating_sub(WAITING_TIME))
}

/// What is said of it then.
#[must_use]
pub fn waited_too_long() -> ResponseText {
    ResponseText::failed("not delivered: the app has been paused for 30 days")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn causes_are_known_by_their_names() {
        for cause in PauseCause::ALL {
            assert_eq!(PauseCause::from_name(cause.as_str()), Some(cause));
        }
        assert_eq!(PauseCause::from_name("Operator"), None);
    }

    #[test]
    fn events_wait_for_thirty_days() {
        let paused = Instant::new(5);
        let then = |days: i64| Instant::new(5 + days * 24 * 60 * 60_000);
        assert!(paused > paused_too_long(Instant::new(then(30).milliseconds() - 1)));
        assert!(paused <= paused_too_long(then(30)));
        assert!(waited_too_long().message.contains("paused"));
    }
}
