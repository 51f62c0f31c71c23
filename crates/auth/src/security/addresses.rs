//! Client addresses in the security log, and the limit of lines per address.

use std::net::IpAddr;
use std::num::NonZeroU32;

use aws_lc_rs::hmac::{HMAC_SHA256, Key, sign};
use aws_lc_rs::rand::SystemRandom;
use base64::Engine;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;

use crate::rate::attempts::AttemptLimit;

/// The maximum number of lines about refusals per minute and client address.
const MAX_REFUSALS_PER_MINUTE: NonZeroU32 = NonZeroU32::MIN.saturating_add(29);
/// The length of a hashed address.
const HASH_DIGITS: usize = 16;

/// The form in which the log shows client addresses.
#[derive(Debug)]
pub enum LoggedAddresses {
    /// In plain text.
    Plain,
    /// Hashed with a random key per process. Lines of one client can be grouped, but the address
    /// cannot be recovered after the process ends.
    Hashed(Box<Key>),
    /// Omitted.
    Hidden,
}

impl LoggedAddresses {
    /// Creates the hashed form with a new key.
    ///
    /// # Errors
    /// When the random number generator of the system fails.
    pub fn hashed() -> Result<Self, aws_lc_rs::error::Unspecified> {
        let key = Key::generate(HMAC_SHA256, &SystemRandom::new())?;
        Ok(Self::Hashed(Box::new(key)))
    }

    pub(super) fn format(&self, client: IpAddr) -> Option<String> {
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

/// The configuration and rate limit of the security log.
pub struct SecurityLog {
    pub(super) addresses: LoggedAddresses,
    pub(super) refusals: AttemptLimit,
}

impl SecurityLog {
    /// Creates the security log with a form of addresses.
    #[must_use]
    pub fn new(addresses: LoggedAddresses) -> Self {
        Self { addresses, refusals: AttemptLimit::per_minute(MAX_REFUSALS_PER_MINUTE) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_formatted_as_configured() {
        let client: IpAddr = "::ffff:192.0.2.1".parse().unwrap();
        let other: IpAddr = "192.0.2.2".parse().unwrap();
        assert_eq!(LoggedAddresses::Plain.format(client).as_deref(), Some("192.0.2.1"));
        assert_eq!(LoggedAddresses::Hidden.format(client), None);
        let [one, two] = [LoggedAddresses::hashed().unwrap(), LoggedAddresses::hashed().unwrap()];
        let hash = one.format(client).unwrap();
        assert_eq!((hash.len(), one.format(client)), (HASH_DIGITS, Some(hash.clone())));
        assert_ne!(one.format(other), Some(hash.clone()));
        assert_ne!(two.format(client), Some(hash), "each process has its own key");
    }
}
