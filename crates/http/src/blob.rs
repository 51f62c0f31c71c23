//! The bytes of files: kept outside of the database, on disk or in any store that speaks S3, under
//! a name that is used once. They are written before the row that names them and never changed;
//! what no row names goes with the sweep.

use std::path::PathBuf;
use std::pin::pin;
use std::sync::Arc;

use actix_web::web::Bytes;
use daybook_domain::file::Content;
use futures_core::Stream;
use object_store::path::Path;
use object_store::{ObjectMeta, ObjectStore, ObjectStoreExt, PutPayload};
use sha2::{Digest, Sha256};

use crate::blocking;
use crate::error::{ApiError, Transport};

/// The name of the note that a book was deleted. Blobs have longer ones.
pub(crate) const DELETED: &str = "deleted";

/// Where the bytes of all books are kept.
#[derive(Debug, Clone)]
pub struct Blobs {
    store: Arc<dyn ObjectStore>,
    /// The folder, when they are on this machine's disk: writes that were cut off leave drafts in
    /// it.
    folder: Option<PathBuf>,
}

impl Blobs {
    /// Bytes in a folder; `store` must be rooted there and sync what it writes.
    #[must_use]
    pub fn on_disk(store: Arc<dyn ObjectStore>, folder: PathBuf) -> Self {
        Self { store, folder: Some(folder) }
    }

    /// Bytes in a store elsewhere, which is trusted to keep what it has accepted.
    #[must_use]
    pub fn elsewhere(store: Arc<dyn ObjectStore>) -> Self {
        Self { store, folder: None }
    }

    pub(crate) fn folder(&self) -> Option<&PathBuf> {
        self.folder.as_ref()
    }

    /// What is to be known of bytes, and a place of their own for them.
    pub(crate) async fn prepare(&self, bytes: Bytes) -> Result<(Content, Bytes), ApiError> {
        let digested = bytes.clone();
        let digest = move || {
            Sha256::digest(&digested).iter().map(|byte| format!("{byte:02x}")).collect::<String>()
        };
        let digest = blocking::compute(bytes.len(), digest).await?;
        let size = i64::try_from(bytes.len()).map_err(|_| Transport::FileTooLarge)?;
        Ok((Content { blob: uuid::Uuid::now_v7().simple().to_string(), size, digest }, bytes))
    }

    /// Stores bytes; they are durable when this returns.
    pub(crate) async fn put(
        &self,
        book: &str,
        content: &Content,
        bytes: Bytes,
    ) -> Result<(), ApiError> {
        self.store.put(&place(book, &content.blob)?, bytes.into()).await.map(drop).map_err(failed)
    }

    /// The bytes as they come, or none.
    pub(crate) async fn open(
        &self,
        book: &str,
        blob: &str,
    ) -> Result<Option<impl Stream<Item = Result<Bytes, object_store::Error>> + use<>>, ApiError>
    {
        match self.store.get(&place(book, blob)?).await {
            Ok(found) => Ok(Some(found.into_stream())),
            Err(object_store::Error::NotFound { .. }) => Ok(None),
            Err(error) => Err(failed(error)),
        }
    }

    /// The bytes, or none.
    pub(crate) async fn read(&self, book: &str, blob: &str) -> Result<Option<Bytes>, ApiError> {
        let found = match self.store.get(&place(book, blob)?).await {
            Ok(found) => found,
            Err(object_store::Error::NotFound { .. }) => return Ok(None),
            Err(error) => return Err(failed(error)),
        };
        found.bytes().await.map(Some).map_err(failed)
    }

    /// Everything that is kept, of all books.
    pub(crate) fn list(
        &self,
    ) -> impl Stream<Item = Result<ObjectMeta, object_store::Error>> + use<> {
        self.store.list(None)
    }

    /// Everything that is kept of a book.
    pub(crate) fn list_book(
        &self,
        book: &str,
    ) -> impl Stream<Item = Result<ObjectMeta, object_store::Error>> + use<> {
        self.store.list(Some(&Path::from(book)))
    }

    /// Notes that a book is about to be deleted, when it has bytes here. It says nothing while the
    /// book is there.
    pub(crate) async fn mark_deleted(&self, book: &str) -> Result<(), ApiError> {
        let mut all = pin!(self.list_book(book));
        match std::future::poll_fn(|cx| Stream::poll_next(all.as_mut(), cx)).await {
            None => Ok(()),
            Some(Ok(_)) => self
                .store
                .put(&place(book, DELETED)?, PutPayload::new())
                .await
                .map(drop)
                .map_err(failed),
            Some(Err(error)) => Err(failed(error)),
        }
    }

    /// Removes bytes; that they are gone already is fine.
    pub(crate) async fn delete(&self, place: &Path) -> Result<(), object_store::Error> {
        match self.store.delete(place).await {
            Err(object_store::Error::NotFound { .. }) | Ok(()) => Ok(()),
            Err(error) => Err(error),
        }
    }
}

/// Whether text may be the key of a book or the name of a blob: both are 32 hex digits, and nothing
/// else in the store is ours.
pub(crate) fn is_name(text: &str) -> bool {
    text.len() == 32 && text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}

/// `BOOK/BLOB`: a book's bytes lie together.
fn place(book: &str, blob: &str) -> Result<Path, ApiError> {
    let plain =
        |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_alphanumeric());
    if plain(book) && plain(blob) {
        Ok(Path::from_iter([book, blob]))
    } else {
        // The book was entered before, so its id is one of ours.
        Err(Transport::Failed("a book or blob with an odd name".to_owned()).into())
    }
}

/// The store is another machine, or a disk that may be full: trying again may help.
fn failed(error: object_store::Error) -> ApiError {
    Transport::FilesUnavailable(error.to_string()).into()
}
