//! Links by which somebody signs in.

use super::{LINK_MINUTES, MILLISECONDS_OF_MINUTE, Refusal, SecretDigest, later};
use crate::email::Email;
use crate::instant::Instant;

/// A link that works once, for [`LINK_MINUTES`]. Who has it signs in with its address.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LoginLink {
    /// The digest of the secret in the link.
    pub digest: SecretDigest,
    /// Who signs in.
    pub email: Email,
    /// When it was made.
    pub created_at: Instant,
    /// When somebody signed in with it.
    pub used_at: Option<Instant>,
}

impl LoginLink {
    /// A link that was made now.
    #[must_use]
    pub const fn new(digest: SecretDigest, email: Email, now: Instant) -> Self {
        Self { digest, email, created_at: now, used_at: None }
    }

    /// When it stops to work.
    #[must_use]
    pub const fn expires_at(&self) -> Instant {
        later(self.created_at, LINK_MINUTES * MILLISECONDS_OF_MINUTE)
    }

    /// Refuses a link that does not work any more.
    ///
    /// # Errors
    /// [`Refusal::LinkUnusable`].
    pub fn check(&self, now: Instant) -> Result<(), Refusal> {
        if self.used_at.is_none() && now < self.expires_at() {
            Ok(())
        } else {
            Err(Refusal::LinkUnusable)
        }
    }

    /// The same link, used up.
    ///
    /// # Errors
    /// [`Refusal::LinkUnusable`] when it does not work any more.
    pub fn use_up(self, now: Instant) -> Result<Self, Refusal> {
        self.check(now)?;
        Ok(Self { used_at: Some(now), ..self })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_works_once_for_fifteen_minutes() {
        let email = Email::parse("alice@example.com").unwrap();
        let link = LoginLink::new([1; 32], email, Instant::new(0));
        let used = link.clone().use_up(Instant::new(899_999)).unwrap();
        assert_eq!(used.check(Instant::new(1)), Err(Refusal::LinkUnusable));
        assert_eq!(link.use_up(Instant::new(900_000)), Err(Refusal::LinkUnusable));
    }
}
