//! The sweep: bytes that no row names are removed once they are older than any write takes. They
//! are left by requests that ended between storing bytes and recording the file, by new content,
//! and by deleted files and books. Bytes of a book that the database neither has nor deleted are
//! left alone: somebody may have pointed the server at the wrong database.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::path::Path as Folder;
use std::pin::pin;
use std::time::Duration;

use actix_web::web;
use daybook_domain::instant::Instant;
use object_store::ObjectMeta;
use object_store::path::Path;

use crate::blob::{DELETED, is_name};
use crate::error::ApiError;
use crate::state::State;
use crate::{blocking, run};

/// Blobs looked up at once.
const AT_ONCE: usize = 1_000;
/// The longest pause between two sweeps.
const LONGEST_PAUSE: Duration = Duration::from_secs(60 * 60);

/// Sweeps now and again and again, as long as the server runs.
pub(crate) async fn forever(state: web::Data<State>) {
    let pause =
        Duration::from_secs(state.orphan_seconds).clamp(Duration::from_secs(1), LONGEST_PAUSE);
    loop {
        match sweep(&state).await {
            Ok(0) => {}
            Ok(removed) => tracing::info!(removed, "bytes that no file names were removed"),
            // The next one may do better.
            Err(error) => tracing::warn!(error, "the sweep of files was cut short"),
        }
        tokio::time::sleep(pause).await;
    }
}

/// Removes what is older than the safe age and named by no row; tells how many.
async fn sweep(state: &State) -> Result<usize, String> {
    let age = i64::try_from(state.orphan_seconds.saturating_mul(1_000)).unwrap_or(i64::MAX);
    let until = Instant::new((state.clock)().milliseconds().saturating_sub(age));
    let mut round = Round { state, until, removed: 0, strange: BTreeSet::new() };
    let mut batch = Vec::new();
    let mut all = pin!(state.blobs.list());
    while let Some(found) = next(&mut all).await {
        let found = found.map_err(told)?;
        if round.is_old(&found) {
            batch.push(found.location);
        }
        if batch.len() >= AT_ONCE {
            round.remove_unknown(std::mem::take(&mut batch)).await?;
        }
    }
    round.remove_unknown(batch).await?;
    if let Some(folder) = state.blobs.folder().cloned() {
        round.removed += blocking::block(move || remove_drafts(&folder, until))
            .await
            .map_err(told)?
            .map_err(told)?;
    }
    if !round.strange.is_empty() {
        // Another database's, perhaps one from before a backup was put back: nothing that is lost
        // by keeping it.
        tracing::warn!(
            books = round.strange.len(),
            "the file store holds books this database neither has nor deleted; they are left alone"
        );
    }
    Ok(round.removed)
}

/// One sweep.
struct Round<'s> {
    state: &'s State,
    /// What is older may be removed.
    until: Instant,
    removed: usize,
    /// Books that are neither there nor deleted here.
    strange: BTreeSet<String>,
}

impl Round<'_> {
    fn is_old(&self, found: &ObjectMeta) -> bool {
        found.last_modified.timestamp_millis() < self.until.milliseconds()
    }

    /// Removes those that no row names. What is not of the form `BOOK/BLOB` is not ours, and stays:
    /// others may keep things in the same place.
    async fn remove_unknown(&mut self, places: Vec<Path>) -> Result<(), String> {
        let mut by_book: BTreeMap<String, Vec<(String, Path)>> = BTreeMap::new();
        for place in places {
            if let Some((book, blob)) = in_book(&place) {
                by_book.entry(book).or_default().push((blob, place));
            }
        }
        for (book, blobs) in by_book {
            match known(
                self.state,
                book.clone(),
                blobs.iter().map(|(blob, _)| blob.clone()).collect(),
            )
            .await?
            {
                Some(known) => {
                    for (_, place) in blobs.iter().filter(|(blob, _)| !known.contains(blob)) {
                        self.remove(place).await?;
                    }
                }
                None => self.remove_deleted(book).await?,
            }
        }
        Ok(())
    }

    /// Removes what is left of a book that is gone, when it was deleted; the note of that goes
    /// last.
    async fn remove_deleted(&mut self, book: String) -> Result<(), String> {
        let (mut old, mut stays, mut note) = (Vec::new(), false, None);
        let mut all = pin!(self.state.blobs.list_book(&book));
        while let Some(found) = next(&mut all).await {
            let found = found.map_err(told)?;
            match in_book(&found.location) {
                Some((_, blob)) if blob == DELETED => note = Some(found),
                Some((_, blob)) if is_name(&blob) && self.is_old(&found) => {
                    old.push(found.location)
                }
                // Young, or not ours.
                Some(_) | None => stays = true,
            }
        }
        let Some(note) = note else {
            self.strange.insert(book);
            return Ok(());
        };
        for place in &old {
            self.remove(place).await?;
        }
        if !stays && self.is_old(&note) {
            self.remove(&note.location).await?;
        }
        Ok(())
    }

    async fn remove(&mut self, place: &Path) -> Result<(), String> {
        self.state.blobs.delete(place).await.map_err(told)?;
        self.removed += 1;
        Ok(())
    }
}

/// The book and the blob of a place; none when it is not of that form.
fn in_book(place: &Path) -> Option<(String, String)> {
    let mut parts = place.parts().map(|part| part.as_ref().to_owned());
    match (parts.next(), parts.next(), parts.next()) {
        (Some(book), Some(blob), None) if is_name(&book) => Some((book, blob)),
        _ => None,
    }
}

async fn next<S: futures_core::Stream>(stream: &mut std::pin::Pin<&mut S>) -> Option<S::Item> {
    std::future::poll_fn(|cx| stream.as_mut().poll_next(cx)).await
}

fn told(error: impl std::fmt::Display) -> String {
    error.to_string()
}

async fn known(
    state: &State,
    book: String,
    blobs: Vec<String>,
) -> Result<Option<HashSet<String>>, String> {
    run::read(state, move |tx| Ok(tx.files().known_blobs(&book, &blobs)?))
        .await
        .map_err(|error: ApiError| format!("{error:?}"))
}

/// Removes drafts of writes that were cut off: the store on disk writes `BLOB#N` first, and does
/// not list it. Others may finish their drafts meanwhile, so what is gone is passed over.
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
    let since =
        entry.metadata()?.modified()?.duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
    Ok(Instant::new(i64::try_from(since.as_millis()).unwrap_or(i64::MAX)))
}
