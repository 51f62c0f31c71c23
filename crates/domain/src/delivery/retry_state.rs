//! Retries of deliveries (behaviour 8.8), and failures after which an app is paused.

use super::ResponseText;
use crate::instant::{DAY, Instant, MINUTE, SECOND};

/// The pauses after failed attempts. The attempt after the last pause is the final one.
const PAUSES: [i64; 4] = [SECOND, 5 * SECOND, 15 * SECOND, 60 * SECOND];
/// Longest pause after a busy response.
const MAX_BUSY_PAUSE: i64 = 60 * MINUTE;
/// Time after which an event for a busy app is given up.
const BUSY_TIME: i64 = DAY;
/// Duration of uninterrupted failures after which an app is paused.
const MAX_STREAK: i64 = 3 * DAY;

/// The outcome of an attempt to deliver an event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DeliveryAttempt {
    /// A valid answer of the app, with its response to record if there is one.
    Answered(Option<ResponseText>),
    /// Status 429, with the seconds of `Retry-After` if given.
    Busy(Option<i64>),
    /// No answer or an invalid one, with the description of the failure.
    Failed(String),
}

/// The failed attempts of a delivery.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct RetryState {
    /// The number of failed attempts.
    pub failures: i64,
    /// The number of consecutive busy responses.
    pub busy: i64,
    /// The time of the first of these busy responses.
    pub busy_since: Option<Instant>,
}

/// The next step after an attempt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Next {
    /// Retry at the given time with the given state.
    Retry(RetryState, Instant),
    /// The event was delivered. Record the response, if any.
    Delivered(Option<ResponseText>),
    /// The event is given up. Record the response.
    GivenUp(ResponseText),
}

impl RetryState {
    /// Returns the next step after an attempt that ended now.
    ///
    /// ```
    /// use daybook_domain::delivery::{DeliveryAttempt, Next, RetryState};
    /// use daybook_domain::instant::Instant;
    /// let failed = DeliveryAttempt::Failed("status 500".to_owned());
    /// let next = RetryState::default().next_step(failed, Instant::new(0));
    /// let state = RetryState { failures: 1, ..RetryState::default() };
    /// assert_eq!(next, Next::Retry(state, Instant::new(1_000)));
    /// ```
    pub fn next_step(self, attempt: DeliveryAttempt, now: Instant) -> Next {
        match attempt {
            DeliveryAttempt::Answered(response) => Next::Delivered(response),
            DeliveryAttempt::Busy(seconds) => self.retry_busy(seconds, now),
            DeliveryAttempt::Failed(failure) => self.retry_failed(&failure, now),
        }
    }

    fn retry_failed(self, failure: &str, now: Instant) -> Next {
        let pause = usize::try_from(self.failures).ok().and_then(|past| PAUSES.get(past));
        let failures = self.failures.saturating_add(1);
        match pause {
            Some(pause) => {
                Next::Retry(Self { failures, busy: 0, busy_since: None }, now.plus(*pause))
            }
            None => Next::GivenUp(ResponseText::error(&format!("not delivered: {failure}"))),
        }
    }

    /// Retries after `Retry-After`, or after pauses that double from a second to an hour.
    fn retry_busy(self, seconds: Option<i64>, now: Instant) -> Next {
        let since = self.busy_since.unwrap_or(now);
        let doublings = u32::try_from(self.busy.clamp(0, 12)).unwrap_or(12);
        let default = SECOND.saturating_mul(1_i64 << doublings);
        let pause = seconds.map_or(default, |seconds| seconds.saturating_mul(SECOND));
        let at = now.plus(pause.clamp(SECOND, MAX_BUSY_PAUSE));
        if at > since.plus(BUSY_TIME) {
            return Next::GivenUp(ResponseText::error("not delivered: status 429 for 24 hours"));
        }
        let busy = self.busy.saturating_add(1);
        Next::Retry(Self { busy, busy_since: Some(since), ..self }, at)
    }
}

/// The start of uninterrupted failures of an app, if it is failing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct FailureStreak(pub Option<Instant>);

impl FailureStreak {
    /// Records the end of a delivery.
    #[must_use]
    pub fn record(self, is_delivered: bool, now: Instant) -> Self {
        if is_delivered { Self(None) } else { Self(self.0.or(Some(now))) }
    }

    /// Returns whether the app must be paused.
    pub fn requires_pause(self, now: Instant) -> bool {
        self.0.is_some_and(|since| now >= since.plus(MAX_STREAK))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::delivery::ResponseKind;
    use proptest::prelude::*;

    fn failed() -> DeliveryAttempt {
        DeliveryAttempt::Failed("status 500".to_owned())
    }

    /// Returns the pauses in seconds until a delivery ends, and the last step.
    fn run(
        mut attempt: impl FnMut(usize) -> DeliveryAttempt,
        mut now: Instant,
    ) -> (Vec<i64>, Next) {
        let (mut state, mut pauses) = (RetryState::default(), Vec::new());
        loop {
            match state.next_step(attempt(pauses.len()), now) {
                Next::Retry(next, at) => {
                    pauses.push((at.milliseconds() - now.milliseconds()) / SECOND);
                    (state, now) = (next, at);
                }
                end @ (Next::Delivered(_) | Next::GivenUp(_)) => return (pauses, end),
            }
        }
    }

    #[test]
    fn failed_delivery_is_given_up_after_five_attempts() {
        let (pauses, end) = run(|_| failed(), Instant::new(7));
        assert_eq!(pauses, [1, 5, 15, 60], "8.8: the pauses");
        let response = ResponseText::error("not delivered: status 500");
        assert_eq!(end, Next::GivenUp(response), "8.8: then an error");
        for failures in 0..5 {
            let answered = |index| {
                if index < failures { failed() } else { DeliveryAttempt::Answered(None) }
            };
            let (pauses, end) = run(answered, Instant::new(7));
            assert_eq!((pauses.len(), end), (failures, Next::Delivered(None)));
        }
    }

    #[test]
    fn response_is_final_even_if_it_is_an_error() {
        let response = ResponseText { kind: ResponseKind::Error, message: "no".to_owned() };
        let answered = DeliveryAttempt::Answered(Some(response.clone()));
        let next = RetryState::default().next_step(answered, Instant::new(0));
        assert_eq!(next, Next::Delivered(Some(response)));
    }

    #[test]
    fn busy_app_is_retried_for_a_day() {
        let (pauses, end) = run(|_| DeliveryAttempt::Busy(None), Instant::new(7));
        assert_eq!(pauses[..13], [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 3600]);
        assert!(pauses.iter().sum::<i64>() > 22 * 3600, "8.8: for about a day");
        assert!(pauses.iter().sum::<i64>() <= 24 * 3600, "8.8: for a day at most");
        assert!(matches!(end, Next::GivenUp(_)));
        for (seconds, pause) in [(0, 1), (-5, 1), (30, 30), (3_600, 3_600), (i64::MAX, 3_600)] {
            let busy = DeliveryAttempt::Busy(Some(seconds));
            let next = RetryState::default().next_step(busy, Instant::new(0));
            let state = RetryState { failures: 0, busy: 1, busy_since: Some(Instant::new(0)) };
            assert_eq!(next, Next::Retry(state, Instant::new(pause * SECOND)), "8.8: {seconds}");
        }
    }

    #[test]
    fn busy_responses_do_not_count_as_failures() {
        let attempt = |index: usize| match index {
            0..40 => DeliveryAttempt::Busy(Some(1)),
            40..44 => failed(),
            _ => DeliveryAttempt::Answered(None),
        };
        let (pauses, end) = run(attempt, Instant::new(0));
        assert_eq!((&pauses[40..], end), (&[1, 5, 15, 60][..], Next::Delivered(None)));
    }

    #[test]
    fn app_is_paused_after_three_days_of_failures() {
        let first = FailureStreak::default().record(false, Instant::new(5));
        let second = first.record(false, Instant::new(6));
        assert_eq!(second, first, "the streak starts at the first failure");
        assert!(!second.requires_pause(Instant::new(4 + MAX_STREAK)));
        assert!(second.requires_pause(Instant::new(5 + MAX_STREAK)));
        let delivered = second.record(true, Instant::new(9));
        assert!(!delivered.requires_pause(Instant::new(i64::MAX)));
    }

    proptest! {
        #[test]
        fn every_delivery_ends(
            kinds in proptest::collection::vec((any::<bool>(), any::<Option<i64>>()), 1..50),
        ) {
            let attempt = |index: usize| match kinds[index % kinds.len()] {
                (true, _) => failed(),
                (false, seconds) => DeliveryAttempt::Busy(seconds),
            };
            let (pauses, end) = run(attempt, Instant::new(0));
            prop_assert!(matches!(end, Next::GivenUp(_)));
            prop_assert!(pauses.iter().all(|pause| (1..=3_600).contains(pause)));
        }
    }
}
