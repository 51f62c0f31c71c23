//! How often a client's address asks for links by mail (behaviour 11.14).

use std::net::IpAddr;
use std::num::NonZeroU32;
use std::time::Duration;

use daybook_domain::email::Email;
use sha2::{Digest, Sha256};

use crate::client_address::network::counted;
use crate::rate::attempts::{AttemptLimit, RetryAfter};
use crate::rate::limiter::{Limiter, SteadyClock};

/// Links that a client asks for in a minute.
const A_MINUTE: NonZeroU32 = NonZeroU32::MIN.saturating_add(4);
/// Links that a client asks for to one address at once, and how long until it has one more.
const TO_ADDRESS: NonZeroU32 = NonZeroU32::MIN.saturating_add(2);
const TO_ADDRESS_PERIOD: Duration = Duration::from_secs(5 * 60);

/// The limits of one process.
pub struct LinkLimits {
    clients: AttemptLimit,
    /// By the hash of client and address: addresses are not kept.
    to_address: Limiter<[u8; 32]>,
}

impl Default for LinkLimits {
    fn default() -> Self {
        Self {
            clients: AttemptLimit::per_minute(A_MINUTE),
            to_address: Limiter::every(TO_ADDRESS_PERIOD, TO_ADDRESS, SteadyClock::default()),
        }
    }
}

impl LinkLimits {
    /// Counts a question of a client.
    ///
    /// # Errors
    /// [`RetryAfter`].
    pub(super) fn take(&self, client: IpAddr) -> Result<(), RetryAfter> {
        self.clients.take(client)
    }

    /// Counts a link of a client to an address. Answers whether it has asked for few.
    pub(super) fn is_within(&self, client: IpAddr, email: &Email) -> bool {
        let key = Sha256::digest(format!("{} {email}", counted(client)));
        self.to_address.take(key.into(), NonZeroU32::MIN).is_ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clients_do_not_use_up_links_of_others() {
        let limits = LinkLimits::default();
        let [one, other] = ["198.51.100.2", "203.0.113.9"].map(|ip| ip.parse().unwrap());
        let [anna, bob] =
            ["anna@example.com", "bob@example.com"].map(|text| Email::parse(text).unwrap());
        for _ in 0..3 {
            assert!(limits.is_within(one, &anna));
        }
        assert!(!limits.is_within(one, &anna));
        assert!(limits.is_within(one, &bob) && limits.is_within(other, &anna));
    }
}
