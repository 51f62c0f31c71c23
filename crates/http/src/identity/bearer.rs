//! Whom a verified token lets in, remembered by the hash of the token.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;

use daybook_domain::instant::Instant;
use daybook_domain::token::TokenScope;
use daybook_storage::user::User;
use sha2::{Digest, Sha256};

use super::own_token::Acting;

/// Whom a token lets in, to do what, until when.
#[derive(Debug)]
pub(crate) struct Bearer {
    pub(crate) user: Arc<User>,
    pub(crate) scope: TokenScope,
    pub(crate) expires_at: Instant,
    /// The app that it was sent to with an event.
    pub(crate) acting: Option<Acting>,
}

impl Bearer {
    pub(crate) const fn new(user: Arc<User>, scope: TokenScope, expires_at: Instant) -> Self {
        Self { user, scope, expires_at, acting: None }
    }
}

/// Tokens remembered at most; when there are more, all are forgotten.
const MAX_REMEMBERED: usize = 100_000;

/// SHA-256 of a token. Tokens themselves are not kept.
pub(crate) type TokenHash = [u8; 32];

pub(crate) fn hash(token: &str) -> TokenHash {
    Sha256::digest(token.as_bytes()).into()
}

/// The bearers of verified tokens. They are trusted only while it is known that no user and no
/// token has changed.
pub(crate) struct BearerCache {
    /// How long a confirmation holds.
    trust: Duration,
    state: RwLock<Entries>,
}

#[derive(Default)]
struct Entries {
    bearers: HashMap<TokenHash, Arc<Bearer>>,
    /// Tokens that were good when they were last verified. What changed since does not make a guess
    /// of them.
    good: HashSet<TokenHash>,
    /// Grows whenever all is forgotten, so that what was verified before is not added after.
    generation: u64,
    /// The count of changes when it was last read.
    changes: i64,
    /// When that reading began.
    confirmed: Option<std::time::Instant>,
}

impl Entries {
    fn forget(&mut self) {
        self.bearers.clear();
        self.generation = self.generation.wrapping_add(1);
    }
}

impl BearerCache {
    pub(crate) fn new(trust: Duration) -> Self {
        Self { trust, state: RwLock::default() }
    }

    /// The bearer of a token, if it is remembered, still trusted and not expired.
    pub(crate) fn find(&self, hash: &TokenHash, now: Instant) -> Option<Arc<Bearer>> {
        let state = self.state.read().unwrap_or_else(PoisonError::into_inner);
        let confirmed = state.confirmed?;
        if confirmed.elapsed() > self.trust {
            return None;
        }
        state.bearers.get(hash).filter(|bearer| now < bearer.expires_at).cloned()
    }

    /// The generation that a verification which begins now belongs to.
    pub(crate) fn generation(&self) -> u64 {
        self.state.read().unwrap_or_else(PoisonError::into_inner).generation
    }

    /// The generation, while what it remembers is trusted: what else was read in it is true until
    /// the next one begins.
    pub(crate) fn trusted_generation(&self) -> Option<u64> {
        let state = self.state.read().unwrap_or_else(PoisonError::into_inner);
        let trusted = state.confirmed.is_some_and(|since| since.elapsed() <= self.trust);
        trusted.then_some(state.generation)
    }

    /// Remembers the bearer of a token, unless something changed since its verification began.
    pub(crate) fn add(&self, hash: TokenHash, bearer: Arc<Bearer>, generation: u64) {
        let mut state = self.state.write().unwrap_or_else(PoisonError::into_inner);
        if state.generation != generation {
            return;
        }
        if state.good.len() >= MAX_REMEMBERED {
            state.bearers.clear();
            state.good.clear();
        }
        state.bearers.insert(hash, bearer);
        state.good.insert(hash);
    }

    /// Whether a token was good when it was last verified.
    pub(crate) fn was_good(&self, hash: &TokenHash) -> bool {
        self.state.read().unwrap_or_else(PoisonError::into_inner).good.contains(hash)
    }

    /// Notes that a token is not good any more.
    pub(crate) fn refuse(&self, hash: &TokenHash) {
        self.state.write().unwrap_or_else(PoisonError::into_inner).good.remove(hash);
    }

    /// Forgets all.
    pub(crate) fn forget(&self) {
        self.state.write().unwrap_or_else(PoisonError::into_inner).forget();
    }

    /// Notes the count of changes that a reading which began at `begun` found. When it grew, all is
    /// forgotten.
    pub(crate) fn confirm(&self, changes: i64, begun: std::time::Instant) {
        let mut state = self.state.write().unwrap_or_else(PoisonError::into_inner);
        if state.changes != changes {
            state.changes = changes;
            state.forget();
        }
        state.confirmed = Some(begun);
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
            profile: Profile::default(),
        };
        let expires_at = Instant::new(2_000);
        Arc::new(Bearer::new(Arc::new(user), TokenScope::default(), expires_at))
    }

    fn confirmed() -> BearerCache {
        let remembered = BearerCache::new(Duration::from_secs(60));
        remembered.confirm(7, std::time::Instant::now());
        remembered.add(hash("a"), bearer(), remembered.generation());
        remembered
    }

    #[test]
    fn a_token_is_remembered_until_it_expires() {
        let remembered = confirmed();
        assert!(remembered.find(&hash("a"), NOW).is_some());
        assert!(remembered.find(&hash("b"), NOW).is_none());
        assert!(remembered.find(&hash("a"), Instant::new(2_000)).is_none());
    }

    #[test]
    fn all_is_forgotten_when_something_changed() {
        let remembered = confirmed();
        remembered.confirm(7, std::time::Instant::now());
        assert!(remembered.find(&hash("a"), NOW).is_some(), "nothing changed");
        let before = remembered.generation();
        remembered.confirm(8, std::time::Instant::now());
        assert!(remembered.find(&hash("a"), NOW).is_none());
        // Verified before the change, so perhaps not true any more.
        remembered.add(hash("a"), bearer(), before);
        assert!(remembered.find(&hash("a"), NOW).is_none());
        remembered.add(hash("a"), bearer(), remembered.generation());
        assert!(remembered.find(&hash("a"), NOW).is_some());
        remembered.forget();
        assert!(remembered.find(&hash("a"), NOW).is_none());
        assert!(remembered.was_good(&hash("a")), "until it is refused");
        remembered.refuse(&hash("a"));
        assert!(!remembered.was_good(&hash("a")));
    }

    #[test]
    fn nothing_is_trusted_that_was_not_confirmed_lately() {
        let never = BearerCache::new(Duration::from_secs(60));
        assert_eq!(never.trusted_generation(), None);
        assert!(confirmed().trusted_generation().is_some());
        never.add(hash("a"), bearer(), never.generation());
        assert!(never.find(&hash("a"), NOW).is_none());
        let late = BearerCache::new(Duration::ZERO);
        let before = std::time::Instant::now().checked_sub(Duration::from_millis(2)).unwrap();
        late.confirm(7, before);
        late.add(hash("a"), bearer(), late.generation());
        assert_eq!(late.trusted_generation(), None);
        assert!(late.find(&hash("a"), NOW).is_none());
    }
}
