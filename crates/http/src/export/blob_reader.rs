//! Reads the bytes of files for code that blocks.
//!
//! The store of files is asynchronous, and an export runs on the blocking pool. A task opens one
//! file after the other and passes its pieces through a short channel.

use actix_web::web::{Bytes, Data};
use daybook_blobs::VerifiedBytes;
use daybook_domain::file::File;
use daybook_service::{self as service, Error};
use tokio::sync::mpsc::{Receiver, Sender, channel};

use crate::state::AppState;

/// The pieces that wait for the reader.
const WAITING_PIECES: usize = 2;

/// A piece of a file, or why it cannot be read.
type Piece = Result<Bytes, String>;

/// A file to read.
struct BlobRequest {
    book: String,
    file: File,
    pieces: Sender<Piece>,
}

/// Reads the bytes of files; dropping it ends its task.
pub(super) struct BlobReader(Sender<BlobRequest>);

impl BlobReader {
    /// Starts the task.
    pub(super) fn start(state: Data<AppState>) -> Self {
        let (sender, requests) = channel(1);
        actix_web::rt::spawn(serve(state, requests));
        Self(sender)
    }

    /// Passes the bytes of a file to `visit`, and verifies them against its SHA-256.
    ///
    /// # Errors
    /// If they are missing or differ; those of `visit`.
    pub(super) fn read(
        &self,
        book: &str,
        file: &File,
        mut visit: impl FnMut(&[u8]) -> service::Result<()>,
    ) -> service::Result<()> {
        let (sender, mut pieces) = channel(WAITING_PIECES);
        let request = BlobRequest { book: book.to_owned(), file: file.clone(), pieces: sender };
        let failed = |text: String| Error::BadRequest(format!("file {}: {text}", file.id));
        let ended = || failed("its bytes ended early".to_owned());
        self.0.blocking_send(request).map_err(|_| ended())?;
        let mut left = file.content.size;
        while let Some(piece) = pieces.blocking_recv() {
            let piece = piece.map_err(failed)?;
            left = left.saturating_sub(i64::try_from(piece.len()).unwrap_or(i64::MAX));
            visit(&piece)?;
        }
        if left == 0 { Ok(()) } else { Err(ended()) }
    }
}

async fn serve(state: Data<AppState>, mut requests: Receiver<BlobRequest>) {
    while let Some(BlobRequest { book, file, pieces }) = requests.recv().await {
        let mut bytes = match state.blobs.open(&book, &file.content.blob).await {
            Ok(Some(bytes)) => VerifiedBytes::new(bytes, &book, &file),
            Ok(None) => {
                let _ = pieces.send(Err("its bytes are missing".to_owned())).await;
                continue;
            }
            Err(error) => {
                let _ = pieces.send(Err(error.to_string())).await;
                continue;
            }
        };
        while let Some(piece) = bytes.next().await {
            let piece = piece.map_err(|error| error.to_string());
            // The reader is gone if the client is.
            if pieces.send(piece).await.is_err() {
                break;
            }
        }
    }
}
