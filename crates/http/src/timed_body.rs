//! The body of an answer, until all of it has been handed to the socket.

use std::pin::Pin;
use std::task::{Context, Poll};

use actix_web::body::{BodySize, BoxBody, MessageBody};
use actix_web::web::Bytes;

/// The body of an answer, with what must live until all of it has been handed to the socket.
pub(crate) struct TimedBody<K> {
    body: BoxBody,
    /// Dropped with the body.
    _kept: K,
}

impl<K> TimedBody<K> {
    pub(crate) fn new(body: BoxBody, kept: K) -> Self {
        Self { body, _kept: kept }
    }
}

impl<K: Unpin> MessageBody for TimedBody<K> {
    type Error = <BoxBody as MessageBody>::Error;

    fn size(&self) -> BodySize {
        self.body.size()
    }

    fn poll_next(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Bytes, Self::Error>>> {
        Pin::new(&mut self.body).poll_next(cx)
    }
}
