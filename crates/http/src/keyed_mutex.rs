//! Turns for what is done one at a time: by a user, because it takes much of what all share, or for
//! a key.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// What is done at once.
const AT_ONCE: usize = 1;

/// The turns of each user, or for each key.
#[derive(Debug, Clone)]
pub(crate) struct KeyedMutex<K>(Arc<Mutex<HashMap<K, Arc<Semaphore>>>>);

/// A turn; the next one begins when it is dropped.
pub(crate) struct KeyedGuard {
    _held: Option<OwnedSemaphorePermit>,
}

impl<K> Default for KeyedMutex<K> {
    fn default() -> Self {
        Self(Arc::default())
    }
}

impl<K: Eq + Hash> KeyedMutex<K> {
    /// Waits for the turn.
    pub(crate) async fn turn(&self, key: K) -> KeyedGuard {
        // The semaphore is never closed.
        KeyedGuard { _held: self.of(key).acquire_owned().await.ok() }
    }

    fn of(&self, key: K) -> Arc<Semaphore> {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        // One that somebody holds or waits for is held elsewhere too.
        all.retain(|_, turns| Arc::strong_count(turns) > 1);
        Arc::clone(all.entry(key).or_insert_with(|| Arc::new(Semaphore::new(AT_ONCE))))
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use daybook_domain::id::UserId;
    use tokio::time::timeout;

    use super::*;

    const SHORT: Duration = Duration::from_millis(20);

    #[tokio::test]
    async fn a_user_has_one_turn() {
        let turns = KeyedMutex::default();
        let (one, other) = (UserId::new(1), UserId::new(2));
        let held = turns.turn(one).await;
        assert!(timeout(SHORT, turns.turn(one)).await.is_err(), "the user's second waits");
        let second = timeout(SHORT, turns.turn(other)).await.expect("another user's does not");
        drop(held);
        timeout(SHORT, turns.turn(one)).await.expect("the turn is free again");
        drop(second);
        drop(turns.turn(one).await);
        assert_eq!(turns.0.lock().unwrap().len(), 1, "users without turns are forgotten");
    }
}
