//! The files of checkpoints: text with one book per line, and a signature in the last line.
//!
//! ```text
//! daybook-checkpoint 1 1795651200000
//! 0193…e1 42 9f86…08
//! 0193…e2 7 2c26…ae deleted
//! end PUBLIC-KEY SIGNATURE
//! ```
//!
//! The first line has the version of the format, and the time in milliseconds since 1970. The line
//! of a book has its id, the number and the hash of the last event of its log, and `deleted` if it
//! is deleted. Books are in the order of their ids. The signature (Ed25519) covers the SHA-256 of
//! all lines before it. A file gets its name when it is complete, and is never changed again.

use std::fs::{self, File, OpenOptions};
use std::io::{BufRead, BufReader, BufWriter, Read, Seek, SeekFrom, Write};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use anyhow::Context;
use daybook_auth::identity::CheckpointKey;
use daybook_domain::event::CheckpointEntry;
use daybook_domain::instant::Instant;
use sha2::{Digest, Sha256};

/// The prefix of the first line, before the version of the format.
const NAME: &str = "daybook-checkpoint ";
const VERSION: &str = "1";
/// The prefix of the last line.
const END: &str = "end ";
/// An upper bound for the length of a line, in bytes.
const MAX_LINE: u64 = 256;
/// Bytes of a file that are read at once.
const CHUNK: u64 = 16 * 1024;
/// The suffix of a file that is being written.
const PART: &str = ".part";
/// Seconds after which a partial file is abandoned.
const MAX_PART_AGE: i64 = 86_400;
/// The suffix of a complete file.
const COMPLETE: &str = ".txt";

/// The contents of a checkpoint, as its file name shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CheckpointKind {
    /// All books.
    All,
    /// Books that are about to be removed.
    Removal,
}

impl CheckpointKind {
    const fn as_str(self) -> &'static str {
        match self {
            Self::All => "checkpoint",
            Self::Removal => "removal",
        }
    }
}

/// A checkpoint that is being written.
pub(crate) struct NewCheckpoint {
    path: PathBuf,
    part: PathBuf,
    file: BufWriter<File>,
    digest: Sha256,
    books: usize,
}

impl NewCheckpoint {
    /// Creates the file of a checkpoint and writes its first line.
    ///
    /// # Errors
    /// When the file cannot be created.
    pub(crate) fn create(
        directory: &Path,
        kind: CheckpointKind,
        now: Instant,
    ) -> anyhow::Result<Self> {
        let mut random = [0; 4];
        getrandom::fill(&mut random)
            .map_err(|error| anyhow::anyhow!("no randomness for a name: {error}"))?;
        let (at, random) = (now.milliseconds(), u32::from_be_bytes(random));
        let name = format!("{}-{at}-{random:08x}{COMPLETE}", kind.as_str());
        let (path, part) = (directory.join(&name), directory.join(name + PART));
        let file = OpenOptions::new()
            .write(true)
            .create_new(true)
            .mode(0o600)
            .open(&part)
            .with_context(|| format!("{} cannot be written", part.display()))?;
        let (file, digest) = (BufWriter::new(file), Sha256::new());
        let mut new = Self { path, part, file, digest, books: 0 };
        new.write_line(&format!("{NAME}{VERSION} {at}\n"))?;
        Ok(new)
    }

    /// Adds a book. Books must come in the order of their ids.
    ///
    /// # Errors
    /// When it cannot be written.
    pub(crate) fn add(&mut self, entry: &CheckpointEntry) -> anyhow::Result<()> {
        self.books = self.books.saturating_add(1);
        self.write_line(&format!("{entry}\n"))
    }

    /// Signs the checkpoint, syncs it and gives it its name. Returns its path and number of books.
    ///
    /// # Errors
    /// When it cannot be written.
    pub(crate) fn finish(self, signer: &CheckpointKey) -> anyhow::Result<(PathBuf, usize)> {
        let Self { path, part, mut file, digest, books } = self;
        let signature = signer.sign(&digest.finalize());
        let mut write = || {
            writeln!(file, "{END}{} {signature}", signer.public())?;
            file.flush()?;
            file.get_ref().sync_all()?;
            fs::rename(&part, &path)?;
            path.parent().map_or(Ok(()), |directory| File::open(directory)?.sync_all())
        };
        write().with_context(|| format!("{} cannot be written", path.display()))?;
        Ok((path, books))
    }

    fn write_line(&mut self, line: &str) -> anyhow::Result<()> {
        self.digest.update(line);
        let written = self.file.write_all(line.as_bytes());
        written.with_context(|| format!("{} cannot be written", self.part.display()))
    }
}

/// Removes partial files of processes that were killed.
///
/// # Errors
/// When the directory cannot be read.
pub(crate) fn remove_leftovers(directory: &Path, now: Instant) -> anyhow::Result<()> {
    for entry in entries(directory)? {
        let is_part = entry.to_string_lossy().ends_with(PART);
        let before = now.seconds().saturating_sub(MAX_PART_AGE);
        if is_part && fs::metadata(&entry).is_ok_and(|data| data.mtime() < before) {
            fs::remove_file(&entry)
                .with_context(|| format!("{} cannot be removed", entry.display()))?;
        }
    }
    Ok(())
}

/// Returns when the newest checkpoint of all books was written.
///
/// It ignores checkpoints after `now`, which a wrong clock has caused.
///
/// # Errors
/// When the directory cannot be read.
pub(crate) fn newest(directory: &Path, now: Instant) -> anyhow::Result<Option<Instant>> {
    if !directory.exists() {
        return Ok(None);
    }
    let at = |path: PathBuf| {
        let name = path.file_name()?.to_str()?.strip_suffix(COMPLETE)?;
        let rest = name.strip_prefix(CheckpointKind::All.as_str())?.strip_prefix('-')?;
        rest.split_once('-')?.0.parse().ok().map(Instant::new).filter(|at| *at <= now)
    };
    Ok(entries(directory)?.into_iter().filter_map(at).max())
}

/// Lists the files of checkpoints in a directory, by name.
///
/// # Errors
/// When the directory cannot be read.
pub(crate) fn list(directory: &Path) -> anyhow::Result<Vec<PathBuf>> {
    let kinds = [CheckpointKind::All, CheckpointKind::Removal].map(CheckpointKind::as_str);
    let is_checkpoint = |path: &PathBuf| {
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned());
        name.is_some_and(|name| {
            name.ends_with(COMPLETE) && kinds.iter().any(|kind| name.starts_with(kind))
        })
    };
    let mut found: Vec<PathBuf> = entries(directory)?.into_iter().filter(is_checkpoint).collect();
    found.sort();
    Ok(found)
}

fn entries(directory: &Path) -> anyhow::Result<Vec<PathBuf>> {
    let cannot = || format!("{} cannot be read", directory.display());
    let found = fs::read_dir(directory).with_context(cannot)?;
    found.map(|entry| Ok(entry.with_context(cannot)?.path())).collect()
}

/// Why a file is not a valid checkpoint of this installation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CheckpointFault {
    /// The version of the format is unknown.
    UnknownVersion,
    /// A line is malformed.
    Line(usize),
    /// The last line is missing.
    Cut,
    /// It is signed with another key.
    AnotherKey,
    /// The signature does not match the lines.
    Signature,
}

impl std::fmt::Display for CheckpointFault {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::UnknownVersion => f.write_str("not a checkpoint in a known format"),
            Self::Line(number) => write!(f, "changed: line {number} is malformed"),
            Self::Cut => f.write_str("cut: the signature at the end is missing"),
            Self::AnotherKey => f.write_str("signed with another key than that of token.key"),
            Self::Signature => f.write_str("changed: the signature does not match"),
        }
    }
}

/// A complete checkpoint with a valid signature.
#[derive(Debug)]
pub(crate) struct Checkpoint {
    pub(crate) path: PathBuf,
    pub(crate) at: Instant,
}

/// Checks a file to its end, without keeping its contents.
///
/// # Errors
/// When the file cannot be read. A fault of the checkpoint is the inner error.
pub(crate) fn check(
    path: &Path,
    key: &CheckpointKey,
) -> anyhow::Result<Result<Checkpoint, CheckpointFault>> {
    let cannot = || format!("{} cannot be read", path.display());
    let mut lines = Lines(BufReader::new(File::open(path).with_context(cannot)?));
    let mut digest = Sha256::new();
    let Some(first) = lines.next().with_context(cannot)? else {
        return Ok(Err(CheckpointFault::Cut));
    };
    digest.update(&first);
    let Some(at) = time_of(&first) else { return Ok(Err(CheckpointFault::UnknownVersion)) };
    let mut before: Option<CheckpointEntry> = None;
    for number in 2_usize.. {
        let Some(line) = lines.next().with_context(cannot)? else {
            return Ok(Err(CheckpointFault::Cut));
        };
        if let Some(end) = line.strip_prefix(END) {
            if !line.ends_with('\n') {
                return Ok(Err(CheckpointFault::Cut));
            }
            if lines.next().with_context(cannot)?.is_some() {
                return Ok(Err(CheckpointFault::Line(number.saturating_add(1))));
            }
            let fault = signature_fault(end.trim_end_matches('\n'), &digest.finalize(), key);
            let checkpoint = Checkpoint { path: path.to_owned(), at };
            return Ok(fault.map_or(Ok(checkpoint), Err));
        }
        digest.update(&line);
        let Some(line) = line.strip_suffix('\n') else { return Ok(Err(CheckpointFault::Cut)) };
        let Some(entry) = CheckpointEntry::parse(line) else {
            return Ok(Err(CheckpointFault::Line(number)));
        };
        if before.is_some_and(|before| before.book >= entry.book) {
            return Ok(Err(CheckpointFault::Line(number)));
        }
        before = Some(entry);
    }
    Ok(Err(CheckpointFault::Cut))
}

/// Parses the first line, and returns its time.
fn time_of(first: &str) -> Option<Instant> {
    let (version, at) = first.strip_prefix(NAME)?.strip_suffix('\n')?.split_once(' ')?;
    if version != VERSION {
        return None;
    }
    at.parse().ok().map(Instant::new)
}

fn signature_fault(end: &str, digest: &[u8], key: &CheckpointKey) -> Option<CheckpointFault> {
    let Some((public, signature)) = end.split_once(' ') else {
        return Some(CheckpointFault::Signature);
    };
    if key.has_signed(digest, signature) {
        return (public != key.public()).then_some(CheckpointFault::Signature);
    }
    Some(if public == key.public() {
        CheckpointFault::Signature
    } else {
        CheckpointFault::AnotherKey
    })
}

/// Lines with their line feeds, none longer than [`MAX_LINE`]. The last one may lack a line feed.
struct Lines(BufReader<File>);

impl Lines {
    fn next(&mut self) -> std::io::Result<Option<String>> {
        let mut line = Vec::new();
        let mut bounded = self.0.by_ref().take(MAX_LINE);
        bounded.read_until(b'\n', &mut line)?;
        // A line that is not UTF-8 is malformed, and so is its lossy conversion.
        let line = String::from_utf8_lossy(&line).into_owned();
        Ok(if line.is_empty() { None } else { Some(line) })
    }
}

/// A reader of the books of a checked checkpoint.
///
/// It reads in chunks and does not keep the file open, so many files can be read side by side with
/// little memory.
pub(crate) struct CheckpointReader {
    path: PathBuf,
    /// The position up to which the file was read.
    offset: u64,
    /// The entries that were read but not taken yet, the next one last.
    read: Vec<CheckpointEntry>,
    has_ended: bool,
}

impl CheckpointReader {
    /// Creates a reader before the first book.
    pub(crate) const fn new(path: PathBuf) -> Self {
        Self { path, offset: 0, read: Vec::new(), has_ended: false }
    }

    /// Returns the next book without taking it.
    ///
    /// # Errors
    /// When the file cannot be read any more.
    pub(crate) fn peek(&mut self) -> anyhow::Result<Option<&CheckpointEntry>> {
        while self.read.is_empty() && !self.has_ended {
            self.read_chunk().with_context(|| format!("{} cannot be read", self.path.display()))?;
        }
        Ok(self.read.last())
    }

    /// Takes the next book.
    pub(crate) fn take(&mut self) -> Option<CheckpointEntry> {
        self.read.pop()
    }

    fn read_chunk(&mut self) -> std::io::Result<()> {
        let mut file = File::open(&self.path)?;
        file.seek(SeekFrom::Start(self.offset))?;
        let mut chunk = Vec::new();
        file.take(CHUNK).read_to_end(&mut chunk)?;
        let complete = chunk.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
        self.has_ended = complete == 0;
        chunk.truncate(complete);
        self.offset = self.offset.saturating_add(u64::try_from(complete).unwrap_or_default());
        let text = String::from_utf8_lossy(&chunk);
        // The first line and the last one have no book.
        self.read = text.lines().filter_map(CheckpointEntry::parse).collect();
        self.read.reverse();
        Ok(())
    }
}

#[cfg(test)]
mod tests;
