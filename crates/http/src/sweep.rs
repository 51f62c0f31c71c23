//! The sweep: bytes that no row names are removed once they are older than any write takes. They are left by requests that
//! ended between storing bytes and recording the file, by new content, and by deleted files and books.

use std::collections::{BTreeMap, HashSet};
use std::path::Path as Folder;
use std::pin::pin;
use std::time::Duration;

use actix_web::web;
use daybook_domain::instant::Instant;
use object_store::ObjectMeta;
use object_store::path::Path;

use crate::error::ApiError;
use crate::run;
use crate::state::State;

/// Blobs looked up at once.
const AT_ONCE: usize = 1_000;
/// The longest pause between two sweeps.
const LONGEST_PAUSE: Duration = Duration::from_secs(60 * 60);

/// Sweeps now and again and again, as long as the server runs.
pub(crate) async fn forever(state: web::Data<State>) {
    let pause = Duration::from_secs(state.orphan_seconds).clamp(Duration::from_secs(1), LONGEST_PAUSE);
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
    let mut removed = 0;
    let mut batch = Vec::new();
    let mut all = pin!(state.blobs.list());
    while let Some(found) = std::future::poll_fn(|cx| futures_core::Stream::poll_next(all.as_mut(), cx)).await {
        let found = found.map_err(|error| error.to_string())?;
        if is_old(&found, until) {
            batch.push(found.location);
        }
        if batch.len() >= AT_ONCE {
            removed += remove_unknown(state, std::mem::take(&mut batch)).await?;
        }
    }
    removed += remove_unknown(state, batch).await?;
    if let Some(folder) = state.blobs.folder().cloned() {
        let drafts = web::block(move || remove_drafts(&folder, until)).await.map_err(|error| error.to_string())?;
        removed += drafts.map_err(|error| error.to_string())?;
    }
    Ok(removed)
}

fn is_old(found: &ObjectMeta, until: Instant) -> bool {
    found.last_modified.timestamp_millis() < until.milliseconds()
}

/// Removes those that no row names. What is not of the form `BOOK/BLOB` is not ours, and stays.
async fn remove_unknown(state: &State, places: Vec<Path>) -> Result<usize, String> {
    let mut by_book: BTreeMap<String, Vec<(String, Path)>> = BTreeMap::new();
    for place in places {
        let parts: Vec<String> = place.parts().map(|part| part.as_ref().to_owned()).collect();
        if let [book, blob] = parts.as_slice() {
            by_book.entry(book.clone()).or_default().push((blob.clone(), place));
        }
    }
    let mut removed = 0;
    for (book, blobs) in by_book {
        let known = known(state, book, blobs.iter().map(|(blob, _)| blob.clone()).collect()).await.map_err(|error| error.to_string())?;
        for (_, place) in blobs.iter().filter(|(blob, _)| !known.contains(blob)) {
            state.blobs.delete(place).await.map_err(|error| error.to_string())?;
            removed += 1;
        }
    }
    Ok(removed)
}

async fn known(state: &State, book: String, blobs: Vec<String>) -> Result<HashSet<String>, ApiError> {
    run::read(state, move |tx| Ok(tx.files().known_blobs(&book, &blobs)?)).await
}

/// Removes drafts of writes that were cut off: the store on disk writes `BLOB#N` first, and does not list it.
fn remove_drafts(folder: &Folder, until: Instant) -> std::io::Result<usize> {
    let mut removed = 0;
    for book in std::fs::read_dir(folder)? {
        let book = book?;
        if !book.file_type()?.is_dir() {
            continue;
        }
        for entry in std::fs::read_dir(book.path())? {
            let entry = entry?;
            let draft =
                entry.file_name().to_string_lossy().split_once('#').is_some_and(|(_, rest)| rest.bytes().all(|b| b.is_ascii_digit()));
            if draft && written(&entry)? < until && std::fs::remove_file(entry.path()).is_ok() {
                removed += 1;
            }
        }
    }
    Ok(removed)
}

fn written(entry: &std::fs::DirEntry) -> std::io::Result<Instant> {
    let since = entry.metadata()?.modified()?.duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
    Ok(Instant::new(i64::try_from(since.as_millis()).unwrap_or(i64::MAX)))
}
