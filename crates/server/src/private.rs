//! Privacy of files: only the user of the server may read keys, data and books.

use std::fs::{self, DirBuilder};
use std::io::ErrorKind;
use std::os::unix::fs::{DirBuilderExt, PermissionsExt};
use std::path::Path;

use anyhow::{Context, bail};
use nix::sys::stat::{Mode, umask};

/// The permission bits of the group and of others.
const OTHERS: u32 = 0o077;

/// Makes the files that this process creates readable by their owner only.
pub(crate) fn keep_files_private() {
    umask(Mode::S_IRWXG | Mode::S_IRWXO);
}

/// Creates a directory that only its owner may enter, unless it exists.
///
/// # Errors
/// When it cannot be created.
pub(crate) fn make_directory(path: &Path) -> anyhow::Result<()> {
    DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(path)
        .with_context(|| format!("{} cannot be created", path.display()))
}

/// Creates a directory that only its owner may enter, in an existing one.
///
/// # Errors
/// When it exists: in a directory such as `/tmp` another user may have made it, with links in it.
pub(crate) fn make_new_directory(path: &Path) -> anyhow::Result<()> {
    DirBuilder::new()
        .mode(0o700)
        .create(path)
        .with_context(|| format!("{} cannot be created", path.display()))
}

/// Creates a directory unless it exists, and refuses one that is open to others.
///
/// # Errors
/// When it cannot be created; when others may enter or read it.
pub(crate) fn own_directory(path: &Path) -> anyhow::Result<()> {
    make_directory(path)?;
    let mode = mode(path)?.unwrap_or_default();
    if is_open_to_others(mode) {
        bail!("{} is open to others (mode {mode:o}); chmod 700 it", path.display());
    }
    Ok(())
}

/// Checks that others cannot read a file, if it exists.
///
/// # Errors
/// When others can read it.
pub(crate) fn check_file(path: &Path) -> anyhow::Result<()> {
    match mode(path)? {
        Some(mode) if is_open_to_others(mode) => {
            bail!("{} may be read by others (mode {mode:o}); chmod 600 it", path.display())
        }
        _ => Ok(()),
    }
}

/// Checks that others cannot read a database file or enter its directory.
///
/// # Errors
/// When others can read it.
pub(crate) fn check_database(path: &Path) -> anyhow::Result<()> {
    let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty());
    let parent = parent.unwrap_or_else(|| Path::new("."));
    if mode(parent)?.is_none_or(|mode| !is_open_to_others(mode)) {
        return Ok(());
    }
    for suffix in ["", "-wal", "-shm"] {
        let mut file = path.as_os_str().to_owned();
        file.push(suffix);
        check_file(Path::new(&file))?;
    }
    Ok(())
}

/// Returns whether permission bits let the group or others in.
pub(crate) const fn is_open_to_others(mode: u32) -> bool {
    mode & OTHERS != 0
}

/// Returns the permission bits of a path, or `None` if it does not exist.
///
/// # Errors
/// When the path cannot be looked up.
pub(crate) fn mode(path: &Path) -> anyhow::Result<Option<u32>> {
    match fs::metadata(path) {
        Ok(data) => Ok(Some(data.permissions().mode() & 0o777)),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error).with_context(|| format!("{} cannot be read", path.display())),
    }
}
