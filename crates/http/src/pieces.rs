//! Bodies of answers in pieces. The HTTP server copies what it is given at once into the buffer of
//! the connection, on a thread that serves many others: so a long body is handed to it bit by bit,
//! as its client takes it.

use std::collections::VecDeque;
use std::convert::Infallible;
use std::pin::Pin;
use std::task::{Context, Poll};

use actix_web::body::{BodySize, MessageBody};
use actix_web::web::Bytes;
use actix_web::{HttpResponse, HttpResponseBuilder};

/// Bytes that are sent at a time: as many as the HTTP server collects before it writes. What a
/// client does not take lies in that buffer, and nothing counts it.
const PIECE: usize = 32 * 1024;

/// The response with this body, which consists of parts that others may hold too. Its length is
/// said in the head.
pub(crate) fn with_parts(
    mut response: HttpResponseBuilder,
    parts: impl IntoIterator<Item = Bytes>,
) -> HttpResponse {
    response.body(Pieces::of(parts, PIECE))
}

/// A body in pieces.
pub(crate) struct Pieces {
    parts: VecDeque<Bytes>,
    /// Bytes of a piece.
    most: usize,
}

impl Pieces {
    /// These parts, in pieces of so many bytes.
    pub(crate) fn of(parts: impl IntoIterator<Item = Bytes>, most: usize) -> Self {
        Self { parts: parts.into_iter().filter(|part| !part.is_empty()).collect(), most }
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
        let most = self.most;
        let Some(part) = self.parts.front_mut() else { return Poll::Ready(None) };
        let piece = part.split_to(part.len().min(most));
        if part.is_empty() {
            self.parts.pop_front();
        }
        Poll::Ready(Some(Ok(piece)))
    }
}

/// What the HTTP server is given of a body, and the size that it was told before.
#[cfg(test)]
pub(crate) fn given(response: HttpResponse) -> (BodySize, Vec<Bytes>) {
    let mut body = response.into_body();
    let (size, mut context) = (body.size(), Context::from_waker(std::task::Waker::noop()));
    let mut given = Vec::new();
    while let Poll::Ready(Some(piece)) = Pin::new(&mut body).poll_next(&mut context) {
        given.push(piece.unwrap());
    }
    (size, given)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_bodies_are_given_bit_by_bit() {
        let long: Bytes = (0..100_000_u32).flat_map(u32::to_be_bytes).collect();
        let parts = || [long.clone(), Bytes::new(), Bytes::from_static(b"short"), long.clone()];
        let (size, pieces) = given(with_parts(HttpResponse::Ok(), parts()));
        assert_eq!(pieces.concat(), parts().concat());
        assert!(matches!(size, BodySize::Sized(800_005)), "{size:?}");
        assert!(pieces.iter().all(|piece| (1..=PIECE).contains(&piece.len())));
        let held = long.as_ptr_range();
        assert!(held.contains(&pieces[1].as_ptr()), "nothing is copied");
        let (size, pieces) = given(with_parts(HttpResponse::Ok(), [Bytes::new()]));
        assert!(matches!(size, BodySize::Sized(0)), "{size:?}");
        assert!(pieces.is_empty());
    }
}
