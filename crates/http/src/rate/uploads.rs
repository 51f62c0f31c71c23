//! How many bytes of contents a user sends in the time for which bytes stay that no file names:
//! what was replaced, deleted or refused counts for no book (behaviour 10.14).

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use daybook_domain::id::UserId;

use crate::error::RequestError;

/// Most users who are remembered.
const MAX_USERS: usize = 100_000;

/// Somebody has sent as much as they may: seconds until there is room again, and how much it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error(
    "the contents of files that you send in {window_seconds} s may have {limit} bytes; try again \
     in {wait_seconds} s"
)]
pub(crate) struct TooManyBytes {
    limit: i64,
    window_seconds: u64,
    wait_seconds: u64,
}

impl From<TooManyBytes> for RequestError {
    fn from(refused: TooManyBytes) -> Self {
        Self::TooMany(refused.wait_seconds, refused.to_string())
    }
}

/// What a user has sent and not got back yet.
#[derive(Debug, Clone, Copy)]
struct SentBytes {
    bytes: i128,
    at: Instant,
}

/// The contents that users send. Each may send so many bytes at once, and gets them back evenly in
/// the time for which bytes stay.
pub struct Uploads {
    window: Duration,
    users: Mutex<HashMap<UserId, SentBytes>>,
}

impl Uploads {
    /// Bytes stay for so long.
    #[must_use]
    pub fn within(window: Duration) -> Self {
        Self { window, users: Mutex::default() }
    }

    /// Takes the bytes of a content, before it is stored.
    ///
    /// # Errors
    /// [`TooManyBytes`].
    pub(crate) fn take(&self, user: UserId, bytes: i64, limit: i64) -> Result<(), TooManyBytes> {
        self.take_at(Instant::now(), user, (bytes, limit))
    }

    fn take_at(
        &self,
        now: Instant,
        user: UserId,
        (bytes, limit): (i64, i64),
    ) -> Result<(), TooManyBytes> {
        let window = i128::try_from(self.window.as_millis()).unwrap_or(i128::MAX).max(1);
        let mut users = self.users.lock().unwrap_or_else(PoisonError::into_inner);
        if users.len() >= MAX_USERS {
            users.retain(|_, sent| now.saturating_duration_since(sent.at) < self.window);
        }
        let (bytes, limit) = (i128::from(bytes), i128::from(limit.max(1)));
        let before = users.get(&user).map_or(0, |sent| {
            let waited = now.saturating_duration_since(sent.at).as_millis();
            let waited = i128::try_from(waited).unwrap_or(i128::MAX).min(window);
            let back = waited.saturating_mul(limit).checked_div(window).unwrap_or(limit);
            sent.bytes.saturating_sub(back).max(0)
        });
        let beyond = (before + bytes - limit).max(0);
        if beyond > 0 {
            let wait = beyond.min(limit).saturating_mul(window).checked_div(limit);
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
    fn bytes_are_taken_at_once_and_given_back_evenly() {
        let (uploads, start) = (Uploads::within(DAY), Instant::now());
        let (one, other) = (UserId::new(1), UserId::new(2));
        let take = |hours: u64, user, bytes| {
            let now = start + Duration::from_secs(hours * 3_600);
            uploads.take_at(now, user, (bytes, 2_400)).map_err(|refused| refused.wait_seconds)
        };
        assert_eq!(take(0, one, 2_000), Ok(()));
        assert_eq!(take(0, one, 400), Ok(()));
        assert_eq!(take(0, one, 1), Err(36), "100 come back in an hour");
        assert_eq!(take(0, one, 200), Err(7_200));
        assert_eq!(take(0, other, 2_400), Ok(()), "each user has their own");
        assert_eq!(take(2, one, 201), Err(36), "refused ones take nothing");
        assert_eq!(take(2, one, 200), Ok(()));
        assert_eq!(take(100, one, 2_400), Ok(()), "no more than all of it");
        assert_eq!(take(100, one, 1), Err(36));
        assert_eq!(take(200, one, 5_000), Err(86_400), "never as many");
        assert_eq!(take(200, one, 0), Ok(()));
    }

    #[test]
    fn what_is_refused_says_how_much_there_may_be() {
        let uploads = Uploads::within(DAY);
        let refused = uploads.take(UserId::new(1), 11, 10).unwrap_err().to_string();
        assert!(refused.contains("in 86400 s may have 10 bytes"), "{refused}");
        // A limit that was made lower, or a number that fits in no calculation.
        assert_eq!(uploads.take(UserId::new(1), i64::MAX, i64::MAX), Ok(()));
        assert!(uploads.take(UserId::new(1), 1, 1).is_err());
    }
}
