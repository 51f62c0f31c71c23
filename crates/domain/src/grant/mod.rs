//! OAuth 2 grants: the access that a user allows a client (RFC 6749; behaviour 11.16 - 11.19).
//!
//! A client redirects the user to the authorization page, or starts a [`DeviceAuthorization`] if it
//! has no browser. When the user agrees, a [`Consent`] and a [`Grant`] are stored. The
//! authorization code, every refresh token and every access token contain the id of the grant, so
//! ending the grant ends them all. Each use of a refresh token rotates the grant. A refresh token
//! that is used twice ends the grant, because one of its holders is not the client.
//!
//! | Module | Contents |
//! |---|---|
//! | `client` | OAuth clients and their redirect URIs |
//! | `scope` | Requested scopes |
//! | `device` | Device authorization (RFC 8628) |
//! | `user_code` | The short code that a user types for it |
//! | `refusal` | Refusals with their registered error codes |

mod client;
mod device;
mod refusal;
mod scope;
mod user_code;

pub use client::{COMMAND_LINE, OauthClient, RedirectUri, is_built_in};
pub use device::{Decision, DeviceAuthorization, Poll};
pub use refusal::Refusal;
pub use scope::GrantScope;
pub use user_code::UserCode;

use crate::id::{GrantId, UserId};
use crate::instant::{DAY, Instant, SECOND};

/// Lifetime of an authorization code in seconds (behaviour 11.17).
const CODE_SECONDS: i64 = 60;
/// Lifetime of an access token in seconds (behaviour 11.17).
pub const ACCESS_SECONDS: i64 = 3_600;
/// Lifetime of a refresh token in days (behaviour 11.18).
const REFRESH_DAYS: i64 = 90;
/// Time in seconds for which the previous refresh token is still accepted (behaviour 11.18).
const REFRESH_GRACE_SECONDS: i64 = 30;
/// Limit of grants of a user; a new one replaces the one that expires first (behaviour 11.17).
pub const MAX_GRANTS: usize = 1_000;

/// A user's permission for a client to use the user's books.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Grant {
    /// The id, which is part of all its tokens.
    pub id: GrantId,
    /// The user who granted it.
    pub user: UserId,
    /// The id of the client.
    pub client: String,
    /// The granted scope.
    pub scope: GrantScope,
    /// The time at which the user signed in.
    pub signed_in_at: Instant,
    /// The number of refresh tokens issued: 0 until the code is redeemed. A refresh token contains
    /// its number.
    pub rotation: i64,
    /// The time at which the last of its tokens expires.
    pub expires_at: Instant,
}

impl Grant {
    /// Returns whether any of its tokens can be valid.
    pub fn is_active(&self, now: Instant) -> bool {
        now < self.expires_at
    }

    /// Redeems the code (0) or the refresh token with this number.
    ///
    /// The previous refresh token is accepted again within 30 seconds and yields the same
    /// successor, because a client may send it twice in parallel or retry after a lost response.
    ///
    /// # Errors
    /// [`Refusal::Reused`] for any other number: two parties have the token, so the grant must end.
    pub fn rotate(self, rotation: i64, now: Instant) -> Result<Rotation, Refusal> {
        if rotation == self.rotation {
            let rotation = self.rotation.saturating_add(1);
            return Ok(Rotation::Next(Self {
                rotation,
                expires_at: now.plus(REFRESH_DAYS * DAY),
                ..self
            }));
        }
        // A code has no grace period.
        let is_last = rotation > 0 && rotation.saturating_add(1) == self.rotation;
        let grace_until = self.expires_at.plus(REFRESH_GRACE_SECONDS * SECOND - REFRESH_DAYS * DAY);
        if is_last && now < grace_until {
            Ok(Rotation::Repeated(self))
        } else {
            Err(Refusal::Reused)
        }
    }

    /// Returns the expiry of an authorization code that is issued now.
    pub const fn code_expiry(now: Instant) -> Instant {
        now.plus(CODE_SECONDS * SECOND)
    }

    /// Returns the expiry of an access token that is issued now.
    pub const fn access_token_expiry(now: Instant) -> Instant {
        now.plus(ACCESS_SECONDS * SECOND)
    }
}

/// The result of redeeming a code or a refresh token.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Rotation {
    /// The grant has a new refresh token.
    Next(Grant),
    /// The refresh token was already issued for the same token.
    Repeated(Grant),
}

/// A user's agreement to the scope that a client requested.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Consent {
    /// The user.
    pub user: UserId,
    /// The id of the client.
    pub client: String,
    /// The scope.
    pub scope: GrantScope,
    /// The time of the last agreement.
    pub created_at: Instant,
}

impl Consent {
    /// Returns whether it includes the requested scope.
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
            expires_at: Grant::code_expiry(Instant::new(0)),
        }
    }

    #[test]
    fn each_token_is_redeemed_once() {
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
            Ok(Rotation::Next(next)) => next,
            other => panic!("11.18: {other:?}"),
        }
    }

    #[test]
    fn previous_token_is_accepted_for_thirty_seconds() {
        let second = next(&next(&grant(), 0, 0), 1, 1_000);
        for (rotation, now, expected) in [
            (1, 1_000, Ok(Rotation::Repeated(second.clone()))),
            (1, 30_999, Ok(Rotation::Repeated(second.clone()))),
            // The clock of another machine.
            (1, 500, Ok(Rotation::Repeated(second.clone()))),
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
    fn grant_ends_with_its_last_token() {
        assert!(grant().is_active(Instant::new(59_999)));
        assert!(!grant().is_active(Instant::new(60_000)));
    }
}
