//! Files that hold keys: only their owner may read them, and they are whole or not there. What a
//! process that was killed has left of one is removed by the next that starts.

use std::fs::{self, File, OpenOptions};
use std::io::{ErrorKind, Write};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use anyhow::Context;
use tracing::{info, warn};

use crate::{clock, private};

/// Only the owner may read.
const MODE: u32 = 0o600;
/// Seconds after which nobody writes a temporary file any more: that takes milliseconds.
const MIN_AGE: i64 = 600;

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

/// Removes what processes that were killed have left of a file: see [`written`].
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
                Ok(()) => info!(file = %shown.display(), "what was left of a key file is removed"),
                Err(error) => warn!(
                    file = %shown.display(),
                    error = error.to_string(),
                    "what was left of a key file cannot be removed"
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

#[cfg(test)]
mod tests {
    use std::time::UNIX_EPOCH;

    use super::*;

    #[test]
    fn what_the_dead_have_left_is_removed() {
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
        assert_eq!(left, [true, false, true, true, true], "only what is old, and of this file");
    }
}
