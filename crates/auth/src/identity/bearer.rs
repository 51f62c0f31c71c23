//! The cache of bearers of verified tokens, keyed by the hash of the token.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;

use daybook_domain::id::SessionId;
use daybook_domain::instant::Instant;
use daybook_domain::token::TokenScope;
use daybook_storage::user::User;
use sha2::{Digest, Sha256};

use super::own_token::ActingApp;

/// The user, scope and expiry of a verified token.
#[derive(Debug)]
pub struct Bearer {
    /// The user.
    pub user: Arc<User>,
    /// The limits of the token.
    pub scope: TokenScope,
    pub(crate) expires_at: Instant,
    /// The app that received the token with the delivery of an event.
    pub acting: Option<ActingApp>,
    /// The session that issued the token.
    pub session: Option<SessionId>,
    /// Whether the console of this server got the token (behaviour 10.6).
    pub is_console: bool,
}

impl Bearer {
    pub(crate) const fn new(user: Arc<User>, scope: TokenScope, expires_at: Instant) -> Self {
        Self { user, scope, expires_at, acting: None, session: None, is_console: false }
    }
}

/// The maximum number of cached tokens. When it is reached, the cache is cleared.
const MAX_TOKENS: usize = 100_000;

/// The SHA-256 of a token. Tokens themselves are not cached.
pub(crate) type TokenHash = [u8; 32];

pub(crate) fn hash(token: &str) -> TokenHash {
    Sha256::digest(token.as_bytes()).into()
}

/// The bearers of verified tokens.
///
/// They are used only while a recent read of the counter confirmed that no user and no token has
/// changed.
pub(crate) struct BearerCache {
    /// How long a confirmation is valid.
    trust: Duration,
    state: RwLock<Entries>,
}

#[derive(Default)]
struct Entries {
    bearers: HashMap<TokenHash, Arc<Bearer>>,
    /// Tokens that were valid when they were last verified, which [`Entries::clear`] keeps. They
    /// are not guesses.
    valid: HashSet<TokenHash>,
    /// Incremented by every clear, so that a verification that started before is not added.
    generation: u64,
    /// The last value of the counter of identity changes.
    changes: i64,
    /// When the last read of the counter started.
    confirmed: Option<std::time::Instant>,
}

impl Entries {
    fn clear(&mut self) {
        self.bearers.clear();
        self.generation = self.generation.wrapping_add(1);
    }

    fn is_confirmed_within(&self, trust: Duration) -> bool {
        self.confirmed.is_some_and(|confirmed| confirmed.elapsed() <= trust)
    }
}

impl BearerCache {
    pub(crate) fn new(trust: Duration) -> Self {
        Self { trust, state: RwLock::default() }
    }

    /// Returns the bearer of a token if it is cached, confirmed and not expired.
    pub(crate) fn find(&self, hash: &TokenHash, now: Instant) -> Option<Arc<Bearer>> {
        let state = self.state.read().unwrap_or_else(PoisonError::into_inner);
        if !state.is_confirmed_within(self.trust) {
            return None;
        }
        state.bearers.get(hash).filter(|bearer| now < bearer.expires_at).cloned()
    }

    /// Returns the generation to pass to [`Self::add`] after a verification that starts now.
    pub(crate) fn generation(&self) -> u64 {
        self.state.read().unwrap_or_else(PoisonError::into_inner).generation
    }

    /// Returns the generation if the cache is confirmed.
    ///
    /// Other data about identities that was read in a generation is valid until the next one.
    pub(crate) fn confirmed_generation(&self) -> Option<u64> {
        let state = self.state.read().unwrap_or_else(PoisonError::into_inner);
        state.is_confirmed_within(self.trust).then_some(state.generation)
    }

    /// Caches a bearer, unless the cache was cleared since its verification started.
    pub(crate) fn add(&self, hash: TokenHash, bearer: Arc<Bearer>, generation: u64) {
        let mut state = self.state.write().unwrap_or_else(PoisonError::into_inner);
        if state.generation != generation {
            return;
        }
        if state.valid.len() >= MAX_TOKENS {
            state.bearers.clear();
            state.valid.clear();
        }
        state.bearers.insert(hash, bearer);
        state.valid.insert(hash);
    }

    /// Whether a token was valid when it was last verified.
    pub(crate) fn was_valid(&self, hash: &TokenHash) -> bool {
        self.state.read().unwrap_or_else(PoisonError::into_inner).valid.contains(hash)
    }

    /// Records that a token is no longer valid.
    pub(crate) fn mark_invalid(&self, hash: &TokenHash) {
        self.state.write().unwrap_or_else(PoisonError::into_inner).valid.remove(hash);
    }

    /// Clears the cache.
    pub(crate) fn clear(&self) {
        self.state.write().unwrap_or_else(PoisonError::into_inner).clear();
    }

    /// Stores the counter of changes that a read which started at `started` returned.
    ///
    /// If the counter differs, the cache is cleared.
    pub(crate) fn confirm(&self, changes: i64, started: std::time::Instant) {
        let mut state = self.state.write().unwrap_or_else(PoisonError::into_inner);
        if state.changes != changes {
            state.changes = changes;
            state.clear();
        }
        state.confirmed = Some(started);
    }
}

#[cfg(test)]
mod tests {
    use daybook_domain::email::Email;
    use daybook_domain::id::UserId;
    use daybook_domain::user::Profile;

    use super::*;

    const NOW: Instant = Instant::new(1_000);

    fn bearer() -> Arc<Bearer> {
        let user = User {
            id: UserId::new(1),
            email: Email::stored("alice@example.com".to_owned()),
            username: "alice".to_owned(),
            created_at: NOW,
            disabled_at: None,
            is_administrator: false,
            profile: Profile::default(),
        };
        let expires_at = Instant::new(2_000);
        Arc::new(Bearer::new(Arc::new(user), TokenScope::default(), expires_at))
    }

    fn confirmed() -> BearerCache {
        let cache = BearerCache::new(Duration::from_secs(60));
        cache.confirm(7, std::time::Instant::now());
        cache.add(hash("a"), bearer(), cache.generation());
        cache
    }

    #[test]
    fn bearer_is_cached_until_the_token_expires() {
        let cache = confirmed();
        assert!(cache.find(&hash("a"), NOW).is_some());
        assert!(cache.find(&hash("b"), NOW).is_none());
        assert!(cache.find(&hash("a"), Instant::new(2_000)).is_none());
    }

    #[test]
    fn changed_counter_clears_the_cache() {
        let cache = confirmed();
        cache.confirm(7, std::time::Instant::now());
        assert!(cache.find(&hash("a"), NOW).is_some(), "nothing changed");
        let before = cache.generation();
        cache.confirm(8, std::time::Instant::now());
        assert!(cache.find(&hash("a"), NOW).is_none());
        // The verification started before the change and may be outdated.
        cache.add(hash("a"), bearer(), before);
        assert!(cache.find(&hash("a"), NOW).is_none());
        cache.add(hash("a"), bearer(), cache.generation());
        assert!(cache.find(&hash("a"), NOW).is_some());
        cache.clear();
        assert!(cache.find(&hash("a"), NOW).is_none());
        assert!(cache.was_valid(&hash("a")), "until it is marked");
        cache.mark_invalid(&hash("a"));
        assert!(!cache.was_valid(&hash("a")));
    }

    #[test]
    fn cache_without_recent_confirmation_is_not_used() {
        let never = BearerCache::new(Duration::from_secs(60));
        assert_eq!(never.confirmed_generation(), None);
        assert!(confirmed().confirmed_generation().is_some());
        never.add(hash("a"), bearer(), never.generation());
        assert!(never.find(&hash("a"), NOW).is_none());
        let late = BearerCache::new(Duration::ZERO);
        let before = std::time::Instant::now().checked_sub(Duration::from_millis(2)).unwrap();
        late.confirm(7, before);
        late.add(hash("a"), bearer(), late.generation());
        assert_eq!(late.confirmed_generation(), None);
        assert!(late.find(&hash("a"), NOW).is_none());
    }
}
