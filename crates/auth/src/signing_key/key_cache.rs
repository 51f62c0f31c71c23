//! Opened signing keys, and their cache.

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
    "cannot open the signing keys in the database: they were sealed with another token.key or \
        sealing.key; restore that file, or run `daybook keys rotate --discard` to create new \
        keys, which invalidates everything that the old ones signed"
)]
pub struct UnusableKeys;

/// Signing keys whose private keys are opened.
pub(crate) struct OpenedKeys {
    ring: KeyRing,
    pairs: HashMap<String, Pair>,
}

impl OpenedKeys {
    /// Opens the keys that are still published.
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

    /// Returns the current pair of an algorithm.
    pub(super) fn signing(&self, algorithm: SigningAlgorithm, now: Instant) -> Option<&Pair> {
        self.pairs.get(&self.ring.signing(algorithm, now)?.pair.id)
    }

    /// Returns the published public keys (RFC 7517).
    pub(super) fn published(&self, now: Instant) -> JwkSet {
        let pairs = self.ring.published(now).filter_map(|key| self.pairs.get(&key.pair.id));
        JwkSet { keys: pairs.map(|pair| pair.public.clone()).collect() }
    }
}

/// The cache of opened keys of this process.
#[derive(Default)]
pub(crate) struct KeyCache {
    state: RwLock<CachedKeys>,
    /// Held while keys are loaded or generated, so that concurrent requests do it once.
    pub(super) loading: Mutex<()>,
}

#[derive(Default)]
struct CachedKeys {
    keys: Option<Arc<OpenedKeys>>,
    /// The last value of the counter of identity changes.
    changes: i64,
}

impl KeyCache {
    /// Returns the cached keys.
    pub(super) fn find(&self) -> Option<Arc<OpenedKeys>> {
        self.state.read().unwrap_or_else(PoisonError::into_inner).keys.clone()
    }

    /// Returns the counter of changes to pass to [`Self::add`] after a load that starts now.
    pub(super) fn changes(&self) -> i64 {
        self.state.read().unwrap_or_else(PoisonError::into_inner).changes
    }

    /// Caches keys, unless the counter has changed since their load started.
    pub(super) fn add(&self, keys: &Arc<OpenedKeys>, changes: i64) {
        let mut state = self.state.write().unwrap_or_else(PoisonError::into_inner);
        if state.changes == changes {
            state.keys = Some(Arc::clone(keys));
        }
    }

    /// Stores the counter of changes, and clears the cache if it differs.
    pub(crate) fn confirm(&self, changes: i64) {
        let mut state = self.state.write().unwrap_or_else(PoisonError::into_inner);
        if state.changes != changes {
            *state = CachedKeys { keys: None, changes };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_cached_until_the_counter_changes() {
        let key = LocalKey::new(&[1; 32]);
        let open =
            || Arc::new(OpenedKeys::open(KeyRing::default(), &key, Instant::new(0)).unwrap());
        let cache = KeyCache::default();
        assert!(cache.find().is_none());
        let before = cache.changes();
        cache.confirm(7);
        cache.add(&open(), before);
        assert!(cache.find().is_none(), "loaded before the change");
        cache.add(&open(), cache.changes());
        assert!(cache.find().is_some());
        cache.confirm(7);
        assert!(cache.find().is_some(), "the same counter");
        cache.confirm(8);
        assert!(cache.find().is_none());
    }

    #[test]
    fn newest_key_signs_from_its_start_time() {
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
