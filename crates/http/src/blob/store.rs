//! The place of blobs: a folder on this machine's disk, or a bucket of a store that speaks S3.

use std::future::poll_fn;
use std::path::PathBuf;
use std::pin::Pin;
use std::sync::Arc;

use actix_web::web::Bytes;
use daybook_domain::file::Content;
use futures_core::Stream;
use object_store::path::Path;
use object_store::{ObjectMeta, ObjectStore, ObjectStoreExt, PutPayload};
use sha2::{Digest, Sha256};

use crate::blocking;
use crate::error::{ApiError, RequestError};

/// The name of a book's deletion note. Blobs have longer names.
pub(super) const DELETED: &str = "deleted";

/// The blobs of all books.
#[derive(Debug, Clone)]
pub struct Blobs {
    store: Arc<dyn ObjectStore>,
    /// The folder, when they are on this machine's disk: a write that is cut off leaves a draft in
    /// it.
    folder: Option<PathBuf>,
}

/// Bytes with the content that a row is to record of them.
pub(crate) struct NewBlob {
    pub(crate) content: Content,
    bytes: Bytes,
}

impl Blobs {
    /// Blobs in a folder; `store` must be rooted there and sync what it writes.
    #[must_use]
    pub fn on_disk(store: Arc<dyn ObjectStore>, folder: PathBuf) -> Self {
        Self { store, folder: Some(folder) }
    }

    /// Blobs in a store elsewhere, which is trusted to keep what it has accepted.
    #[must_use]
    pub fn elsewhere(store: Arc<dyn ObjectStore>) -> Self {
        Self { store, folder: None }
    }

    /// The folder, when the blobs are on this machine's disk.
    pub(super) fn folder(&self) -> Option<&PathBuf> {
        self.folder.as_ref()
    }

    /// A blob of these bytes: a name of its own, their size and digest. Nothing is stored yet.
    ///
    /// # Errors
    /// 413 for more bytes than can be counted.
    pub(crate) async fn new_blob(&self, bytes: Bytes) -> Result<NewBlob, ApiError> {
        let digested = bytes.clone();
        let digest = move || hexadecimal(&Sha256::digest(&digested));
        let digest = blocking::compute(bytes.len(), digest).await?;
        let size = i64::try_from(bytes.len()).map_err(|_| RequestError::FileTooLarge)?;
        let blob = uuid::Uuid::now_v7().simple().to_string();
        Ok(NewBlob { content: Content { blob, size, digest }, bytes })
    }

    /// Stores bytes and answers the content to record; they are durable when this returns.
    ///
    /// # Errors
    /// 503 when they cannot be stored.
    pub(crate) async fn put(&self, book: &str, new: NewBlob) -> Result<Content, ApiError> {
        let NewBlob { content, bytes } = new;
        self.store.put(&blob_path(book, &content.blob)?, bytes.into()).await.map_err(failed)?;
        Ok(content)
    }

    /// The bytes of a blob as a stream; `None` when there is no such blob.
    ///
    /// # Errors
    /// 503 when the store cannot be asked.
    pub(crate) async fn open(
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

    /// The size of a blob and the SHA-256 of its bytes, which are read in pieces; `None` when there
    /// is no such blob.
    ///
    /// # Errors
    /// When the store cannot be asked, or ends in the middle of the blob.
    pub async fn digest(&self, book: &str, blob: &str) -> Result<Option<(u64, String)>, String> {
        let text = |error: object_store::Error| error.to_string();
        // What a row names so cannot be stored.
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
        Ok(Some((size, hexadecimal(&digest.finalize()))))
    }

    /// The bytes of a blob at once; `None` when there is no such blob.
    ///
    /// # Errors
    /// 503 when the store cannot be asked.
    pub(crate) async fn read(&self, book: &str, blob: &str) -> Result<Option<Bytes>, ApiError> {
        let found = match self.store.get(&blob_path(book, blob)?).await {
            Ok(found) => found,
            Err(object_store::Error::NotFound { .. }) => return Ok(None),
            Err(error) => return Err(failed(error)),
        };
        found.bytes().await.map(Some).map_err(failed)
    }

    /// Everything in the store, of all books.
    pub(super) fn list(
        &self,
    ) -> impl Stream<Item = Result<ObjectMeta, object_store::Error>> + use<> {
        self.store.list(None)
    }

    /// Everything in the store of one book.
    pub(super) fn list_book(
        &self,
        book: &str,
    ) -> impl Stream<Item = Result<ObjectMeta, object_store::Error>> + use<> {
        self.store.list(Some(&Path::from(book)))
    }

    /// Stores the deletion note of a book, also of one without blobs: its first may be on its way.
    pub(super) async fn note_deletion(&self, book: &str) -> Result<(), object_store::Error> {
        let note = Path::from_iter([book, DELETED]);
        self.store.put(&note, PutPayload::new()).await.map(drop)
    }

    /// Removes a blob or a note. One that is gone already is no error.
    pub(super) async fn delete(&self, path: &Path) -> Result<(), object_store::Error> {
        match self.store.delete(path).await {
            Err(object_store::Error::NotFound { .. }) | Ok(()) => Ok(()),
            Err(error) => Err(error),
        }
    }
}

/// Whether text may be the public id of a book or the name of a blob: both have 32 hexadecimal
/// digits, and nothing else in the store is Daybook's.
pub(super) fn is_name(text: &str) -> bool {
    text.len() == 32 && text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}

/// `BOOK/BLOB`: the blobs of a book lie together.
fn blob_path(book: &str, blob: &str) -> Result<Path, ApiError> {
    let plain =
        |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_alphanumeric());
    if plain(book) && plain(blob) {
        Ok(Path::from_iter([book, blob]))
    } else {
        // The caller has access to the book, so its id is well-formed.
        Err(RequestError::Failed("a book or blob with an odd name".to_owned()).into())
    }
}

/// A digest as rows have it.
pub(super) fn hexadecimal(digest: &[u8]) -> String {
    digest.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// 503: the store is another machine, or a disk that may be full, so trying again may help.
fn failed(error: object_store::Error) -> ApiError {
    RequestError::FilesUnavailable(error.to_string()).into()
}
