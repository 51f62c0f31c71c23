//! The cache of API keys, by the digest of their text.

use std::collections::HashMap;
use std::sync::{PoisonError, RwLock};

use daybook_domain::api_key::KeyDigest;
use daybook_domain::id::ApiKeyId;

/// The maximum number of cached digests. When it is reached, the cache is cleared.
const MAX_DIGESTS: usize = 100_000;

/// The API key of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ResolvedApiKey {
    pub(crate) id: ApiKeyId,
    /// The calls per minute, if the key has an individual rate.
    pub(crate) rate: Option<u32>,
}

/// A cache of API keys, and of texts that are not keys.
///
/// The entries are valid for one generation of the bearer cache, which ends when a user, token or
/// key changes.
#[derive(Default)]
pub struct ApiKeyCache(RwLock<Entries>);

#[derive(Default)]
struct Entries {
    generation: u64,
    keys: HashMap<KeyDigest, Option<ResolvedApiKey>>,
}

impl ApiKeyCache {
    pub(super) fn find(
        &self,
        digest: &KeyDigest,
        generation: u64,
    ) -> Option<Option<ResolvedApiKey>> {
        let entries = self.0.read().unwrap_or_else(PoisonError::into_inner);
        if entries.generation == generation { entries.keys.get(digest).copied() } else { None }
    }

    pub(super) fn add(&self, digest: KeyDigest, key: Option<ResolvedApiKey>, generation: u64) {
        let mut entries = self.0.write().unwrap_or_else(PoisonError::into_inner);
        if entries.generation != generation || entries.keys.len() >= MAX_DIGESTS {
            *entries = Entries { generation, keys: HashMap::new() };
        }
        entries.keys.insert(digest, key);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_are_valid_for_one_generation() {
        let (cache, digest) = (ApiKeyCache::default(), [7; 32]);
        let key = ResolvedApiKey { id: ApiKeyId::new(1), rate: Some(600) };
        assert_eq!(cache.find(&digest, 0), None);
        cache.add(digest, Some(key), 0);
        assert_eq!(cache.find(&digest, 0), Some(Some(key)));
        assert_eq!(cache.find(&digest, 1), None);
        cache.add(digest, None, 1);
        assert_eq!(cache.find(&digest, 1), Some(None), "no longer a key");
        assert_eq!(cache.find(&digest, 0), None);
    }
}
