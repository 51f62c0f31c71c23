//! Rate limits of mailed sign-in links (behaviour 11.14).

use std::net::IpAddr;
use std::num::NonZeroU32;
use std::time::Duration;

use daybook_domain::email::Email;
use daybook_edge::client_address::network::limited_network;
use sha2::{Digest, Sha256};

use crate::rate::attempts::{AttemptLimit, RetryAfter};
use crate::rate::limiter::{Limiter, SteadyClock};

/// Links per minute and client address.
const PER_MINUTE: NonZeroU32 = NonZeroU32::MIN.saturating_add(4);
/// The burst of links per client address and e-mail address; one more is allowed per period.
const PER_RECIPIENT: NonZeroU32 = NonZeroU32::MIN.saturating_add(2);
const PER_RECIPIENT_PERIOD: Duration = Duration::from_secs(5 * 60);

/// The rate limits of mailed links in this process.
pub struct LinkLimits {
    clients: AttemptLimit,
    /// Keyed by a hash of client and e-mail address, so that no address is stored.
    recipients: Limiter<[u8; 32]>,
}

impl Default for LinkLimits {
    fn default() -> Self {
        Self {
            clients: AttemptLimit::per_minute(PER_MINUTE),
            recipients: Limiter::with_period(
                PER_RECIPIENT_PERIOD,
                PER_RECIPIENT,
                SteadyClock::default(),
            ),
        }
    }
}

impl LinkLimits {
    /// Counts a request for a link by the address of its client.
    ///
    /// # Errors
    /// [`RetryAfter`].
    pub(super) fn take(&self, client: IpAddr) -> Result<(), RetryAfter> {
        self.clients.take(client)
    }

    /// Counts a link from a client to a recipient, and returns whether it is within the limit.
    pub(super) fn take_for_recipient(&self, client: IpAddr, email: &Email) -> bool {
        let key = Sha256::digest(format!("{} {email}", limited_network(client)));
        self.recipients.take(key.into(), NonZeroU32::MIN).is_ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_are_limited_per_client_and_recipient() {
        let limits = LinkLimits::default();
        let [one, other] = ["198.51.100.2", "203.0.113.9"].map(|ip| ip.parse().unwrap());
        let [anna, bob] =
            ["anna@example.com", "bob@example.com"].map(|text| Email::parse(text).unwrap());
        for _ in 0..3 {
            assert!(limits.take_for_recipient(one, &anna));
        }
        assert!(!limits.take_for_recipient(one, &anna));
        assert!(limits.take_for_recipient(one, &bob));
        assert!(limits.take_for_recipient(other, &anna));
    }
}
