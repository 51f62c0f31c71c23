//! Exports of one file.

use daybook_domain::file::{File, FilesById};
use daybook_domain::transaction::Transaction;
use daybook_interchange::write::{self, Export, Record, Writer};
use daybook_service::export::{Balances, ExportHead, ExportSink};
use daybook_service::{self as service, Context};

use super::format::Format;
use crate::read_stream::ChunkWriter;
use crate::reply::Content;

/// Writes an export and sends it in chunks.
pub(super) struct ExportChunks<'w> {
    format: Format,
    cx: &'w Context,
    writer: Option<Box<dyn Writer>>,
    /// The headers of a spreadsheet, which may still be refused.
    content: Option<Content>,
    chunks: &'w mut ChunkWriter,
}

impl<'w> ExportChunks<'w> {
    pub(super) const fn new(format: Format, cx: &'w Context, chunks: &'w mut ChunkWriter) -> Self {
        Self { format, cx, writer: None, content: None, chunks }
    }
}

impl ExportSink for ExportChunks<'_> {
    fn begin(&mut self, head: &ExportHead<'_>) -> service::Result<()> {
        let format = self.format.of_writer(head);
        self.writer = Some(write::begin(format, &as_export(head, self.cx), self.chunks.buffer()));
        let content = self.format.content(head, self.cx);
        if self.format == Format::Xlsx {
            self.content = Some(content);
        } else {
            self.chunks.begin(content);
        }
        Ok(())
    }

    fn wants_files(&self) -> bool {
        self.format == Format::Jsonl
    }

    fn file(
        &mut self,
        file: &File,
        creator: &str,
        _transaction: Option<&Transaction>,
    ) -> service::Result<()> {
        if let Some(writer) = &mut self.writer {
            writer.file(self.chunks.buffer(), file, creator, None);
        }
        self.chunks.flush_chunk()
    }

    fn transaction(
        &mut self,
        transaction: &Transaction,
        creator: &str,
        files: &FilesById,
    ) -> service::Result<()> {
        if let Some(writer) = &mut self.writer {
            let record = Record { transaction, creator, files };
            writer.transaction(self.chunks.buffer(), &record).map_err(refused)?;
        }
        self.chunks.flush_chunk()
    }

    fn finish(&mut self, balances: Option<Balances>) -> service::Result<()> {
        if let Some(writer) = self.writer.take() {
            writer.finish(self.chunks.buffer(), balances.as_ref()).map_err(refused)?;
        }
        if let Some(content) = self.content.take() {
            self.chunks.begin(content);
        }
        self.chunks.flush()
    }
}

/// Converts the beginning of an export.
pub(super) const fn as_export<'a>(head: &ExportHead<'a>, cx: &Context) -> Export<'a> {
    let ExportHead { book, accounts, forest, query, head } = *head;
    Export { book, accounts, forest, query, exported_at: cx.now, head }
}

/// Returns the refusal of a spreadsheet with too many rows.
pub(super) fn refused(error: write::Error) -> service::Error {
    service::Error::BadRequest(error.to_string())
}
