//! Files with keys. Only their owner may read them, and they are complete or absent.
//!
//! A process that is killed while it writes one leaves a temporary file, which the next process
//! removes.

use std::fs::{self, File, OpenOptions};
use std::io::{ErrorKind, Write};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use anyhow::Context;
use tracing::{info, warn};

use crate::{clock, private};

/// The mode of key files: only the owner may read and write.
const MODE: u32 = 0o600;
/// Seconds after which a temporary file is stale. Writing one takes milliseconds.
const MIN_AGE: i64 = 600;

/// Reads a key file. Returns `None` if it does not exist.
///
/// # Errors
/// A file that cannot be read, or that others may read.
pub(super) fn read(path: &Path) -> anyhow::Result<Option<Vec<u8>>> {
    let shown = path.display();
    let content = match fs::read(path) {
        Ok(content) => content,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error).with_context(|| format!("{shown} cannot be read")),
    };
    private::check_file(path)?;
    Ok(Some(content))
}

/// Creates a key file unless it exists, and returns its content.
///
/// If two processes start at the same time, one creates the file and both return the same key.
///
/// # Errors
/// When the file cannot be created.
pub(super) fn create(path: &Path, content: &[u8]) -> anyhow::Result<Vec<u8>> {
    let temporary = write_temporary(path, content)?;
    let linked = fs::hard_link(&temporary, path);
    fs::remove_file(&temporary)?;
    match linked {
        Ok(()) => {
            sync_directory(path)?;
            Ok(content.to_vec())
        }
        Err(error) if error.kind() == ErrorKind::AlreadyExists => {
            read(path)?.with_context(|| format!("{} has disappeared", path.display()))
        }
        Err(error) => Err(error).with_context(|| format!("{} cannot be created", path.display())),
    }
}

/// Replaces a key file atomically.
///
/// # Errors
/// When the file cannot be written.
pub(super) fn replace(path: &Path, content: &[u8]) -> anyhow::Result<()> {
    let temporary = write_temporary(path, content)?;
    fs::rename(&temporary, path)
        .with_context(|| format!("{} cannot be replaced", path.display()))?;
    sync_directory(path)
}

/// Removes stale temporary files of a key file: see [`write_temporary`].
///
/// # Errors
/// When the directory cannot be read.
pub(super) fn remove_leftovers(path: &Path) -> anyhow::Result<()> {
    let (Some(directory), Some(name)) = (path.parent(), path.file_name()) else { return Ok(()) };
    let before = clock::now().seconds().saturating_sub(MIN_AGE);
    for entry in fs::read_dir(directory)? {
        let entry = entry?;
        let rest = entry.file_name().as_bytes().strip_prefix(name.as_bytes()).map(<[u8]>::to_vec);
        let process = rest.as_deref().and_then(|rest| rest.strip_prefix(b"."));
        let is_temporary = process
            .is_some_and(|process| !process.is_empty() && process.iter().all(u8::is_ascii_digit));
        let is_old = || entry.metadata().is_ok_and(|data| data.mtime() < before);
        if is_temporary && is_old() {
            let shown = entry.path();
            match fs::remove_file(&shown) {
                Ok(()) => info!(file = %shown.display(), "stale key file removed"),
                Err(error) => warn!(
                    file = %shown.display(),
                    error = error.to_string(),
                    "stale key file not removed"
                ),
            }
        }
    }
    Ok(())
}

fn sync_directory(path: &Path) -> anyhow::Result<()> {
    if let Some(directory) = path.parent() {
        File::open(directory)?.sync_all()?;
    }
    Ok(())
}

/// Writes a temporary file next to the key file, with the process id in its name.
fn write_temporary(path: &Path, content: &[u8]) -> anyhow::Result<PathBuf> {
    let temporary = path.with_extension(format!("key.{}", std::process::id()));
    let mut file = OpenOptions::new()
        .write(true)
        .create(true)
        .truncate(true)
        .mode(MODE)
        .open(&temporary)
        .with_context(|| format!("{} cannot be written", temporary.display()))?;
    file.write_all(content)?;
    file.sync_all()?;
    Ok(temporary)
}

#[cfg(test)]
mod tests {
    use std::time::UNIX_EPOCH;

    use super::*;

    #[test]
    fn stale_temporary_files_are_removed() {
        let directory = std::env::temp_dir().join(format!("daybook-keys-{}", std::process::id()));
        fs::create_dir_all(&directory).unwrap();
        let path = directory.join("sealing.key");
        let names = ["sealing.key", "sealing.key.1", "sealing.key.2", "sealing.key.old", "a.key.1"];
        for name in names {
            let file = File::create(directory.join(name)).unwrap();
            if !name.ends_with('2') {
                file.set_modified(UNIX_EPOCH).unwrap();
            }
        }
        remove_leftovers(&path).unwrap();
        let left = names.map(|name| directory.join(name).exists());
        fs::remove_dir_all(&directory).unwrap();
        assert_eq!(left, [true, false, true, true, true], "only stale files of this key");
    }
}
