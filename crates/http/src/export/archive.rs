//! Exports with the bytes of the files, as a ZIP archive.
//!
//! The members are written one after the other: the lines, the index and the files. Each needs the
//! transactions, so they are read three times in one snapshot. The files get the same names each
//! time.

use daybook_domain::file::{File, FilesById};
use daybook_domain::transaction::Transaction;
use daybook_interchange::write::file_names::FileNames;
use daybook_interchange::write::index::Index;
use daybook_interchange::write::zip::{Archive, Method};
use daybook_interchange::write::{self, Record, Writer};
use daybook_service::export::{self, Balances, ExportHead, ExportSink};
use daybook_service::{self as service, Context};
use daybook_storage::Tx;

use super::blob_reader::BlobReader;
use super::format::Format;
use super::sink::{as_export, refused};
use crate::read_stream::ChunkWriter;

/// The names of the members beside the files.
const LINES: &str = "book.jsonl";
const INDEX: &str = "index.csv";

/// The part of the archive that a pass writes.
enum Member<'w> {
    Lines(Option<Box<dyn Writer>>),
    Index(Option<Index>),
    Files(&'w BlobReader),
}

/// Writes a member, or all files, of an archive.
struct ArchivePass<'w> {
    member: Member<'w>,
    archive: &'w mut Archive,
    chunks: &'w mut ChunkWriter,
    cx: &'w Context,
    names: FileNames,
    /// Bytes of the member that are not compressed yet.
    text: Vec<u8>,
    fraction_digits: u32,
    book: String,
}

/// Writes an archive of a book and sends it in chunks.
///
/// # Errors
/// Those of [`export::stream`]; when the bytes of a file cannot be read.
pub(super) fn write_archive(
    tx: &mut Tx<'_>,
    cx: &Context,
    book: &str,
    query: Option<&str>,
    chunks: &mut ChunkWriter,
    blobs: &BlobReader,
) -> service::Result<()> {
    let mut archive = Archive::new(cx.now);
    for member in [Member::Lines(None), Member::Index(None), Member::Files(blobs)] {
        let mut pass = ArchivePass {
            member,
            archive: &mut archive,
            chunks: &mut *chunks,
            cx,
            names: FileNames::default(),
            text: Vec::new(),
            fraction_digits: 0,
            book: String::new(),
        };
        export::stream(tx, cx, book, query, &mut pass)?;
    }
    archive.finish(chunks.buffer());
    chunks.flush()
}

impl ArchivePass<'_> {
    /// Moves the text of the member to the archive.
    fn pack(&mut self) -> service::Result<()> {
        self.archive.write(self.chunks.buffer(), &self.text);
        self.text.clear();
        self.chunks.flush_chunk()
    }
}

impl ExportSink for ArchivePass<'_> {
    fn begin(&mut self, head: &ExportHead<'_>) -> service::Result<()> {
        self.fraction_digits = head.book.settings.fraction_digits;
        head.book.key.as_str().clone_into(&mut self.book);
        match &mut self.member {
            Member::Lines(writer) => {
                self.chunks.begin(Format::Zip.content(head, self.cx));
                self.archive.begin(self.chunks.buffer(), LINES, Method::Deflated);
                let (format, export) = (Format::Zip.of_writer(head), as_export(head, self.cx));
                *writer = Some(write::begin(format, &export, &mut self.text));
            }
            Member::Index(index) => {
                self.archive.begin(self.chunks.buffer(), INDEX, Method::Deflated);
                *index = Some(Index::begin(head.book, head.accounts, &mut self.text));
            }
            Member::Files(_) => {}
        }
        self.pack()
    }

    fn wants_files(&self) -> bool {
        true
    }

    fn file(
        &mut self,
        file: &File,
        creator: &str,
        transaction: Option<&Transaction>,
    ) -> service::Result<()> {
        let described = transaction.map(|one| (one, self.fraction_digits));
        let path = self.names.add(file, described);
        match &mut self.member {
            Member::Lines(writer) => {
                if let Some(writer) = writer {
                    writer.file(&mut self.text, file, creator, Some(&path));
                }
            }
            Member::Index(index) => {
                if let Some(index) = index {
                    index.file(&mut self.text, &path, file, transaction);
                }
            }
            Member::Files(blobs) => {
                self.archive.begin(self.chunks.buffer(), &path, Method::Stored);
                let (archive, chunks) = (&mut *self.archive, &mut *self.chunks);
                return blobs.read(&self.book, file, |piece| {
                    archive.write(chunks.buffer(), piece);
                    chunks.flush_chunk()
                });
            }
        }
        self.pack()
    }

    fn transaction(
        &mut self,
        transaction: &Transaction,
        creator: &str,
        files: &FilesById,
    ) -> service::Result<()> {
        let Member::Lines(Some(writer)) = &mut self.member else { return Ok(()) };
        let record = Record { transaction, creator, files };
        writer.transaction(&mut self.text, &record).map_err(refused)?;
        self.pack()
    }

    fn finish(&mut self, balances: Option<Balances>) -> service::Result<()> {
        match &mut self.member {
            Member::Lines(writer) => {
                if let Some(writer) = writer.take() {
                    writer.finish(&mut self.text, balances.as_ref()).map_err(refused)?;
                }
            }
            Member::Index(index) => {
                if let Some(index) = index.take() {
                    index.finish(&mut self.text);
                }
            }
            Member::Files(_) => {}
        }
        self.pack()
    }
}
