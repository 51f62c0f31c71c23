//! Reads a row and its blob, although an update may replace the blob in between.

use daybook_domain::file::File;
use daybook_edge::error::{ApiError, RequestError};

/// Opens the blob of a row. If it is missing, finds the row again and opens its blob.
///
/// # Errors
/// The errors of `find` and `open`; 500 if the second blob is missing, too.
pub async fn open_with_row<V, B>(
    first: V,
    find: impl AsyncFnOnce() -> Result<V, ApiError>,
    mut open: impl AsyncFnMut(&V) -> Result<Option<B>, ApiError>,
    file_of: impl FnOnce(&V) -> &File,
) -> Result<(V, B), ApiError> {
    if let Some(bytes) = open(&first).await? {
        return Ok((first, bytes));
    }
    let second = find().await?;
    match open(&second).await? {
        Some(bytes) => Ok((second, bytes)),
        None => Err(missing_blob(file_of(&second))),
    }
}

fn missing_blob(file: &File) -> ApiError {
    RequestError::Failed(format!(
        "the bytes of file {} are missing: {}",
        file.id, file.content.blob
    ))
    .into()
}
