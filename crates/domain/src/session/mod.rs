//! Browser sessions (behaviour 11.4, 11.14).
//!
//! A [`LoginLink`] or an identity provider starts a [`Session`]. The browser keeps its secret in a
//! cookie, and exchanges it for access tokens until the session ends. The auth crate creates and
//! hashes the secrets; only their digests are stored.

mod link;
mod refusal;

pub use link::{LinkRequest, LoginLink};
pub use refusal::Refusal;

use crate::id::{SessionId, UserId};
use crate::instant::{DAY, Instant, MINUTE};
use crate::named::named;

/// Lifetime of a link in minutes (behaviour 11.14).
pub const LINK_MINUTES: i64 = 15;
/// Lifetime of an invitation in minutes: a day, for which rows of links are kept (behaviour 11.14).
pub const INVITATION_MINUTES: i64 = 24 * 60;
/// Lifetime of the link for the first user in minutes (behaviour 11.14).
const FIRST_USER_MINUTES: i64 = 60;
/// Time in days after its last use at which a session expires (behaviour 11.14).
pub const SESSION_DAYS: i64 = 30;
/// Lifetime of an access token of a session in minutes (behaviour 11.4).
const ACCESS_MINUTES: i64 = 60;

/// Limit of the sessions in a list (behaviour 11.28).
pub const MAX_LISTED: i64 = 1_000;

/// SHA-256 of a secret. Only the holder knows the secret.
pub type SecretDigest = [u8; 32];

named! {
    /// How a user signs in (behaviour 11.14).
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum SignInMethod {
        /// By a link.
        Link = "link",
        /// Through an identity provider.
        Provider = "provider",
    }
}

/// A browser in which a user has signed in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Session {
    /// The id, which is part of its access tokens.
    pub id: SessionId,
    /// The user.
    pub user: UserId,
    /// The digest of the secret in the browser's cookie.
    pub digest: SecretDigest,
    /// How the user signed in; `None` for a session from before this was stored.
    pub method: Option<SignInMethod>,
    /// The time of sign-in: its start, or an earlier sign-in at an identity provider.
    pub signed_in_at: Instant,
    /// The time at which it last issued an access token.
    pub used_at: Instant,
    /// The time of sign-out.
    pub ended_at: Option<Instant>,
}

impl Session {
    /// Starts a session.
    pub const fn begin(
        id: SessionId,
        user: UserId,
        digest: SecretDigest,
        method: SignInMethod,
        now: Instant,
    ) -> Self {
        let method = Some(method);
        Self { id, user, digest, method, signed_in_at: now, used_at: now, ended_at: None }
    }

    /// Sets an earlier time of sign-in.
    #[must_use]
    pub fn with_sign_in_at(self, at: Instant) -> Self {
        Self { signed_in_at: self.signed_in_at.min(at), ..self }
    }

    /// Returns the time of expiry, unless it is used before.
    pub const fn expires_at(&self) -> Instant {
        self.used_at.plus(SESSION_DAYS * DAY)
    }

    /// Returns whether it has neither ended nor expired.
    pub fn is_active(&self, now: Instant) -> bool {
        self.ended_at.is_none() && now < self.expires_at()
    }

    /// Records a use.
    #[must_use]
    pub fn record_use(self, now: Instant) -> Self {
        Self { used_at: self.used_at.max(now), ..self }
    }

    /// Ends the session. An earlier end stays.
    #[must_use]
    pub fn end(self, now: Instant) -> Self {
        Self { ended_at: self.ended_at.or(Some(now)), ..self }
    }

    /// Returns the expiry of an access token that is issued now.
    pub const fn access_token_expiry(now: Instant) -> Instant {
        now.plus(ACCESS_MINUTES * MINUTE)
    }
}

/// Returns the instant of last use up to which sessions have expired.
pub const fn expiry_cutoff(now: Instant) -> Instant {
    now.plus(-SESSION_DAYS * DAY)
}

/// Returns the expiry of a link for the first user that is made now.
pub const fn first_user_expiry(now: Instant) -> Instant {
    now.plus(FIRST_USER_MINUTES * MINUTE)
}

/// Returns the instant of last use before which the rows of sessions are removed.
pub const fn retention_cutoff(now: Instant) -> Instant {
    now.plus(-2 * SESSION_DAYS * DAY)
}

/// Returns the instant after which unused links still work.
pub const fn open_link_cutoff(now: Instant) -> Instant {
    now.plus(-LINK_MINUTES * MINUTE)
}

/// Returns the instant before which the rows of links are removed.
pub const fn link_retention_cutoff(now: Instant) -> Instant {
    now.plus(-DAY)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn session_expires_thirty_days_after_last_use() {
        let (id, user, start) = (SessionId::new(1), UserId::new(2), Instant::new(0));
        let session = Session::begin(id, user, [0; 32], SignInMethod::Link, start);
        assert!(session.is_active(Instant::new(30 * DAY - 1)));
        assert!(!session.is_active(Instant::new(30 * DAY)));
        assert_eq!(expiry_cutoff(Instant::new(30 * DAY)), session.used_at);
        let (before, after) = (Instant::new(-5), Instant::new(5));
        assert_eq!(session.clone().with_sign_in_at(before).signed_in_at, before);
        assert_eq!(session.clone().with_sign_in_at(after), session, "a clock that goes ahead");
        let used = session.clone().record_use(Instant::new(20 * DAY));
        assert!(used.is_active(Instant::new(50 * DAY - 1)));
        assert_eq!(used.clone().record_use(Instant::new(1)), used, "a clock that goes back");
        let ended = used.end(Instant::new(21 * DAY));
        assert!(!ended.is_active(Instant::new(21 * DAY)));
        assert_eq!(ended.clone().end(Instant::new(22 * DAY)), ended);
        assert_eq!(Session::access_token_expiry(Instant::new(5)), Instant::new(3_600_005));
    }
}
