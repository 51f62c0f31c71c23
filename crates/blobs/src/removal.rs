//! The removal of deleted books whose retention has ended, in portions (behaviour 6.22).
//!
//! The deletion note is stored before the first row is removed, so that [`crate::sweep`] can
//! remove the blobs of the book.

use std::pin::Pin;
use std::sync::Arc;

use daybook_domain::id::BookKey;
use daybook_domain::instant::Instant;
use daybook_edge::blocking::block;
use daybook_service::{Error, book};
use daybook_storage::{Lease, Store};

use crate::store::Blobs;

/// Runs before the first row of a book is removed.
pub type BeforeRemoval = Arc<dyn Fn(BookKey) -> Pin<Box<dyn Future<Output = Result<(), String>>>>>;

/// Records the books outside of the database before any of their rows is removed. It may block.
pub type RemovalNote = Arc<dyn Fn(&[BookKey]) + Send + Sync>;

/// The removal of deleted books, which a background worker of the server runs.
#[derive(Clone)]
pub struct BookRemoval {
    /// The books.
    pub store: Arc<Store>,
    /// The bytes of their files.
    pub blobs: Blobs,
    /// The clock.
    pub clock: fn() -> Instant,
    /// Copies the pending webhook deliveries of the book.
    pub before_removal: BeforeRemoval,
    /// Records the removal in a checkpoint (behaviour 6.26).
    pub note: RemovalNote,
    /// Whether the server is stopping.
    pub stop: Arc<dyn Fn() -> bool + Send + Sync>,
}

/// The result of one round of removals.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct RemovalReport {
    /// The number of books that were due.
    pub found: usize,
    /// The number of books that were removed completely.
    pub removed: usize,
}

impl BookRemoval {
    /// Removes the books that are due, except those that another process is removing.
    ///
    /// An interrupted removal is continued in the next round of any process.
    ///
    /// # Errors
    /// When the database or the blob store fails.
    pub async fn run(&self) -> Result<RemovalReport, String> {
        let (store, now) = (Arc::clone(&self.store), (self.clock)());
        let due = block(move || store.read(|tx| book::list_due_for_removal(tx, now))).await;
        let due = due.map_err(text)?.map_err(text)?;
        let mut result = RemovalReport { found: due.len(), removed: 0 };
        let (note, books) = (Arc::clone(&self.note), due.clone());
        block(move || note(&books)).await.map_err(text)?;
        for key in due {
            if (self.stop)() {
                break;
            }
            if self.remove(key, now).await? {
                result.removed += 1;
            }
        }
        Ok(result)
    }

    /// Removes a book, and returns whether it was removed completely.
    async fn remove(&self, key: BookKey, now: Instant) -> Result<bool, String> {
        let (store, name) = (Arc::clone(&self.store), format!("removal {key}"));
        let lease: Option<Lease> =
            block(move || store.lease(&name)).await.map_err(text)?.map_err(text)?;
        let Some(_lease) = lease else { return Ok(false) };
        let shard_key = book::shard_key(&key);
        let (store, book) = (Arc::clone(&self.store), key.clone());
        let begin = move || {
            store.write_repeatable::<bool, Error>(shard_key, move |tx| {
                book::begin_removal(tx, &book, now)
            })
        };
        if !block(begin).await.map_err(text)?.map_err(text)? {
            return Ok(false);
        }
        (self.before_removal)(key.clone()).await?;
        self.blobs.note_deletion(key.as_str()).await.map_err(text)?;
        let (store, stop) = (Arc::clone(&self.store), Arc::clone(&self.stop));
        let remove_portions = move || {
            while !stop() {
                let key = key.clone();
                let portion =
                    move |tx: &mut daybook_storage::Tx<'_>| book::remove_portion(tx, &key);
                if !store.write_repeatable::<bool, Error>(shard_key, portion)? {
                    return Ok::<_, Error>(true);
                }
            }
            Ok(false)
        };
        block(remove_portions).await.map_err(text)?.map_err(text)
    }
}

fn text(error: impl std::fmt::Display) -> String {
    error.to_string()
}
