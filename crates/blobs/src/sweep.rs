//! The sweep: removes orphaned blobs that are older than any write takes (see [`crate`]).
//!
//! Blobs of books that are unknown to the database and have no deletion note are kept: the server
//! may be connected to the wrong database.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Display;
use std::path::Path as Folder;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::time::{Duration, UNIX_EPOCH};

use daybook_domain::instant::Instant;
use daybook_edge::blocking::block;
use daybook_storage::file::KnownBlobs;
use daybook_storage::metric::Gauge;
use daybook_storage::{Lease, Store};
use futures_core::Stream;
use object_store::ObjectMeta;
use object_store::path::Path;

use crate::store::{Blobs, DELETED, is_name};

/// The number of blobs per lookup in the database.
pub(crate) const MAX_AT_ONCE: usize = 1_000;
/// The lease that lets one process sweep at a time.
const LEASE: &str = "file sweep";

/// The bytes in the file store at the last sweep of this process.
pub static STORED_BYTES: Gauge = Gauge::unset();

/// The file sweep, which a background worker of the server runs.
#[derive(Clone)]
pub struct FileSweep {
    /// The rows of files.
    pub store: Arc<Store>,
    /// Their bytes.
    pub blobs: Blobs,
    /// The clock.
    pub clock: fn() -> Instant,
    /// The minimum age of orphans to remove, longer than any write takes.
    pub orphan_age: Duration,
}

/// The result of a sweep.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SweepReport {
    /// The number of orphans that are old enough.
    pub found: usize,
    /// The number of removed orphans. The others are of unknown books.
    pub removed: usize,
}

impl FileSweep {
    /// Removes the orphans that are old enough; `None` if another process is sweeping.
    ///
    /// # Errors
    /// When the database or the blob store fails. The next sweep continues.
    pub async fn run(&self) -> Result<Option<SweepReport>, String> {
        let store = Arc::clone(&self.store);
        let lease: Option<Lease> =
            block(move || store.lease(LEASE)).await.map_err(text)?.map_err(text)?;
        let Some(_lease) = lease else { return Ok(None) };
        let age = i64::try_from(self.orphan_age.as_millis()).unwrap_or(i64::MAX);
        let until = Instant::new((self.clock)().milliseconds().saturating_sub(age));
        let mut round =
            SweepRound { sweep: self, until, found: 0, removed: 0, unknown_books: BTreeSet::new() };
        let (mut batch, mut bytes) = (Vec::new(), 0_i64);
        let mut all = pin!(self.blobs.list());
        while let Some(found) = next(&mut all).await {
            let found = found.map_err(text)?;
            bytes = bytes.saturating_add(i64::try_from(found.size).unwrap_or(i64::MAX));
            if round.is_old(&found) {
                batch.push(found.location);
            }
            if batch.len() >= MAX_AT_ONCE {
                round.remove_orphans(std::mem::take(&mut batch)).await?;
            }
        }
        STORED_BYTES.set(bytes);
        round.remove_orphans(batch).await?;
        if let Some(folder) = self.blobs.folder().cloned() {
            let drafts =
                block(move || remove_drafts(&folder, until)).await.map_err(text)?.map_err(text)?;
            round.found += drafts;
            round.removed += drafts;
        }
        if !round.unknown_books.is_empty() {
            // They may be of another database, or of one before a backup was restored.
            tracing::warn!(
                books = round.unknown_books.len(),
                "the file store has files of books that are not in this database; they are kept"
            );
        }
        Ok(Some(SweepReport { found: round.found, removed: round.removed }))
    }
}

/// The state of a sweep.
struct SweepRound<'s> {
    sweep: &'s FileSweep,
    /// Older orphans are removed.
    until: Instant,
    found: usize,
    removed: usize,
    /// Books that are not in the database and have no deletion note.
    unknown_books: BTreeSet<String>,
}

impl SweepRound<'_> {
    fn is_old(&self, object: &ObjectMeta) -> bool {
        object.last_modified.timestamp_millis() < self.until.milliseconds()
    }

    /// Removes the blobs without a row.
    ///
    /// Objects whose path is not of the form `BOOK/BLOB` are not Daybook's and are kept.
    async fn remove_orphans(&mut self, paths: Vec<Path>) -> Result<(), String> {
        let mut by_book: BTreeMap<String, Vec<(String, Path)>> = BTreeMap::new();
        for path in paths {
            if let Some((book, blob)) = split_path(&path) {
                by_book.entry(book).or_default().push((blob, path));
            }
        }
        for (book, blobs) in by_book {
            let names = blobs.iter().map(|(blob, _)| blob.clone()).collect();
            match self.known_blobs(book.clone(), names).await? {
                Some(KnownBlobs { named, deleted }) => {
                    // The note of a book whose removal is in progress is needed until its end.
                    let is_needed =
                        |blob: &String| named.contains(blob) || deleted && blob == DELETED;
                    for (_, path) in blobs.iter().filter(|(blob, _)| !is_needed(blob)) {
                        self.found += 1;
                        self.remove(path).await?;
                    }
                }
                None if self.unknown_books.contains(&book) => self.found += blobs.len(),
                None => self.remove_deleted(book, blobs.len()).await?,
            }
        }
        Ok(())
    }

    /// Removes the old blobs of a book that is not in the database, if it has a deletion note.
    ///
    /// The note is removed last. `old_blobs` is the number of old blobs in this batch.
    async fn remove_deleted(&mut self, book: String, old_blobs: usize) -> Result<(), String> {
        let (mut old, mut has_others, mut note) = (Vec::new(), false, None);
        let mut objects = pin!(self.sweep.blobs.list_book(&book));
        while let Some(object) = next(&mut objects).await {
            let object = object.map_err(text)?;
            match split_path(&object.location) {
                Some((_, blob)) if blob == DELETED => note = Some(object),
                Some((_, blob)) if is_name(&blob) && self.is_old(&object) => {
                    old.push(object.location)
                }
                // Too young, or not Daybook's.
                Some(_) | None => has_others = true,
            }
        }
        let Some(note) = note else {
            if old.is_empty() && !has_others {
                // An earlier batch removed the whole book.
                return Ok(());
            }
            self.found += old_blobs;
            self.unknown_books.insert(book);
            return Ok(());
        };
        for path in &old {
            self.found += 1;
            self.remove(path).await?;
        }
        if !has_others && self.is_old(&note) {
            self.found += 1;
            self.remove(&note.location).await?;
        }
        Ok(())
    }

    /// Returns which of the blobs have a row; `None` if the book is not in the database.
    async fn known_blobs(
        &self,
        book: String,
        blobs: Vec<String>,
    ) -> Result<Option<KnownBlobs>, String> {
        let store = Arc::clone(&self.sweep.store);
        let known = block(move || store.read(|tx| tx.files().known_blobs(&book, &blobs)));
        known.await.map_err(text)?.map_err(text)
    }

    async fn remove(&mut self, path: &Path) -> Result<(), String> {
        self.sweep.blobs.delete(path).await.map_err(text)?;
        self.removed += 1;
        Ok(())
    }
}

/// Splits a path into the book and the blob; `None` if it is not of the form `BOOK/BLOB`.
pub(crate) fn split_path(path: &Path) -> Option<(String, String)> {
    let mut parts = path.parts().map(|part| part.as_ref().to_owned());
    match (parts.next(), parts.next(), parts.next()) {
        (Some(book), Some(blob), None) if is_name(&book) => Some((book, blob)),
        _ => None,
    }
}

pub(crate) async fn next<S: Stream>(stream: &mut Pin<&mut S>) -> Option<S::Item> {
    std::future::poll_fn(|cx| stream.as_mut().poll_next(cx)).await
}

pub(crate) fn text(error: impl Display) -> String {
    error.to_string()
}

/// Removes the drafts of interrupted writes, and returns their number.
///
/// The store on disk writes `BLOB#N` and renames it to `BLOB`. Its lists do not contain drafts. An
/// error to remove a draft is ignored, because its write may have finished.
fn remove_drafts(folder: &Folder, until: Instant) -> std::io::Result<usize> {
    let mut removed = 0;
    for book in std::fs::read_dir(folder)? {
        let book = book?;
        if !is_name(&book.file_name().to_string_lossy()) {
            continue;
        }
        let Ok(entries) = std::fs::read_dir(book.path()) else { continue };
        let drafts =
            entries.flatten().filter(|entry| is_draft(&entry.file_name().to_string_lossy()));
        for draft in drafts.filter(|draft| modified_at(draft).is_ok_and(|at| at < until)) {
            if std::fs::remove_file(draft.path()).is_ok() {
                removed += 1;
            }
        }
    }
    Ok(removed)
}

fn is_draft(name: &str) -> bool {
    name.split_once('#').is_some_and(|(_, number)| {
        !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit())
    })
}

fn modified_at(entry: &std::fs::DirEntry) -> std::io::Result<Instant> {
    let since = entry.metadata()?.modified()?.duration_since(UNIX_EPOCH).unwrap_or_default();
    Ok(Instant::new(i64::try_from(since.as_millis()).unwrap_or(i64::MAX)))
}
