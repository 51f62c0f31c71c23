//! The blob store: a folder on the local disk, or an S3 bucket.

use std::future::poll_fn;
use std::ops::Range;
use std::path::PathBuf;
use std::pin::Pin;
use std::sync::Arc;

use actix_web::web::Bytes;
use daybook_domain::file::Content;
use daybook_edge::blocking;
use daybook_edge::error::{ApiError, RequestError};
use daybook_edge::long_text::LongText;
use futures_core::Stream;
use object_store::path::Path;
use object_store::{
    GetResultPayload, MultipartUpload, ObjectMeta, ObjectStore, ObjectStoreExt, PutPayload,
};
use sha2::{Digest, Sha256};

/// The name of the deletion note of a book. Blobs have longer names.
pub(crate) const DELETED: &str = "deleted";

/// The blobs of all books.
#[derive(Debug, Clone)]
pub struct Blobs {
    store: Arc<dyn ObjectStore>,
    /// The folder on the local disk, in which interrupted writes leave drafts.
    folder: Option<PathBuf>,
}

/// Bytes to store, with the content for their row.
pub struct NewBlob {
    /// The content for their row.
    pub content: Content,
    payload: PutPayload,
}

impl Blobs {
    /// Creates a store in a folder; `store` must be rooted there and sync its writes.
    #[must_use]
    pub fn on_disk(store: Arc<dyn ObjectStore>, folder: PathBuf) -> Self {
        Self { store, folder: Some(folder) }
    }

    /// Creates a store on other machines, whose writes must be durable.
    #[must_use]
    pub fn elsewhere(store: Arc<dyn ObjectStore>) -> Self {
        Self { store, folder: None }
    }

    /// Returns the folder, if the store is on the local disk.
    pub fn folder(&self) -> Option<&PathBuf> {
        self.folder.as_ref()
    }

    /// Assigns a name to bytes and computes their digest, without storing them.
    ///
    /// # Errors
    /// 413 if the size does not fit into 64 bits.
    pub async fn new_blob(&self, bytes: Bytes) -> Result<NewBlob, ApiError> {
        self.new_blob_of_parts([bytes]).await
    }

    /// Assigns a name to bytes that are in several parts of memory, as [`Self::new_blob`] does.
    ///
    /// # Errors
    /// Those of [`Self::new_blob`].
    pub async fn new_blob_of_parts(
        &self,
        parts: impl IntoIterator<Item = Bytes>,
    ) -> Result<NewBlob, ApiError> {
        let payload = PutPayload::from_iter(parts);
        let (size, payload_of_digest) = (payload.content_length(), payload.clone());
        let digest = move || {
            let mut digest = Sha256::new();
            payload_of_digest.iter().for_each(|part| digest.update(part));
            format!("{:x}", digest.finalize())
        };
        let digest = blocking::compute(size, digest).await?;
        let size = i64::try_from(size).map_err(|_| RequestError::FileTooLarge)?;
        let blob = new_name();
        Ok(NewBlob { content: Content { blob, size, digest }, payload })
    }

    /// Stores bytes durably and returns the content for their row.
    ///
    /// # Errors
    /// 503 when the store fails.
    pub async fn put(&self, book: &str, new: NewBlob) -> Result<Content, ApiError> {
        let NewBlob { content, payload } = new;
        self.store.put(&blob_path(book, &content.blob)?, payload).await.map_err(failed)?;
        Ok(content)
    }

    /// Begins a blob that is stored in parts, and returns its name.
    pub(crate) async fn begin(
        &self,
        book: &str,
    ) -> Result<(Box<dyn MultipartUpload>, String), ApiError> {
        let blob = new_name();
        let upload = self.store.put_multipart(&blob_path(book, &blob)?).await.map_err(failed)?;
        Ok((upload, blob))
    }

    /// Returns the bytes of a blob as a stream; `None` if the blob does not exist.
    ///
    /// # Errors
    /// 503 when the store fails.
    pub async fn open(
        &self,
        book: &str,
        blob: &str,
    ) -> Result<
        Option<impl Stream<Item = Result<Bytes, object_store::Error>> + Unpin + use<>>,
        ApiError,
    > {
        match self.store.get(&blob_path(book, blob)?).await {
            Ok(found) => Ok(Some(found.into_stream())),
            Err(object_store::Error::NotFound { .. }) => Ok(None),
            Err(error) => Err(failed(error)),
        }
    }

    /// Returns the size and SHA-256 of a blob; `None` if the blob does not exist.
    ///
    /// The bytes are read in pieces.
    ///
    /// # Errors
    /// When the store fails.
    pub async fn digest(&self, book: &str, blob: &str) -> Result<Option<(u64, String)>, String> {
        let text = |error: object_store::Error| error.to_string();
        // No blob can be stored under an invalid path.
        let Ok(path) = blob_path(book, blob) else { return Ok(None) };
        let mut bytes = match self.store.get(&path).await {
            Ok(found) => found.into_stream(),
            Err(object_store::Error::NotFound { .. }) => return Ok(None),
            Err(error) => return Err(text(error)),
        };
        let (mut size, mut digest) = (0_u64, Sha256::new());
        while let Some(piece) = poll_fn(|cx| Pin::new(&mut bytes).poll_next(cx)).await {
            let piece = piece.map_err(text)?;
            size = size.saturating_add(u64::try_from(piece.len()).unwrap_or(u64::MAX));
            digest.update(&piece);
        }
        Ok(Some((size, format!("{:x}", digest.finalize()))))
    }

    /// Returns all bytes of a blob; `None` if the blob does not exist. Those of a large blob have
    /// memory pages of their own.
    ///
    /// # Errors
    /// 503 when the store fails.
    pub async fn read(&self, book: &str, blob: &str) -> Result<Option<Bytes>, ApiError> {
        let found = match self.store.get(&blob_path(book, blob)?).await {
            Ok(found) => found,
            Err(object_store::Error::NotFound { .. }) => return Ok(None),
            Err(error) => return Err(failed(error)),
        };
        let size = found.range.end.saturating_sub(found.range.start);
        let size = usize::try_from(size).map_err(|_| RequestError::FileTooLarge)?;
        let mut bytes = LongText::default();
        let read = match found.payload {
            GetResultPayload::File(mut file, _) => {
                let read = move || bytes.add_all(&mut file, size).map(|()| bytes);
                blocking::block(read).await?
            }
            GetResultPayload::Stream(mut pieces) => loop {
                let Some(piece) = poll_fn(|cx| pieces.as_mut().poll_next(cx)).await else {
                    break Ok(bytes);
                };
                if let Err(error) = bytes.add(&piece.map_err(failed)?, size) {
                    break Err(error);
                }
            },
        };
        let read = read.map_err(|error| RequestError::FilesUnavailable(error.to_string()))?;
        Ok(Some(read.into_bytes()))
    }

    /// Returns a part of a blob; `None` if the blob does not exist.
    ///
    /// # Errors
    /// 503 when the store fails.
    pub async fn read_range(
        &self,
        book: &str,
        blob: &str,
        range: Range<u64>,
    ) -> Result<Option<Bytes>, ApiError> {
        match self.store.get_range(&blob_path(book, blob)?, range).await {
            Ok(bytes) => Ok(Some(bytes)),
            Err(object_store::Error::NotFound { .. }) => Ok(None),
            Err(error) => Err(failed(error)),
        }
    }

    /// Lists all objects in the store.
    pub(crate) fn list(
        &self,
    ) -> impl Stream<Item = Result<ObjectMeta, object_store::Error>> + use<> {
        self.store.list(None)
    }

    /// Lists the objects of one book.
    pub(crate) fn list_book(
        &self,
        book: &str,
    ) -> impl Stream<Item = Result<ObjectMeta, object_store::Error>> + use<> {
        self.store.list(Some(&Path::from(book)))
    }

    /// Stores the deletion note of a book, even if it has no blobs: a write may be in progress.
    pub(crate) async fn note_deletion(&self, book: &str) -> Result<(), object_store::Error> {
        let note = Path::from_iter([book, DELETED]);
        self.store.put(&note, PutPayload::new()).await.map(drop)
    }

    /// Removes a blob or a note, if it exists.
    pub(crate) async fn delete(&self, path: &Path) -> Result<(), object_store::Error> {
        match self.store.delete(path).await {
            Err(object_store::Error::NotFound { .. }) | Ok(()) => Ok(()),
            Err(error) => Err(error),
        }
    }
}

/// Whether a text has the form of the public id of a book or the name of a blob.
///
/// Both are 32 hexadecimal digits. Daybook stores nothing else.
pub(crate) fn is_name(text: &str) -> bool {
    text.len() == 32 && text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}

/// Returns a new name of a blob.
fn new_name() -> String {
    uuid::Uuid::now_v7().simple().to_string()
}

/// Returns the path `BOOK/BLOB`.
fn blob_path(book: &str, blob: &str) -> Result<Path, ApiError> {
    let is_plain =
        |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_alphanumeric());
    if is_plain(book) && is_plain(blob) {
        Ok(Path::from_iter([book, blob]))
    } else {
        // This does not happen: the caller has access to the book, so its id is well-formed.
        Err(RequestError::Failed("invalid name of a book or blob".to_owned()).into())
    }
}

/// Maps an error of the store to 503, because it may be temporary.
pub(crate) fn failed(error: object_store::Error) -> ApiError {
    RequestError::FilesUnavailable(error.to_string()).into()
}
