//! When a delivery is tried again, and when it is given up (behaviour 8.8); when an app is paused.

use super::ResponseText;
use crate::instant::Instant;

const SECOND: i64 = 1_000;
const MINUTE: i64 = 60 * SECOND;
const DAY: i64 = 24 * 60 * MINUTE;
/// The pauses after the attempts that fail; after the last attempt there is none.
const PAUSES: [i64; 4] = [SECOND, 5 * SECOND, 15 * SECOND, 60 * SECOND];
/// The longest pause that a busy app is given.
const MAX_BUSY_PAUSE: i64 = 60 * MINUTE;
/// How long a busy app is asked again.
const BUSY_TIME: i64 = DAY;
/// How long an app may fail without a break before it is paused.
const FAILING_TIME: i64 = 3 * DAY;

/// What an attempt to deliver an event came to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DeliveryAttempt {
    /// The app answered so that it can be understood, perhaps with nothing to record.
    Answered(Option<ResponseText>),
    /// It is busy (429), and perhaps says for how many seconds.
    Busy(Option<i64>),
    /// It was not reached, or its answer cannot be understood; and why.
    Failed(String),
}

/// How often a delivery was tried.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct RetryState {
    /// The attempts that failed.
    pub failures: i64,
    /// The attempts that met a busy app, one after another.
    pub busy: i64,
    /// When it was busy first.
    pub busy_since: Option<Instant>,
}

/// What comes after an attempt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Next {
    /// It is tried again.
    Again(RetryState, Instant),
    /// The app has the event, and this is recorded.
    Delivered(Option<ResponseText>),
    /// The event is given up, and this is recorded.
    GivenUp(ResponseText),
}

impl RetryState {
    /// What comes after the next attempt.
    ///
    /// ```
    /// use daybook_domain::delivery::{DeliveryAttempt, Next, Tries};
    /// use daybook_domain::instant::Instant;
    /// let failed = DeliveryAttempt::Failed("status 500".to_owned());
    /// let next = Tries::default().after(failed, Instant::new(0));
    /// let tries = Tries { failures: 1, ..Tries::default() };
    /// assert_eq!(next, Next::Again(tries, Instant::new(1_000)));
    /// ```
    #[must_use]
    pub fn after(self, attempt: DeliveryAttempt, now: Instant) -> Next {
        match attempt {
            DeliveryAttempt::Answered(remark) => Next::Delivered(remark),
            DeliveryAttempt::Busy(seconds) => self.busy(seconds, now),
            DeliveryAttempt::Failed(why) => self.failed(&why, now),
        }
    }

    fn failed(self, why: &str, now: Instant) -> Next {
        let pause = usize::try_from(self.failures).ok().and_then(|past| PAUSES.get(past));
        let failures = self.failures.saturating_add(1);
        match pause {
            Some(pause) => {
                Next::Again(Self { failures, busy: 0, busy_since: None }, later(now, *pause))
            }
            None => Next::GivenUp(ResponseText::failed(&format!("not delivered: {why}"))),
        }
    }

    /// Without a word of the app, the pauses grow from a second to an hour.
    fn busy(self, seconds: Option<i64>, now: Instant) -> Next {
        let since = self.busy_since.unwrap_or(now);
        let doublings = u32::try_from(self.busy.clamp(0, 12)).unwrap_or(12);
        let own = SECOND.saturating_mul(1_i64 << doublings);
        let pause = seconds.map_or(own, |seconds| seconds.saturating_mul(SECOND));
        let at = later(now, pause.clamp(SECOND, MAX_BUSY_PAUSE));
        if at > later(since, BUSY_TIME) {
            return Next::GivenUp(ResponseText::failed("not delivered: status 429 for 24 hours"));
        }
        let busy = self.busy.saturating_add(1);
        Next::Again(Self { busy, busy_since: Some(since), ..self }, at)
    }
}

/// Since when an app has failed without a break, if it does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct FailureStreak(pub Option<Instant>);

impl FailureStreak {
    /// After the end of a delivery.
    #[must_use]
    pub fn after(self, delivered: bool, now: Instant) -> Self {
        if delivered { Self(None) } else { Self(self.0.or(Some(now))) }
    }

    /// Whether the app has to be paused.
    #[must_use]
    pub fn is_over(self, now: Instant) -> bool {
        self.0.is_some_and(|since| now >= later(since, FAILING_TIME))
    }
}

const fn later(instant: Instant, milliseconds: i64) -> Instant {
    Instant::new(instant.milliseconds().saturating_add(milliseconds))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::delivery::ResponseKind;
    use proptest::prelude::*;

    fn failed() -> DeliveryAttempt {
        DeliveryAttempt::Failed("status 500".to_owned())
    }

    /// The pauses, in seconds, until it ends, and how it ends.
    fn course(
        mut attempt: impl FnMut(usize) -> DeliveryAttempt,
        mut now: Instant,
    ) -> (Vec<i64>, Next) {
        let (mut tries, mut pauses) = (RetryState::default(), Vec::new());
        loop {
            match tries.after(attempt(pauses.len()), now) {
                Next::Again(again, at) => {
                    pauses.push((at.milliseconds() - now.milliseconds()) / SECOND);
                    (tries, now) = (again, at);
                }
                end @ (Next::Delivered(_) | Next::GivenUp(_)) => return (pauses, end),
            }
        }
    }

    #[test]
    fn five_attempts_and_growing_pauses() {
        let (pauses, end) = course(|_| failed(), Instant::new(7));
        assert_eq!(pauses, [1, 5, 15, 60], "8.8: the pauses");
        let remark = ResponseText::failed("not delivered: status 500");
        assert_eq!(end, Next::GivenUp(remark), "8.8: then an error");
        for failures in 0..5 {
            let answered = |index| {
                if index < failures { failed() } else { DeliveryAttempt::Answered(None) }
            };
            let (pauses, end) = course(answered, Instant::new(7));
            assert_eq!((pauses.len(), end), (failures, Next::Delivered(None)));
        }
    }

    #[test]
    fn an_answer_is_final_also_an_error() {
        let remark = ResponseText { kind: ResponseKind::Error, message: "no".to_owned() };
        let answered = DeliveryAttempt::Answered(Some(remark.clone()));
        assert_eq!(
            RetryState::default().after(answered, Instant::new(0)),
            Next::Delivered(Some(remark))
        );
    }

    #[test]
    fn busy_apps_are_waited_for_a_day() {
        let (pauses, end) = course(|_| DeliveryAttempt::Busy(None), Instant::new(7));
        assert_eq!(pauses[..13], [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 3600]);
        assert!(pauses.iter().sum::<i64>() > 22 * 3600, "8.8: for about a day");
        assert!(pauses.iter().sum::<i64>() <= 24 * 3600, "8.8: for a day at most");
        assert!(matches!(end, Next::GivenUp(_)));
        for (said, pause) in [(0, 1), (-5, 1), (30, 30), (3_600, 3_600), (i64::MAX, 3_600)] {
            let next =
                RetryState::default().after(DeliveryAttempt::Busy(Some(said)), Instant::new(0));
            let tries = RetryState { failures: 0, busy: 1, busy_since: Some(Instant::new(0)) };
            assert_eq!(next, Next::Again(tries, Instant::new(pause * SECOND)), "8.8: {said}");
        }
    }

    #[test]
    fn being_busy_is_no_failure() {
        let attempt = |index: usize| match index {
            0..40 => DeliveryAttempt::Busy(Some(1)),
            40..44 => failed(),
            _ => DeliveryAttempt::Answered(None),
        };
        let (pauses, end) = course(attempt, Instant::new(0));
        assert_eq!(
            (pauses.len(), &pauses[40..], end),
            (44, &[1, 5, 15, 60][..], Next::Delivered(None))
        );
    }

    #[test]
    fn three_days_of_failures_pause() {
        let first = FailureStreak::default().after(false, Instant::new(5));
        let again = first.after(false, Instant::new(6));
        assert_eq!(again, first, "it counts from the first");
        assert!(!again.is_over(Instant::new(4 + FAILING_TIME)));
        assert!(again.is_over(Instant::new(5 + FAILING_TIME)));
        assert!(!again.after(true, Instant::new(9)).is_over(Instant::new(i64::MAX)));
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
            let (pauses, end) = course(attempt, Instant::new(0));
            prop_assert!(matches!(end, Next::GivenUp(_)));
            prop_assert!(pauses.iter().all(|pause| (1..=3_600).contains(pause)));
        }
    }
}
