//! The command `keys`: rotates what signs for others (behaviour 11.15), and what seals the secrets
//! in the database (behaviour 11.23).

use std::sync::Arc;

use anyhow::bail;
use daybook_domain::instant::Instant;
use daybook_domain::signing_key::{KeyRing, SigningAlgorithm, SigningKey};
use daybook_http::{Resealed, check_keys, make_pairs, reseal};
use daybook_service::{Error, signing_key};
use daybook_storage::ShardKey;
use daybook_storage::sealed::SealedColumn;

use crate::admin::{open, print};
use crate::cli::{DataArgs, KeysArgs, KeysCommand, RotatedKeys};
use crate::key::sealing::SealingFile;
use crate::log::note_command;
use crate::{clock, key};

/// `daybook keys`.
///
/// # Errors
/// Keys that do not open; a database that cannot be opened.
pub(crate) fn run(options: KeysArgs) -> anyhow::Result<()> {
    let now = clock::now();
    let ring = match options.command {
        KeysCommand::List { data } => open(&data)?.read(signing_key::list)?,
        KeysCommand::Rotate { what: RotatedKeys::Sealing, discard, prepare, data } => {
            if discard {
                bail!("--discard is for signing keys: what is sealed would be lost");
            }
            rotate_sealing(prepare, &data, now)?;
            note_command(&data, "keys rotate sealing", None);
            return Ok(());
        }
        KeysCommand::Rotate { what: RotatedKeys::Signing, discard, prepare, data } => {
            if prepare {
                bail!("--prepare is for sealing keys: signing keys stand in the database");
            }
            let ring = rotate_signing(discard, &data, now)?;
            note_command(&data, "keys rotate", None);
            ring
        }
    };
    print(ring.keys().iter().map(|key| listed(&ring, key, now)))
}

fn rotate_signing(discard: bool, data: &DataArgs, now: Instant) -> anyhow::Result<KeyRing> {
    let (key, store) = (key::load(&data.data_dir)?, open(data)?);
    if !discard {
        check_keys(store.read(signing_key::list)?, &key, now)?;
    }
    let pairs = make_pairs(&SigningAlgorithm::ALL, &key)?;
    let rotated = store.write_repeatable(ShardKey::NO_BOOK, move |tx| {
        if discard {
            signing_key::replace(tx, pairs, now)
        } else {
            signing_key::rotate(tx, pairs, now)
        }
    });
    match rotated {
        Err(Error::Storage(daybook_storage::Error::UniqueViolation(_))) => {
            bail!("somebody else has rotated the keys at the same moment")
        }
        outcome => Ok(outcome?),
    }
}

/// Seals everything with the next key. What an interrupted rotation left with the key before is
/// sealed anew first, because that key goes. Within ten minutes that is all: what was sealed with
/// the key before may still be on its way into the database.
fn rotate_sealing(prepare: bool, data: &DataArgs, now: Instant) -> anyhow::Result<()> {
    let directory = &data.data_dir;
    let _lock = key::lock(directory)?;
    let keys = SealingFile::load(directory)?;
    if prepare {
        keys.make_next(directory)?;
        return Ok(());
    }
    let store = open(data)?;
    let finished = reseal(&store, &Arc::new(key::load(directory)?))?;
    if keys.is_new(now) {
        return print(finished.iter().map(resealed));
    }
    keys.advance(directory, now)?;
    print(reseal(&store, &Arc::new(key::load(directory)?))?.iter().map(resealed))
}

/// What was sealed anew in a line, its columns separated by tabs.
fn resealed(column: &Resealed) -> String {
    let Resealed { column, renewed, lost } = column;
    let name = match column {
        SealedColumn::SigningKeys => "signing-keys",
        SealedColumn::ClientSecrets => "client-secrets",
        SealedColumn::ConnectionProperties => "connection-properties",
    };
    format!("{name}\t{renewed}\t{lost}")
}

/// A signing key in a line, its columns separated by tabs.
fn listed(ring: &KeyRing, key: &SigningKey, now: Instant) -> String {
    let (state, algorithm) = (ring.state(key, now).as_str(), key.pair.algorithm.as_str());
    let signs_from = key.signs_from.milliseconds();
    format!("{algorithm}\t{}\t{state}\t{signs_from}\t{}", key.number, key.pair.id)
}
