//! Reports that are sent while they are read (behaviour 13.11).

use actix_web::HttpResponse;
use daybook_domain::report::{Control, ReportKind, Row};
use daybook_edge::error::ApiError;
use daybook_edge::response_budget::EncodeError;
use daybook_service::report::{self, ParameterTexts, RowSink, StreamHead};
use daybook_service::{self as service};

use super::format::{Format, ReportWriter};
use crate::read_stream::{self, ChunkWriter};
use crate::request::ApiRequest;

/// Encodes the rows of a report and sends them in chunks.
struct ChunkSink<'w> {
    format: Format,
    writer: Option<ReportWriter>,
    chunks: &'w mut ChunkWriter,
}

impl RowSink for ChunkSink<'_> {
    fn begin(&mut self, view: &StreamHead) -> service::Result<()> {
        let StreamHead { heading, columns, separator } = view;
        let buffer = self.chunks.buffer();
        let writer = ReportWriter::begin(self.format, heading, columns, *separator, buffer);
        self.writer = Some(writer.map_err(fault)?);
        self.chunks.begin(self.format.content(heading, columns));
        Ok(())
    }

    fn row(&mut self, row: &Row) -> service::Result<()> {
        if let Some(writer) = &mut self.writer {
            writer.row(row, self.chunks.buffer()).map_err(fault)?;
        }
        self.chunks.flush_chunk()
    }

    fn finish(&mut self, controls: &[Control]) -> service::Result<()> {
        if let Some(writer) = self.writer.take() {
            writer.finish(controls, self.chunks.buffer()).map_err(fault)?;
        }
        self.chunks.flush()
    }
}

/// A value that cannot be encoded, which is a bug.
fn fault(error: EncodeError) -> service::Error {
    service::Error::BadRequest(error.to_string())
}

/// Sends a report while it is read.
///
/// # Errors
/// Those of [`read_stream::send`].
pub(super) async fn send(
    request: ApiRequest,
    kind: ReportKind,
    texts: ParameterTexts,
    format: Format,
) -> Result<HttpResponse, ApiError> {
    let book = request.book();
    read_stream::send(request, move |tx, cx, chunks| {
        let mut sink = ChunkSink { format, writer: None, chunks };
        report::stream(tx, cx, &book, kind, &texts, &mut sink)
    })
    .await
}
