//! The keys of an installation, in its data directory.
//!
//! `token.key` signs access tokens. Until the first rotation it also seals the secrets in the
//! database; afterwards `sealing.key` does (behaviour 11.15, 11.23). Both files are created on
//! first use, are readable only by their owner, and are replaced atomically. A running server
//! rereads `sealing.key` when it changes. Commands that change keys hold a lock on `token.key`.

mod file;
pub(crate) mod sealing;
mod token;

use std::fs::File;
use std::path::Path;

use anyhow::{Context, ensure};
use daybook_auth::identity::{CheckpointKey, LocalKey};

use crate::private;
use sealing::SealingFile;

/// The names of the key files.
pub(crate) const FILES: [&str; 2] = [token::FILE, token::SEALING_FILE];

/// Loads the keys of an installation, and creates them on first use.
///
/// # Errors
/// A key file that cannot be read or created, is malformed, or may be read by others.
pub(crate) fn load(data_dir: &Path) -> anyhow::Result<LocalKey> {
    token::load_or_create(data_dir)?;
    load_existing(data_dir)
}

/// Loads the keys of an installation without creating anything.
///
/// # Errors
/// A key file that is missing, cannot be read, is malformed, or may be read by others.
pub(crate) fn load_existing(data_dir: &Path) -> anyhow::Result<LocalKey> {
    let secret = token::load(data_dir)?;
    let (sealing, source) = SealingFile::watch(data_dir, &secret)?;
    Ok(LocalKey::new(&secret).with_sealing_secrets(&sealing.secrets(), source))
}

/// Loads the key that verifies checkpoints, without creating anything.
///
/// # Errors
/// A key file that is missing, cannot be read, is malformed, or may be read by others.
pub(crate) fn checkpoint_key(data_dir: &Path) -> anyhow::Result<CheckpointKey> {
    Ok(LocalKey::new(&token::load(data_dir)?).checkpoint_key()?)
}

/// Locks the keys against other commands until the returned file is dropped.
///
/// # Errors
/// When another command holds the lock.
pub(crate) fn lock(data_dir: &Path) -> anyhow::Result<File> {
    token::load_or_create(data_dir)?;
    let file = File::open(data_dir.join(token::FILE))?;
    file.try_lock().context("another command is changing the keys")?;
    Ok(file)
}

/// Writes key files into a data directory that has none.
///
/// # Errors
/// When a file exists with another content or cannot be written.
pub(crate) fn write(data_dir: &Path, keys: &[(&'static str, Vec<u8>)]) -> anyhow::Result<()> {
    private::own_directory(data_dir)?;
    for (name, content) in keys {
        let path = data_dir.join(name);
        ensure!(
            file::create(&path, content)? == *content,
            "{} exists with another key",
            path.display()
        );
    }
    Ok(())
}
