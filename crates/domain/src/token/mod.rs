//! Access tokens issued by this installation (behaviour 11.7 - 11.9).
//!
//! A user issues tokens with a name, a lifetime and a [`TokenScope`], lists them and revokes them.
//! The auth crate signs them. The row of a token decides whether it is still accepted.

mod refusal;
mod scope;

pub use refusal::Refusal;
pub use scope::{TokenHolder, TokenScope};

use crate::id::{TokenId, UserId};
use crate::instant::{DAY, Instant, SECOND};
use crate::name::MAX_NAME;

/// Default lifetime of a token in days (behaviour 11.7).
pub const DEFAULT_DAYS: u32 = 30;
/// Maximum lifetime of a token in days (behaviour 11.7).
pub const MAX_DAYS: u32 = 3_650;
/// Limit of active tokens of one user (behaviour 11.8).
pub const MAX_TOKENS: usize = 1_000;
/// Limit of ended tokens of one user; issuing a token removes older ones (behaviour 11.8).
pub const MAX_ENDED: usize = 1_000;
/// Limit of books in the scope of a token (behaviour 11.9).
pub const MAX_BOOKS: usize = 100;
/// Time for which a token is listed after its end (behaviour 11.8).
const ENDED_RETENTION: i64 = 30 * DAY;

/// An access token of this installation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AccessToken {
    /// The id, which is part of the token.
    pub id: TokenId,
    /// The user it authenticates.
    pub user: UserId,
    /// The name given by the user; may be empty.
    pub name: String,
    /// Its limits.
    pub scope: TokenScope,
    /// The time of issue.
    pub created_at: Instant,
    /// The time of expiry.
    pub expires_at: Instant,
    /// The time of revocation.
    pub revoked_at: Option<Instant>,
}

/// The parameters of a new token.
#[derive(Debug, Clone, Default)]
pub struct TokenRequest {
    /// The name.
    pub name: Option<String>,
    /// The lifetime in days; [`DEFAULT_DAYS`] when absent.
    pub days: Option<i64>,
    /// Its limits.
    pub scope: TokenScope,
}

impl AccessToken {
    /// Issues a token.
    ///
    /// # Errors
    /// [`Refusal`] for a name that is too long, a lifetime out of range, and a list of books that
    /// is empty or too long.
    pub fn issue(
        id: TokenId,
        user: UserId,
        request: TokenRequest,
        now: Instant,
    ) -> Result<Self, Refusal> {
        let TokenRequest { name, days, scope } = request;
        let name = name.unwrap_or_default().trim().to_owned();
        let length = name.chars().count();
        if length > MAX_NAME {
            return Err(Refusal::NameTooLong(length));
        }
        let days = days.unwrap_or_else(|| DEFAULT_DAYS.into());
        if !(1..=MAX_DAYS.into()).contains(&days) {
            return Err(Refusal::Days(days));
        }
        scope.check()?;
        // The token contains whole seconds.
        let issued_at = Instant::new(now.seconds().saturating_mul(SECOND));
        let expires_at = issued_at.plus(days * DAY);
        Ok(Self { id, user, name, scope, created_at: now, expires_at, revoked_at: None })
    }

    /// Returns whether it is neither revoked nor expired.
    pub fn is_active(&self, now: Instant) -> bool {
        self.revoked_at.is_none() && now < self.expires_at
    }

    /// Returns the time of revocation or of expiry, whichever is earlier.
    pub fn ends_at(&self) -> Instant {
        self.revoked_at.map_or(self.expires_at, |revoked| revoked.min(self.expires_at))
    }

    /// Returns whether it is listed: up to 30 days after its end (behaviour 11.8).
    pub fn is_listed(&self, now: Instant) -> bool {
        self.ends_at() >= listing_cutoff(now)
    }

    /// Revokes the token. An earlier revocation stays.
    #[must_use]
    pub fn revoke(self, now: Instant) -> Self {
        Self { revoked_at: self.revoked_at.or(Some(now)), ..self }
    }

    /// Checks that a user with `active` active tokens may issue another one.
    ///
    /// # Errors
    /// [`Refusal::TooMany`].
    pub fn check_count(active: usize) -> Result<(), Refusal> {
        if active < MAX_TOKENS { Ok(()) } else { Err(Refusal::TooMany) }
    }
}

/// Returns the instant before which ended tokens are no longer listed and their rows are removed.
pub const fn listing_cutoff(now: Instant) -> Instant {
    now.plus(-ENDED_RETENTION)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn issue(request: TokenRequest) -> Result<AccessToken, Refusal> {
        AccessToken::issue(TokenId::new(1), UserId::new(2), request, Instant::new(1_500))
    }

    #[test]
    fn name_and_days_are_checked() {
        let long = "é".repeat(MAX_NAME + 1);
        let days = |days| TokenRequest { days: Some(days), ..TokenRequest::default() };
        let name = |name: &str| TokenRequest { name: Some(name.into()), ..TokenRequest::default() };
        for (request, expected) in [
            (TokenRequest::default(), Ok(())),
            (days(1), Ok(())),
            (days(3_650), Ok(())),
            (days(0), Err(Refusal::Days(0))),
            (days(-1), Err(Refusal::Days(-1))),
            (days(3_651), Err(Refusal::Days(3_651))),
            (days(i64::MAX), Err(Refusal::Days(i64::MAX))),
            (name(" importer "), Ok(())),
            (name(&long), Err(Refusal::NameTooLong(256))),
        ] {
            assert_eq!(issue(request.clone()).map(drop), expected, "{request:?}");
        }
        assert_eq!(issue(name(" importer ")).unwrap().name, "importer");
    }

    #[test]
    fn token_expires_or_is_revoked() {
        let token = issue(TokenRequest { days: Some(1), ..TokenRequest::default() }).unwrap();
        assert_eq!(token.expires_at, Instant::new(1_000 + DAY));
        assert!(token.is_active(Instant::new(1_000 + DAY - 1)));
        assert!(!token.is_active(token.expires_at));
        assert_eq!(token.ends_at(), token.expires_at);
        let revoked = token.revoke(Instant::new(5_000));
        assert_eq!(revoked.ends_at(), Instant::new(5_000));
        assert!(!revoked.is_active(Instant::new(5_000)));
        assert_eq!(revoked.clone().revoke(Instant::new(6_000)), revoked);
        let month = 30 * DAY;
        assert!(revoked.is_listed(Instant::new(5_000 + month)));
        assert!(!revoked.is_listed(Instant::new(5_001 + month)));
    }

    #[test]
    fn number_of_active_tokens_is_limited() {
        assert_eq!(AccessToken::check_count(MAX_TOKENS), Err(Refusal::TooMany));
        assert_eq!(AccessToken::check_count(MAX_TOKENS - 1), Ok(()));
    }
}
