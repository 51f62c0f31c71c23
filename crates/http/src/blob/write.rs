//! Storing bytes before the unit of work that records the row naming them. Every function asks the
//! use case on a snapshot first, and stores nothing when it would refuse.

use actix_web::web::Bytes;
use daybook_domain::file::{Changes, Content};
use daybook_service::file::OfferedContent;
use daybook_service::{Context, file};
use daybook_storage::Tx;

use super::store::NewBlob;
use crate::error::{ApiError, RequestError};
use crate::file::shape::FileIn;
use crate::request::ApiRequest;

/// Stores the bytes of a new file and answers the content to record.
///
/// # Errors
/// What createFile would refuse; 503 when the bytes cannot be stored.
pub(crate) async fn of_new_file(
    request: &ApiRequest,
    changes: &Changes,
    bytes: Bytes,
) -> Result<Content, ApiError> {
    request.check_write()?;
    let blob = request.state.blobs.new_blob(bytes).await?;
    let (id, draft) = (request.book(), (changes.clone(), blob.content.clone()));
    let limit = request.on_snapshot(move |tx, cx| file::check_create(tx, cx, &id, draft)).await?;
    put(request, blob, limit).await
}

/// Stores bytes of the caller, who may send so many.
///
/// # Errors
/// 429 for more; 503 when they cannot be stored.
async fn put(request: &ApiRequest, blob: NewBlob, limit: Option<i64>) -> Result<Content, ApiError> {
    let (uploads, user) = (&request.state.uploads, request.cx.payer());
    let taken = limit.map(|limit| uploads.take(user, blob.content.size, limit));
    taken.transpose().map_err(RequestError::from)?;
    request.state.blobs.put(&request.book(), blob).await
}

/// What an update of a file does with the bytes it brought.
pub(crate) enum Update {
    /// They are stored; the row is to name this content.
    New(Content),
    /// The file has them already. Nothing is stored, and the row is to keep its content if that
    /// still has this digest.
    Unchanged(String),
}

/// Stores the bytes that an update of a file brings, unless the file has them already.
///
/// # Errors
/// What updateFile would refuse; 503 when the bytes cannot be stored.
pub(crate) async fn of_changed_file(
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
        OfferedContent::New { most_sent } => Update::New(put(request, blob, most_sent).await?),
        OfferedContent::Same => Update::Unchanged(blob.content.digest),
    })
}

/// Stores the bytes that files of transactions bring (behaviour 3.2.12), once it is known that the
/// caller may record so many transactions. Bytes of a file that exists already, or of an item that
/// comes to nothing, become orphans.
///
/// # Errors
/// What recording a draft refuses; 413 for content beyond the limit; 503 when bytes cannot be
/// stored.
pub(crate) async fn of_attachments(
    request: &ApiRequest,
    transactions: usize,
    files: impl Iterator<Item = &mut FileIn>,
) -> Result<(), ApiError> {
    let files: Vec<&mut FileIn> = files.collect();
    let size = files.iter().map(|entry| entry.size()).sum::<usize>();
    let size = i64::try_from(size).map_err(|_| RequestError::FileTooLarge)?;
    let mut admitted = None;
    for entry in files {
        let Some(bytes) = entry.take_bytes()? else { continue };
        let limit = match admitted {
            Some(limit) => limit,
            None => {
                request.check_write()?;
                let (id, all) = (request.book(), (transactions, size));
                let check =
                    move |tx: &mut Tx<'_>, cx: &Context| file::check_attach(tx, cx, &id, all);
                *admitted.insert(request.on_snapshot(check).await?)
            }
        };
        let blob = request.state.blobs.new_blob(bytes).await?;
        entry.set_stored(put(request, blob, limit).await?);
    }
    Ok(())
}
