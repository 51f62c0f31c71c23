//! The one way from async code into work that blocks or takes long, and back.

use actix_web::web;

/// Blocking work was cancelled or panicked. What it panicked with is in the log.
#[derive(Debug, thiserror::Error)]
#[error("blocking work was cancelled or panicked")]
pub struct Panicked;

/// Work on more bytes than these leaves the thread of its request, which serves many others.
const MANY_BYTES: usize = 256 * 1024;

/// Does work on a thread that may block.
///
/// # Errors
/// [`Panicked`], also when the work was cancelled because the process ends.
pub async fn block<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, Panicked> {
    web::block(work).await.map_err(|_| Panicked)
}

/// Does work on so many bytes: at once when they are few, else as [`block`] does.
///
/// # Errors
/// [`Panicked`], also when the work was cancelled because the process ends.
pub(crate) async fn compute<T: Send + 'static>(
    bytes: usize,
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, Panicked> {
    if bytes <= MANY_BYTES { Ok(work()) } else { block(work).await }
}
