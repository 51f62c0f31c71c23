//! The commit delay: a brief wait for more work before a group starts.
//!
//! Clients that wait for a response send their next request shortly after it. A writer that starts
//! with the first of these requests misses the others: eight clients are then served in groups of
//! one and seven, and each group costs a commit. The writer therefore waits until its queue has as
//! many units of work as it has just completed, plus those that were already waiting.
//!
//! It waits for at most [`MAX_DELAY`] and for half the duration of the last group. After a delay
//! without effect it skips the delay of the next group, after two in a row of the next three, and
//! so on.

use std::time::{Duration, Instant};

use crate::commit::fair_queue::MAX_IN_GROUP;
use crate::conn::address::Address;

/// The longest delay, for engines whose commits are slow.
pub(crate) const MAX_DELAY: Duration = Duration::from_micros(500);
/// The number of useless delays in a row after which their distance stops growing.
const MAX_DOUBLINGS: u32 = 6;

impl Address {
    /// Returns the longest commit delay of a writer.
    ///
    /// A SQLite commit is fast. There, a delay would save processor time but cost throughput.
    pub(crate) const fn commit_delay(&self) -> Duration {
        match self {
            Self::Sqlite(_) => Duration::ZERO,
            Self::Postgres(_) => MAX_DELAY,
        }
    }
}

/// The delay of a writer before its next group.
#[derive(Debug)]
pub(crate) struct CommitDelay {
    max: Duration,
    /// The expected length of the queue, and the end of the delay.
    expected: Option<(usize, Instant)>,
    /// The number of useless delays in a row.
    useless: u32,
    /// The number of groups that start without a delay.
    skipped: u32,
}

impl CommitDelay {
    /// Creates a delay of at most `max`. With zero there is none.
    pub(crate) const fn new(max: Duration) -> Self {
        Self { max, expected: None, useless: 0, skipped: 0 }
    }

    /// Starts a delay after a group, unless it is skipped.
    ///
    /// The group completed `completed` units of work in `took`, while `waiting` others were queued.
    pub(crate) fn start(&mut self, completed: usize, waiting: usize, took: Duration, now: Instant) {
        let is_skipped = self.skipped > 0;
        self.skipped = self.skipped.saturating_sub(1);
        let delay = self.max.min(took / 2);
        if !is_skipped && !delay.is_zero() {
            let expected = completed.saturating_add(waiting).min(MAX_IN_GROUP);
            self.expected = Some((expected, now + delay));
        }
    }

    /// Returns whether the queue is as long as expected.
    pub(crate) fn is_over(&self, waiting: usize) -> bool {
        self.expected.is_none_or(|(expected, _)| waiting >= expected)
    }

    /// Returns the remaining delay, or nothing once it is over.
    pub(crate) fn remaining(&mut self, waiting: usize, now: Instant) -> Option<Duration> {
        let (expected, end) = self.expected?;
        let remaining = end.saturating_duration_since(now);
        if waiting < expected && !remaining.is_zero() {
            return Some(remaining);
        }
        self.expected = None;
        self.useless = if waiting < expected { MAX_DOUBLINGS.min(self.useless + 1) } else { 0 };
        self.skipped = (1 << self.useless) - 1;
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const GROUP: Duration = Duration::from_micros(600);

    /// Returns whether a delay starts after a group of four with one waiting; `queued` are queued
    /// at its end.
    fn delays(delay: &mut CommitDelay, queued: usize) -> bool {
        let now = Instant::now();
        delay.start(4, 1, GROUP, now);
        let starts = delay.remaining(1, now).is_some();
        assert_eq!(delay.remaining(queued, now + MAX_DELAY), None, "it is over by then");
        starts
    }

    #[test]
    fn delay_ends_when_the_expected_work_is_queued() {
        let (mut delay, now) = (CommitDelay::new(MAX_DELAY), Instant::now());
        delay.start(4, 1, GROUP, now);
        assert_eq!(delay.remaining(4, now), Some(GROUP / 2));
        assert!(!delay.is_over(4) && delay.is_over(5));
        assert_eq!(delay.remaining(5, now), None);
        assert!(delay.is_over(0), "later work starts at once");
    }

    #[test]
    fn delay_is_at_most_half_of_the_last_group() {
        let (mut delay, now) = (CommitDelay::new(MAX_DELAY), Instant::now());
        for (took, max) in [(GROUP, GROUP / 2), (GROUP * 100, MAX_DELAY)] {
            delay.start(2, 0, took, now);
            assert_eq!(delay.remaining(0, now), Some(max));
            assert_eq!(delay.remaining(2, now), None);
        }
        let mut none = CommitDelay::new(Duration::ZERO);
        none.start(2, 0, GROUP, now);
        assert_eq!(none.remaining(0, now), None);
    }

    #[test]
    fn useless_delays_become_rarer() {
        let mut delay = CommitDelay::new(MAX_DELAY);
        let mut delayed = Vec::new();
        for group in 0..200 {
            if delays(&mut delay, 2) {
                delayed.push(group);
            }
        }
        assert_eq!(delayed, [0, 2, 6, 14, 30, 62, 126, 190]);
        while !delays(&mut delay, 5) {}
        assert!(delays(&mut delay, 5), "a useful delay resets the distance");
    }
}
