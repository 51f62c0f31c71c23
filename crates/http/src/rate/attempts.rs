//! Attempts by the address of a client: what lets somebody in may not be guessed at any rate
//! (behaviour 10.12).

use std::net::IpAddr;
use std::num::NonZeroU32;

use super::limiter::{Limiter, SteadyClock};
use crate::client_address::network::counted;
use crate::error::RequestError;

/// Too many attempts: seconds until another is taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("too many failed attempts from this address; try again in {0} s")]
pub(crate) struct RetryAfter(pub(crate) u64);

impl From<RetryAfter> for RequestError {
    fn from(wait: RetryAfter) -> Self {
        Self::TooMany(wait.0, wait.to_string())
    }
}

/// So many attempts a minute of an address, or of a network (/64) of IPv6.
///
/// Where only failures count, [`Self::check`] comes before the attempt and [`Self::record`] after
/// one that failed; attempts at the same moment may then be more. Where none may be more,
/// [`Self::take`] counts every attempt before it is made.
pub struct AttemptLimit(Limiter<IpAddr>);

impl AttemptLimit {
    /// A limit of so many attempts a minute, all of which may come at once.
    #[must_use]
    pub fn per_minute(attempts: NonZeroU32) -> Self {
        Self(Limiter::new(attempts, SteadyClock::default()))
    }

    /// Refuses an attempt of an address that has none left. Nothing is counted.
    ///
    /// # Errors
    /// [`RetryAfter`].
    pub(crate) fn check(&self, client: IpAddr) -> Result<(), RetryAfter> {
        let looked = self.0.look(counted(client));
        looked.map(drop).map_err(|exceeded| RetryAfter(exceeded.wait_seconds))
    }

    /// Counts an attempt that failed.
    pub(crate) fn record(&self, client: IpAddr) {
        // Beyond the limit there is nothing more to take.
        let _ = self.take(client);
    }

    /// Counts an attempt, before it is made.
    ///
    /// # Errors
    /// [`RetryAfter`].
    pub(crate) fn take(&self, client: IpAddr) -> Result<(), RetryAfter> {
        let taken = self.0.take(counted(client), NonZeroU32::MIN);
        taken.map(drop).map_err(|exceeded| RetryAfter(exceeded.wait_seconds))
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
    fn only_what_is_counted_counts() {
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
    fn networks_of_ipv6_are_one_client() {
        let limit = limit(1);
        assert_eq!(limit.take(ip("2001:db8:0:1::1")), Ok(()));
        assert!(limit.take(ip("2001:db8:0:1:ffff::2")).is_err());
        assert_eq!(limit.take(ip("2001:db8:0:2::1")), Ok(()));
        assert_eq!(limit.take(ip("::ffff:198.51.100.2")), Ok(()));
        assert!(limit.take(ip("198.51.100.2")).is_err(), "the same address of IPv4");
        assert_eq!(limit.take(ip("198.51.100.3")), Ok(()));
    }
}
