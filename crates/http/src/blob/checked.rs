//! Compares bytes with the SHA-256 in the row of their file before a reader has all of them
//! (behaviour 9.21).

use std::pin::Pin;
use std::task::{Context, Poll, ready};

use actix_web::web::Bytes;
use daybook_domain::file::File;
use daybook_domain::id::FileId;
use futures_core::Stream;
use sha2::{Digest, Sha256};

use super::store::hexadecimal;
use crate::blocking;
use crate::error::{ApiError, RequestError};

/// The bytes of a file are not those that were stored.
#[derive(Debug, thiserror::Error)]
#[error("the bytes of file {file} of book {book} differ from its SHA-256")]
pub(crate) struct ChangedBytes {
    book: String,
    file: FileId,
}

impl ChangedBytes {
    fn logged(book: &str, file: FileId) -> Self {
        tracing::error!(book, file = %file, "the bytes of a file differ from its SHA-256");
        Self { book: book.to_owned(), file }
    }
}

/// Checks all bytes of a file at once.
///
/// # Errors
/// 500 when they differ.
pub(crate) async fn check(book: &str, file: &File, bytes: &Bytes) -> Result<(), ApiError> {
    let digested = bytes.clone();
    let digest = move || hexadecimal(&Sha256::digest(&digested));
    if blocking::compute(bytes.len(), digest).await? == file.content.digest {
        return Ok(());
    }
    Err(RequestError::Failed(ChangedBytes::logged(book, file.id).to_string()).into())
}

/// The bytes of a file as a stream that ends with an error, instead of its last piece, when they
/// differ. The connection breaks then, so no reader takes them for the file.
pub(crate) struct CheckedBytes<S> {
    inner: S,
    digest: Sha256,
    /// The last piece that was read, which is handed out when the next one has come.
    held: Option<Bytes>,
    has_ended: bool,
    book: String,
    file: FileId,
    expected: String,
}

/// Why a stream breaks off.
type BreakOff = Box<dyn std::error::Error>;

impl<S> CheckedBytes<S> {
    /// The bytes of a file of a book.
    pub(crate) fn new(inner: S, book: &str, file: &File) -> Self {
        Self {
            inner,
            digest: Sha256::new(),
            held: None,
            has_ended: false,
            book: book.to_owned(),
            file: file.id,
            expected: file.content.digest.clone(),
        }
    }

    /// The last piece, when the bytes are those that were stored.
    fn end(&mut self) -> Option<Result<Bytes, BreakOff>> {
        let held = self.held.take();
        if hexadecimal(&self.digest.finalize_reset()) == self.expected {
            return held.map(Ok);
        }
        Some(Err(ChangedBytes::logged(&self.book, self.file).into()))
    }
}

impl<S, E> Stream for CheckedBytes<S>
where
    S: Stream<Item = Result<Bytes, E>> + Unpin,
    E: std::error::Error + 'static,
{
    type Item = Result<Bytes, BreakOff>;

    fn poll_next(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let this = self.get_mut();
        while !this.has_ended {
            let Some(piece) = ready!(Pin::new(&mut this.inner).poll_next(cx)) else {
                this.has_ended = true;
                return Poll::Ready(this.end());
            };
            match piece {
                Ok(piece) => {
                    this.digest.update(&piece);
                    if let Some(before) = this.held.replace(piece) {
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
