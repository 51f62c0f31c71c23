//! Responses that are sent while they are read (behaviour 13.11).
//!
//! The use case runs on the blocking pool, on one snapshot and a connection of its own pool. It
//! writes chunks into a short channel, and waits while the client takes them. When the client has
//! gone, the body is dropped and the read is stopped.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{self, Poll, ready};
use std::time::Duration;

use actix_web::HttpResponse;
use actix_web::body::{BodySize, MessageBody};
use actix_web::web::Bytes;
use daybook_edge::blocking::block;
use daybook_edge::error::{ApiError, RequestError};
use daybook_edge::run::StopOnDrop;
use daybook_service::{self as service, Context};
use daybook_storage::{Error, ReadStop, ReaderPool, Tx};
use tokio::sync::mpsc::{Receiver, Sender, channel};
use tokio::sync::oneshot;

use crate::reply::Content;
use crate::report_slots::ReportSlot;
use crate::request::ApiRequest;

/// How long a response may be read and sent.
const DEADLINE: Duration = Duration::from_secs(30 * 60);
/// The bytes of a chunk.
const CHUNK: usize = 64 * 1024;
/// The chunks that wait for the client.
const WAITING_CHUNKS: usize = 2;

/// A part of a response, its end, or why it failed.
type Part = Result<Option<Bytes>, ApiError>;

/// Sends a response in chunks.
///
/// If it is dropped without [`Self::end`], as after a panic, the response is broken off.
pub(crate) struct ChunkWriter {
    slot: ReportSlot,
    buffer: Vec<u8>,
    /// Receives the headers once, before the first chunk.
    head: Option<oneshot::Sender<Result<Content, ApiError>>>,
    chunks: Sender<Part>,
}

impl ChunkWriter {
    /// Sends the headers. A later failure breaks the body off.
    pub(crate) fn begin(&mut self, content: Content) {
        if let Some(head) = self.head.take() {
            let _ = head.send(Ok(content));
        }
    }

    /// Returns the buffer, to which the body is appended.
    pub(crate) const fn buffer(&mut self) -> &mut Vec<u8> {
        &mut self.buffer
    }

    /// Sends the buffer if it is large enough. Waits until the client has taken earlier chunks.
    ///
    /// # Errors
    /// If the client has gone.
    pub(crate) fn flush_chunk(&mut self) -> service::Result<()> {
        if self.buffer.len() < CHUNK { Ok(()) } else { self.flush() }
    }

    /// Sends the buffer.
    ///
    /// # Errors
    /// Those of [`Self::flush_chunk`].
    pub(crate) fn flush(&mut self) -> service::Result<()> {
        let chunk = Bytes::from(std::mem::take(&mut self.buffer));
        self.chunks.blocking_send(Ok(Some(chunk))).map_err(|_| Error::Stopped.into())
    }

    /// Frees the slot, then ends the response.
    fn end(self) {
        let Self { slot, chunks, .. } = self;
        drop(slot);
        // The receiver is gone if the client is.
        drop(chunks.blocking_send(Ok(None)));
    }

    /// Sends the error in place of the headers, or breaks the body off.
    fn fail(self, error: ApiError) {
        let Self { slot, head, chunks, .. } = self;
        drop(slot);
        // The receivers are gone if the client is.
        match head {
            Some(head) => drop(head.send(Err(error))),
            None => drop(chunks.blocking_send(Err(error))),
        }
    }
}

/// A response body that is read while it is sent.
struct StreamBody {
    chunks: Receiver<Part>,
    _stop: StopOnDrop,
}

impl MessageBody for StreamBody {
    type Error = Box<dyn std::error::Error>;

    fn size(&self) -> BodySize {
        BodySize::Stream
    }

    fn poll_next(
        mut self: Pin<&mut Self>,
        cx: &mut task::Context<'_>,
    ) -> Poll<Option<Result<Bytes, Self::Error>>> {
        let broken_off = |error: String| {
            tracing::warn!(%error, "response broken off");
            Poll::Ready(Some(Err(error.into())))
        };
        match ready!(self.chunks.poll_recv(cx)) {
            Some(Ok(Some(chunk))) => Poll::Ready(Some(Ok(chunk))),
            Some(Ok(None)) => Poll::Ready(None),
            Some(Err(error)) => broken_off(error.to_string()),
            None => broken_off("the read panicked".to_owned()),
        }
    }
}

/// Sends a response while `work` reads and writes it.
///
/// `work` calls [`ChunkWriter::begin`] before it sends the first chunk. A failure after that breaks
/// the connection off, so the client sees that the response is incomplete.
///
/// # Errors
/// The refusal of `work` before the headers; 503 if too many responses are in transfer.
pub(crate) async fn send<W>(request: ApiRequest, work: W) -> Result<HttpResponse, ApiError>
where
    W: FnOnce(&mut Tx<'_>, &Context, &mut ChunkWriter) -> service::Result<()> + Send + 'static,
{
    request.refuse_condition()?;
    let (cx, state) = request.into_parts();
    let busy = "too many reports are being sent; try again shortly";
    let slot = state.reports.acquire(cx.quota_subject());
    let slot = slot.ok_or(RequestError::Overloaded(busy))?;
    let (head, content) = oneshot::channel();
    let (sender, chunks) = channel(WAITING_CHUNKS);
    let stop = ReadStop::new(DEADLINE);
    let stop_on_drop = StopOnDrop(stop.clone());
    let store = Arc::clone(&state.edge.store);
    let read = move || {
        let (buffer, head) = (Vec::new(), Some(head));
        let mut writer = ChunkWriter { slot, buffer, head, chunks: sender };
        let work = |tx: &mut Tx<'_>| work(tx, &cx, &mut writer);
        match store.read_until_stopped(ReaderPool::Reports, &stop, work) {
            Ok(()) => writer.end(),
            Err(error) => writer.fail(error.into()),
        }
    };
    // It runs on after this function returns.
    actix_web::rt::spawn(block(read));
    let panicked = |_| RequestError::Failed("the read panicked".to_owned());
    let content = content.await.map_err(panicked)??;
    let mut response = HttpResponse::Ok();
    content.write(&mut response);
    Ok(response.body(StreamBody { chunks, _stop: stop_on_drop }))
}

#[cfg(test)]
mod tests {
    use actix_web::body::to_bytes;

    use super::*;

    #[tokio::test]
    async fn response_without_its_end_is_broken_off() {
        for (has_end, expected) in [(true, Some("ab")), (false, None)] {
            let (sender, chunks) = channel(3);
            let stop = StopOnDrop(ReadStop::new(DEADLINE));
            let body = StreamBody { chunks, _stop: stop };
            for part in ["a", "b"] {
                sender.send(Ok(Some(Bytes::from(part)))).await.unwrap();
            }
            if has_end {
                sender.send(Ok(None)).await.unwrap();
            }
            drop(sender);
            let sent = to_bytes(body).await.ok();
            assert_eq!(sent.as_deref(), expected.map(str::as_bytes));
        }
    }
}
