//! Reading the blob that a row names, although an update may replace it between the two.

use daybook_domain::file::File;

use crate::error::{ApiError, RequestError};

/// Reads the bytes of a file whose row has been found, together with that row. When the bytes are
/// not there the row is found once more: an update has put others in their place.
///
/// # Errors
/// What `find` and `open` refuse; 500 when the bytes are missing although no update replaced them.
pub(crate) async fn with_row<V, B>(
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
        None => Err(lost(file_of(&second))),
    }
}

/// The bytes that a row names are not there, which they always should be.
fn lost(file: &File) -> ApiError {
    RequestError::Failed(format!(
        "the bytes of file {} are missing: {}",
        file.id, file.content.blob
    ))
    .into()
}
