//! The place of backups: a directory or a prefix of a bucket.

use std::fs::{self, File};
use std::future::poll_fn;
use std::io::{ErrorKind, Read, Write};
use std::path::{Path as FilePath, PathBuf};
use std::pin::Pin;
use std::sync::Arc;

use actix_web::rt::{System, SystemRunner};
use anyhow::{Context, bail, ensure};
use futures_core::Stream;
use object_store::buffered::BufWriter;
use object_store::local::LocalFileSystem;
use object_store::path::Path;
use object_store::prefix::PrefixStore;
use object_store::{ObjectMeta, ObjectStore, ObjectStoreExt};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use tokio::io::AsyncWriteExt;

use crate::files::{FileStoreArgs, s3};
use crate::private;

/// Bytes that are read from a file at once.
const PIECE: usize = 1024 * 1024;

/// The size and SHA-256 of a stored object.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Sum {
    pub(super) bytes: u64,
    pub(super) sha256: String,
}

/// A running sum of bytes.
#[derive(Default)]
pub(super) struct Summing {
    bytes: u64,
    digest: Sha256,
}

impl Summing {
    pub(super) fn add(&mut self, piece: &[u8]) {
        self.bytes = self.bytes.saturating_add(u64::try_from(piece.len()).unwrap_or(u64::MAX));
        self.digest.update(piece);
    }

    pub(super) fn finish(self) -> Sum {
        Sum { bytes: self.bytes, sha256: format!("{:x}", self.digest.finalize()) }
    }
}

/// Returns the sum of bytes in memory.
pub(super) fn sum_of(bytes: &[u8]) -> Sum {
    let mut summing = Summing::default();
    summing.add(bytes);
    summing.finish()
}

fn each_piece(
    path: &FilePath,
    mut visit: impl FnMut(&[u8]) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    let mut file = File::open(path).with_context(|| format!("{} is missing", path.display()))?;
    let mut buffer = vec![0; PIECE];
    loop {
        let read = file.read(&mut buffer)?;
        let Some(piece) = buffer.get(..read).filter(|piece| !piece.is_empty()) else {
            return Ok(());
        };
        visit(piece)?;
    }
}

/// A place of backups.
pub(super) struct Place {
    store: Arc<dyn ObjectStore>,
    /// The directory, if it is one.
    folder: Option<PathBuf>,
    runtime: SystemRunner,
}

impl Place {
    /// Opens a place. A directory is created.
    ///
    /// # Errors
    /// A directory that others can read; an invalid address of a bucket.
    pub(super) fn open(url: &str, options: &FileStoreArgs) -> anyhow::Result<Self> {
        let runtime = System::new();
        let Some(place) = url.strip_prefix("s3://") else {
            let folder = PathBuf::from(url);
            private::own_directory(&folder)?;
            let store = LocalFileSystem::new_with_prefix(&folder)
                .with_context(|| format!("{url} cannot be used"))?
                .with_fsync(true)
                .with_automatic_cleanup(true);
            return Ok(Self { store: Arc::new(store), folder: Some(folder), runtime });
        };
        let (bucket, prefix) = place.split_once('/').unwrap_or((place, ""));
        if bucket.is_empty() {
            bail!("invalid address {url:?}: expected a directory or s3://BUCKET/PREFIX");
        }
        let store = s3(options, bucket).with_context(|| format!("{url} cannot be used"))?;
        let store = PrefixStore::new(store, prefix.trim_matches('/'));
        Ok(Self { store: Arc::new(store), folder: None, runtime })
    }

    /// Opens a place that exists. A mistyped directory, or a disk that is not mounted, is not
    /// taken for a place without backups.
    ///
    /// # Errors
    /// Those of [`Self::open`]; a directory that does not exist.
    pub(super) fn existing(url: &str, options: &FileStoreArgs) -> anyhow::Result<Self> {
        let is_there = url.starts_with("s3://") || FilePath::new(url).is_dir();
        ensure!(is_there, "there is no directory {url}: name the place of the backups");
        Self::open(url, options)
    }

    /// Returns the directory, if the place is one.
    pub(super) const fn folder(&self) -> Option<&PathBuf> {
        self.folder.as_ref()
    }

    /// Returns the store, for the bytes of files.
    pub(super) fn store(&self) -> Arc<dyn ObjectStore> {
        Arc::clone(&self.store)
    }

    /// Runs a request to completion.
    pub(super) fn wait<T>(&self, request: impl Future<Output = T>) -> T {
        self.runtime.block_on(request)
    }

    /// Stores bytes.
    ///
    /// # Errors
    /// When the place fails.
    pub(super) fn put(&self, path: &str, bytes: Vec<u8>) -> anyhow::Result<Sum> {
        let sum = sum_of(&bytes);
        self.wait(self.store.put(&Path::from(path), bytes.into()))
            .with_context(|| format!("{path} cannot be stored"))?;
        Ok(sum)
    }

    /// Stores a file in pieces.
    ///
    /// # Errors
    /// When the file cannot be read; when the place fails.
    pub(super) fn put_file(&self, path: &str, from: &FilePath) -> anyhow::Result<Sum> {
        let mut summing = Summing::default();
        let mut writer = BufWriter::new(self.store(), Path::from(path));
        each_piece(from, |piece| {
            summing.add(piece);
            Ok(self.wait(writer.write_all(piece))?)
        })
        .and_then(|()| Ok(self.wait(writer.shutdown())?))
        .with_context(|| format!("{path} cannot be stored"))?;
        Ok(summing.finish())
    }

    /// Returns the size of an object; `None` if it does not exist.
    ///
    /// # Errors
    /// When the place fails.
    pub(super) fn size(&self, path: &str) -> anyhow::Result<Option<u64>> {
        match self.wait(self.store.head(&Path::from(path))) {
            Ok(found) => Ok(Some(found.size)),
            Err(object_store::Error::NotFound { .. }) => Ok(None),
            Err(error) => Err(error).with_context(|| format!("{path} cannot be looked up")),
        }
    }

    /// Reads a small object; `None` if it does not exist.
    ///
    /// # Errors
    /// When the place fails.
    pub(super) fn get(&self, path: &str) -> anyhow::Result<Option<Vec<u8>>> {
        let found = match self.wait(self.store.get(&Path::from(path))) {
            Ok(found) => found,
            Err(object_store::Error::NotFound { .. }) => return Ok(None),
            Err(error) => return Err(error).with_context(|| format!("{path} cannot be read")),
        };
        let bytes = self.wait(found.bytes());
        Ok(Some(bytes.with_context(|| format!("{path} cannot be read"))?.to_vec()))
    }

    /// Copies an object into a new file, and returns its sum.
    ///
    /// # Errors
    /// When the place fails or the object does not exist; when the file cannot be written.
    pub(super) fn get_file(&self, path: &str, to: &FilePath) -> anyhow::Result<Sum> {
        let mut out =
            File::create_new(to).with_context(|| format!("{} cannot be created", to.display()))?;
        let written = || format!("{} cannot be written", to.display());
        let sum = self.read(path, &mut |piece| out.write_all(piece).with_context(written))?;
        out.sync_all().with_context(written)?;
        Ok(sum)
    }

    /// Reads an object in pieces, and returns its sum.
    ///
    /// # Errors
    /// When the place fails or the object does not exist; the errors of `visit`.
    pub(super) fn read(
        &self,
        path: &str,
        visit: &mut dyn FnMut(&[u8]) -> anyhow::Result<()>,
    ) -> anyhow::Result<Sum> {
        let context = || format!("{path} cannot be read");
        let found = self.wait(self.store.get(&Path::from(path))).with_context(context)?;
        let mut pieces = found.into_stream();
        let mut summing = Summing::default();
        while let Some(piece) = self.wait(poll_fn(|cx| Pin::new(&mut pieces).poll_next(cx))) {
            let piece = piece.with_context(context)?;
            summing.add(&piece);
            visit(&piece)?;
        }
        Ok(summing.finish())
    }

    /// Lists the objects below a path.
    ///
    /// # Errors
    /// When the place fails.
    pub(super) fn list(&self, below: &str) -> anyhow::Result<Vec<ObjectMeta>> {
        let mut found = Vec::new();
        let mut objects = self.store.list(Some(&Path::from(below)));
        while let Some(object) = self.wait(poll_fn(|cx| Pin::new(&mut objects).poll_next(cx))) {
            found.push(object.context("the backups cannot be listed")?);
        }
        Ok(found)
    }

    /// Lists the folders at the top.
    ///
    /// # Errors
    /// When the place fails.
    pub(super) fn folders(&self) -> anyhow::Result<Vec<String>> {
        let found = self
            .wait(self.store.list_with_delimiter(None))
            .context("the backups cannot be listed")?;
        Ok(found.common_prefixes.iter().map(ToString::to_string).collect())
    }

    /// Removes an object, if it exists.
    ///
    /// # Errors
    /// When the place fails.
    pub(super) fn delete(&self, path: &Path) -> anyhow::Result<()> {
        match self.wait(self.store.delete(path)) {
            Ok(()) | Err(object_store::Error::NotFound { .. }) => Ok(()),
            Err(error) => Err(error).with_context(|| format!("{path} cannot be removed")),
        }
    }

    /// Removes the folder of a backup, with the drafts of interrupted writes (`NAME#N`), which are
    /// not listed. A bucket has neither.
    ///
    /// # Errors
    /// When the folder cannot be removed.
    pub(super) fn remove_folder(&self, backup: &str) -> anyhow::Result<()> {
        let Some(place) = &self.folder else { return Ok(()) };
        match fs::remove_dir_all(place.join(backup)) {
            Ok(()) => Ok(()),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
            Err(error) => Err(error).with_context(|| format!("{backup} cannot be removed")),
        }
    }
}
