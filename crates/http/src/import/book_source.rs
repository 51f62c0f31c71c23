//! Reading of an exported book from its blob, part by part (behaviour 15.13).
//!
//! The functions block, because decompression and parsing do too: a step of an import runs them on
//! the blocking pool. At any time a part of the blob, a part of the unpacked bytes and one line are
//! in memory, beside the directory of the archive and the ids of the book.

use std::collections::HashMap;
use std::ops::Range;

use actix_web::web::Bytes;
use daybook_blobs::Blobs;
use daybook_edge::error::RequestError;
use daybook_interchange::read::archive::{self, Entry, LINES, Unpacker};
use daybook_interchange::read::jsonl::{self, Item, MAX_LINE_BYTES};
use daybook_interchange::read::problem::{Kind, Problem};
use tokio::runtime::Handle;

use super::failure::Failure;

/// The bytes of the blob that are read at once.
const READ_BYTES: u64 = 1024 * 1024;

/// The bytes that are unpacked at once.
const UNPACKED_BYTES: usize = 256 * 1024;

/// The beginning of a file by which it is recognized.
const HEAD_BYTES: u64 = 512;

/// The blob of an import.
#[derive(Clone)]
pub(super) struct SourceBlob {
    pub(super) blobs: Blobs,
    /// The runtime on which the store of files works.
    pub(super) runtime: Handle,
    pub(super) book: String,
    pub(super) blob: String,
    pub(super) size: u64,
}

impl SourceBlob {
    /// Reads a part; `None` if the blob does not exist.
    fn find(&self, range: Range<u64>) -> Result<Option<Bytes>, Failure> {
        let read = self.blobs.read_range(&self.book, &self.blob, range);
        Ok(self.runtime.block_on(read)?)
    }

    fn read(&self, range: Range<u64>) -> Result<Bytes, Failure> {
        let bytes = self.find(range)?;
        Ok(bytes
            .ok_or_else(|| RequestError::Failed("the file of an import is missing".to_owned()))?)
    }
}

/// The file of an exported book.
pub(super) struct BookSource {
    blob: SourceBlob,
    /// The members of an archive by name; `None` for plain lines.
    members: Option<HashMap<String, Entry>>,
}

impl BookSource {
    /// Opens a file; `None` if it is not an exported book.
    ///
    /// # Errors
    /// Problems of an archive; failures.
    pub(super) fn open(blob: SourceBlob) -> Result<Option<Self>, Failure> {
        if blob.size == 0 {
            return Ok(None);
        }
        let Some(head) = blob.find(0..blob.size.min(HEAD_BYTES))? else { return Ok(None) };
        if head.trim_ascii_start().starts_with(b"{\"daybook\"") {
            return Ok(Some(Self { blob, members: None }));
        }
        if !head.starts_with(b"PK") {
            return Ok(None);
        }
        match (read_members(&blob), archive::is_export(&head)) {
            (Ok(members), _) if members.contains_key(LINES) => {
                Ok(Some(Self { blob, members: Some(members) }))
            }
            (Err(failure), true) => Err(failure),
            // A workbook is an archive too.
            (Ok(_), _) | (Err(_), false) => Ok(None),
        }
    }

    /// Returns whether the file has the bytes of the files of the book.
    pub(super) const fn is_archive(&self) -> bool {
        self.members.is_some()
    }

    /// Begins to read the lines.
    ///
    /// # Errors
    /// Problems of an archive; failures.
    pub(super) fn lines(&self) -> Result<LineReader, Failure> {
        let bytes = match self.members.as_ref().and_then(|members| members.get(LINES)) {
            Some(entry) => MemberReader::open(&self.blob, entry)?,
            None => MemberReader::plain(&self.blob),
        };
        Ok(LineReader {
            bytes,
            pending: Vec::new(),
            start: 0,
            reader: Some(jsonl::Reader::default()),
        })
    }

    /// Returns the member with the bytes of a file.
    ///
    /// # Errors
    /// [`Kind::InvalidArchive`] if it is missing or has another size.
    pub(super) fn member(&self, file: &jsonl::File) -> Result<&Entry, Problem> {
        let path = file.path.as_deref().unwrap_or_default();
        let found = self.members.as_ref().and_then(|members| members.get(path));
        let entry = found.ok_or_else(|| {
            let shown: String = path.chars().take(60).collect();
            Problem::of_file(Kind::InvalidArchive(format!("entry \"{shown}\" is missing")))
        })?;
        if entry.size == file.size {
            Ok(entry)
        } else {
            Err(entry.problem("its size differs from that in the line of the file"))
        }
    }

    /// Begins to read a member.
    ///
    /// # Errors
    /// Problems of an archive; failures.
    pub(super) fn read(&self, entry: &Entry) -> Result<MemberReader, Failure> {
        MemberReader::open(&self.blob, entry)
    }
}

fn read_members(blob: &SourceBlob) -> Result<HashMap<String, Entry>, Failure> {
    let tail = blob.read(blob.size.saturating_sub(archive::TAIL_BYTES)..blob.size)?;
    let range = archive::locate_directory(&tail, blob.size)?;
    drop(tail);
    let directory = if range.is_empty() { Bytes::new() } else { blob.read(range.clone())? };
    let entries = archive::read_directory(&directory, range.start)?;
    Ok(entries.into_iter().map(|entry| (entry.name.clone(), entry)).collect())
}

/// Reads the bytes of a member of an archive, or of a whole file.
pub(super) struct MemberReader {
    blob: SourceBlob,
    /// The part of the blob that is not read yet.
    rest: Range<u64>,
    input: Bytes,
    unpacker: Option<Unpacker>,
}

impl MemberReader {
    fn open(blob: &SourceBlob, entry: &Entry) -> Result<Self, Failure> {
        let rest = entry.data(&blob.read(entry.local_range())?)?;
        let unpacker = Some(Unpacker::new(entry.clone()));
        Ok(Self { blob: blob.clone(), rest, input: Bytes::new(), unpacker })
    }

    fn plain(blob: &SourceBlob) -> Self {
        let rest = 0..blob.size;
        Self { blob: blob.clone(), rest, input: Bytes::new(), unpacker: None }
    }

    /// Appends the next bytes to `out`. Returns `false` at the end, after a member is checked.
    ///
    /// # Errors
    /// Problems of the member; failures.
    pub(super) fn read(&mut self, out: &mut Vec<u8>) -> Result<bool, Failure> {
        loop {
            if self.input.is_empty() && !self.rest.is_empty() {
                let end = self.rest.start.saturating_add(READ_BYTES).min(self.rest.end);
                self.input = self.blob.read(self.rest.start..end)?;
                self.rest.start = end;
            }
            let Some(unpacker) = &mut self.unpacker else {
                out.extend_from_slice(&self.input);
                return Ok(!std::mem::take(&mut self.input).is_empty());
            };
            let step = unpacker.unpack(&self.input, out, UNPACKED_BYTES)?;
            self.input = self.input.slice(step.used..);
            if step.unpacked > 0 {
                return Ok(true);
            }
            let needs_more = self.input.is_empty() && !self.rest.is_empty();
            if step.used == 0 && !needs_more {
                unpacker.finish()?;
                return Ok(false);
            }
        }
    }
}

/// Reads the lines of a book.
pub(super) struct LineReader {
    bytes: MemberReader,
    /// Bytes of lines that are not parsed yet, from `start`.
    pending: Vec<u8>,
    start: usize,
    /// The parser; `None` after the last line.
    reader: Option<jsonl::Reader>,
}

/// The next item of a [`LineReader`].
pub(super) enum Next {
    /// An item, and the bytes of its line.
    Item(Item, usize),
    /// The end, with the numbers of what was read.
    End(jsonl::Summary),
}

impl LineReader {
    /// Reads the next item.
    ///
    /// # Errors
    /// Problems of a line or of the archive; failures.
    pub(super) fn next(&mut self) -> Result<Next, Failure> {
        loop {
            let unread = self.pending.get(self.start..).unwrap_or_default();
            let Some(reader) = &mut self.reader else {
                return Ok(Next::End(jsonl::Summary::default()));
            };
            if let Some(length) = unread.iter().position(|byte| *byte == b'\n') {
                let line = unread.get(..length).unwrap_or_default();
                self.start = self.start.saturating_add(length).saturating_add(1);
                if let Some(item) = reader.line(line)? {
                    return Ok(Next::Item(item, length));
                }
                continue;
            }
            if unread.len() > MAX_LINE_BYTES {
                reader.line(unread)?;
            }
            self.pending.drain(..self.start);
            self.start = 0;
            if self.bytes.read(&mut self.pending)? {
                continue;
            }
            // The last line may have no line feed.
            let line = std::mem::take(&mut self.pending);
            let item = reader.line(&line)?;
            match item {
                Some(item) => return Ok(Next::Item(item, line.len())),
                None => {
                    let summary = self.reader.take().unwrap_or_default().finish()?;
                    return Ok(Next::End(summary));
                }
            }
        }
    }
}
