//! Stores blobs before the unit of work that records their rows.
//!
//! Each function first checks on a snapshot whether the use case would refuse.

use actix_web::web::Bytes;
use daybook_blobs::NewBlob;
use daybook_domain::file::{Changes, Content, MAX_BYTES};
use daybook_edge::error::{ApiError, RequestError};
use daybook_service::file::OfferedContent;
use daybook_service::{Context, file};
use daybook_storage::Tx;

use super::shape::FileIn;
use crate::request::ApiRequest;

/// Stores the bytes of a new file and returns the content for its row.
///
/// # Errors
/// The refusals of createFile; 503 when the blob store fails.
pub(crate) async fn store_new_file(
    request: &ApiRequest,
    changes: &Changes,
    bytes: Bytes,
) -> Result<Content, ApiError> {
    request.check_write()?;
    let blob = request.state.blobs.new_blob(bytes).await?;
    let (id, changes, content) = (request.book(), changes.clone(), blob.content.clone());
    let check =
        move |tx: &mut Tx<'_>, cx: &Context| file::check_create(tx, cx, &id, changes, content);
    let limit = request.on_snapshot(check).await?;
    put(request, blob, limit).await
}

/// Stores bytes of the caller within the upload limit, and returns the content for their row.
///
/// # Errors
/// 429 beyond the limit; 503 when the blob store fails.
pub(crate) async fn store_bytes(
    request: &ApiRequest,
    bytes: Bytes,
    limit: Option<i64>,
) -> Result<Content, ApiError> {
    let blob = request.state.blobs.new_blob(bytes).await?;
    put(request, blob, limit).await
}

/// Stores bytes of the caller within the upload limit.
///
/// # Errors
/// 429 beyond the limit; 503 when the blob store fails.
async fn put(request: &ApiRequest, blob: NewBlob, limit: Option<i64>) -> Result<Content, ApiError> {
    take(request, blob.content.size, limit)?;
    request.state.blobs.put(&request.book(), blob).await
}

/// Counts a piece of a content that is stored in parts.
///
/// # Errors
/// 429 beyond the limit.
pub(crate) fn take_upload(
    request: &ApiRequest,
    bytes: usize,
    limit: Option<i64>,
) -> Result<(), ApiError> {
    take(request, i64::try_from(bytes).unwrap_or(i64::MAX), limit)
}

fn take(request: &ApiRequest, bytes: i64, limit: Option<i64>) -> Result<(), ApiError> {
    let Some(limit) = limit else { return Ok(()) };
    let user = request.cx.quota_subject();
    Ok(request.state.uploads.take(user, bytes, limit).map_err(RequestError::from)?)
}

/// The content of an update of a file.
pub(crate) enum Update {
    /// New content, which was stored.
    New(Content),
    /// The digest of the sent content, which the file has already. Nothing was stored. The row must
    /// still have this digest when it is updated.
    Unchanged(String),
}

/// Stores the bytes of an updated file, unless the file has them already.
///
/// # Errors
/// The refusals of updateFile; 503 when the blob store fails.
pub(crate) async fn store_changed_file(
    request: &ApiRequest,
    changes: &Changes,
    bytes: Bytes,
) -> Result<Update, ApiError> {
    request.check_write()?;
    let blob = request.state.blobs.new_blob(bytes).await?;
    let (id, changes) =
        (request.book(), Changes { content: Some(blob.content.clone()), ..changes.clone() });
    let check = move |tx: &mut Tx<'_>, cx: &Context| file::check_update(tx, cx, &id, changes);
    Ok(match request.on_snapshot(check).await? {
        OfferedContent::New { max_upload } => Update::New(put(request, blob, max_upload).await?),
        OfferedContent::Same => Update::Unchanged(blob.content.digest),
    })
}

/// Stores the bytes of new files that the server makes, and returns their contents.
///
/// # Errors
/// The refusals of recording a draft; 413 for too large content; 503 when the blob store fails.
pub(crate) async fn store_contents(
    request: &ApiRequest,
    files: Vec<Vec<u8>>,
) -> Result<Vec<Content>, ApiError> {
    if files.iter().any(|bytes| bytes.len() > MAX_BYTES) {
        return Err(RequestError::FileTooLarge.into());
    }
    let size = files.iter().map(Vec::len).sum::<usize>();
    let size = i64::try_from(size).map_err(|_| RequestError::FileTooLarge)?;
    let (id, count) = (request.book(), files.len());
    let check = move |tx: &mut Tx<'_>, cx: &Context| file::check_attach(tx, cx, &id, count, size);
    let limit = request.on_snapshot(check).await?;
    let mut contents = Vec::with_capacity(count);
    for bytes in files {
        let blob = request.state.blobs.new_blob(bytes.into()).await?;
        contents.push(put(request, blob, limit).await?);
    }
    Ok(contents)
}

/// Stores the bytes of the attachments of transactions (behaviour 3.2.12).
///
/// First checks that the caller may record so many transactions. Bytes of existing files and of
/// refused items become orphans.
///
/// # Errors
/// The refusals of recording a draft; 413 for too large content; 503 when the blob store fails.
pub(crate) async fn store_attachments(
    request: &ApiRequest,
    transactions: usize,
    files: impl Iterator<Item = &mut FileIn>,
) -> Result<(), ApiError> {
    let files: Vec<&mut FileIn> = files.collect();
    let size = files.iter().map(|entry| entry.size()).sum::<usize>();
    let size = i64::try_from(size).map_err(|_| RequestError::FileTooLarge)?;
    let mut upload_limit = None;
    for entry in files {
        let Some(bytes) = entry.take_bytes()? else { continue };
        let limit = match upload_limit {
            Some(limit) => limit,
            None => {
                request.check_write()?;
                let id = request.book();
                let check = move |tx: &mut Tx<'_>, cx: &Context| {
                    file::check_attach(tx, cx, &id, transactions, size)
                };
                *upload_limit.insert(request.on_snapshot(check).await?)
            }
        };
        let blob = request.state.blobs.new_blob(bytes).await?;
        entry.set_stored(put(request, blob, limit).await?);
    }
    Ok(())
}
