//! The sweep: it removes orphans, which are blobs that no row names, once they are older than any
//! write takes. What makes orphans, and why this is safe: [`crate::blob`]. Blobs of a book that
//! the database neither has nor deleted are left alone: somebody may have pointed the server at the
//! wrong database.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Display;
use std::path::Path as Folder;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::time::{Duration, UNIX_EPOCH};

use daybook_domain::instant::Instant;
use daybook_storage::file::KnownBlobs;
use daybook_storage::{Lease, Store};
use futures_core::Stream;
use object_store::ObjectMeta;
use object_store::path::Path;

use crate::blob::store::{Blobs, DELETED, is_name};
use crate::blocking::block;

/// Blobs looked up at once.
const MAX_AT_ONCE: usize = 1_000;
/// The lease that lets one process sweep at a time.
const LEASE: &str = "file sweep";

/// What a sweep needs to know. The background worker of the server calls it.
#[derive(Clone)]
pub struct FileSweep {
    /// The rows of files.
    pub store: Arc<Store>,
    /// Their bytes.
    pub blobs: Blobs,
    /// The clock.
    pub clock: fn() -> Instant,
    /// The age that orphans must have to be removed: longer than any write takes.
    pub orphan_age: Duration,
}

/// What one sweep came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Swept {
    /// Orphans that were old enough.
    pub found: usize,
    /// Those of them that were removed; the others are of books that the database neither has nor
    /// deleted.
    pub removed: usize,
}

impl FileSweep {
    /// Removes the orphans that are old enough; `None` when another process is sweeping.
    ///
    /// # Errors
    /// What went wrong with the database or the store of blobs. What was removed before stays
    /// removed, and the next sweep goes on.
    pub async fn run(&self) -> Result<Option<Swept>, String> {
        let store = Arc::clone(&self.store);
        let lease: Option<Lease> =
            block(move || store.lease(LEASE)).await.map_err(text)?.map_err(text)?;
        // Held until the end.
        let Some(_lease) = lease else { return Ok(None) };
        let age = i64::try_from(self.orphan_age.as_millis()).unwrap_or(i64::MAX);
        let until = Instant::new((self.clock)().milliseconds().saturating_sub(age));
        let mut round =
            SweepRound { sweep: self, until, found: 0, removed: 0, unknown_books: BTreeSet::new() };
        let mut batch = Vec::new();
        let mut all = pin!(self.blobs.list());
        while let Some(found) = next(&mut all).await {
            let found = found.map_err(text)?;
            if round.is_old(&found) {
                batch.push(found.location);
            }
            if batch.len() >= MAX_AT_ONCE {
                round.remove_orphans(std::mem::take(&mut batch)).await?;
            }
        }
        round.remove_orphans(batch).await?;
        if let Some(folder) = self.blobs.folder().cloned() {
            let drafts =
                block(move || remove_drafts(&folder, until)).await.map_err(text)?.map_err(text)?;
            round.found += drafts;
            round.removed += drafts;
        }
        if !round.unknown_books.is_empty() {
            // Another database's, perhaps one from before a backup was restored: keeping them
            // loses nothing.
            tracing::warn!(
                books = round.unknown_books.len(),
                "the file store holds books this database neither has nor deleted; they are left \
                    alone"
            );
        }
        Ok(Some(Swept { found: round.found, removed: round.removed }))
    }
}

/// One sweep.
struct SweepRound<'s> {
    sweep: &'s FileSweep,
    /// What is older may be removed.
    until: Instant,
    found: usize,
    removed: usize,
    /// Books that the database neither has nor deleted.
    unknown_books: BTreeSet<String>,
}

impl SweepRound<'_> {
    fn is_old(&self, found: &ObjectMeta) -> bool {
        found.last_modified.timestamp_millis() < self.until.milliseconds()
    }

    /// Removes those that no row names. What is not of the form `BOOK/BLOB` is not Daybook's and
    /// stays: others may keep things in the same place.
    async fn remove_orphans(&mut self, places: Vec<Path>) -> Result<(), String> {
        let mut by_book: BTreeMap<String, Vec<(String, Path)>> = BTreeMap::new();
        for place in places {
            if let Some((book, blob)) = in_book(&place) {
                by_book.entry(book).or_default().push((blob, place));
            }
        }
        for (book, blobs) in by_book {
            let names = blobs.iter().map(|(blob, _)| blob.clone()).collect();
            match self.named(book.clone(), names).await? {
                Some(KnownBlobs { named, deleted }) => {
                    // The note of a book that is being removed is needed to the end.
                    let needed = |blob: &String| named.contains(blob) || deleted && blob == DELETED;
                    for (_, place) in blobs.iter().filter(|(blob, _)| !needed(blob)) {
                        self.found += 1;
                        self.remove(place).await?;
                    }
                }
                None if self.unknown_books.contains(&book) => self.found += blobs.len(),
                None => self.remove_deleted(book, blobs.len()).await?,
            }
        }
        Ok(())
    }

    /// Removes what is left of a book that the database does not have, if it was deleted; the
    /// deletion note goes last. `found` blobs of it are known to be old.
    async fn remove_deleted(&mut self, book: String, found: usize) -> Result<(), String> {
        let (mut old, mut stays, mut note) = (Vec::new(), false, None);
        let mut all = pin!(self.sweep.blobs.list_book(&book));
        while let Some(found) = next(&mut all).await {
            let found = found.map_err(text)?;
            match in_book(&found.location) {
                Some((_, blob)) if blob == DELETED => note = Some(found),
                Some((_, blob)) if is_name(&blob) && self.is_old(&found) => {
                    old.push(found.location)
                }
                // Young, or not Daybook's.
                Some(_) | None => stays = true,
            }
        }
        let Some(note) = note else {
            if old.is_empty() && !stays {
                // An earlier batch removed all of it.
                return Ok(());
            }
            self.found += found;
            self.unknown_books.insert(book);
            return Ok(());
        };
        for place in &old {
            self.found += 1;
            self.remove(place).await?;
        }
        if !stays && self.is_old(&note) {
            self.found += 1;
            self.remove(&note.location).await?;
        }
        Ok(())
    }

    /// Which of these blobs rows of the book name; `None` when the database does not have the book.
    async fn named(&self, book: String, blobs: Vec<String>) -> Result<Option<KnownBlobs>, String> {
        let store = Arc::clone(&self.sweep.store);
        let named = block(move || store.read(|tx| tx.files().known_blobs(&book, &blobs)));
        named.await.map_err(text)?.map_err(text)
    }

    async fn remove(&mut self, place: &Path) -> Result<(), String> {
        self.sweep.blobs.delete(place).await.map_err(text)?;
        self.removed += 1;
        Ok(())
    }
}

/// The book and the blob of a place; `None` when it is not of the form `BOOK/BLOB`.
fn in_book(place: &Path) -> Option<(String, String)> {
    let mut parts = place.parts().map(|part| part.as_ref().to_owned());
    match (parts.next(), parts.next(), parts.next()) {
        (Some(book), Some(blob), None) if is_name(&book) => Some((book, blob)),
        _ => None,
    }
}

async fn next<S: Stream>(stream: &mut Pin<&mut S>) -> Option<S::Item> {
    std::future::poll_fn(|cx| stream.as_mut().poll_next(cx)).await
}

fn text(error: impl Display) -> String {
    error.to_string()
}

/// Removes drafts of writes that were cut off, and answers how many. The store on disk writes
/// `BLOB#N` before it renames it to `BLOB`, and does not list drafts. A draft that is gone by the
/// time it would be removed was finished by its write.
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
        for draft in drafts.filter(|draft| written(draft).is_ok_and(|written| written < until)) {
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

fn written(entry: &std::fs::DirEntry) -> std::io::Result<Instant> {
    let since = entry.metadata()?.modified()?.duration_since(UNIX_EPOCH).unwrap_or_default();
    Ok(Instant::new(i64::try_from(since.as_millis()).unwrap_or(i64::MAX)))
}
