//! `token.key`: the secret that signs access tokens.

use std::path::Path;

use anyhow::{Context, bail};

use super::file;
use crate::private;

pub(super) const FILE: &str = "token.key";
pub(super) const SEALING_FILE: &str = "sealing.key";
/// Bytes of a key, all of them random.
pub(super) const LENGTH: usize = 32;

/// Loads the secret, and creates the file on first use.
///
/// # Errors
/// A file that cannot be read or created, has the wrong length, or may be read by others.
pub(super) fn load_or_create(data_dir: &Path) -> anyhow::Result<Vec<u8>> {
    private::own_directory(data_dir)?;
    let path = data_dir.join(FILE);
    file::remove_leftovers(&path)?;
    file::remove_leftovers(&data_dir.join(SEALING_FILE))?;
    let secret = match file::read(&path)? {
        Some(secret) => secret,
        None => file::create(&path, &generate()?)?,
    };
    check_length(secret, &path)
}

/// Loads the secret without creating anything.
///
/// # Errors
/// A file that is missing, cannot be read, has the wrong length, or may be read by others.
pub(super) fn load(data_dir: &Path) -> anyhow::Result<Vec<u8>> {
    let path = data_dir.join(FILE);
    let secret = file::read(&path)?.with_context(|| format!("there is no {}", path.display()))?;
    check_length(secret, &path)
}

fn check_length(secret: Vec<u8>, path: &Path) -> anyhow::Result<Vec<u8>> {
    if secret.len() != LENGTH {
        bail!(
            "{} holds {} bytes instead of {LENGTH}; restore it, or delete it to void all tokens \
                and signing keys",
            path.display(),
            secret.len()
        );
    }
    Ok(secret)
}

/// Generates a key.
///
/// # Errors
/// When the system provides no random bytes.
pub(super) fn generate() -> anyhow::Result<Vec<u8>> {
    let mut secret = vec![0; LENGTH];
    getrandom::fill(&mut secret)
        .map_err(|error| anyhow::anyhow!("no randomness for a key: {error}"))?;
    Ok(secret)
}
