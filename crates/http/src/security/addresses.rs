//! How the security log shows the addresses of clients, and how much of it one may cause.

use std::net::IpAddr;
use std::num::NonZeroU32;

use base64::Engine;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use ring::hmac::{HMAC_SHA256, Key, sign};
use ring::rand::SystemRandom;

use crate::rate::attempts::AttemptLimit;

/// Lines about refusals that the address of a client causes in a minute, at most.
const MAX_REFUSALS_PER_MINUTE: NonZeroU32 = NonZeroU32::MIN.saturating_add(29);
/// Digits of the hash of an address.
const HASH_DIGITS: usize = 16;

/// How the log shows the addresses of clients.
#[derive(Debug)]
pub enum LoggedAddresses {
    /// As they are.
    Plain,
    /// Hashed with a key that ends with the process: lines of one client stay together, and nobody
    /// finds out later who it was.
    Hashed(Key),
    /// Not at all.
    Hidden,
}

impl LoggedAddresses {
    /// Hashed, with a new key.
    ///
    /// # Errors
    /// When the system gives no random bytes.
    pub fn hashed() -> Result<Self, ring::error::Unspecified> {
        Key::generate(HMAC_SHA256, &SystemRandom::new()).map(Self::Hashed)
    }

    pub(super) fn show(&self, client: IpAddr) -> Option<String> {
        match self {
            Self::Plain => Some(client.to_canonical().to_string()),
            Self::Hashed(key) => {
                let tag = sign(key, client.to_canonical().to_string().as_bytes());
                Some(BASE64_URL_SAFE_NO_PAD.encode(tag).chars().take(HASH_DIGITS).collect())
            }
            Self::Hidden => None,
        }
    }
}

/// The security log of a process.
pub struct SecurityLog {
    pub(super) addresses: LoggedAddresses,
    pub(super) refusals: AttemptLimit,
}

impl SecurityLog {
    /// One that shows addresses so.
    #[must_use]
    pub fn new(addresses: LoggedAddresses) -> Self {
        Self { addresses, refusals: AttemptLimit::per_minute(MAX_REFUSALS_PER_MINUTE) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_shown_as_configured() {
        let client: IpAddr = "::ffff:192.0.2.1".parse().unwrap();
        let other: IpAddr = "192.0.2.2".parse().unwrap();
        assert_eq!(LoggedAddresses::Plain.show(client).as_deref(), Some("192.0.2.1"));
        assert_eq!(LoggedAddresses::Hidden.show(client), None);
        let [one, two] = [LoggedAddresses::hashed().unwrap(), LoggedAddresses::hashed().unwrap()];
        let hash = one.show(client).unwrap();
        assert_eq!((hash.len(), one.show(client)), (HASH_DIGITS, Some(hash.clone())));
        assert_ne!(one.show(other), Some(hash.clone()));
        assert_ne!(two.show(client), Some(hash), "each process has its own key");
    }
}
