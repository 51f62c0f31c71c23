//! The blobs of imports: the file, and the records of its preview.

use actix_web::web::Bytes;
use daybook_blobs::Blobs;
use daybook_domain::import::Import;
use daybook_edge::error::{ApiError, RequestError};

use super::document::RecordDoc;
use super::spool::{self, BlockEntry, HEAD_BYTES};

/// The records of a stored preview.
pub(super) struct StoredRecords {
    book: String,
    blob: String,
    /// Where the blocks begin.
    start: u64,
    pub(super) index: Vec<BlockEntry>,
}

impl StoredRecords {
    /// Reads the index of the records of an import; `None` if it has no preview.
    ///
    /// # Errors
    /// 503 when the file store fails.
    pub(super) async fn open(
        blobs: &Blobs,
        book: &str,
        import: &Import,
    ) -> Result<Option<Self>, ApiError> {
        let Some(blob) = import.preview.clone() else { return Ok(None) };
        let head = read(blobs, book, &blob, 0..HEAD_BYTES).await?;
        let start = HEAD_BYTES.saturating_add(spool::read_head(&head)?);
        let index = read(blobs, book, &blob, HEAD_BYTES..start).await?;
        let index = spool::read_index(&index)?;
        Ok(Some(Self { book: book.to_owned(), blob, start, index }))
    }

    /// Returns the bytes of the blob.
    pub(super) fn bytes(&self) -> u64 {
        self.index.last().map_or(self.start, |entry| entry.range(self.start).end)
    }

    /// Reads a block of records.
    ///
    /// # Errors
    /// 503 when the file store fails.
    pub(super) async fn block(
        &self,
        blobs: &Blobs,
        entry: &BlockEntry,
    ) -> Result<Vec<RecordDoc>, ApiError> {
        let bytes = read(blobs, &self.book, &self.blob, entry.range(self.start)).await?;
        Ok(spool::read_block(&bytes)?)
    }
}

async fn read(
    blobs: &Blobs,
    book: &str,
    blob: &str,
    range: std::ops::Range<u64>,
) -> Result<Bytes, ApiError> {
    let bytes = blobs.read_range(book, blob, range).await?;
    Ok(bytes.ok_or_else(|| RequestError::Failed(format!("the blob {blob} is missing")))?)
}
