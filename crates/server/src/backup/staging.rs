//! A directory for the files of a command that is in progress.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Context;
use daybook_domain::instant::Instant;

use super::layout::{UNFINISHED, began};
use crate::private;

/// A directory that is removed when it is dropped.
pub(crate) struct Staging {
    path: PathBuf,
}

impl Staging {
    /// Creates an empty directory.
    ///
    /// # Errors
    /// When it exists or cannot be created.
    pub(super) fn create(path: PathBuf) -> anyhow::Result<Self> {
        if let Some(parent) = path.parent() {
            private::make_directory(parent)?;
        }
        private::make_new_directory(&path)?;
        Ok(Self { path })
    }

    /// Creates an empty directory below the folder of the system for temporary files.
    ///
    /// # Errors
    /// When it cannot be created.
    pub(crate) fn temporary() -> anyhow::Result<Self> {
        let name = format!("daybook-backup-{}", std::process::id());
        let path = std::env::temp_dir().join(name);
        // A process of this number has left it.
        let _ = fs::remove_dir_all(&path);
        Self::create(path)
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    pub(crate) fn file(&self, name: &str) -> PathBuf {
        self.path.join(name)
    }
}

impl Drop for Staging {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.path);
    }
}

/// Removes directories that killed processes have left: those of `prefix` and the name of a backup
/// that began a day before `now`. One that cannot be removed stays.
pub(super) fn remove_stale(parent: &Path, prefix: &str, now: Instant) {
    let Ok(entries) = fs::read_dir(parent) else { return };
    let is_stale = |name: &str| {
        let began = name.strip_prefix(prefix).and_then(began);
        began.is_some_and(|at| at.unix_timestamp() < now.plus(-UNFINISHED).seconds())
    };
    for entry in entries.flatten() {
        if is_stale(&entry.file_name().to_string_lossy()) {
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}

/// Makes a file durable.
///
/// # Errors
/// When it cannot be synced.
pub(super) fn sync(path: &Path) -> anyhow::Result<()> {
    fs::File::open(path)
        .and_then(|file| file.sync_all())
        .with_context(|| format!("{} cannot be written", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn existing_directory_is_not_used() {
        let staging = Staging::temporary().unwrap();
        let path = staging.path().to_owned();
        assert!(Staging::create(path.clone()).is_err(), "another user may have made it");
        drop(staging);
        assert!(!path.exists());
        let link = path.with_extension("link");
        std::os::unix::fs::symlink(std::env::temp_dir(), &link).unwrap();
        let created = Staging::create(link.clone());
        std::fs::remove_file(&link).unwrap();
        assert!(created.is_err());
    }
}
