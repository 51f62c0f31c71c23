//! Counts orphans without removing them, for a check of the operator.

use std::collections::BTreeMap;
use std::pin::pin;

use daybook_domain::instant::Instant;
use daybook_storage::{ReadOnlyStore, Result};

use crate::store::{Blobs, DELETED};
use crate::sweep::{MAX_AT_ONCE, next, split_path, text};

/// Counts the blobs that are older than an instant and that no row names.
///
/// Those of books that are not in the database count, too.
///
/// # Errors
/// When the database or the blob store fails.
pub async fn count_orphans(
    blobs: &Blobs,
    store: &mut ReadOnlyStore,
    before: Instant,
) -> std::result::Result<usize, String> {
    let (mut orphans, mut batch) = (0_usize, Vec::new());
    let mut all = pin!(blobs.list());
    while let Some(found) = next(&mut all).await {
        let found = found.map_err(text)?;
        if found.last_modified.timestamp_millis() < before.milliseconds() {
            batch.extend(split_path(&found.location));
        }
        if batch.len() >= MAX_AT_ONCE {
            orphans += unnamed(store, std::mem::take(&mut batch)).map_err(text)?;
        }
    }
    Ok(orphans + unnamed(store, batch).map_err(text)?)
}

/// Counts the blobs that no row names, of pairs of a book and a blob.
fn unnamed(store: &mut ReadOnlyStore, batch: Vec<(String, String)>) -> Result<usize> {
    let mut by_book: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for (book, blob) in batch {
        // The note of a removed book is not the content of a file.
        if blob != DELETED {
            by_book.entry(book).or_default().push(blob);
        }
    }
    let mut count = 0_usize;
    for (book, blobs) in by_book {
        let known: Result<_> = store.read(|tx| tx.files().known_blobs(&book, &blobs));
        let known = known?;
        let is_named =
            |blob: &String| known.as_ref().is_some_and(|known| known.named.contains(blob));
        count += blobs.iter().filter(|blob| !is_named(blob)).count();
    }
    Ok(count)
}
