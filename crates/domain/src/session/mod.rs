//! How people sign in with a browser: a link that works once begins a session, and a session gives
//! access tokens until it ends (behaviour 11.4, 11.14). How secrets are made and hashed is a matter
//! of http.

mod link;
mod refusal;

pub use link::{LinkRequest, LoginLink};
pub use refusal::Refusal;

use crate::id::{SessionId, UserId};
use crate::instant::Instant;

/// Minutes for which a link works (behaviour 11.14).
pub const LINK_MINUTES: i64 = 15;
/// Days after its last use at which a session ends by itself (behaviour 11.14).
pub const SESSION_DAYS: i64 = 30;
/// Minutes for which an access token of a session is valid (behaviour 11.4).
pub const ACCESS_MINUTES: i64 = 60;
const MILLISECONDS_OF_DAY: i64 = 86_400_000;
const MILLISECONDS_OF_MINUTE: i64 = 60_000;

/// SHA-256 of a secret. The secret itself is known to its holder alone.
pub type SecretDigest = [u8; 32];

/// A browser in which somebody has signed in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Session {
    /// Stands in the access tokens that it gives.
    pub id: SessionId,
    /// Who signed in.
    pub user: UserId,
    /// The digest of the secret in the browser's cookie.
    pub digest: SecretDigest,
    /// When its user has signed in: when it began, or before that at an identity provider.
    pub signed_in_at: Instant,
    /// When it last gave an access token.
    pub used_at: Instant,
    /// When its user signed out.
    pub ended_at: Option<Instant>,
}

impl Session {
    /// A session that begins now.
    #[must_use]
    pub const fn begin(id: SessionId, user: UserId, digest: SecretDigest, now: Instant) -> Self {
        Self { id, user, digest, signed_in_at: now, used_at: now, ended_at: None }
    }

    /// The same session of a user who has signed in before it began.
    #[must_use]
    pub fn signed_in(self, at: Instant) -> Self {
        Self { signed_in_at: self.signed_in_at.min(at), ..self }
    }

    /// When it ends by itself, unless it is used before.
    #[must_use]
    pub const fn expires_at(&self) -> Instant {
        later(self.used_at, SESSION_DAYS * MILLISECONDS_OF_DAY)
    }

    /// Whether it gives access tokens.
    #[must_use]
    pub fn is_active(&self, now: Instant) -> bool {
        self.ended_at.is_none() && now < self.expires_at()
    }

    /// The same session, used now.
    #[must_use]
    pub fn used(self, now: Instant) -> Self {
        Self { used_at: self.used_at.max(now), ..self }
    }

    /// The same session, ended. One that ended before stays as it is.
    #[must_use]
    pub fn end(self, now: Instant) -> Self {
        Self { ended_at: self.ended_at.or(Some(now)), ..self }
    }

    /// When an access token ends that it gives now.
    #[must_use]
    pub const fn access_until(now: Instant) -> Instant {
        later(now, ACCESS_MINUTES * MILLISECONDS_OF_MINUTE)
    }
}

/// Sessions that were last used before this gave their last access token long ago, and their rows
/// are removed.
#[must_use]
pub const fn kept_since(now: Instant) -> Instant {
    later(now, -2 * SESSION_DAYS * MILLISECONDS_OF_DAY)
}

/// Links that were made after this work, unless they were used.
#[must_use]
pub const fn links_open_since(now: Instant) -> Instant {
    later(now, -LINK_MINUTES * MILLISECONDS_OF_MINUTE)
}

/// Links that were made before this have stopped to work long ago, and their rows are removed.
#[must_use]
pub const fn links_kept_since(now: Instant) -> Instant {
    later(now, -MILLISECONDS_OF_DAY)
}

const fn later(instant: Instant, milliseconds: i64) -> Instant {
    Instant::new(instant.milliseconds().saturating_add(milliseconds))
}

#[cfg(test)]
mod tests {
    use super::*;

    const DAY: i64 = MILLISECONDS_OF_DAY;

    #[test]
    fn a_session_lasts_while_it_is_used() {
        let session = Session::begin(SessionId::new(1), UserId::new(2), [0; 32], Instant::new(0));
        assert!(session.is_active(Instant::new(30 * DAY - 1)));
        assert!(!session.is_active(Instant::new(30 * DAY)));
        let (before, after) = (Instant::new(-5), Instant::new(5));
        assert_eq!(session.clone().signed_in(before).signed_in_at, before);
        assert_eq!(session.clone().signed_in(after), session, "a clock that goes ahead");
        let used = session.clone().used(Instant::new(20 * DAY));
        assert!(used.is_active(Instant::new(50 * DAY - 1)));
        assert_eq!(used.clone().used(Instant::new(1)), used, "a clock that goes back");
        let ended = used.end(Instant::new(21 * DAY));
        assert!(!ended.is_active(Instant::new(21 * DAY)));
        assert_eq!(ended.clone().end(Instant::new(22 * DAY)), ended);
        assert_eq!(Session::access_until(Instant::new(5)), Instant::new(3_600_005));
    }
}
