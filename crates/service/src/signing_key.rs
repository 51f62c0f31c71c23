//! Use cases of signing keys (behaviour 11.15). Pairs are made before, because that takes a while.

use daybook_domain::instant::Instant;
use daybook_domain::signing_key::{KeyRing, NewPair};
use daybook_storage::Tx;

use crate::error::Result;

/// All signing keys.
pub fn list(tx: &mut Tx<'_>) -> Result<KeyRing> {
    Ok(tx.signing_keys().list()?)
}

/// Adds the first key of each algorithm that has none. Pairs of the others are dropped.
///
/// # Errors
/// A unique violation when another process has just done so.
pub fn add_missing(tx: &mut Tx<'_>, pairs: Vec<NewPair>, now: Instant) -> Result<KeyRing> {
    let ring = list(tx)?;
    let missing = ring.missing();
    let pairs = pairs.into_iter().filter(|pair| missing.contains(&pair.algorithm)).collect();
    add(tx, ring, pairs, now)
}

/// Adds keys that take over from the present ones after a while, and removes those that are spent.
///
/// # Errors
/// A unique violation when another process has just done so.
pub fn rotate(tx: &mut Tx<'_>, pairs: Vec<NewPair>, now: Instant) -> Result<KeyRing> {
    let mut ring = list(tx)?;
    for spent in ring.take_spent(now) {
        tx.signing_keys().remove(&spent)?;
    }
    add(tx, ring, pairs, now)
}

/// Removes all keys, and adds others that sign at once. Nobody trusts what the old ones signed.
///
/// # Errors
/// A unique violation when another process has just done so.
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
    tx.identity_changes().record();
    Ok(ring)
}
