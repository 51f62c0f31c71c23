//! The link for the first user of a trial (behaviour 11.14).
//!
//! The server prints it to the terminal and keeps only a digest, in memory: the link ends with the
//! process.

use daybook_domain::instant::Instant;
use daybook_domain::session::{SecretDigest, first_user_expiry};

use super::secret::{LoginSecret, digest};

/// The link for the first user.
#[derive(Debug, Clone)]
pub struct FirstUserLink {
    digest: SecretDigest,
    expires_at: Instant,
}

impl FirstUserLink {
    /// Creates a link that works from now on.
    #[must_use]
    pub fn new(secret: &LoginSecret, now: Instant) -> Self {
        Self { digest: secret.digest(), expires_at: first_user_expiry(now) }
    }

    /// Whether this is the code of the link, and it has not expired.
    pub(super) fn accepts(&self, code: &str, now: Instant) -> bool {
        self.digest == digest(code) && now < self.expires_at
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn link_works_for_an_hour() {
        let secret = LoginSecret::random().unwrap();
        let link = FirstUserLink::new(&secret, Instant::new(0));
        assert!(link.accepts(secret.as_str(), Instant::new(3_599_999)));
        assert!(!link.accepts(secret.as_str(), Instant::new(3_600_000)));
        for code in ["", "x", &secret.as_str()[1..]] {
            assert!(!link.accepts(code, Instant::new(0)), "{code}");
        }
    }
}
