//! Files that are read while they are sent.

use std::io;
use std::path::{Path, PathBuf};
use std::pin::Pin;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll, ready};

use bytes::Bytes;
use http_body::{Body, Frame, SizeHint};
use tokio::fs::File;
use tokio::io::{AsyncRead, ReadBuf};

/// Bytes that are read at once.
const BLOCK: usize = 64 * 1024;

/// The state of an upload, for the task that waits for the response.
#[derive(Debug, Default)]
pub(crate) struct Progress {
    sent: AtomicU64,
    fault: Mutex<Option<io::Error>>,
}

impl Progress {
    /// Returns how many bytes were passed to the connection.
    pub(crate) fn sent(&self) -> u64 {
        self.sent.load(Ordering::Relaxed)
    }

    /// Returns why the file could not be read, once.
    pub(crate) fn take_fault(&self) -> Option<io::Error> {
        self.fault.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

/// The content of a file as the body of a request. Its length is that of the file when it is
/// opened.
#[derive(Debug)]
pub(crate) struct Upload {
    path: PathBuf,
    file: File,
    /// Bytes that are not sent yet.
    left: u64,
    block: Box<[u8]>,
    progress: Arc<Progress>,
}

impl Upload {
    /// Opens a file.
    pub(crate) async fn open(path: &Path) -> io::Result<Self> {
        let (file, left) = open(path).await.map_err(|error| with_path(path, &error))?;
        let block = vec![0; BLOCK].into_boxed_slice();
        Ok(Self { path: path.to_owned(), file, left, block, progress: Arc::default() })
    }

    /// Returns the state, which the upload changes as it is sent.
    pub(crate) fn progress(&self) -> Arc<Progress> {
        Arc::clone(&self.progress)
    }

    /// Reads the next bytes, at most those of a block.
    fn poll_block(&mut self, context: &mut Context<'_>) -> Poll<io::Result<Bytes>> {
        let mut block = ReadBuf::new(&mut self.block);
        ready!(Pin::new(&mut self.file).poll_read(context, &mut block))?;
        let mut bytes = Bytes::copy_from_slice(block.filled());
        if bytes.is_empty() {
            let message = "the file became shorter while it was sent";
            return Poll::Ready(Err(io::Error::new(io::ErrorKind::UnexpectedEof, message)));
        }
        bytes.truncate(usize::try_from(self.left).unwrap_or(usize::MAX));
        let count = u64::try_from(bytes.len()).unwrap_or(u64::MAX);
        self.left = self.left.saturating_sub(count);
        self.progress.sent.fetch_add(count, Ordering::Relaxed);
        Poll::Ready(Ok(bytes))
    }
}

impl Body for Upload {
    type Data = Bytes;
    type Error = io::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<io::Result<Frame<Bytes>>>> {
        if self.left == 0 {
            return Poll::Ready(None);
        }
        let read = ready!(self.poll_block(context));
        Poll::Ready(Some(read.map(Frame::data).inspect_err(|error| {
            // The connection wraps the error of a body in its own.
            let fault = Some(with_path(&self.path, error));
            *self.progress.fault.lock().unwrap_or_else(PoisonError::into_inner) = fault;
        })))
    }

    fn is_end_stream(&self) -> bool {
        self.left == 0
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::with_exact(self.left)
    }
}

/// Opens a file, and returns its size.
async fn open(path: &Path) -> io::Result<(File, u64)> {
    let file = File::open(path).await?;
    let metadata = file.metadata().await?;
    match metadata.is_file() {
        true => Ok((file, metadata.len())),
        false => Err(io::Error::new(io::ErrorKind::InvalidInput, "not a regular file")),
    }
}

fn with_path(path: &Path, error: &io::Error) -> io::Error {
    io::Error::new(error.kind(), format!("{}: {error}", path.display()))
}

#[cfg(test)]
mod tests {
    use std::future::poll_fn;
    use std::io::Write;

    use super::*;

    /// Reads a file of 100,000 bytes, after a change when it is open.
    async fn read_changed(name: &str, change: impl FnOnce(&mut std::fs::File)) -> (usize, String) {
        let path = std::env::temp_dir().join(format!("daybook-{name}-{}", std::process::id()));
        std::fs::write(&path, vec![7; 100_000]).unwrap();
        let mut upload = Upload::open(&path).await.unwrap();
        let progress = upload.progress();
        change(&mut std::fs::File::options().append(true).open(&path).unwrap());
        let mut bytes = Vec::new();
        while let Some(Ok(frame)) = poll_fn(|cx| Pin::new(&mut upload).poll_frame(cx)).await {
            bytes.extend(frame.into_data().unwrap());
        }
        std::fs::remove_file(&path).unwrap();
        assert_eq!(progress.sent(), u64::try_from(bytes.len()).unwrap());
        assert!(bytes.iter().all(|byte| *byte == 7));
        let fault = progress.take_fault().map(|fault| fault.to_string()).unwrap_or_default();
        (bytes.len(), fault.replace(&path.display().to_string(), "PATH"))
    }

    #[tokio::test]
    async fn length_is_that_of_the_opened_file() {
        let whole = |count| (count, String::new());
        assert_eq!(read_changed("same", |_| {}).await, whole(100_000));
        let longer = read_changed("longer", |file| file.write_all(&[8; 100_000]).unwrap());
        assert_eq!(longer.await, whole(100_000));
        let shorter = read_changed("shorter", |file| file.set_len(10).unwrap()).await;
        assert_eq!(shorter, (10, "PATH: the file became shorter while it was sent".to_owned()));
        let directory = Upload::open(&std::env::temp_dir()).await.unwrap_err();
        assert!(directory.to_string().ends_with(": not a regular file"), "{directory}");
    }
}
