//! What nobody but the user of the server may read: keys, data and books.

use std::fs::{self, DirBuilder};
use std::io::ErrorKind;
use std::os::unix::fs::{DirBuilderExt, PermissionsExt};
use std::path::Path;

use anyhow::{Context, bail};
use nix::sys::stat::{Mode, umask};

/// The rights of a group and of others.
const OTHERS: u32 = 0o077;

/// Lets nobody else read the files that this process makes.
pub(crate) fn keep_files_private() {
    umask(Mode::S_IRWXG | Mode::S_IRWXO);
}

/// Makes a directory if it is missing; only its owner may enter it.
///
/// # Errors
/// When it cannot be made.
pub(crate) fn make_directory(path: &Path) -> anyhow::Result<()> {
    DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(path)
        .with_context(|| format!("{} cannot be made", path.display()))
}

/// The same for a directory that must not be open to others.
///
/// # Errors
/// When it cannot be made, or others may enter or read it.
pub(crate) fn own_directory(path: &Path) -> anyhow::Result<()> {
    make_directory(path)?;
    let mode = mode(path)?.unwrap_or_default();
    if mode & OTHERS != 0 {
        bail!("{} is open to others (mode {mode:o}); chmod 700 it", path.display());
    }
    Ok(())
}

/// Checks that others cannot read a file, if there is one.
///
/// # Errors
/// When they can.
pub(crate) fn check_file(path: &Path) -> anyhow::Result<()> {
    match mode(path)? {
        Some(mode) if mode & OTHERS != 0 => {
            bail!("{} may be read by others (mode {mode:o}); chmod 600 it", path.display())
        }
        _ => Ok(()),
    }
}

/// Checks that others cannot read a database file, unless its directory keeps them out.
///
/// # Errors
/// When they can.
pub(crate) fn check_database(path: &Path) -> anyhow::Result<()> {
    let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty());
    let parent = parent.unwrap_or_else(|| Path::new("."));
    if mode(parent)?.is_none_or(|mode| mode & OTHERS == 0) {
        return Ok(());
    }
    for suffix in ["", "-wal", "-shm"] {
        let mut file = path.as_os_str().to_owned();
        file.push(suffix);
        check_file(Path::new(&file))?;
    }
    Ok(())
}

/// The rights that a path gives; none when it is not there.
fn mode(path: &Path) -> anyhow::Result<Option<u32>> {
    match fs::metadata(path) {
        Ok(data) => Ok(Some(data.permissions().mode() & 0o777)),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error).with_context(|| format!("{} cannot be read", path.display())),
    }
}
