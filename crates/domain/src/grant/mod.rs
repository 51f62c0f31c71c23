//! What a user lets an app do with their books, by OAuth 2 (RFC 6749; behaviour 11.16 - 11.19).
//!
//! | Module | What it does |
//! |---|---|
//! | `client` | The apps that may ask, and where their answers may go |
//! | `scope` | What an app asks for |
//! | `device` | Signing in a program that has no browser (RFC 8628) |
//! | `user_code` | The short code that a person types for it |
//! | `refusal` | Why nothing is given, in the words of the standards |
//!
//! A [`Grant`] is the one thing that tokens hang on: an authorization code, each refresh token and
//! each access token name it. Whoever ends it ends them all.

mod client;
mod device;
mod refusal;
mod scope;
mod user_code;

pub use client::{COMMAND_LINE, CONSOLE, OauthClient, RedirectUri, is_built_in};
pub use device::{Decision, DeviceAuthorization, Poll};
pub use refusal::Refusal;
pub use scope::GrantScope;
pub use user_code::UserCode;

use crate::id::{GrantId, UserId};
use crate::instant::Instant;

/// Seconds for which an authorization code is valid (behaviour 11.17).
pub const CODE_SECONDS: i64 = 60;
/// Seconds for which an access token is valid (behaviour 11.17).
pub const ACCESS_SECONDS: i64 = 3_600;
/// Days for which a refresh token is valid (behaviour 11.18).
pub const REFRESH_DAYS: i64 = 90;
/// Seconds for which the refresh token before the last one is answered as it was (behaviour 11.18).
pub const REFRESH_GRACE_SECONDS: i64 = 30;
/// Grants that a user has at most; the one that ends first makes room (behaviour 11.17).
pub const MAX_GRANTS: usize = 1_000;

const SECOND: i64 = 1_000;
const DAY: i64 = 86_400_000;

/// A point in time, moved by milliseconds.
const fn later(instant: Instant, milliseconds: i64) -> Instant {
    Instant::new(instant.milliseconds().saturating_add(milliseconds))
}

/// That a user lets a client use their books.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Grant {
    /// Stands in all tokens that hang on it.
    pub id: GrantId,
    /// Who grants.
    pub user: UserId,
    /// The id of the client to whom it is granted.
    pub client: String,
    /// What is granted.
    pub scope: GrantScope,
    /// When the user signed in.
    pub signed_in_at: Instant,
    /// How many refresh tokens were given for it: none until its code is redeemed. A refresh token
    /// bears its number.
    pub rotation: i64,
    /// When nothing that hangs on it is valid any more.
    pub expires_at: Instant,
}

impl Grant {
    /// Whether something that hangs on it can be valid.
    #[must_use]
    pub fn is_active(&self, now: Instant) -> bool {
        now < self.expires_at
    }

    /// The same grant, after its code (0) or the refresh token of this number was redeemed. The
    /// refresh token before is redeemed once more within 30 seconds, with the same successor: a
    /// client may send it twice at once, or again because it got no answer.
    ///
    /// # Errors
    /// [`Refusal::Reused`] for the token of another number: two have it, and one of them is not the
    /// client. The grant must end.
    pub fn rotate(self, rotation: i64, now: Instant) -> Result<Rotated, Refusal> {
        if rotation == self.rotation {
            let rotation = self.rotation.saturating_add(1);
            return Ok(Rotated::Next(Self {
                rotation,
                expires_at: Self::refresh_until(now),
                ..self
            }));
        }
        // A code is used once, whatever happens.
        let is_last = rotation > 0 && rotation.saturating_add(1) == self.rotation;
        let grace_until =
            later(self.expires_at, REFRESH_GRACE_SECONDS * SECOND - REFRESH_DAYS * DAY);
        if is_last && now < grace_until { Ok(Rotated::Again(self)) } else { Err(Refusal::Reused) }
    }

    /// When an authorization code ends that is given now.
    #[must_use]
    pub const fn code_until(now: Instant) -> Instant {
        later(now, CODE_SECONDS * SECOND)
    }

    /// When an access token ends that is given now.
    #[must_use]
    pub const fn access_until(now: Instant) -> Instant {
        later(now, ACCESS_SECONDS * SECOND)
    }

    /// When a refresh token ends that is given now.
    #[must_use]
    pub const fn refresh_until(now: Instant) -> Instant {
        later(now, REFRESH_DAYS * DAY)
    }
}

/// A grant whose token was redeemed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Rotated {
    /// It has a new refresh token.
    Next(Grant),
    /// It has the one that it got a moment ago.
    Again(Grant),
}

/// That a user has agreed to what a client asks for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Consent {
    /// Who has agreed.
    pub user: UserId,
    /// The id of the client.
    pub client: String,
    /// What they have agreed to.
    pub scope: GrantScope,
    /// When they agreed last.
    pub created_at: Instant,
}

impl Consent {
    /// Whether this agreement holds what is asked for now.
    #[must_use]
    pub fn covers(&self, scope: &GrantScope) -> bool {
        self.scope.covers(scope)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn grant() -> Grant {
        Grant {
            id: GrantId::new(1),
            user: UserId::new(2),
            client: "app".to_owned(),
            scope: GrantScope::read(Some("email"), None).unwrap(),
            signed_in_at: Instant::new(0),
            rotation: 0,
            expires_at: Grant::code_until(Instant::new(0)),
        }
    }

    #[test]
    fn each_rotation_happens_once() {
        let first = next(&grant(), 0, 5);
        assert_eq!((first.rotation, first.expires_at), (1, Instant::new(5 + 90 * DAY)));
        let second = next(&first, 1, 6);
        assert_eq!(second.rotation, 2);
        for (grant, rotation) in [(&first, 0), (&first, 2), (&second, 0), (&second, -1)] {
            assert_eq!(grant.clone().rotate(rotation, Instant::new(7)), Err(Refusal::Reused));
        }
    }

    fn next(grant: &Grant, rotation: i64, now: i64) -> Grant {
        match grant.clone().rotate(rotation, Instant::new(now)) {
            Ok(Rotated::Next(next)) => next,
            other => panic!("11.18: {other:?}"),
        }
    }

    #[test]
    fn the_last_rotation_is_repeated_for_thirty_seconds() {
        let second = next(&next(&grant(), 0, 0), 1, 1_000);
        for (rotation, now, expected) in [
            (1, 1_000, Ok(Rotated::Again(second.clone()))),
            (1, 30_999, Ok(Rotated::Again(second.clone()))),
            // Another machine's clock.
            (1, 500, Ok(Rotated::Again(second.clone()))),
            (1, 31_000, Err(Refusal::Reused)),
            (0, 1_001, Err(Refusal::Reused)),
        ] {
            let rotated = second.clone().rotate(rotation, Instant::new(now));
            assert_eq!(rotated, expected, "11.18: {rotation} at {now}");
        }
        let third = next(&second, 2, 2_000);
        assert_eq!(third.rotate(1, Instant::new(2_001)), Err(Refusal::Reused), "11.18");
    }

    #[test]
    fn a_grant_lasts_as_long_as_what_hangs_on_it() {
        assert!(grant().is_active(Instant::new(59_999)));
        assert!(!grant().is_active(Instant::new(60_000)));
    }
}
