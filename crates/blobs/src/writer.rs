//! Writing of a blob in parts, for contents that are too large for memory.

use actix_web::web::Bytes;
use daybook_domain::file::Content;
use daybook_edge::blocking;
use daybook_edge::error::{ApiError, RequestError};
use object_store::MultipartUpload;
use sha2::{Digest, Sha256};

use crate::store::{Blobs, failed};

/// The bytes of a part. S3 accepts at least 5 MB, except for the last one, and 10,000 parts.
pub const PART_BYTES: usize = 8 * 1024 * 1024;

/// Writes a blob in parts. Without [`Self::finish`] nothing is stored.
pub struct BlobWriter {
    upload: Box<dyn MultipartUpload>,
    blob: String,
    size: i64,
    digest: Sha256,
    part: Vec<u8>,
}

impl BlobWriter {
    /// Begins a blob of a book.
    ///
    /// # Errors
    /// 503 when the store fails.
    pub async fn begin(blobs: &Blobs, book: &str) -> Result<Self, ApiError> {
        let (upload, blob) = blobs.begin(book).await?;
        Ok(Self { upload, blob, size: 0, digest: Sha256::new(), part: Vec::new() })
    }

    /// Appends bytes. A part is stored when it is complete.
    ///
    /// # Errors
    /// 503 when the store fails.
    pub async fn write(&mut self, mut bytes: &[u8]) -> Result<(), ApiError> {
        while !bytes.is_empty() {
            let free = PART_BYTES.saturating_sub(self.part.len());
            let (now, later) = bytes.split_at_checked(free).unwrap_or((bytes, &[]));
            self.part.extend_from_slice(now);
            bytes = later;
            if self.part.len() >= PART_BYTES {
                self.store_part().await?;
            }
        }
        Ok(())
    }

    async fn store_part(&mut self) -> Result<(), ApiError> {
        let part = Bytes::from(std::mem::take(&mut self.part));
        let length = i64::try_from(part.len()).map_err(|_| RequestError::FileTooLarge)?;
        self.size = self.size.checked_add(length).ok_or(RequestError::FileTooLarge)?;
        let (mut digest, bytes) = (std::mem::take(&mut self.digest), part.clone());
        let update = move || {
            digest.update(&bytes);
            digest
        };
        self.digest = blocking::compute(part.len(), update).await?;
        self.upload.put_part(part.into()).await.map_err(failed)
    }

    /// Stores the blob durably and returns its content.
    ///
    /// # Errors
    /// 503 when the store fails.
    pub async fn finish(mut self) -> Result<Content, ApiError> {
        if !self.part.is_empty() {
            self.store_part().await?;
        }
        self.upload.complete().await.map_err(failed)?;
        let digest = format!("{:x}", self.digest.finalize());
        Ok(Content { blob: self.blob, size: self.size, digest })
    }

    /// Removes the parts that are stored.
    pub async fn abort(mut self) {
        // Parts that stay are not a blob. A store on disk removes them when it sweeps.
        let _ = self.upload.abort().await;
    }
}
