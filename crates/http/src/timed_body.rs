//! Response bodies that keep a value until the HTTP server has taken all of them.

use std::pin::Pin;
use std::task::{Context, Poll};

use actix_web::body::{BodySize, BoxBody, MessageBody};
use actix_web::web::Bytes;

/// A response body with a value that is dropped with it.
pub(crate) struct TimedBody<K> {
    body: BoxBody,
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
