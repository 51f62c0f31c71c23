//! The signing keys of this installation, opened, and remembered until they change.

use std::collections::HashMap;
use std::sync::{Arc, PoisonError, RwLock};

use daybook_domain::instant::Instant;
use daybook_domain::signing_key::{KeyRing, SigningAlgorithm};
use jsonwebtoken::jwk::JwkSet;
use tokio::sync::Mutex;

use super::pair::{self, Pair};
use crate::identity::own_token::LocalKey;

/// The signing keys do not open.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error(
    "the signing keys in the database do not open: they were sealed with another token.key or \
        sealing.key; restore that file, or run `daybook keys rotate --discard`, which makes new \
        keys and voids what the old ones signed"
)]
pub struct UnusableKeys;

/// Signing keys that can sign.
pub(crate) struct OpenedKeys {
    ring: KeyRing,
    pairs: HashMap<String, Pair>,
}

impl OpenedKeys {
    /// Opens the keys that are not spent.
    ///
    /// # Errors
    /// [`UnusableKeys`].
    pub(crate) fn open(ring: KeyRing, key: &LocalKey, now: Instant) -> Result<Self, UnusableKeys> {
        let opened = ring.published(now).map(|published| {
            let pair = pair::open(&published.pair, key).map_err(|_| UnusableKeys)?;
            Ok((pair.id().to_owned(), pair))
        });
        let pairs = opened.collect::<Result<_, _>>()?;
        Ok(Self { ring, pairs })
    }

    /// The pair that signs.
    pub(super) fn signing(&self, algorithm: SigningAlgorithm, now: Instant) -> Option<&Pair> {
        self.pairs.get(&self.ring.signing(algorithm, now)?.pair.id)
    }

    /// The public keys by which signatures are verified (RFC 7517).
    pub(super) fn published(&self, now: Instant) -> JwkSet {
        let pairs = self.ring.published(now).filter_map(|key| self.pairs.get(&key.pair.id));
        JwkSet { keys: pairs.map(|pair| pair.public.clone()).collect() }
    }
}

/// The opened keys of this process.
#[derive(Default)]
pub(crate) struct KeyCache {
    state: RwLock<KeptKeys>,
    /// Held while keys are read, so that they are read, and made, once for all who wait.
    pub(super) reading: Mutex<()>,
}

#[derive(Default)]
struct KeptKeys {
    keys: Option<Arc<OpenedKeys>>,
    /// The count of changes when it was last read.
    changes: i64,
}

impl KeyCache {
    /// The keys, if they are known.
    pub(super) fn find(&self) -> Option<Arc<OpenedKeys>> {
        self.state.read().unwrap_or_else(PoisonError::into_inner).keys.clone()
    }

    /// The count of changes that a reading which begins now belongs to.
    pub(super) fn changes(&self) -> i64 {
        self.state.read().unwrap_or_else(PoisonError::into_inner).changes
    }

    /// Remembers keys, unless something changed since their reading began.
    pub(super) fn add(&self, keys: &Arc<OpenedKeys>, changes: i64) {
        let mut state = self.state.write().unwrap_or_else(PoisonError::into_inner);
        if state.changes == changes {
            state.keys = Some(Arc::clone(keys));
        }
    }

    /// Notes the count of changes of users, tokens and keys. When it is another, the keys are
    /// forgotten.
    pub(crate) fn confirm(&self, changes: i64) {
        let mut state = self.state.write().unwrap_or_else(PoisonError::into_inner);
        if state.changes != changes {
            *state = KeptKeys { keys: None, changes };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_remembered_until_something_changes() {
        let key = LocalKey::new(&[1; 32]);
        let open =
            || Arc::new(OpenedKeys::open(KeyRing::default(), &key, Instant::new(0)).unwrap());
        let cache = KeyCache::default();
        assert!(cache.find().is_none());
        let before = cache.changes();
        cache.confirm(7);
        cache.add(&open(), before);
        assert!(cache.find().is_none(), "read before the change");
        cache.add(&open(), cache.changes());
        assert!(cache.find().is_some());
        cache.confirm(7);
        assert!(cache.find().is_some(), "nothing changed");
        cache.confirm(8);
        assert!(cache.find().is_none());
    }

    #[test]
    fn the_key_whose_time_has_come_signs() {
        let key = LocalKey::new(&[1; 32]);
        let algorithm = SigningAlgorithm::EdDsa;
        let mut ring = KeyRing::default();
        let one = ring.add(pair::make(algorithm, &key).unwrap(), Instant::new(0));
        let two = ring.add(pair::make(algorithm, &key).unwrap(), Instant::new(0));
        let keys = OpenedKeys::open(ring.clone(), &key, Instant::new(0)).unwrap();
        let signing = |now| keys.signing(algorithm, now).map(Pair::id);
        assert_eq!(signing(Instant::new(1)), Some(one.pair.id.as_str()));
        assert_eq!(signing(two.signs_from), Some(two.pair.id.as_str()));
        assert_eq!(keys.published(Instant::new(1)).keys.len(), 2);
        let late = Instant::new(two.signs_from.milliseconds() + 65 * 60_000);
        assert_eq!(keys.published(late).keys.len(), 1);
        assert!(keys.signing(SigningAlgorithm::Rs256, late).is_none());
        let other = LocalKey::new(&[2; 32]);
        assert_eq!(OpenedKeys::open(ring, &other, late).err(), Some(UnusableKeys));
    }
}
