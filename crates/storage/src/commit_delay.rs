//! The commit delay. Clients that wait for their answers send their next requests soon after them.
//! A writer that begins with the first of these finds the others too late: eight clients are served
//! in groups of one and of seven, and both cost a commit. So it begins when as many units of work
//! wait as it has just answered, with those that waited meanwhile.
//!
//! It waits for at most [`MAX_DELAY`], and for half of the time that the last group took. After a
//! delay in vain it does not wait before the next group; after two before the next three, and so
//! on.

use std::time::{Duration, Instant};

use crate::fair_queue::MAX_IN_GROUP;

/// The longest delay where commits are far away.
pub(crate) const MAX_DELAY: Duration = Duration::from_micros(500);
/// After how many delays in vain their distance grows no more.
const MAX_DOUBLINGS: u32 = 6;

/// How long a writer waits before it begins a group.
#[derive(Debug)]
pub(crate) struct CommitDelay {
    most: Duration,
    /// How many units of work are expected in the queue, and until when.
    expected: Option<(usize, Instant)>,
    /// How many delays in a row were in vain.
    in_vain: u32,
    /// How many groups begin without a delay.
    passed_over: u32,
}

impl CommitDelay {
    /// A delay of at most so long; none at all of zero.
    pub(crate) const fn new(most: Duration) -> Self {
        Self { most, expected: None, in_vain: 0, passed_over: 0 }
    }

    /// A group was answered, at `now`, while others wait.
    pub(crate) fn begin(
        &mut self,
        (answered, waiting): (usize, usize),
        took: Duration,
        now: Instant,
    ) {
        let passes_over = self.passed_over > 0;
        self.passed_over = self.passed_over.saturating_sub(1);
        let most = self.most.min(took / 2);
        if !passes_over && !most.is_zero() {
            let expected = answered.saturating_add(waiting).min(MAX_IN_GROUP);
            self.expected = Some((expected, now + most));
        }
    }

    /// Whether nobody else is expected when so many wait.
    pub(crate) fn is_over(&self, waiting: usize) -> bool {
        self.expected.is_none_or(|(expected, _)| waiting >= expected)
    }

    /// For how long to wait still; nothing once the delay is over.
    pub(crate) fn left(&mut self, waiting: usize, now: Instant) -> Option<Duration> {
        let (expected, until) = self.expected?;
        let left = until.saturating_duration_since(now);
        if waiting < expected && !left.is_zero() {
            return Some(left);
        }
        self.expected = None;
        self.in_vain = if waiting < expected { MAX_DOUBLINGS.min(self.in_vain + 1) } else { 0 };
        self.passed_over = (1 << self.in_vain) - 1;
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const GROUP: Duration = Duration::from_micros(600);

    /// Whether a delay begins after a group of four with one waiting, and how it ends.
    fn delays(delay: &mut CommitDelay, come: usize) -> bool {
        let now = Instant::now();
        delay.begin((4, 1), GROUP, now);
        let begins = delay.left(1, now).is_some();
        assert_eq!(delay.left(come, now + MAX_DELAY), None, "it is over by then");
        begins
    }

    #[test]
    fn it_ends_when_as_many_have_come_as_were_answered() {
        let (mut delay, now) = (CommitDelay::new(MAX_DELAY), Instant::now());
        delay.begin((4, 1), GROUP, now);
        assert_eq!(delay.left(4, now), Some(GROUP / 2));
        assert!(!delay.is_over(4) && delay.is_over(5));
        assert_eq!(delay.left(5, now), None);
        assert!(delay.is_over(0), "whoever comes now is served at once");
    }

    #[test]
    fn it_is_shorter_than_half_a_group() {
        let (mut delay, now) = (CommitDelay::new(MAX_DELAY), Instant::now());
        for (took, most) in [(GROUP, GROUP / 2), (GROUP * 100, MAX_DELAY)] {
            delay.begin((2, 0), took, now);
            assert_eq!(delay.left(0, now), Some(most));
            assert_eq!(delay.left(2, now), None);
        }
        let mut none = CommitDelay::new(Duration::ZERO);
        none.begin((2, 0), GROUP, now);
        assert_eq!(none.left(0, now), None);
    }

    #[test]
    fn what_was_in_vain_is_tried_less_often() {
        let mut delay = CommitDelay::new(MAX_DELAY);
        let mut tried = Vec::new();
        for group in 0..200 {
            if delays(&mut delay, 2) {
                tried.push(group);
            }
        }
        assert_eq!(tried, [0, 2, 6, 14, 30, 62, 126, 190]);
        while !delays(&mut delay, 5) {}
        assert!(delays(&mut delay, 5), "it was worth while");
    }
}
