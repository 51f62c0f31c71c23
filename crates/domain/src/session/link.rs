//! Sign-in links.

use super::{INVITATION_MINUTES, LINK_MINUTES, Refusal, SecretDigest};
use crate::email::Email;
use crate::instant::{Instant, MINUTE};

/// A sign-in link. It works once and signs in with its address.
///
/// A plain link works for [`LINK_MINUTES`]. An invitation works for [`INVITATION_MINUTES`] and only
/// for a new user, so it never signs its maker in as an existing user.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LoginLink {
    /// The digest of the secret in the link.
    pub digest: SecretDigest,
    /// The address that signs in.
    pub email: Email,
    /// The time of creation.
    pub created_at: Instant,
    /// The time of its use.
    pub used_at: Option<Instant>,
    /// Whether it invites a new user.
    pub is_invitation: bool,
}

impl LoginLink {
    /// Creates a link.
    pub const fn new(digest: SecretDigest, email: Email, now: Instant) -> Self {
        Self { digest, email, created_at: now, used_at: None, is_invitation: false }
    }

    /// Creates an invitation.
    pub const fn invitation(digest: SecretDigest, email: Email, now: Instant) -> Self {
        Self { digest, email, created_at: now, used_at: None, is_invitation: true }
    }

    /// Checks that a user who has `open` unused links of an address may make another one.
    ///
    /// # Errors
    /// [`Refusal::TooManyLinks`].
    pub const fn check_count(open: i64) -> Result<(), Refusal> {
        if open < MAX_OPEN { Ok(()) } else { Err(Refusal::TooManyLinks) }
    }

    /// Returns the time of expiry.
    pub const fn expires_at(&self) -> Instant {
        let lifetime =
            if self.is_invitation { INVITATION_MINUTES * MINUTE } else { LINK_MINUTES * MINUTE };
        self.created_at.plus(lifetime)
    }

    /// Checks that it is neither used nor expired.
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

    /// Marks it as used.
    ///
    /// # Errors
    /// [`Refusal::LinkUnusable`] when it is used or expired.
    pub fn use_up(self, now: Instant) -> Result<Self, Refusal> {
        self.check(now)?;
        Ok(Self { used_at: Some(now), ..self })
    }
}

/// Limit of links of one address that work at the same time, except those of the operator.
const MAX_OPEN: i64 = 10;
/// Limit of links mailed to one address in a day while one of them works.
const MAX_PER_DAY: i64 = 100;
/// Limit of links mailed to all addresses in a minute.
const MAX_PER_MINUTE: i64 = 100;

/// An unauthenticated request for a sign-in link by mail.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LinkRequest {
    /// The number of links of the address that work.
    pub open: i64,
    /// The number of its links in the last day.
    pub last_day: i64,
    /// The number of links mailed to all addresses in the last minute.
    pub last_minute: i64,
    /// Whether the address belongs to a user or a collaborator. Attackers cannot invent such
    /// addresses.
    pub is_known: bool,
    /// Whether the sender has requested few links to the address.
    pub is_within_limit: bool,
}

impl LinkRequest {
    /// Returns whether the link is mailed (behaviour 11.14).
    ///
    /// A known address always has a working link or gets one, no matter how many links others
    /// requested.
    pub const fn is_granted(self) -> bool {
        let Self { open, last_day, last_minute, is_known, is_within_limit } = self;
        if open == 0 && is_known {
            return true;
        }
        last_minute < MAX_PER_MINUTE
            && (open == 0 || is_within_limit && open < MAX_OPEN && last_day < MAX_PER_DAY)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_address_always_gets_a_working_link() {
        let first = LinkRequest {
            open: 0,
            last_day: 0,
            last_minute: 0,
            is_known: true,
            is_within_limit: true,
        };
        for (request, expected) in [
            (first, true),
            // Links requested by others, to this address or another, do not count.
            (LinkRequest { last_day: 1_000, last_minute: 1_000, ..first }, true),
            (LinkRequest { is_within_limit: false, ..first }, true),
            (LinkRequest { is_known: false, last_day: 1_000, ..first }, true),
            (LinkRequest { is_known: false, last_minute: 100, ..first }, false),
            (LinkRequest { open: 9, last_day: 99, last_minute: 99, ..first }, true),
            (LinkRequest { open: 1, is_within_limit: false, ..first }, false),
            (LinkRequest { open: 10, ..first }, false),
            (LinkRequest { open: 1, last_day: 100, ..first }, false),
            (LinkRequest { open: 1, last_minute: 100, ..first }, false),
        ] {
            assert_eq!(request.is_granted(), expected, "11.14: {request:?}");
        }
    }

    #[test]
    fn link_works_once_for_fifteen_minutes() {
        let email = Email::parse("alice@example.com").unwrap();
        let link = LoginLink::new([1; 32], email, Instant::new(0));
        let used = link.clone().use_up(Instant::new(899_999)).unwrap();
        assert_eq!(used.check(Instant::new(1)), Err(Refusal::LinkUnusable));
        assert_eq!(link.use_up(Instant::new(900_000)), Err(Refusal::LinkUnusable));
    }

    #[test]
    fn invitation_works_for_a_day() {
        let email = Email::parse("alice@example.com").unwrap();
        let link = LoginLink::invitation([1; 32], email, Instant::new(0));
        assert_eq!(link.check(Instant::new(86_399_999)), Ok(()));
        assert_eq!(link.check(Instant::new(86_400_000)), Err(Refusal::LinkUnusable));
        assert_eq!(LoginLink::check_count(9), Ok(()));
        assert_eq!(LoginLink::check_count(10), Err(Refusal::TooManyLinks));
    }
}
