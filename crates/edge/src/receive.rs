//! Receiving a request body within limits of size, time and memory (behaviour 0.19, 0.34).

use std::collections::VecDeque;
use std::pin::Pin;
use std::time::Duration;

use actix_web::HttpRequest;
use actix_web::dev::Payload;
use actix_web::error::PayloadError;
use actix_web::web::Bytes;
use tokio::time::{Instant, timeout_at};

use crate::budget::Reservation;
use crate::error::{ApiError, RequestError};
use crate::long_text::LongText;

/// How long a body may take, beside one second for every 64 KB: a file of 20 MB may come over a
/// slow line.
const BODY_TIMEOUT: Duration = Duration::from_secs(30);
const BYTES_PER_SECOND: usize = 64 * 1024;
/// Bytes of a body that are received before its caller is admitted, and that may pause.
pub const SMALL_BODY: usize = 64 * 1024;
/// How long a larger body may pause.
const PAUSE_TIMEOUT: Duration = Duration::from_secs(10);

const NO_PAGES: &str = "the system has no more memory; try again shortly";

/// A function of the connection that is called when a body has been received. The socket then stops
/// reading until the response is sent.
pub struct BodyReceived(pub Box<dyn Fn()>);

/// Tells the connection of a request that its body has been received.
pub fn note_received(request: &HttpRequest) {
    if let Some(BodyReceived(note)) = request.conn_data() {
        note();
    }
}

/// Receives a body of at most `max` bytes within the memory of its user, if it counts for one.
/// `admit` checks the caller before more than 64 KB are received.
///
/// # Errors
/// 400, 408, 413, 503; those of `admit`.
pub async fn collect(
    payload: Payload,
    memory: Option<&mut Reservation>,
    max: usize,
    admit: impl AsyncFnOnce() -> Result<(), ApiError>,
) -> Result<Bytes, ApiError> {
    collect_pieces(BodyPieces::new(payload), memory, max, admit).await
}

/// Receives the pieces of a body like [`collect`].
///
/// # Errors
/// Those of [`collect`].
pub async fn collect_pieces(
    mut pieces: BodyPieces,
    mut memory: Option<&mut Reservation>,
    max: usize,
    admit: impl AsyncFnOnce() -> Result<(), ApiError>,
) -> Result<Bytes, ApiError> {
    let (mut bytes, mut admit) = (LongText::default(), Some(admit));
    loop {
        let Some(chunk) = pieces.next().await? else { return Ok(bytes.into_bytes()) };
        let size = bytes.len().saturating_add(chunk.len());
        if size > max {
            return Err(RequestError::TooLarge.into());
        }
        if size > SMALL_BODY
            && let Some(admit) = admit.take()
        {
            let begun = Instant::now();
            admit().await?;
            pieces.extend(begun.elapsed());
        }
        if let Some(memory) = &mut memory {
            memory.grow_to(size)?;
        }
        bytes.add(&chunk, max).map_err(|_| RequestError::Overloaded(NO_PAGES))?;
    }
}

/// Returns `too_large`, which names the limit of the body, for a body that is too large.
pub fn with_limit(error: ApiError, too_large: RequestError) -> ApiError {
    match error {
        ApiError::RequestError(RequestError::TooLarge) => too_large.into(),
        ApiError::Service(_) | ApiError::RequestError(_) => error,
    }
}

/// The pieces of a body, within the limits of time of [`collect`].
pub struct BodyPieces {
    payload: Payload,
    /// Received pieces that were not returned yet.
    peeked: VecDeque<Bytes>,
    received: usize,
    deadline: Instant,
}

impl BodyPieces {
    /// Wraps the payload of a request whose body begins now.
    #[must_use]
    pub fn new(payload: Payload) -> Self {
        let deadline = Instant::now() + BODY_TIMEOUT;
        Self { payload, peeked: VecDeque::new(), received: 0, deadline }
    }

    /// Returns the next piece; `None` at the end.
    ///
    /// # Errors
    /// 400, 408, 413.
    pub async fn next(&mut self) -> Result<Option<Bytes>, ApiError> {
        match self.peeked.pop_front() {
            Some(piece) => Ok(Some(piece)),
            None => self.receive().await,
        }
    }

    /// Returns the first `count` bytes, or all of a shorter body. They stay in the body.
    ///
    /// # Errors
    /// Those of [`Self::next`].
    pub async fn peek(&mut self, count: usize) -> Result<Vec<u8>, ApiError> {
        let mut head: Vec<u8> = self.peeked.iter().flatten().take(count).copied().collect();
        while head.len() < count {
            let Some(piece) = self.receive().await? else { break };
            head.extend(piece.iter().take(count.saturating_sub(head.len())));
            self.peeked.push_back(piece);
        }
        Ok(head)
    }

    /// Prolongs the time of the body by work that the client does not cause.
    pub fn extend(&mut self, by: Duration) {
        self.deadline += by;
    }

    async fn receive(&mut self) -> Result<Option<Bytes>, ApiError> {
        let payload = &mut self.payload;
        let next =
            std::future::poll_fn(|cx| futures_core::Stream::poll_next(Pin::new(&mut *payload), cx));
        let limit = next_deadline(self.deadline, Instant::now(), self.received);
        let next = timeout_at(limit, next).await.map_err(|_| RequestError::BodyTooSlow)?;
        let piece = next.transpose().map_err(|error| {
            if matches!(error, PayloadError::Overflow) {
                RequestError::TooLarge
            } else {
                RequestError::Malformed(error.to_string())
            }
        })?;
        let length = piece.as_ref().map_or(0, Bytes::len);
        self.received = self.received.saturating_add(length);
        self.deadline += time_for(length);
        Ok(piece)
    }
}

/// Returns when the next bytes of a body must have come.
fn next_deadline(whole: Instant, now: Instant, received: usize) -> Instant {
    if received > SMALL_BODY { whole.min(now + PAUSE_TIMEOUT) } else { whole }
}

/// Returns by how much received bytes prolong the time of a body.
fn time_for(bytes: usize) -> Duration {
    Duration::from_millis(u64::try_from(bytes * 1_000 / BYTES_PER_SECOND).unwrap_or(u64::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns for how many seconds a body is awaited that comes in pieces, one a second.
    fn seconds(pieces: impl IntoIterator<Item = usize>) -> u64 {
        let started = Instant::now();
        let (mut whole, mut now, mut size) = (started + BODY_TIMEOUT, started, 0);
        for piece in pieces {
            if next_deadline(whole, now, size) < now + Duration::from_secs(1) {
                break;
            }
            now += Duration::from_secs(1);
            whole += time_for(piece);
            size += piece;
        }
        next_deadline(whole, now, size).duration_since(started).as_secs()
    }

    #[test]
    fn rule_0_19_slow_bodies_end() {
        const KB: usize = 1024;
        assert_eq!(seconds([]), 30);
        assert_eq!(seconds([SMALL_BODY]), 31, "a short one may pause");
        assert_eq!(seconds([31 * KB * KB]), 11, "a long one may not");
        assert_eq!(seconds([16 * KB; 100]), 39, "too slow on the whole");
        assert_eq!(seconds([80 * KB; 400]), 410, "slow and steady");
    }
}
