//! Token bucket: N tokens per minute and key, with a burst of N.

use std::hash::Hash;
use std::num::NonZeroU32;
use std::time::{Duration, Instant};

use governor::clock::Clock;
use governor::middleware::StateInformationMiddleware;
use governor::nanos::Nanos;
use governor::{NotUntil, Quota, RateLimiter};

use super::gcra::{GcraStore, Probe, ProbeMode};

/// A monotonic clock that starts at zero.
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

/// The state of a bucket.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Remaining {
    /// Tokens that can be taken now.
    pub(crate) tokens: u32,
    /// Seconds until the bucket is full.
    pub(crate) full_after_seconds: u64,
}

/// A bucket has fewer tokens than requested.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Exceeded {
    /// The state of the bucket, which is unchanged.
    pub(crate) remaining: Remaining,
    /// Seconds until the requested tokens are available, at least 1.
    pub(crate) wait_seconds: u64,
}

/// A token bucket per key.
pub(crate) struct Limiter<K: Eq + Hash + Copy, C: Clock<Instant = Nanos> = SteadyClock> {
    inner: RateLimiter<Probe<K>, GcraStore<K>, C, StateInformationMiddleware>,
    clock: C,
    per_minute: NonZeroU32,
}

impl<K: Eq + Hash + Copy, C: Clock<Instant = Nanos> + Clone> Limiter<K, C> {
    pub(crate) fn new(per_minute: NonZeroU32, clock: C) -> Self {
        Self::with_quota(Quota::per_minute(per_minute), clock)
    }

    /// Creates a limiter with a burst of tokens, to which each period adds one.
    ///
    /// Its [`Remaining`] is meaningless, because it assumes tokens per minute.
    pub(crate) fn with_period(period: Duration, burst: NonZeroU32, clock: C) -> Self {
        let quota = match Quota::with_period(period) {
            Some(quota) => quota.allow_burst(burst),
            None => Quota::per_minute(burst),
        };
        Self::with_quota(quota, clock)
    }

    fn with_quota(quota: Quota, clock: C) -> Self {
        let inner = RateLimiter::new(quota, GcraStore::new(), clock.clone());
        Self { inner, clock, per_minute: quota.burst_size() }
    }

    /// Returns the tokens per minute.
    pub(crate) const fn per_minute(&self) -> u32 {
        self.per_minute.get()
    }

    /// Takes all of the tokens or none.
    pub(crate) fn take(&self, key: K, tokens: NonZeroU32) -> Result<Remaining, Exceeded> {
        self.probe(key, tokens, ProbeMode::Consume)
    }

    /// Checks whether a token is available.
    ///
    /// [`Remaining`] is the state after it would have been taken.
    pub(crate) fn peek(&self, key: K) -> Result<Remaining, Exceeded> {
        self.probe(key, NonZeroU32::MIN, ProbeMode::Peek)
    }

    fn probe(&self, key: K, tokens: NonZeroU32, mode: ProbeMode) -> Result<Remaining, Exceeded> {
        let probe = Probe { key, mode, now: self.clock.now().as_u64() };
        match self.inner.check_key_n(&probe, tokens) {
            Ok(Ok(snapshot)) => Ok(self.remaining(snapshot.remaining_burst_capacity())),
            Ok(Err(refused)) => Err(self.exceeded(&refused, tokens)),
            // More tokens than the bucket can hold.
            Err(_) => Err(Exceeded { remaining: self.remaining(0), wait_seconds: 60 }),
        }
    }

    fn remaining(&self, tokens: u32) -> Remaining {
        let taken = u64::from(self.per_minute().saturating_sub(tokens));
        let full_after_seconds = (taken * 60).div_ceil(u64::from(self.per_minute()));
        Remaining { tokens, full_after_seconds }
    }

    fn exceeded(&self, refused: &NotUntil<Nanos>, tokens: NonZeroU32) -> Exceeded {
        let wait = refused.wait_time_from(self.clock.now());
        let interval = refused.quota().replenish_interval().as_nanos().max(1);
        let missing = wait.as_nanos().div_ceil(interval);
        let missing = u32::try_from(missing).unwrap_or(u32::MAX);
        Exceeded {
            remaining: self.remaining(tokens.get().saturating_sub(missing.max(1))),
            wait_seconds: whole_seconds(wait),
        }
    }
}

/// Rounds up to at least 1, so that a client that waits this long succeeds.
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

    fn tokens(count: u32) -> NonZeroU32 {
        NonZeroU32::new(count).unwrap()
    }

    #[test]
    fn idle_key_can_take_its_burst_at_once() {
        let (limiter, clock) = limiter(60);
        assert_eq!(
            limiter.take('a', tokens(1)),
            Ok(Remaining { tokens: 59, full_after_seconds: 1 })
        );
        assert_eq!(
            limiter.take('a', tokens(58)),
            Ok(Remaining { tokens: 1, full_after_seconds: 59 })
        );
        // One token is left. A request for two takes none.
        let remaining = Remaining { tokens: 1, full_after_seconds: 59 };
        assert_eq!(limiter.take('a', tokens(2)), Err(Exceeded { remaining, wait_seconds: 1 }));
        assert_eq!(limiter.peek('a').unwrap().tokens, 0, "as if one were taken");
        assert_eq!(
            limiter.take('a', tokens(1)),
            Ok(Remaining { tokens: 0, full_after_seconds: 60 })
        );
        let remaining = Remaining { tokens: 0, full_after_seconds: 60 };
        assert_eq!(limiter.peek('a'), Err(Exceeded { remaining, wait_seconds: 1 }));
        assert_eq!(limiter.take('a', tokens(3)), Err(Exceeded { remaining, wait_seconds: 3 }));
        assert!(limiter.take('b', tokens(60)).is_ok(), "each key has its own bucket");
        clock.advance(Duration::from_secs(3));
        assert_eq!(limiter.take('a', tokens(3)).unwrap().tokens, 0);
        clock.advance(Duration::from_secs(600));
        assert_eq!(limiter.take('a', tokens(60)).unwrap().tokens, 0, "no more than a minute's");
        assert!(limiter.take('a', tokens(1)).is_err());
    }

    #[test]
    fn wait_is_rounded_up_to_seconds() {
        let (limiter, clock) = limiter(40);
        assert!(limiter.take('a', tokens(40)).is_ok());
        assert_eq!(limiter.peek('a').unwrap_err().wait_seconds, 2, "a token every 1.5 seconds");
        clock.advance(Duration::from_millis(1_499));
        assert_eq!(limiter.peek('a').unwrap_err().wait_seconds, 1);
        clock.advance(Duration::from_millis(1));
        assert!(limiter.peek('a').is_ok());
    }

    #[test]
    fn each_period_adds_a_token() {
        let clock = FakeRelativeClock::default();
        let limiter = Limiter::with_period(Duration::from_secs(300), tokens(3), clock.clone());
        for _ in 0..3 {
            assert!(limiter.take('a', tokens(1)).is_ok());
        }
        clock.advance(Duration::from_secs(299));
        assert!(limiter.take('a', tokens(1)).is_err());
        clock.advance(Duration::from_secs(1));
        assert!(limiter.take('a', tokens(1)).is_ok() && limiter.take('a', tokens(1)).is_err());
    }

    #[test]
    fn request_beyond_the_burst_is_refused() {
        let (limiter, _) = limiter(2);
        assert!(limiter.take('a', tokens(3)).is_err());
        assert!(limiter.take('a', tokens(2)).is_ok(), "nothing was taken");
    }
}
