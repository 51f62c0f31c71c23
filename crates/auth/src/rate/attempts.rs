//! Limits of failed attempts by client address, against guessing of secrets (behaviour 10.12).

use std::net::IpAddr;
use std::num::NonZeroU32;

use daybook_edge::client_address::network::limited_network;
use daybook_edge::error::RequestError;
use daybook_edge::metric::RateLimit;

use super::limiter::{Limiter, SteadyClock};

/// Too many attempts: the seconds until another one is allowed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("too many failed attempts from this address; try again in {0} s")]
pub(crate) struct RetryAfter(pub(crate) u64);

impl From<RetryAfter> for RequestError {
    fn from(wait: RetryAfter) -> Self {
        Self::TooMany(RateLimit::Address, wait.0, wait.to_string())
    }
}

/// A limit of attempts per minute for an IPv4 address or an IPv6 network (/64).
///
/// To count failures only, call [`Self::check`] before an attempt and [`Self::record`] after a
/// failure. Concurrent attempts may then exceed the limit. [`Self::take`] counts every attempt and
/// is exact.
pub struct AttemptLimit(Limiter<IpAddr>);

impl AttemptLimit {
    /// Creates a limit of attempts per minute, with a burst of the same size.
    #[must_use]
    pub fn per_minute(attempts: NonZeroU32) -> Self {
        Self(Limiter::new(attempts, SteadyClock::default()))
    }

    /// Checks whether an address has an attempt left, without counting one.
    ///
    /// # Errors
    /// [`RetryAfter`].
    pub(crate) fn check(&self, client: IpAddr) -> Result<(), RetryAfter> {
        match self.0.peek(limited_network(client)) {
            Ok(_) => Ok(()),
            Err(exceeded) => Err(RetryAfter(exceeded.wait_seconds)),
        }
    }

    /// Counts a failed attempt.
    pub(crate) fn record(&self, client: IpAddr) {
        // Failures beyond the limit do not extend the wait.
        let _ = self.take(client);
    }

    /// Counts an attempt before it is made.
    ///
    /// # Errors
    /// [`RetryAfter`].
    pub(crate) fn take(&self, client: IpAddr) -> Result<(), RetryAfter> {
        match self.0.take(limited_network(client), NonZeroU32::MIN) {
            Ok(_) => Ok(()),
            Err(exceeded) => Err(RetryAfter(exceeded.wait_seconds)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn limit(attempts: u32) -> AttemptLimit {
        AttemptLimit::per_minute(NonZeroU32::new(attempts).unwrap())
    }

    fn ip(text: &str) -> IpAddr {
        text.parse().unwrap()
    }

    #[test]
    fn check_does_not_count_attempts() {
        let (limit, client) = (limit(2), ip("198.51.100.2"));
        for _ in 0..5 {
            assert_eq!(limit.check(client), Ok(()));
        }
        limit.record(client);
        assert_eq!(limit.check(client), Ok(()));
        limit.record(client);
        let RetryAfter(seconds) = limit.check(client).unwrap_err();
        assert!((29..=30).contains(&seconds), "half a minute: {seconds}");
        limit.record(client);
        assert!(limit.check(client).unwrap_err().0 <= 30, "more failures do not wait longer");
        assert_eq!(limit.take(ip("198.51.100.3")), Ok(()), "another client");
    }

    #[test]
    fn ipv6_network_counts_as_one_client() {
        let limit = limit(1);
        assert_eq!(limit.take(ip("2001:db8:0:1::1")), Ok(()));
        assert!(limit.take(ip("2001:db8:0:1:ffff::2")).is_err());
        assert_eq!(limit.take(ip("2001:db8:0:2::1")), Ok(()));
        assert_eq!(limit.take(ip("::ffff:198.51.100.2")), Ok(()));
        assert!(limit.take(ip("198.51.100.2")).is_err(), "the same address of IPv4");
        assert_eq!(limit.take(ip("198.51.100.3")), Ok(()));
    }
}
