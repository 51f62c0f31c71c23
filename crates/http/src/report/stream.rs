//! Responses that are sent while they are read (behaviour 13.11).
//!
//! The use case runs on the blocking pool, on one snapshot and a connection of its own pool. It
//! writes chunks into a short channel, and waits while the client takes them. When the client has
//! gone, the body is dropped and the read is stopped.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{self, Poll};
use std::time::Duration;

use actix_web::HttpResponse;
use actix_web::body::{BodySize, MessageBody};
use actix_web::web::Bytes;
use daybook_domain::report::{Control, ReportKind, Row};
use daybook_edge::blocking::block;
use daybook_edge::error::{ApiError, RequestError};
use daybook_edge::response_budget::EncodeError;
use daybook_edge::run::StopOnDrop;
use daybook_service::report::{self, ParameterTexts, RowSink, StreamHead};
use daybook_service::{self as service};
use daybook_storage::{Error, ReadStop, ReaderPool, Tx};
use tokio::sync::mpsc::{Receiver, Sender, channel};
use tokio::sync::oneshot;

use super::format::{Format, ReportWriter};
use super::slots::ReportSlot;
use crate::reply::Content;
use crate::request::ApiRequest;

/// How long a report may be read and sent.
const DEADLINE: Duration = Duration::from_secs(30 * 60);
/// The bytes of a chunk.
const CHUNK: usize = 64 * 1024;
/// The chunks that wait for the client.
const WAITING_CHUNKS: usize = 2;

/// A part of a response, or why it failed.
type Part = Result<Bytes, ApiError>;

/// Encodes the rows of a report and sends them in chunks.
///
/// The client sees the end of the response when `chunks` is dropped, after its place is free.
struct ChunkSink {
    slot: ReportSlot,
    format: Format,
    writer: Option<ReportWriter>,
    buffer: Vec<u8>,
    /// Receives the headers once, before the first chunk.
    head: Option<oneshot::Sender<Result<Content, ApiError>>>,
    chunks: Sender<Part>,
}

impl ChunkSink {
    /// Waits until the client has taken earlier chunks.
    fn send(&mut self) -> service::Result<()> {
        let chunk = Bytes::from(std::mem::take(&mut self.buffer));
        self.chunks.blocking_send(Ok(chunk)).map_err(|_| Error::Stopped.into())
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

impl RowSink for ChunkSink {
    fn begin(&mut self, view: &StreamHead) -> service::Result<()> {
        let StreamHead { heading, columns, separator } = view;
        let writer =
            ReportWriter::begin(self.format, heading, columns, *separator, &mut self.buffer);
        self.writer = Some(writer.map_err(fault)?);
        if let Some(head) = self.head.take() {
            let _ = head.send(Ok(self.format.content(heading, columns)));
        }
        Ok(())
    }

    fn row(&mut self, row: &Row) -> service::Result<()> {
        if let Some(writer) = &mut self.writer {
            writer.row(row, &mut self.buffer).map_err(fault)?;
        }
        if self.buffer.len() < CHUNK { Ok(()) } else { self.send() }
    }

    fn finish(&mut self, controls: &[Control]) -> service::Result<()> {
        if let Some(writer) = self.writer.take() {
            writer.finish(controls, &mut self.buffer).map_err(fault)?;
        }
        self.send()
    }
}

/// A value that cannot be encoded, which is a bug.
fn fault(error: EncodeError) -> service::Error {
    service::Error::BadRequest(error.to_string())
}

/// A response body that is read while it is sent.
struct ReportBody {
    chunks: Receiver<Part>,
    _stop: StopOnDrop,
}

impl MessageBody for ReportBody {
    type Error = Box<dyn std::error::Error>;

    fn size(&self) -> BodySize {
        BodySize::Stream
    }

    fn poll_next(
        mut self: Pin<&mut Self>,
        cx: &mut task::Context<'_>,
    ) -> Poll<Option<Result<Bytes, Self::Error>>> {
        self.chunks.poll_recv(cx).map_err(|error| {
            tracing::warn!(%error, "report broken off");
            error.to_string().into()
        })
    }
}

/// Sends a report while it is read.
///
/// A failure after the headers breaks the connection off, so the client sees that the report is
/// incomplete.
///
/// # Errors
/// The refusal of the use case before the first row; 503 if too many reports are in transfer.
pub(super) async fn send(
    request: ApiRequest,
    kind: ReportKind,
    texts: ParameterTexts,
    format: Format,
) -> Result<HttpResponse, ApiError> {
    request.refuse_condition()?;
    let book = request.book();
    let (cx, state) = request.into_parts();
    let busy = "too many reports are being sent; try again shortly";
    let slot = state.reports.acquire(cx.quota_subject());
    let slot = slot.ok_or(RequestError::Crowded(busy))?;
    let (head, content) = oneshot::channel();
    let (sender, chunks) = channel(WAITING_CHUNKS);
    let stop = ReadStop::new(DEADLINE);
    let stop_on_drop = StopOnDrop(stop.clone());
    let store = Arc::clone(&state.edge.store);
    let read = move || {
        let (writer, buffer, head) = (None, Vec::new(), Some(head));
        let mut sink = ChunkSink { slot, format, writer, buffer, head, chunks: sender };
        let work = |tx: &mut Tx<'_>| report::stream(tx, &cx, &book, kind, &texts, &mut sink);
        if let Err(error) = store.read_until_stopped(ReaderPool::Reports, &stop, work) {
            sink.fail(error.into());
        }
    };
    // It runs on after this function returns.
    actix_web::rt::spawn(block(read));
    let panicked = |_| RequestError::Failed("the report panicked".to_owned());
    let content = content.await.map_err(panicked)??;
    let mut response = HttpResponse::Ok();
    content.write(&mut response);
    Ok(response.body(ReportBody { chunks, _stop: stop_on_drop }))
}
