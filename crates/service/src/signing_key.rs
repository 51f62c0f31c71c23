//! Signing keys (behaviour 11.15). The caller generates key pairs in advance, because that is slow.

use daybook_domain::instant::Instant;
use daybook_domain::signing_key::{KeyRing, NewPair};
use daybook_storage::{ShardKey, Tx};

use crate::error::Result;

/// The shard key of writes to signing keys.
pub const SHARD_KEY: ShardKey = ShardKey::NO_BOOK;

/// Lists all signing keys.
pub fn list(tx: &mut Tx<'_>) -> Result<KeyRing> {
    Ok(tx.signing_keys().list()?)
}

/// Adds the first key of each algorithm that has none. Other pairs are dropped.
///
/// # Errors
/// A unique violation if another process did the same meanwhile.
pub fn add_missing(tx: &mut Tx<'_>, pairs: Vec<NewPair>, now: Instant) -> Result<KeyRing> {
    let ring = list(tx)?;
    let missing = ring.missing();
    let pairs = pairs.into_iter().filter(|pair| missing.contains(&pair.algorithm)).collect();
    add(tx, ring, pairs, now)
}

/// Adds keys that later replace the current ones, and removes keys that are no longer needed.
///
/// # Errors
/// A unique violation if another process did the same meanwhile.
pub fn rotate(tx: &mut Tx<'_>, pairs: Vec<NewPair>, now: Instant) -> Result<KeyRing> {
    let mut ring = list(tx)?;
    for spent in ring.remove_spent(now) {
        tx.signing_keys().remove(&spent)?;
    }
    add(tx, ring, pairs, now)
}

/// Removes all keys and adds new ones that sign at once. Tokens of the old keys become invalid.
///
/// # Errors
/// A unique violation if another process did the same meanwhile.
pub fn replace(tx: &mut Tx<'_>, pairs: Vec<NewPair>, now: Instant) -> Result<KeyRing> {
    for key in list(tx)?.keys() {
        tx.signing_keys().remove(key)?;
    }
    add(tx, KeyRing::default(), pairs, now)
}

fn add(tx: &mut Tx<'_>, mut ring: KeyRing, pairs: Vec<NewPair>, now: Instant) -> Result<KeyRing> {
    for pair in pairs {
        let key = ring.add(pair, now);
        tx.signing_keys().insert(&key)?;
    }
    tx.identity_changes().increment();
    Ok(ring)
}
