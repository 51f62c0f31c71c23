//! Response bodies in pieces.
//!
//! The HTTP server copies each piece into the buffer of the connection, on a thread that serves
//! many others, and nothing counts that buffer. So a long body is handed over piece by piece as
//! its client takes it.

use std::collections::VecDeque;
use std::convert::Infallible;
use std::pin::Pin;
use std::task::{Context, Poll};

use actix_web::body::{BodySize, MessageBody};
use actix_web::web::Bytes;
use actix_web::{HttpResponse, HttpResponseBuilder};
use daybook_edge::budget::Reservation;

/// Bytes of a piece: as many as the HTTP server collects before it writes.
const PIECE: usize = 32 * 1024;

/// Returns a response whose body consists of shared parts.
pub(crate) fn with_parts(
    mut response: HttpResponseBuilder,
    parts: impl IntoIterator<Item = Bytes>,
) -> HttpResponse {
    response.body(Pieces::of(parts, PIECE, None))
}

/// Returns a response with this body, which keeps its memory until it has been sent.
pub(crate) fn with_body(
    mut response: HttpResponseBuilder,
    body: Bytes,
    memory: Option<Reservation>,
) -> HttpResponse {
    response.body(Pieces::of([body], PIECE, memory))
}

/// A body in pieces.
pub(crate) struct Pieces {
    parts: VecDeque<Bytes>,
    /// Bytes of a piece.
    size: usize,
    _memory: Option<Reservation>,
}

impl Pieces {
    /// These parts in pieces of at most `size` bytes.
    pub(crate) fn of(
        parts: impl IntoIterator<Item = Bytes>,
        size: usize,
        memory: Option<Reservation>,
    ) -> Self {
        let parts = parts.into_iter().filter(|part| !part.is_empty()).collect();
        Self { parts, size, _memory: memory }
    }
}

impl MessageBody for Pieces {
    type Error = Infallible;

    fn size(&self) -> BodySize {
        let bytes: usize = self.parts.iter().map(Bytes::len).sum();
        BodySize::Sized(u64::try_from(bytes).unwrap_or(u64::MAX))
    }

    fn poll_next(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<Result<Bytes, Infallible>>> {
        let size = self.size;
        let Some(part) = self.parts.front_mut() else { return Poll::Ready(None) };
        let piece = part.split_to(part.len().min(size));
        if part.is_empty() {
            self.parts.pop_front();
        }
        Poll::Ready(Some(Ok(piece)))
    }
}

/// Returns the size that a response announces and the pieces that the HTTP server gets.
#[cfg(test)]
pub(crate) fn size_and_pieces(response: HttpResponse) -> (BodySize, Vec<Bytes>) {
    let mut body = response.into_body();
    let (size, mut context) = (body.size(), Context::from_waker(std::task::Waker::noop()));
    let mut pieces = Vec::new();
    while let Poll::Ready(Some(piece)) = Pin::new(&mut body).poll_next(&mut context) {
        pieces.push(piece.unwrap());
    }
    (size, pieces)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_bodies_are_sent_in_pieces() {
        let long: Bytes = (0..100_000_u32).flat_map(u32::to_be_bytes).collect();
        let parts = || [long.clone(), Bytes::new(), Bytes::from_static(b"short"), long.clone()];
        let (size, pieces) = size_and_pieces(with_parts(HttpResponse::Ok(), parts()));
        assert_eq!(pieces.concat(), parts().concat());
        assert!(matches!(size, BodySize::Sized(800_005)), "{size:?}");
        assert!(pieces.iter().all(|piece| (1..=PIECE).contains(&piece.len())));
        assert!(long.as_ptr_range().contains(&pieces[1].as_ptr()), "nothing is copied");
        let (size, pieces) = size_and_pieces(with_body(HttpResponse::Ok(), Bytes::new(), None));
        assert!(matches!(size, BodySize::Sized(0)), "{size:?}");
        assert!(pieces.is_empty());
    }
}
