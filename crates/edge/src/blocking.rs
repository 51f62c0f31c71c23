//! The blocking pool: the only way from async code to blocking or CPU-bound work.

use actix_web::web;

/// Blocking work was cancelled or panicked. The panic is logged.
#[derive(Debug, thiserror::Error)]
#[error("blocking work was cancelled or panicked")]
pub struct BlockingError;

/// Work on more bytes runs on the blocking pool. The thread of a request serves many others.
const MAX_INLINE: usize = 256 * 1024;

/// Runs work on the blocking pool.
///
/// # Errors
/// [`BlockingError`], also when the work was cancelled because the process ends.
pub async fn block<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, BlockingError> {
    web::block(work).await.map_err(|_| BlockingError)
}

/// Runs work on `bytes` bytes: inline if they are few, otherwise on the blocking pool.
///
/// # Errors
/// [`BlockingError`], also when the work was cancelled because the process ends.
pub async fn compute<T: Send + 'static>(
    bytes: usize,
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, BlockingError> {
    if bytes <= MAX_INLINE { Ok(work()) } else { block(work).await }
}
