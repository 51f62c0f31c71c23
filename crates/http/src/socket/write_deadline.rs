//! For how long a client is waited for that takes its answer slowly (behaviour 0.20).

use std::time::Duration;

use tokio::time::Instant;

use crate::receive::time_for;

/// How long a client may take nothing of an answer before the connection is closed, and how many
/// bytes that it takes earn it one second more of that: an answer holds memory until it has been
/// taken, and who takes a byte now and then would hold it for ever.
const STALL_TIMEOUT: Duration = Duration::from_secs(30);
const LEAST_BYTES_PER_SECOND: usize = 4 * 1024;

/// For how long a client is still waited for. Only the time counts in which there is something to
/// send that it does not take.
pub(super) struct WriteDeadline {
    most: Duration,
    left: Duration,
    /// Since when it is waited for; `None` while it takes what it is given.
    since: Option<Instant>,
}

impl WriteDeadline {
    /// That for a new connection.
    pub(super) const fn new() -> Self {
        Self::of(STALL_TIMEOUT)
    }

    /// So much at most.
    pub(super) const fn of(most: Duration) -> Self {
        Self { most, left: most, since: None }
    }

    /// Another answer begins.
    pub(super) fn renew(&mut self) {
        self.left = self.most;
    }

    /// The client takes nothing at this moment. Answers until when it is waited for.
    pub(super) fn wait(&mut self, now: Instant) -> Instant {
        *self.since.get_or_insert(now) + self.left
    }

    /// The client has taken so many bytes.
    pub(super) fn earn(&mut self, now: Instant, bytes: usize) {
        let waited = self.since.take().map(|since| now.saturating_duration_since(since));
        let left = self.left.saturating_sub(waited.unwrap_or_default());
        self.left = left.saturating_add(time_for(bytes, LEAST_BYTES_PER_SECOND)).min(self.most);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// For how many seconds a client is waited for that takes so many bytes each time it has
    /// paused for so many seconds.
    fn lasts(takes: impl IntoIterator<Item = (u64, usize)>) -> u64 {
        let started = Instant::now();
        let (mut patience, mut now) = (WriteDeadline::new(), started);
        for (pause, bytes) in takes {
            let end = patience.wait(now);
            now += Duration::from_secs(pause);
            if end < now {
                return end.duration_since(started).as_secs();
            }
            patience.earn(now, bytes);
        }
        patience.wait(now).duration_since(started).as_secs()
    }

    #[test]
    fn rule_0_20_who_takes_little_is_not_waited_for() {
        const KB: usize = 1024;
        assert_eq!(lasts([]), 30);
        assert_eq!(lasts([(29, 1); 100]), 30, "a byte now and then");
        assert_eq!(lasts([(1, 2 * KB); 1_000]), 59, "too slow on the whole");
        assert_eq!(lasts([(1, 4 * KB); 1_000]), 1_030, "slow and steady");
        assert_eq!(lasts([(29, 120 * KB); 100]), 2_930, "with long pauses");
        let drops = std::iter::once((1, 64 * KB * KB)).chain([(29, 1); 100]);
        assert_eq!(lasts(drops), 31, "what it took fast is no credit");
    }

    #[test]
    fn only_waiting_counts() {
        let started = Instant::now();
        let (mut patience, hour) = (WriteDeadline::new(), Duration::from_secs(3_600));
        patience.wait(started);
        patience.earn(started + Duration::from_secs(20), 1);
        let later = started + hour;
        // Meanwhile there was nothing to send.
        assert_eq!(patience.wait(later), later + Duration::from_secs(10));
        patience.earn(later + Duration::from_secs(9), 1);
        patience.renew();
        assert_eq!(patience.wait(later + hour), later + hour + STALL_TIMEOUT, "another answer");
    }
}
