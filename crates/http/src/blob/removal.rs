//! The removal of deleted books that wait no longer, in portions (behaviour 6.22). The deletion
//! note comes before the first row goes, so that the [`crate::blob::sweep`] knows the bytes that
//! are left for what they are.

use std::pin::Pin;
use std::sync::Arc;

use daybook_domain::id::BookKey;
use daybook_domain::instant::Instant;
use daybook_service::{Error, book};
use daybook_storage::{Lease, ShardKey, Store};

use crate::blob::store::Blobs;
use crate::blocking::block;

/// What is done with a book before its first row goes.
pub type Farewell = Arc<dyn Fn(BookKey) -> Pin<Box<dyn Future<Output = Result<(), String>>>>>;

/// Notes books outside the database before the first row of one of them goes. It may block.
pub type RemovalNote = Arc<dyn Fn(&[BookKey]) + Send + Sync>;

/// What a removal needs to know. The background worker of the server calls it.
#[derive(Clone)]
pub struct BookRemoval {
    /// The books.
    pub store: Arc<Store>,
    /// The bytes of their files.
    pub blobs: Blobs,
    /// The clock.
    pub clock: fn() -> Instant,
    /// Copies what apps are still to be told of it.
    pub farewell: Farewell,
    /// Notes what is about to be removed in a checkpoint (behaviour 6.26).
    pub note: RemovalNote,
    /// Whether the server is about to end.
    pub stop: Arc<dyn Fn() -> bool + Send + Sync>,
}

/// What one round of removals came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct RemovedBooks {
    /// Books that waited no longer.
    pub found: usize,
    /// How many of them are gone.
    pub removed: usize,
}

impl BookRemoval {
    /// Removes the books that wait no longer, those that another process removes excepted. A
    /// removal that ends before its book is gone is gone on with in the next round of any process.
    ///
    /// # Errors
    /// What went wrong with the database or the store of blobs.
    pub async fn run(&self) -> Result<RemovedBooks, String> {
        let (store, now) = (Arc::clone(&self.store), (self.clock)());
        let due = block(move || store.read(|tx| book::due(tx, now))).await;
        let due = due.map_err(text)?.map_err(text)?;
        let mut came_to = RemovedBooks { found: due.len(), removed: 0 };
        let (note, noted) = (Arc::clone(&self.note), due.clone());
        block(move || note(&noted)).await.map_err(text)?;
        for key in due {
            if (self.stop)() {
                break;
            }
            if self.remove(key, now).await? {
                came_to.removed += 1;
            }
        }
        Ok(came_to)
    }

    /// Removes a book; answers whether it is gone.
    async fn remove(&self, key: BookKey, now: Instant) -> Result<bool, String> {
        let (store, name) = (Arc::clone(&self.store), format!("removal {key}"));
        let lease: Option<Lease> =
            block(move || store.lease(&name)).await.map_err(text)?.map_err(text)?;
        // Held until the end.
        let Some(_lease) = lease else { return Ok(false) };
        let lane = ShardKey::of_book(key.as_str());
        let (store, book) = (Arc::clone(&self.store), key.clone());
        let begun = move || {
            store.write_repeatable::<bool, Error>(lane, move |tx| {
                book::begin_removal(tx, &book, now)
            })
        };
        if !block(begun).await.map_err(text)?.map_err(text)? {
            return Ok(false);
        }
        (self.farewell)(key.clone()).await?;
        self.blobs.note_deletion(key.as_str()).await.map_err(text)?;
        let (store, stop) = (Arc::clone(&self.store), Arc::clone(&self.stop));
        let portions = move || {
            while !stop() {
                let key = key.clone();
                let portion =
                    move |tx: &mut daybook_storage::Tx<'_>| book::remove_portion(tx, &key);
                if !store.write_repeatable::<bool, Error>(lane, portion)? {
                    return Ok::<_, Error>(true);
                }
            }
            Ok(false)
        };
        block(portions).await.map_err(text)?.map_err(text)
    }
}

fn text(error: impl std::fmt::Display) -> String {
    error.to_string()
}
