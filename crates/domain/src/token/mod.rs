//! The access tokens that this installation issues: whose they are, what they are limited to, and
//! when they end (behaviour 11.7 - 11.9). How a token is signed is a matter of http.

mod refusal;
mod scope;

pub use refusal::Refusal;
pub use scope::{TokenHolder, TokenScope};

use crate::id::{TokenId, UserId};
use crate::instant::Instant;
use crate::name::MAX_NAME;

/// Days a token is valid when nothing else is asked for (behaviour 11.7).
pub const DEFAULT_DAYS: u32 = 30;
/// Days a token is valid at most (behaviour 11.7).
pub const MAX_DAYS: u32 = 3_650;
/// Tokens of one user that are neither expired nor revoked, at most, when users issue them
/// themselves (behaviour 11.8).
pub const MAX_TOKENS: usize = 1_000;
/// Tokens of one user that have ended, at most, when another one is issued: older ones are listed
/// no more (behaviour 11.8).
pub const MAX_ENDED: usize = 1_000;
/// Books that a token names at most (behaviour 11.9).
pub const MAX_BOOKS: usize = 100;
/// How long a token is listed after its end, in milliseconds: 30 days (behaviour 11.8).
const LISTED_AFTER_END: i64 = 30 * MILLISECONDS_OF_DAY;
const MILLISECONDS_OF_DAY: i64 = 86_400_000;

/// An access token of this installation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AccessToken {
    /// Stands in the token itself.
    pub id: TokenId,
    /// Whom it lets in.
    pub user: UserId,
    /// What the user calls it; may be empty.
    pub name: String,
    /// What it is limited to.
    pub scope: TokenScope,
    /// When it was issued.
    pub created_at: Instant,
    /// When it ends by itself.
    pub expires_at: Instant,
    /// When it was revoked.
    pub revoked_at: Option<Instant>,
}

/// What is asked for when a token is issued.
#[derive(Debug, Clone, Default)]
pub struct TokenRequest {
    /// What the user calls it.
    pub name: Option<String>,
    /// Days it is valid; [`DEFAULT_DAYS`] when absent.
    pub days: Option<i64>,
    /// What it is limited to.
    pub scope: TokenScope,
}

impl AccessToken {
    /// A new token.
    ///
    /// # Errors
    /// [`Refusal`] for a name that is too long, days out of range, and a list of books that is
    /// empty or too long.
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
        // Whole seconds, as the token itself writes it.
        let issued = now.milliseconds() - now.milliseconds().rem_euclid(1_000);
        let expires_at = Instant::new(issued.saturating_add(days * MILLISECONDS_OF_DAY));
        Ok(Self { id, user, name, scope, created_at: now, expires_at, revoked_at: None })
    }

    /// Whether it lets somebody in.
    #[must_use]
    pub fn is_active(&self, now: Instant) -> bool {
        self.revoked_at.is_none() && now < self.expires_at
    }

    /// When it ended, or ends by itself.
    #[must_use]
    pub fn end(&self) -> Instant {
        self.revoked_at.map_or(self.expires_at, |revoked| revoked.min(self.expires_at))
    }

    /// Whether it is still shown: up to 30 days after its end (behaviour 11.8).
    #[must_use]
    pub fn is_listed(&self, now: Instant) -> bool {
        self.end() >= listed_since(now)
    }

    /// The same token, revoked. One that was revoked before stays as it is.
    #[must_use]
    pub fn revoke(self, now: Instant) -> Self {
        Self { revoked_at: self.revoked_at.or(Some(now)), ..self }
    }

    /// Refuses one token more than a user may have, who has so many that are active.
    ///
    /// # Errors
    /// [`Refusal::TooMany`].
    pub fn check_count(active: usize) -> Result<(), Refusal> {
        if active < MAX_TOKENS { Ok(()) } else { Err(Refusal::TooMany) }
    }
}

/// Tokens that ended before this are not shown any more, and their rows are removed.
#[must_use]
pub const fn listed_since(now: Instant) -> Instant {
    Instant::new(now.milliseconds().saturating_sub(LISTED_AFTER_END))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn issue(request: TokenRequest) -> Result<AccessToken, Refusal> {
        AccessToken::issue(TokenId::new(1), UserId::new(2), request, Instant::new(1_500))
    }

    #[test]
    fn what_may_be_asked_for() {
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
    fn a_token_ends_by_itself_or_is_revoked() {
        let token = issue(TokenRequest { days: Some(1), ..TokenRequest::default() }).unwrap();
        assert_eq!(token.expires_at, Instant::new(1_000 + MILLISECONDS_OF_DAY));
        assert!(token.is_active(Instant::new(1_000 + MILLISECONDS_OF_DAY - 1)));
        assert!(!token.is_active(token.expires_at));
        assert_eq!(token.end(), token.expires_at);
        let revoked = token.revoke(Instant::new(5_000));
        assert_eq!(revoked.end(), Instant::new(5_000));
        assert!(!revoked.is_active(Instant::new(5_000)));
        assert_eq!(revoked.clone().revoke(Instant::new(6_000)), revoked);
        let month = 30 * MILLISECONDS_OF_DAY;
        assert!(revoked.is_listed(Instant::new(5_000 + month)));
        assert!(!revoked.is_listed(Instant::new(5_001 + month)));
    }

    #[test]
    fn one_more_is_too_many() {
        assert_eq!(AccessToken::check_count(MAX_TOKENS), Err(Refusal::TooMany));
        assert_eq!(AccessToken::check_count(MAX_TOKENS - 1), Ok(()));
    }
}
