//! The one way from async code into work that blocks or takes long, and back.

use actix_web::web;

use crate::error::{ApiError, Transport};

/// Work on more bytes than these leaves the thread of its request, which serves many others.
const MANY_BYTES: usize = 256 * 1024;

/// Does work on a thread that may block.
///
/// # Errors
/// 500 when the work panicked.
pub(crate) async fn block<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, ApiError> {
    web::block(work)
        .await
        .map_err(|_| Transport::Failed("blocking work was cancelled or panicked".to_owned()).into())
}

/// Does work on so many bytes: at once when they are few, else as [`block`] does.
///
/// # Errors
/// 500 when the work panicked.
pub(crate) async fn compute<T: Send + 'static>(
    bytes: usize,
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, ApiError> {
    if bytes <= MANY_BYTES { Ok(work()) } else { block(work).await }
}
