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

/// The most links of an address that work at the same time, when they are mailed.
const MAX_OPEN: i64 = 10;
/// Links that are mailed to an address in a day, while one of them works.
const MAX_A_DAY: i64 = 100;
/// Links that are mailed to all addresses together in a minute.
const MAX_A_MINUTE: i64 = 100;

/// Somebody asks for a link to an address by mail. Nobody knows whether it is theirs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LinkRequest {
    /// Links of the address that work.
    pub open: i64,
    /// Its links of the last day.
    pub of_day: i64,
    /// Links that were mailed to all addresses in the last minute.
    pub of_minute: i64,
    /// Whether it is that of a user, or of somebody with whom a book is shared: strangers cannot
    /// make up as many as they like.
    pub is_known: bool,
    /// Whether who asks has asked for few links to it.
    pub is_within: bool,
}

impl LinkRequest {
    /// Whether the link is mailed (behaviour 11.14). What others have asked for never leaves a
    /// known address without a link: it has one that works, or gets one.
    #[must_use]
    pub const fn is_met(self) -> bool {
        let Self { open, of_day, of_minute, is_known, is_within } = self;
        if open == 0 && is_known {
            return true;
        }
        of_minute < MAX_A_MINUTE
            && (open == 0 || is_within && open < MAX_OPEN && of_day < MAX_A_DAY)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strangers_keep_no_owner_from_a_link() {
        let first =
            LinkRequest { open: 0, of_day: 0, of_minute: 0, is_known: true, is_within: true };
        for (request, expected) in [
            (first, true),
            // A hundred links of strangers, to this address or to others, do not count.
            (LinkRequest { of_day: 1_000, of_minute: 1_000, is_within: false, ..first }, true),
            (LinkRequest { is_known: false, of_day: 1_000, ..first }, true),
            (LinkRequest { is_known: false, of_minute: 100, ..first }, false),
            (LinkRequest { open: 9, of_day: 99, of_minute: 99, ..first }, true),
            (LinkRequest { open: 1, is_within: false, ..first }, false),
            (LinkRequest { open: 10, ..first }, false),
            (LinkRequest { open: 1, of_day: 100, ..first }, false),
            (LinkRequest { open: 1, of_minute: 100, ..first }, false),
        ] {
            assert_eq!(request.is_met(), expected, "11.14: {request:?}");
        }
    }

    #[test]
    fn a_link_works_once_for_fifteen_minutes() {
        let email = Email::parse("alice@example.com").unwrap();
        let link = LoginLink::new([1; 32], email, Instant::new(0));
        let used = link.clone().use_up(Instant::new(899_999)).unwrap();
        assert_eq!(used.check(Instant::new(1)), Err(Refusal::LinkUnusable));
        assert_eq!(link.use_up(Instant::new(900_000)), Err(Refusal::LinkUnusable));
    }
}
