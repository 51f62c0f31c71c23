//! API keys: they name the app that sends a request, for quotas and for counting, and authenticate
//! nobody (behaviour 9.1, 10.6, 10.13). How the text of a key is made is a matter of http.

mod refusal;

pub use refusal::Refusal;
use time::Date;

use crate::id::{ApiKeyId, UserId};
use crate::instant::Instant;
use crate::name::MAX_NAME;

/// Calls a minute that a key's own rate allows at least: what the dearest operation costs
/// (behaviour 10.6), so that each can be called.
pub const MIN_RATE: u32 = 3;
/// Calls a minute that a key's own rate allows at most (behaviour 10.13).
pub const MAX_RATE: u32 = 100_000;
/// Keys of one user that are not revoked, at most, when users create them themselves: each key has
/// a quota of its own (behaviour 10.13).
pub const MAX_KEYS: usize = 10;
/// Keys that a user has at most, those included that were revoked in the last 30 days (behaviour
/// 10.13).
pub const MAX_LISTED_KEYS: usize = 30;
/// How long a key is listed after it was revoked, in milliseconds: 30 days (behaviour 10.13).
const LISTED_AFTER_END: i64 = 30 * 86_400_000;
/// Days of which calls are kept, today included (behaviour 10.13).
pub const USAGE_DAYS: u16 = 31;

/// SHA-256 of the text of a key, which itself is not kept.
pub type KeyDigest = [u8; 32];

/// An API key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ApiKey {
    /// Names the key in lists; it is no secret.
    pub id: ApiKeyId,
    /// Who has it.
    pub user: UserId,
    /// What the user calls it; may be empty.
    pub name: String,
    /// What it is found by when a request brings it.
    pub digest: KeyDigest,
    /// Calls a minute that it allows, when the operator has given it a rate of its own.
    pub rate: Option<u32>,
    /// When it was created.
    pub created_at: Instant,
    /// When it was revoked.
    pub revoked_at: Option<Instant>,
}

/// What is asked for when a key is created.
#[derive(Debug, Clone, Default)]
pub struct KeyRequest {
    /// What the user calls it.
    pub name: Option<String>,
    /// A rate of its own; only the operator gives one.
    pub rate: Option<u32>,
}

/// Calls with a key on a day, by the clock of UTC.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Usage {
    /// The day.
    pub day: Date,
    /// How many calls.
    pub calls: u64,
}

impl ApiKey {
    /// A new key.
    ///
    /// # Errors
    /// [`Refusal`] for a name that is too long and a rate out of range.
    pub fn create(
        (id, user): (ApiKeyId, UserId),
        digest: KeyDigest,
        request: KeyRequest,
        now: Instant,
    ) -> Result<Self, Refusal> {
        let KeyRequest { name, rate } = request;
        let name = name.unwrap_or_default().trim().to_owned();
        let length = name.chars().count();
        if length > MAX_NAME {
            return Err(Refusal::NameTooLong(length));
        }
        if let Some(rate) = rate.filter(|rate| !(MIN_RATE..=MAX_RATE).contains(rate)) {
            return Err(Refusal::Rate(rate));
        }
        Ok(Self { id, user, name, digest, rate, created_at: now, revoked_at: None })
    }

    /// Whether it counts.
    #[must_use]
    pub const fn is_active(&self) -> bool {
        self.revoked_at.is_none()
    }

    /// The same key, revoked. One that was revoked before stays as it is.
    #[must_use]
    pub fn revoke(self, now: Instant) -> Self {
        Self { revoked_at: self.revoked_at.or(Some(now)), ..self }
    }

    /// Whether it is still listed.
    #[must_use]
    pub fn is_listed(&self, now: Instant) -> bool {
        self.revoked_at.is_none_or(|revoked| revoked >= listed_since(now))
    }

    /// Refuses one key more than a user may have.
    ///
    /// # Errors
    /// [`Refusal::TooMany`].
    pub fn check_count(all: &[Self]) -> Result<(), Refusal> {
        let active = all.iter().filter(|key| key.is_active()).count();
        if active >= MAX_KEYS {
            Err(Refusal::TooMany)
        } else if all.len() >= MAX_LISTED_KEYS {
            // Each key has a quota of its own: who could replace them at will would have none.
            Err(Refusal::TooManyRevoked)
        } else {
            Ok(())
        }
    }
}

/// Keys that were revoked before this are not listed any more, and their rows are removed.
#[must_use]
pub const fn listed_since(now: Instant) -> Instant {
    Instant::new(now.milliseconds().saturating_sub(LISTED_AFTER_END))
}

/// The first day of which calls are kept on this day.
#[must_use]
pub fn counted_since(today: Date) -> Date {
    today.saturating_sub(time::Duration::days(i64::from(USAGE_DAYS) - 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Instant = Instant::new(1_763_000_000_000);

    fn create(request: KeyRequest) -> Result<ApiKey, Refusal> {
        ApiKey::create((ApiKeyId::new(1), UserId::new(2)), [7; 32], request, NOW)
    }

    #[test]
    fn what_may_be_asked_for() {
        let rate = |rate| KeyRequest { rate: Some(rate), ..KeyRequest::default() };
        let name = |name: &str| KeyRequest { name: Some(name.into()), ..KeyRequest::default() };
        for (request, expected) in [
            (KeyRequest::default(), Ok(())),
            (rate(3), Ok(())),
            (rate(100_000), Ok(())),
            (rate(2), Err(Refusal::Rate(2))),
            (rate(0), Err(Refusal::Rate(0))),
            (rate(100_001), Err(Refusal::Rate(100_001))),
            (name(" importer "), Ok(())),
            (name(&"é".repeat(255)), Ok(())),
            (name(&"é".repeat(256)), Err(Refusal::NameTooLong(256))),
        ] {
            assert_eq!(create(request.clone()).map(drop), expected, "{request:?}");
        }
        assert_eq!(create(name(" importer ")).unwrap().name, "importer");
    }

    #[test]
    fn a_key_is_revoked_once_and_listed_for_a_while() {
        let key = create(KeyRequest::default()).unwrap();
        assert!(key.is_active() && key.is_listed(Instant::new(i64::MAX)));
        let revoked = key.revoke(NOW);
        assert!(!revoked.is_active());
        assert_eq!(revoked.clone().revoke(Instant::new(0)), revoked);
        let month = 30 * 86_400_000;
        assert!(revoked.is_listed(Instant::new(NOW.milliseconds() + month)));
        assert!(!revoked.is_listed(Instant::new(NOW.milliseconds() + month + 1)));
    }

    #[test]
    fn keys_are_bounded() {
        let active = create(KeyRequest::default()).unwrap();
        let mut all = vec![active.clone(); MAX_KEYS];
        assert_eq!(ApiKey::check_count(&all), Err(Refusal::TooMany));
        all[0] = active.clone().revoke(NOW);
        assert_eq!(ApiKey::check_count(&all), Ok(()));
        let mut all = vec![active.revoke(NOW); MAX_LISTED_KEYS];
        assert_eq!(ApiKey::check_count(&all), Err(Refusal::TooManyRevoked));
        all.pop();
        assert_eq!(ApiKey::check_count(&all), Ok(()));
    }

    #[test]
    fn calls_of_31_days_are_kept() {
        let day = |text: &str| crate::calendar::parse_iso(text).unwrap();
        assert_eq!(counted_since(day("2026-11-22")), day("2026-10-23"));
    }
}
