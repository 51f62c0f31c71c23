//! The keys of this installation, in the data directory. `token.key` signs access tokens and, until
//! the first rotation, seals what the database keeps secret; from then on `sealing.key` does
//! (behaviour 11.15, 11.23).

mod file;
pub(crate) mod sealing;

use std::fs::File;
use std::path::Path;

use anyhow::{Context, bail};
use daybook_http::{CheckpointKey, LocalKey};

use crate::private;
use sealing::SealingFile;

const FILE: &str = "token.key";
/// Bytes of a key, all of them random.
const LENGTH: usize = 32;

/// The keys of this installation, made on first use.
///
/// # Errors
/// A key file that cannot be read or made, does not hold keys, or may be read by others.
pub(crate) fn load(data_dir: &Path) -> anyhow::Result<LocalKey> {
    let secret = token_secret(data_dir)?;
    let (sealing, source) = SealingFile::followed(data_dir, &secret)?;
    Ok(LocalKey::new(&secret).sealing_with(&sealing.secrets(), source))
}

/// What verifies checkpoints, from a data directory in which nothing is made.
///
/// # Errors
/// A key file that is missing, cannot be read or does not hold a key, or may be read by others.
pub(crate) fn checkpoint_key(data_dir: &Path) -> anyhow::Result<CheckpointKey> {
    let path = data_dir.join(FILE);
    let secret = file::read(&path)?.with_context(|| format!("there is no {}", path.display()))?;
    Ok(LocalKey::new(&whole(secret, &path)?).checkpoint_key()?)
}

/// The secret of `token.key`.
fn token_secret(data_dir: &Path) -> anyhow::Result<Vec<u8>> {
    private::own_directory(data_dir)?;
    let path = data_dir.join(FILE);
    file::remove_leftovers(&path)?;
    file::remove_leftovers(&data_dir.join(sealing::FILE))?;
    let secret = match file::read(&path)? {
        Some(secret) => secret,
        None => file::make(&path, &random()?)?,
    };
    whole(secret, &path)
}

/// The secret, when it has the length of one.
fn whole(secret: Vec<u8>, path: &Path) -> anyhow::Result<Vec<u8>> {
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

/// Keeps other commands from changing the keys until it is dropped.
///
/// # Errors
/// When another command changes them.
pub(crate) fn lock(data_dir: &Path) -> anyhow::Result<File> {
    token_secret(data_dir)?;
    let held = File::open(data_dir.join(FILE))?;
    held.try_lock().context("another command changes the keys just now")?;
    Ok(held)
}

fn random() -> anyhow::Result<Vec<u8>> {
    let mut secret = vec![0; LENGTH];
    getrandom::fill(&mut secret)
        .map_err(|error| anyhow::anyhow!("no randomness for a key: {error}"))?;
    Ok(secret)
}
