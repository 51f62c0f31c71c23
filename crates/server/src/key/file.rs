//! Files that hold keys: only their owner may read them, and they are whole or not there.

use std::fs::{self, File, OpenOptions};
use std::io::{ErrorKind, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use anyhow::Context;

use crate::private;

/// Only the owner may read.
const MODE: u32 = 0o600;

/// What a key file holds; none when there is no file.
///
/// # Errors
/// A file that cannot be read, or that others may read.
pub(super) fn read(path: &Path) -> anyhow::Result<Option<Vec<u8>>> {
    let shown = path.display();
    let held = match fs::read(path) {
        Ok(held) => held,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error).with_context(|| format!("{shown} cannot be read")),
    };
    private::check_file(path)?;
    Ok(Some(held))
}

/// Makes a file unless there is one, so that of two processes that start at once one wins and both
/// read the same key. What is in it afterwards.
///
/// # Errors
/// When it cannot be made.
pub(super) fn make(path: &Path, held: &[u8]) -> anyhow::Result<Vec<u8>> {
    let temporary = written(path, held)?;
    let linked = fs::hard_link(&temporary, path);
    fs::remove_file(&temporary)?;
    match linked {
        Ok(()) => {
            sync_directory(path)?;
            Ok(held.to_vec())
        }
        Err(error) if error.kind() == ErrorKind::AlreadyExists => {
            read(path)?.with_context(|| format!("{} is gone", path.display()))
        }
        Err(error) => Err(error).with_context(|| format!("{} cannot be made", path.display())),
    }
}

/// Puts a file in the place of the one before. A power cut leaves the one or the other.
///
/// # Errors
/// When it cannot be written.
pub(super) fn replace(path: &Path, held: &[u8]) -> anyhow::Result<()> {
    let temporary = written(path, held)?;
    fs::rename(&temporary, path)
        .with_context(|| format!("{} cannot be replaced", path.display()))?;
    sync_directory(path)
}

fn sync_directory(path: &Path) -> anyhow::Result<()> {
    if let Some(directory) = path.parent() {
        File::open(directory)?.sync_all()?;
    }
    Ok(())
}

/// A temporary file beside the path.
fn written(path: &Path, held: &[u8]) -> anyhow::Result<PathBuf> {
    let temporary = path.with_extension(format!("key.{}", std::process::id()));
    let mut file = OpenOptions::new()
        .write(true)
        .create(true)
        .truncate(true)
        .mode(MODE)
        .open(&temporary)
        .with_context(|| format!("{} cannot be written", temporary.display()))?;
    file.write_all(held)?;
    file.sync_all()?;
    Ok(temporary)
}
