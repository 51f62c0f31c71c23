//! `daybook keys`: rotation of the keys that sign tokens for other apps (behaviour 11.15), and of
//! the key that seals the secrets in the database (behaviour 11.23).

use std::sync::Arc;

use anyhow::bail;
use daybook_auth::identity::{ResealReport, reseal};
use daybook_auth::signing_key::{check_keys, make_pairs};
use daybook_domain::instant::Instant;
use daybook_domain::signing_key::{KeyRing, SigningAlgorithm, SigningKey};
use daybook_service::{Error, signing_key};
use daybook_storage::sealed::SealedColumn;

use crate::cli::{KeysArgs, KeysCommand, RotatedKeys};
use crate::installation::{DataArgs, open, open_with_key, print};
use crate::key::sealing::SealingFile;
use crate::log::log_command;
use crate::{clock, key};

/// Runs `daybook keys`.
///
/// # Errors
/// Keys that cannot be opened; a database that cannot be opened.
pub(crate) fn run(options: KeysArgs) -> anyhow::Result<()> {
    let now = clock::now();
    let ring = match options.command {
        KeysCommand::List { data } => open(&data)?.read(signing_key::list)?,
        KeysCommand::Rotate { what: RotatedKeys::Sealing, discard, prepare, data } => {
            if discard {
                bail!(
                    "--discard is for signing keys: without the old sealing key, secrets are lost"
                );
            }
            rotate_sealing(prepare, &data, now)?;
            log_command(&data, "keys rotate sealing", None);
            return Ok(());
        }
        KeysCommand::Rotate { what: RotatedKeys::Signing, discard, prepare, data } => {
            if prepare {
                bail!("--prepare is for sealing keys: signing keys are in the database");
            }
            let ring = rotate_signing(discard, &data, now)?;
            log_command(&data, "keys rotate", None);
            ring
        }
    };
    print(ring.keys().iter().map(|key| format_key(&ring, key, now)))
}

fn rotate_signing(discard: bool, data: &DataArgs, now: Instant) -> anyhow::Result<KeyRing> {
    let (store, key) = open_with_key(data)?;
    if !discard {
        check_keys(store.read(signing_key::list)?, &key, now)?;
    }
    let pairs = make_pairs(&SigningAlgorithm::ALL, &key)?;
    let rotated = store.write_repeatable(signing_key::SHARD_KEY, move |tx| {
        if discard {
            signing_key::replace(tx, pairs, now)
        } else {
            signing_key::rotate(tx, pairs, now)
        }
    });
    match rotated {
        Err(Error::Storage(daybook_storage::Error::UniqueViolation(_))) => {
            bail!("another command has rotated the keys at the same time")
        }
        outcome => Ok(outcome?),
    }
}

/// Reseals all secrets with the next key.
///
/// It first finishes an interrupted rotation, because the previous key is dropped. Within ten
/// minutes of a rotation it does no more: rows sealed with the previous key may not be written yet.
fn rotate_sealing(prepare: bool, data: &DataArgs, now: Instant) -> anyhow::Result<()> {
    data.existing()?;
    let directory = &data.data_dir;
    let _lock = key::lock(directory)?;
    let keys = SealingFile::load(directory)?;
    if prepare {
        keys.create_next(directory)?;
        return Ok(());
    }
    let store = open(data)?;
    let finished = reseal(&store, &Arc::new(key::load(directory)?))?;
    if keys.is_new(now) {
        return print(finished.iter().map(format_resealed));
    }
    keys.advance(directory, now)?;
    print(reseal(&store, &Arc::new(key::load(directory)?))?.iter().map(format_resealed))
}

/// Formats the resealed secrets of a column as a line of columns separated by tabs.
fn format_resealed(column: &ResealReport) -> String {
    let ResealReport { column, renewed, lost } = column;
    let name = match column {
        SealedColumn::SigningKeys => "signing-keys",
        SealedColumn::ClientSecrets => "client-secrets",
        SealedColumn::ConnectionProperties => "connection-properties",
    };
    format!("{name}\t{renewed}\t{lost}")
}

/// Formats a signing key as a line of columns separated by tabs.
fn format_key(ring: &KeyRing, key: &SigningKey, now: Instant) -> String {
    let (state, algorithm) = (ring.state(key, now).as_str(), key.pair.algorithm.as_str());
    let signs_from = key.signs_from.milliseconds();
    format!("{algorithm}\t{}\t{state}\t{signs_from}\t{}", key.number, key.pair.id)
}
