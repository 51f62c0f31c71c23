//! So many cells a minute for each key; an idle key has all of them at once.

use std::hash::Hash;
use std::num::NonZeroU32;
use std::time::{Duration, Instant};

use governor::clock::Clock;
use governor::middleware::{StateInformationMiddleware, StateSnapshot};
use governor::nanos::Nanos;
use governor::{NotUntil, Quota, RateLimiter};

use super::gcra::{GcraStore, Probe, ProbeMode};

/// A clock that begins with its limiter and never goes back.
#[derive(Debug, Clone)]
pub(crate) struct SteadyClock(Instant);

impl Default for SteadyClock {
    fn default() -> Self {
        Self(Instant::now())
    }
}

impl Clock for SteadyClock {
    type Instant = Nanos;

    fn now(&self) -> Nanos {
        u64::try_from(self.0.elapsed().as_nanos()).unwrap_or(u64::MAX).into()
    }
}

/// What a key has left.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Left {
    /// Cells that can be taken now.
    pub(crate) cells: u32,
    /// Seconds until all can be taken again.
    pub(crate) full_after_seconds: u64,
}

/// A key has not as many cells as were asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Exceeded {
    /// What it has.
    pub(crate) left: Left,
    /// Seconds until it has as many, at least 1.
    pub(crate) wait_seconds: u64,
}

/// The limiter.
pub(crate) struct Limiter<K: Eq + Hash + Copy, C: Clock<Instant = Nanos> = SteadyClock> {
    inner: RateLimiter<Probe<K>, GcraStore<K>, C, StateInformationMiddleware>,
    clock: C,
    per_minute: NonZeroU32,
}

impl<K: Eq + Hash + Copy, C: Clock<Instant = Nanos> + Clone> Limiter<K, C> {
    pub(crate) fn new(per_minute: NonZeroU32, clock: C) -> Self {
        Self::within(Quota::per_minute(per_minute), clock)
    }

    /// A limiter with so many cells at once, of which one comes back after each period. What it
    /// says of what is left is not meant for it: that counts in minutes.
    pub(crate) fn every(period: Duration, cells: NonZeroU32, clock: C) -> Self {
        let usual = Quota::per_minute(cells);
        let quota = Quota::with_period(period).map_or(usual, |quota| quota.allow_burst(cells));
        Self::within(quota, clock)
    }

    fn within(quota: Quota, clock: C) -> Self {
        let inner = RateLimiter::new(quota, GcraStore::new(), clock.clone());
        Self { inner, clock, per_minute: quota.burst_size() }
    }

    /// How many cells each key gets a minute.
    pub(crate) const fn per_minute(&self) -> u32 {
        self.per_minute.get()
    }

    /// Takes cells, all or none.
    pub(crate) fn take(&self, key: K, cells: NonZeroU32) -> Result<Left, Exceeded> {
        self.ask(key, cells, ProbeMode::Take)
    }

    /// Whether a cell could be taken.
    pub(crate) fn look(&self, key: K) -> Result<Left, Exceeded> {
        self.ask(key, NonZeroU32::MIN, ProbeMode::Look)
    }

    fn ask(&self, key: K, cells: NonZeroU32, access: ProbeMode) -> Result<Left, Exceeded> {
        match self.inner.check_key_n(&(key, access, self.clock.now().as_u64()), cells) {
            Ok(Ok(snapshot)) => Ok(self.left(&snapshot)),
            Ok(Err(refused)) => Err(self.exceeded(&refused, cells)),
            // Never as many: more than a minute's.
            Err(_) => Err(Exceeded { left: self.left_of(0), wait_seconds: 60 }),
        }
    }

    fn left(&self, snapshot: &StateSnapshot) -> Left {
        self.left_of(snapshot.remaining_burst_capacity())
    }

    fn left_of(&self, cells: u32) -> Left {
        let taken = u64::from(self.per_minute().saturating_sub(cells));
        let full_after_seconds = (taken * 60).div_ceil(u64::from(self.per_minute()));
        Left { cells, full_after_seconds }
    }

    fn exceeded(&self, refused: &NotUntil<Nanos>, cells: NonZeroU32) -> Exceeded {
        let wait = refused.wait_time_from(self.clock.now());
        let interval = refused.quota().replenish_interval().as_nanos().max(1);
        let missing = wait.as_nanos().div_ceil(interval);
        let missing = u32::try_from(missing).unwrap_or(u32::MAX);
        Exceeded {
            left: self.left_of(cells.get().saturating_sub(missing.max(1))),
            wait_seconds: whole_seconds(wait),
        }
    }
}

/// Rounded up, and at least 1: a client that waits for so long does not come too early.
fn whole_seconds(wait: Duration) -> u64 {
    wait.as_secs().saturating_add(u64::from(wait.subsec_nanos() > 0)).max(1)
}

#[cfg(test)]
mod tests {
    use governor::clock::FakeRelativeClock;

    use super::*;

    fn limiter(per_minute: u32) -> (Limiter<char, FakeRelativeClock>, FakeRelativeClock) {
        let clock = FakeRelativeClock::default();
        (Limiter::new(NonZeroU32::new(per_minute).unwrap(), clock.clone()), clock)
    }

    fn cells(count: u32) -> NonZeroU32 {
        NonZeroU32::new(count).unwrap()
    }

    #[test]
    fn an_idle_key_has_a_minutes_cells_at_once() {
        let (limiter, clock) = limiter(60);
        assert_eq!(limiter.take('a', cells(1)), Ok(Left { cells: 59, full_after_seconds: 1 }));
        assert_eq!(limiter.take('a', cells(58)), Ok(Left { cells: 1, full_after_seconds: 59 }));
        // One is left, two were asked for: none is taken.
        let left = Left { cells: 1, full_after_seconds: 59 };
        assert_eq!(limiter.take('a', cells(2)), Err(Exceeded { left, wait_seconds: 1 }));
        assert_eq!(limiter.look('a').unwrap().cells, 0, "as if it were taken");
        assert_eq!(limiter.take('a', cells(1)), Ok(Left { cells: 0, full_after_seconds: 60 }));
        let none = Left { cells: 0, full_after_seconds: 60 };
        assert_eq!(limiter.look('a'), Err(Exceeded { left: none, wait_seconds: 1 }));
        assert_eq!(limiter.take('a', cells(3)), Err(Exceeded { left: none, wait_seconds: 3 }));
        assert!(limiter.take('b', cells(60)).is_ok(), "each key has its own");
        clock.advance(Duration::from_secs(3));
        assert_eq!(limiter.take('a', cells(3)).unwrap().cells, 0);
        clock.advance(Duration::from_secs(600));
        assert_eq!(limiter.take('a', cells(60)).unwrap().cells, 0, "no more than a minute's");
        assert!(limiter.take('a', cells(1)).is_err());
    }

    #[test]
    fn waits_are_rounded_up() {
        let (limiter, clock) = limiter(40);
        assert!(limiter.take('a', cells(40)).is_ok());
        assert_eq!(limiter.look('a').unwrap_err().wait_seconds, 2, "a cell each 1.5 seconds");
        clock.advance(Duration::from_millis(1_499));
        assert_eq!(limiter.look('a').unwrap_err().wait_seconds, 1);
        clock.advance(Duration::from_millis(1));
        assert!(limiter.look('a').is_ok());
    }

    #[test]
    fn cells_come_back_after_each_period() {
        let clock = FakeRelativeClock::default();
        let limiter = Limiter::every(Duration::from_secs(300), cells(3), clock.clone());
        for _ in 0..3 {
            assert!(limiter.take('a', cells(1)).is_ok());
        }
        clock.advance(Duration::from_secs(299));
        assert!(limiter.take('a', cells(1)).is_err());
        clock.advance(Duration::from_secs(1));
        assert!(limiter.take('a', cells(1)).is_ok() && limiter.take('a', cells(1)).is_err());
    }

    #[test]
    fn what_is_never_there_is_refused() {
        let (limiter, _) = limiter(2);
        assert!(limiter.take('a', cells(3)).is_err());
        assert!(limiter.take('a', cells(2)).is_ok(), "nothing was taken");
    }
}
