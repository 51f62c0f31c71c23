//! Many checkpoints, merged in the order of the ids of books.

use std::sync::Arc;

use daybook_domain::event::Head;
use daybook_domain::id::BookKey;
use daybook_domain::instant::Instant;

use crate::checkpoint::file::{Checkpoint, CheckpointReader};

/// The entry of a book in a checkpoint.
#[derive(Debug, Clone)]
pub(super) struct NamedHead {
    /// The name of its file.
    pub(super) checkpoint: Arc<str>,
    pub(super) at: Instant,
    pub(super) head: Head,
    pub(super) is_deleted: bool,
}

struct MergedFile {
    name: Arc<str>,
    at: Instant,
    entries: CheckpointReader,
}

/// The checkpoints, read side by side.
pub(super) struct MergedCheckpoints(Vec<MergedFile>);

impl MergedCheckpoints {
    /// Creates readers before the first book.
    pub(super) fn new(checkpoints: &[Checkpoint]) -> Self {
        let source = |checkpoint: &Checkpoint| {
            let name = checkpoint.path.file_name().unwrap_or_default().to_string_lossy();
            let entries = CheckpointReader::new(checkpoint.path.clone());
            MergedFile { name: name.as_ref().into(), at: checkpoint.at, entries }
        };
        Self(checkpoints.iter().map(source).collect())
    }

    /// Returns the next book in any of the checkpoints.
    ///
    /// # Errors
    /// When a file can no longer be read.
    pub(super) fn peek(&mut self) -> anyhow::Result<Option<BookKey>> {
        let mut next: Option<BookKey> = None;
        for source in &mut self.0 {
            let Some(entry) = source.entries.peek()? else { continue };
            if next.as_ref().is_none_or(|next| entry.book < *next) {
                next = Some(entry.book.clone());
            }
        }
        Ok(next)
    }

    /// Takes the entries of the next book from all checkpoints that have it.
    ///
    /// # Errors
    /// When a file can no longer be read.
    pub(super) fn take(&mut self, book: &BookKey) -> anyhow::Result<Vec<NamedHead>> {
        let mut heads = Vec::new();
        for MergedFile { name, at, entries } in &mut self.0 {
            if entries.peek()?.is_none_or(|entry| entry.book != *book) {
                continue;
            }
            heads.extend(entries.take().map(|entry| NamedHead {
                checkpoint: Arc::clone(name),
                at: *at,
                head: entry.head,
                is_deleted: entry.is_deleted,
            }));
        }
        Ok(heads)
    }
}
