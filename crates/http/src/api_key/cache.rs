//! What the texts of API keys were found to be, remembered by their digests.

use std::collections::HashMap;
use std::sync::{PoisonError, RwLock};

use daybook_domain::api_key::KeyDigest;
use daybook_domain::id::ApiKeyId;

/// Texts remembered at most; when there are more, all are forgotten.
const MAX_REMEMBERED: usize = 100_000;

/// What a request needs to know of its key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ResolvedApiKey {
    pub(crate) id: ApiKeyId,
    /// Calls a minute, where the key has a rate of its own.
    pub(crate) rate: Option<u32>,
}

/// What texts were found to be: a key, or none. It is true for one generation of what the identity
/// remembers, which ends when users, tokens or keys change.
#[derive(Default)]
pub struct ApiKeyCache(RwLock<(u64, HashMap<KeyDigest, Option<ResolvedApiKey>>)>);

impl ApiKeyCache {
    pub(super) fn find(
        &self,
        digest: &KeyDigest,
        generation: u64,
    ) -> Option<Option<ResolvedApiKey>> {
        let remembered = self.0.read().unwrap_or_else(PoisonError::into_inner);
        if remembered.0 == generation { remembered.1.get(digest).copied() } else { None }
    }

    pub(super) fn add(&self, digest: KeyDigest, key: Option<ResolvedApiKey>, generation: u64) {
        let mut remembered = self.0.write().unwrap_or_else(PoisonError::into_inner);
        if remembered.0 != generation || remembered.1.len() >= MAX_REMEMBERED {
            *remembered = (generation, HashMap::new());
        }
        remembered.1.insert(digest, key);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_remembered_ends_with_its_generation() {
        let (cache, digest) = (ApiKeyCache::default(), [7; 32]);
        let key = ResolvedApiKey { id: ApiKeyId::new(1), rate: Some(600) };
        assert_eq!(cache.find(&digest, 0), None);
        cache.add(digest, Some(key), 0);
        assert_eq!(cache.find(&digest, 0), Some(Some(key)));
        assert_eq!(cache.find(&digest, 1), None);
        cache.add(digest, None, 1);
        assert_eq!(cache.find(&digest, 1), Some(None), "no key any more");
        assert_eq!(cache.find(&digest, 0), None);
    }
}
