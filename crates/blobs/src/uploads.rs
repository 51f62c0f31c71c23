//! Limits the bytes of file contents that a user sends per retention period (behaviour 10.14).
//!
//! Contents that were replaced, deleted or refused count for no storage quota, but stay on disk
//! until the file sweep removes them. The limit differs between users.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use daybook_domain::id::UserId;
use daybook_edge::error::RequestError;
use daybook_edge::metric::RateLimit;

/// The maximum number of users to remember.
const MAX_USERS: usize = 100_000;

/// A user has sent more bytes than allowed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error(
    "too many bytes of file contents: the limit is {limit} bytes in {window_seconds} s; try again \
     in {wait_seconds} s"
)]
pub struct TooManyBytes {
    limit: i64,
    window_seconds: u64,
    wait_seconds: u64,
}

impl From<TooManyBytes> for RequestError {
    fn from(refused: TooManyBytes) -> Self {
        Self::TooMany(RateLimit::Uploads, refused.wait_seconds, refused.to_string())
    }
}

/// The bytes in the bucket of a user at a point in time.
#[derive(Debug, Clone, Copy)]
struct SentBytes {
    bytes: i128,
    at: Instant,
}

/// A leaky bucket of sent bytes per user.
///
/// A user may send the limit at once. The bucket drains evenly over the window.
pub struct Uploads {
    window: Duration,
    users: Mutex<HashMap<UserId, SentBytes>>,
}

impl Uploads {
    /// Creates the limits; `window` is how long contents without a file stay on disk.
    #[must_use]
    pub fn within(window: Duration) -> Self {
        Self { window, users: Mutex::default() }
    }

    /// Counts the bytes of a content before it is stored.
    ///
    /// # Errors
    /// [`TooManyBytes`].
    pub fn take(&self, user: UserId, bytes: i64, limit: i64) -> Result<(), TooManyBytes> {
        self.take_at(Instant::now(), user, bytes, limit)
    }

    fn take_at(
        &self,
        now: Instant,
        user: UserId,
        bytes: i64,
        limit: i64,
    ) -> Result<(), TooManyBytes> {
        let window = i128::try_from(self.window.as_millis()).unwrap_or(i128::MAX).max(1);
        let mut users = self.users.lock().unwrap_or_else(PoisonError::into_inner);
        if users.len() >= MAX_USERS {
            users.retain(|_, sent| now.saturating_duration_since(sent.at) < self.window);
        }
        let (bytes, limit) = (i128::from(bytes), i128::from(limit.max(1)));
        let before = users.get(&user).map_or(0, |sent| {
            let elapsed = now.saturating_duration_since(sent.at).as_millis();
            let elapsed = i128::try_from(elapsed).unwrap_or(i128::MAX).min(window);
            let drained = elapsed.saturating_mul(limit).checked_div(window).unwrap_or(limit);
            sent.bytes.saturating_sub(drained).max(0)
        });
        let excess = (before + bytes - limit).max(0);
        if excess > 0 {
            let wait = excess.min(limit).saturating_mul(window).checked_div(limit);
            let wait = wait.unwrap_or(window).saturating_add(999) / 1_000;
            return Err(TooManyBytes {
                limit: i64::try_from(limit).unwrap_or(i64::MAX),
                window_seconds: self.window.as_secs(),
                wait_seconds: u64::try_from(wait).unwrap_or(1).max(1),
            });
        }
        users.insert(user, SentBytes { bytes: before + bytes, at: now });
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DAY: Duration = Duration::from_secs(86_400);

    #[test]
    fn bucket_fills_at_once_and_drains_evenly() {
        let (uploads, start) = (Uploads::within(DAY), Instant::now());
        let (one, other) = (UserId::new(1), UserId::new(2));
        let take = |hours: u64, user, bytes| {
            let now = start + Duration::from_secs(hours * 3_600);
            uploads.take_at(now, user, bytes, 2_400).map_err(|refused| refused.wait_seconds)
        };
        assert_eq!(take(0, one, 2_000), Ok(()));
        assert_eq!(take(0, one, 400), Ok(()));
        assert_eq!(take(0, one, 1), Err(36), "100 drain per hour");
        assert_eq!(take(0, one, 200), Err(7_200));
        assert_eq!(take(0, other, 2_400), Ok(()), "each user has their own bucket");
        assert_eq!(take(2, one, 201), Err(36), "refused bytes do not count");
        assert_eq!(take(2, one, 200), Ok(()));
        assert_eq!(take(100, one, 2_400), Ok(()), "an empty bucket");
        assert_eq!(take(100, one, 1), Err(36));
        assert_eq!(take(200, one, 5_000), Err(86_400), "more than the limit");
        assert_eq!(take(200, one, 0), Ok(()));
    }

    #[test]
    fn refusal_names_the_limit_and_extreme_numbers_do_not_overflow() {
        let uploads = Uploads::within(DAY);
        let refused = uploads.take(UserId::new(1), 11, 10).unwrap_err().to_string();
        assert!(refused.contains("10 bytes in 86400 s"), "{refused}");
        assert_eq!(uploads.take(UserId::new(1), i64::MAX, i64::MAX), Ok(()));
        assert!(uploads.take(UserId::new(1), 1, 1).is_err());
    }
}
