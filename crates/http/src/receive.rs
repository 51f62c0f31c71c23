//! How the bytes of a body arrive: within limits of size, time and memory. Whoever sends more than
//! a little must be let in first, and must go on sending.

use std::pin::Pin;
use std::time::Duration;

use actix_web::dev::Payload;
use actix_web::error::PayloadError;
use actix_web::web::Bytes;
use tokio::time::{Instant, timeout_at};

use crate::budget::{MAX_SMALL, MemoryShare};
use crate::error::{ApiError, RequestError};
use crate::long_text::LongText;

/// How long a body may take to arrive, and how many bytes earn it one second more: a file of 20 MB
/// may come over a slow line.
const BODY_TIMEOUT: Duration = Duration::from_secs(30);
const LEAST_BYTES_PER_SECOND: usize = 64 * 1024;
/// For how long a body that is not small may pause, and how many bytes earn it one second more of
/// that: what came fast before counts no longer.
const PAUSE_TIMEOUT: Duration = Duration::from_secs(10);
const LEAST_RECENT_BYTES_PER_SECOND: usize = 16 * 1024;

/// Why a long body is refused.
const NO_PAGES: &str = "the system has no more memory; try again shortly";

/// Until when the next piece of a body must have come (behaviour 0.19).
struct ReadDeadline {
    /// For the whole body.
    whole: Instant,
    /// For the next piece of one that is not small any more.
    recent: Option<Instant>,
}

impl ReadDeadline {
    fn from(now: Instant) -> Self {
        Self { whole: now + BODY_TIMEOUT, recent: None }
    }

    /// A piece has come, with which the body has this size.
    fn earn(&mut self, now: Instant, (piece, size): (usize, usize)) {
        self.whole += time_for(piece, LEAST_BYTES_PER_SECOND);
        if size > MAX_SMALL {
            let most = now + PAUSE_TIMEOUT;
            let earned = time_for(piece, LEAST_RECENT_BYTES_PER_SECOND);
            self.recent = Some(self.recent.map_or(most, |recent| (recent + earned).min(most)));
        }
    }

    /// The server, not the client, has taken this time.
    fn excuse(&mut self, time: Duration) {
        self.whole += time;
        self.recent = self.recent.map(|recent| recent + time);
    }

    fn end(&self) -> Instant {
        self.recent.map_or(self.whole, |recent| recent.min(self.whole))
    }
}

/// The time that so many bytes earn.
pub(crate) fn time_for(bytes: usize, per_second: usize) -> Duration {
    Duration::from_millis(u64::try_from(bytes * 1_000 / per_second).unwrap_or(u64::MAX))
}

/// Collects a body of so many bytes at most. What is not small is taken only from who passes the
/// `door`.
///
/// # Errors
/// 400, 408, 413, 503; those of the door.
pub(crate) async fn collect(
    mut payload: Payload,
    grant: &mut MemoryShare,
    most: usize,
    door: impl AsyncFnOnce() -> Result<(), ApiError>,
) -> Result<Bytes, ApiError> {
    let (mut patience, mut door) = (ReadDeadline::from(Instant::now()), Some(door));
    let mut bytes = LongText::new();
    loop {
        let next =
            std::future::poll_fn(|cx| futures_core::Stream::poll_next(Pin::new(&mut payload), cx));
        let next = timeout_at(patience.end(), next).await.map_err(|_| RequestError::BodyTooSlow)?;
        let Some(chunk) = next else { return Ok(bytes.into_bytes()) };
        let chunk = chunk.map_err(|error| {
            if matches!(error, PayloadError::Overflow) {
                RequestError::TooLarge
            } else {
                RequestError::Malformed(error.to_string())
            }
        })?;
        let size = bytes.len().saturating_add(chunk.len());
        if size > most {
            return Err(RequestError::TooLarge.into());
        }
        if size > MAX_SMALL
            && let Some(door) = door.take()
        {
            let asked = Instant::now();
            door().await?;
            patience.excuse(asked.elapsed());
        }
        patience.earn(Instant::now(), (chunk.len(), size));
        grant.cover(size)?;
        bytes.add(&chunk, most).map_err(|_| RequestError::Crowded(NO_PAGES))?;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// For how many seconds a body is waited for that comes in pieces, one a second.
    fn lasts(pieces: impl IntoIterator<Item = usize>) -> u64 {
        let started = Instant::now();
        let (mut patience, mut size) = (ReadDeadline::from(started), 0);
        for (second, piece) in (1..).zip(pieces) {
            let now = started + Duration::from_secs(second);
            if patience.end() < now {
                break;
            }
            size += piece;
            patience.earn(now, (piece, size));
        }
        patience.end().duration_since(started).as_secs()
    }

    #[test]
    fn who_pauses_is_late() {
        const KB: usize = 1024;
        assert_eq!(lasts([]), 30);
        assert_eq!(lasts([MAX_SMALL]), 31, "what is small has its time");
        assert_eq!(lasts([31 * KB * KB]), 11, "a second, and ten of a pause");
        assert_eq!(lasts([16 * KB; 100]), 39, "too slow on the whole");
        assert_eq!(lasts([80 * KB; 400]), 410, "slow and steady");
        let drops = std::iter::once(16 * KB * KB).chain([KB; 400]);
        assert_eq!(lasts(drops), 11, "a drop does not help");
    }
}
