//! The shared parts of the steps of imports: writes, and the stored records.

use std::collections::HashMap;
use std::sync::Arc;

use daybook_domain::id::ImportId;
use daybook_domain::import::Import;
use daybook_edge::error::{ApiError, RequestError};
use daybook_edge::run;
use daybook_edge::worker::Stop;
use daybook_service::import;
use daybook_service::{Context, Target};
use daybook_storage::Tx;

use super::book_preview::BookPreview;
use super::book_recording::BookRecording;
use super::document::RecordDoc;
use super::spool::{BLOCK_RECORDS, Spool};
use super::store::StoredRecords;
use crate::state::AppState;

/// The exported books that are read at the same time. Others wait.
const MAX_BOOKS: usize = 4;

/// The indexes of records and the exported books that the steps of imports share.
#[derive(Default)]
pub(super) struct Cache {
    records: HashMap<ImportId, (String, Arc<StoredRecords>)>,
    books: HashMap<ImportId, BookSession>,
}

/// An exported book between two steps.
pub(super) enum BookSession {
    Preview(Box<BookPreview>),
    Recording(Box<BookRecording>),
}

impl Cache {
    /// Takes the session of an import, which is opened again unless it is put back.
    pub(super) fn take_book(&mut self, id: ImportId) -> Option<BookSession> {
        self.books.remove(&id)
    }

    /// Returns whether another book has to wait.
    pub(super) fn has_max_books(&self) -> bool {
        self.books.len() >= MAX_BOOKS
    }

    pub(super) fn put_book(&mut self, id: ImportId, session: BookSession) {
        self.books.insert(id, session);
    }

    /// Drops the sessions of imports that are not in progress any more.
    pub(super) fn retain_books(&mut self, is_due: impl Fn(ImportId) -> bool) {
        self.books.retain(|id, _| is_due(*id));
    }
}

/// A step of an import.
pub(super) struct Step<'s> {
    pub(super) state: &'s AppState,
    /// The context of the user for whom it is done.
    pub(super) cx: Context,
    pub(super) book: &'s str,
    pub(super) stop: &'s Stop,
}

impl Step<'_> {
    /// Saves a changed import. It is dropped if another worker has changed the import since.
    pub(super) async fn save(&self, version: i64, import: Import) -> Result<(), ApiError> {
        let (cx, book) = (self.cx.clone(), self.book.to_owned());
        self.write(move |tx| import::save(tx, &cx, &book, version, import).map(drop)).await
    }

    /// Writes to the book of the import.
    pub(super) async fn write<T: Send + 'static>(
        &self,
        work: impl FnOnce(&mut Tx<'_>) -> daybook_service::Result<T> + Clone + Send + 'static,
    ) -> Result<T, ApiError> {
        self.write_to(Target::Book(self.book.to_owned()), work).await
    }

    /// Writes to another target.
    pub(super) async fn write_to<T: Send + 'static>(
        &self,
        target: Target,
        work: impl FnOnce(&mut Tx<'_>) -> daybook_service::Result<T> + Clone + Send + 'static,
    ) -> Result<T, ApiError> {
        run::write(&self.state.edge, target.submission(&self.cx, None), work).await
    }

    /// Stores the records of a preview.
    pub(super) async fn store(&self, records: Spool) -> Result<(String, i64), ApiError> {
        let blob = self.state.blobs.new_blob_of_parts(records.into_parts()?).await?;
        let content = self.state.blobs.put(self.book, blob).await?;
        Ok((content.blob, content.size))
    }

    /// Returns the records of an import.
    pub(super) async fn records(
        &self,
        import: &Import,
        cache: &mut Cache,
    ) -> Result<Arc<StoredRecords>, ApiError> {
        let blob = import.preview.clone().unwrap_or_default();
        if let Some((known, records)) = cache.records.get(&import.id)
            && *known == blob
        {
            return Ok(Arc::clone(records));
        }
        let records = StoredRecords::open(&self.state.blobs, self.book, import).await?;
        let records = Arc::new(records.ok_or_else(missing)?);
        cache.records.insert(import.id, (blob, Arc::clone(&records)));
        Ok(records)
    }

    /// Returns all records of an import.
    pub(super) async fn whole(&self, import: &Import) -> Result<Spool, ApiError> {
        let blob = import.preview.clone().unwrap_or_default();
        let bytes = self.state.blobs.read(self.book, &blob).await?.ok_or_else(missing)?;
        Ok(Spool::read(bytes)?)
    }

    /// Returns the block of records that begins at the progress of an import.
    pub(super) async fn block_at(
        &self,
        import: &Import,
        records: &StoredRecords,
    ) -> Result<Vec<RecordDoc>, ApiError> {
        let done = usize::try_from(import.done).unwrap_or_default();
        let entry = records.index.get(done / BLOCK_RECORDS).ok_or_else(missing)?;
        records.block(&self.state.blobs, entry).await
    }
}

pub(super) fn missing() -> ApiError {
    RequestError::Failed("the records of an import are missing".to_owned()).into()
}
