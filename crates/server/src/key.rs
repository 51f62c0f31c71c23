//! The key that signs access tokens and seals what the database keeps secret: 32 random bytes in
//! the data directory that only their owner may read.

use std::fs::{self, DirBuilder, OpenOptions};
use std::io::{ErrorKind, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt, PermissionsExt};
use std::path::Path;

use anyhow::{Context, bail};
use daybook_http::LocalKey;

const FILE: &str = "token.key";
const LENGTH: usize = 32;
/// Only the owner may read.
const MODE: u32 = 0o600;

/// The key of this installation, made on first use.
///
/// # Errors
/// A key file that cannot be read or made, has another length, or may be read by others.
pub(crate) fn load(data_dir: &Path) -> anyhow::Result<LocalKey> {
    prepare(data_dir)?;
    let path = data_dir.join(FILE);
    let secret = match fs::read(&path) {
        Ok(secret) => secret,
        Err(error) if error.kind() == ErrorKind::NotFound => make(&path)?,
        Err(error) => {
            return Err(error).with_context(|| format!("{} cannot be read", path.display()));
        }
    };
    if secret.len() != LENGTH {
        bail!(
            "{} holds {} bytes instead of {LENGTH}; restore it, or delete it to void all tokens \
                and signing keys",
            path.display(),
            secret.len()
        );
    }
    let mode = fs::metadata(&path)?.permissions().mode() & 0o777;
    if mode & 0o077 != 0 {
        bail!("{} may be read by others (mode {mode:o}); chmod 600 it", path.display());
    }
    Ok(LocalKey::new(&secret))
}

/// Makes a directory if it is missing; only its owner may enter it.
///
/// # Errors
/// When it cannot be made.
pub(crate) fn prepare(data_dir: &Path) -> anyhow::Result<()> {
    DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(data_dir)
        .with_context(|| format!("{} cannot be made", data_dir.display()))
}

/// Writes a fresh key to a temporary file and links it to its place, so that of two processes that
/// start at once one wins and both read the same key.
fn make(path: &Path) -> anyhow::Result<Vec<u8>> {
    let mut secret = vec![0; LENGTH];
    getrandom::fill(&mut secret)
        .map_err(|error| anyhow::anyhow!("no randomness for a key: {error}"))?;
    let temporary = path.with_extension(format!("key.{}", std::process::id()));
    let mut file =
        OpenOptions::new().write(true).create(true).truncate(true).mode(MODE).open(&temporary)?;
    file.write_all(&secret)?;
    file.sync_all()?;
    let linked = fs::hard_link(&temporary, path);
    fs::remove_file(&temporary)?;
    match linked {
        Ok(()) => Ok(secret),
        Err(error) if error.kind() == ErrorKind::AlreadyExists => Ok(fs::read(path)?),
        Err(error) => Err(error).with_context(|| format!("{} cannot be made", path.display())),
    }
}
