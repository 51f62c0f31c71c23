//! Verification of the bytes of files against the SHA-256 in their row (behaviour 9.21).

use std::future::poll_fn;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use actix_web::web::Bytes;
use daybook_domain::file::File;
use daybook_domain::id::FileId;
use daybook_edge::blocking;
use daybook_edge::error::{ApiError, RequestError};
use futures_core::Stream;
use sha2::{Digest, Sha256};

/// The bytes of a file differ from those that were stored.
#[derive(Debug, thiserror::Error)]
#[error("the bytes of file {file} of book {book} differ from its SHA-256")]
pub(crate) struct BytesMismatch {
    book: String,
    file: FileId,
}

impl BytesMismatch {
    /// Creates the error and logs it.
    fn log(book: &str, file: FileId) -> Self {
        tracing::error!(book, file = %file, "the bytes of a file differ from its SHA-256");
        Self { book: book.to_owned(), file }
    }
}

/// Verifies all bytes of a file at once.
///
/// # Errors
/// 500 if they differ.
pub async fn verify(book: &str, file: &File, bytes: &Bytes) -> Result<(), ApiError> {
    let bytes_of_digest = bytes.clone();
    let digest = move || format!("{:x}", Sha256::digest(&bytes_of_digest));
    if blocking::compute(bytes.len(), digest).await? == file.content.digest {
        return Ok(());
    }
    Err(RequestError::Failed(BytesMismatch::log(book, file.id).to_string()).into())
}

/// A stream of the bytes of a file, which verifies them.
///
/// If the bytes differ, the stream ends with an error instead of its last piece. The connection is
/// then closed before the content length is reached, so the client detects the error.
pub struct VerifiedBytes<S> {
    inner: S,
    digest: Sha256,
    /// The last piece that was read. It is yielded after the next one was read.
    pending: Option<Bytes>,
    has_ended: bool,
    book: String,
    file: FileId,
    expected: String,
}

type StreamError = Box<dyn std::error::Error>;

impl<S> VerifiedBytes<S> {
    /// Wraps a stream of the bytes of a file.
    pub fn new(inner: S, book: &str, file: &File) -> Self {
        Self {
            inner,
            digest: Sha256::new(),
            pending: None,
            has_ended: false,
            book: book.to_owned(),
            file: file.id,
            expected: file.content.digest.clone(),
        }
    }

    /// Returns the last piece, or an error if the bytes differ.
    fn finish(&mut self) -> Option<Result<Bytes, StreamError>> {
        let pending = self.pending.take();
        if format!("{:x}", self.digest.finalize_reset()) == self.expected {
            return pending.map(Ok);
        }
        Some(Err(BytesMismatch::log(&self.book, self.file).into()))
    }
}

impl<S, E> VerifiedBytes<S>
where
    S: Stream<Item = Result<Bytes, E>> + Unpin,
    E: std::error::Error + 'static,
{
    /// Returns the next piece; `None` at the end.
    ///
    /// # Errors
    /// When the store fails; when the bytes differ.
    pub async fn next(&mut self) -> Option<Result<Bytes, StreamError>> {
        poll_fn(|cx| Pin::new(&mut *self).poll_next(cx)).await
    }
}

impl<S, E> Stream for VerifiedBytes<S>
where
    S: Stream<Item = Result<Bytes, E>> + Unpin,
    E: std::error::Error + 'static,
{
    type Item = Result<Bytes, StreamError>;

    fn poll_next(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let this = self.get_mut();
        while !this.has_ended {
            let Some(piece) = ready!(Pin::new(&mut this.inner).poll_next(cx)) else {
                this.has_ended = true;
                return Poll::Ready(this.finish());
            };
            match piece {
                Ok(piece) => {
                    this.digest.update(&piece);
                    if let Some(before) = this.pending.replace(piece) {
                        return Poll::Ready(Some(Ok(before)));
                    }
                }
                Err(error) => {
                    this.has_ended = true;
                    return Poll::Ready(Some(Err(error.into())));
                }
            }
        }
        Poll::Ready(None)
    }
}
