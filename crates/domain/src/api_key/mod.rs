//! API keys, which identify the sending app for quotas and call counts (behaviour 9.1, 10.6,
//! 10.13).
//!
//! A key does not authenticate its sender. The auth crate creates the text of a key, and only its
//! digest is stored. A user creates, lists and revokes keys. Calls are counted per key and day.

mod refusal;

pub use refusal::Refusal;
use time::Date;

use crate::id::{ApiKeyId, UserId};
use crate::instant::{DAY, Instant};
use crate::name::MAX_NAME;

/// Minimum rate of a key, in calls per minute: the cost of the most expensive operation (behaviour
/// 10.6).
pub const MIN_RATE: u32 = 3;
/// Maximum rate of a key, in calls per minute (behaviour 10.13).
pub const MAX_RATE: u32 = 100_000;
/// Limit of active keys of one user, because each key has its own quota (behaviour 10.13).
pub const MAX_KEYS: usize = 10;
/// Limit of keys of one user, including those revoked in the last 30 days (behaviour 10.13).
pub const MAX_LISTED_KEYS: usize = 30;
/// Time for which a revoked key is listed (behaviour 10.13).
const REVOKED_RETENTION: i64 = 30 * DAY;
/// Number of days whose call counts are stored, including today (behaviour 10.13).
const CALL_DAYS: u16 = 31;

/// SHA-256 of the text of a key.
pub type KeyDigest = [u8; 32];

/// An API key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ApiKey {
    /// The id in lists; not a secret.
    pub id: ApiKeyId,
    /// The user who owns it.
    pub user: UserId,
    /// The name given by the user; may be empty.
    pub name: String,
    /// The digest by which the key of a request is looked up.
    pub digest: KeyDigest,
    /// The rate in calls per minute, if the operator set one for this key.
    pub rate: Option<u32>,
    /// The time of creation.
    pub created_at: Instant,
    /// The time of revocation.
    pub revoked_at: Option<Instant>,
}

/// The parameters of a new key.
#[derive(Debug, Clone, Default)]
pub struct KeyRequest {
    /// The name.
    pub name: Option<String>,
    /// The rate in calls per minute; set by the operator only.
    pub rate: Option<u32>,
}

/// The number of calls with a key on a day.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ApiKeyUsage {
    /// The day in UTC.
    pub day: Date,
    /// The number of calls.
    pub calls: u64,
}

impl ApiKey {
    /// Creates a key.
    ///
    /// # Errors
    /// [`Refusal::NameTooLong`] and [`Refusal::Rate`].
    pub fn create(
        id: ApiKeyId,
        user: UserId,
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

    /// Returns whether it is not revoked.
    pub const fn is_active(&self) -> bool {
        self.revoked_at.is_none()
    }

    /// Revokes the key. An earlier revocation stays.
    #[must_use]
    pub fn revoke(self, now: Instant) -> Self {
        Self { revoked_at: self.revoked_at.or(Some(now)), ..self }
    }

    /// Returns whether it is still listed.
    pub fn is_listed(&self, now: Instant) -> bool {
        self.revoked_at.is_none_or(|revoked| revoked >= listing_cutoff(now))
    }

    /// Checks that a user with these keys may create another one.
    ///
    /// # Errors
    /// [`Refusal::TooMany`] and [`Refusal::TooManyRevoked`].
    pub fn check_count(all: &[Self]) -> Result<(), Refusal> {
        let active = all.iter().filter(|key| key.is_active()).count();
        if active >= MAX_KEYS {
            Err(Refusal::TooMany)
        } else if all.len() >= MAX_LISTED_KEYS {
            // Each key has its own quota, so unlimited replacement would defeat the quota.
            Err(Refusal::TooManyRevoked)
        } else {
            Ok(())
        }
    }
}

/// Returns the instant before which revoked keys are no longer listed and their rows are removed.
pub const fn listing_cutoff(now: Instant) -> Instant {
    now.plus(-REVOKED_RETENTION)
}

/// Returns the first day whose call counts are stored.
pub fn first_counted_day(today: Date) -> Date {
    today.saturating_sub(time::Duration::days(i64::from(CALL_DAYS) - 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Instant = Instant::new(1_763_000_000_000);

    fn create(request: KeyRequest) -> Result<ApiKey, Refusal> {
        ApiKey::create(ApiKeyId::new(1), UserId::new(2), [7; 32], request, NOW)
    }

    #[test]
    fn name_and_rate_are_checked() {
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
    fn revoked_key_is_listed_for_thirty_days() {
        let key = create(KeyRequest::default()).unwrap();
        assert!(key.is_active() && key.is_listed(Instant::new(i64::MAX)));
        let revoked = key.revoke(NOW);
        assert!(!revoked.is_active());
        assert_eq!(revoked.clone().revoke(Instant::new(0)), revoked);
        let month = 30 * DAY;
        assert!(revoked.is_listed(Instant::new(NOW.milliseconds() + month)));
        assert!(!revoked.is_listed(Instant::new(NOW.milliseconds() + month + 1)));
    }

    #[test]
    fn number_of_keys_is_limited() {
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
    fn calls_of_31_days_are_stored() {
        let day = |text: &str| crate::calendar::parse_iso(text).unwrap();
        assert_eq!(first_counted_day(day("2026-11-22")), day("2026-10-23"));
    }
}
