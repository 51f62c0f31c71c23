//! An asynchronous mutex for each key, such as a user.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::OwnedMutexGuard;

type Locks<K> = HashMap<K, Arc<tokio::sync::Mutex<()>>>;

/// The locks of all keys.
#[derive(Debug, Clone)]
pub struct KeyedMutex<K>(Arc<Mutex<Locks<K>>>);

/// A lock, released when it is dropped.
pub type KeyedGuard = OwnedMutexGuard<()>;

impl<K> Default for KeyedMutex<K> {
    fn default() -> Self {
        Self(Arc::default())
    }
}

impl<K: Eq + Hash> KeyedMutex<K> {
    /// Waits for the lock of a key.
    pub async fn lock(&self, key: K) -> KeyedGuard {
        let lock = {
            let mut locks = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            // A lock that is held or awaited has another owner.
            locks.retain(|_, lock| Arc::strong_count(lock) > 1);
            Arc::clone(locks.entry(key).or_default())
        };
        lock.lock_owned().await
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
    async fn each_key_has_one_lock() {
        let locks = KeyedMutex::default();
        let (one, other) = (UserId::new(1), UserId::new(2));
        let held = locks.lock(one).await;
        assert!(timeout(SHORT, locks.lock(one)).await.is_err(), "the same key waits");
        let second = timeout(SHORT, locks.lock(other)).await.expect("another key does not wait");
        drop(held);
        timeout(SHORT, locks.lock(one)).await.expect("the lock is released");
        drop(second);
        drop(locks.lock(one).await);
        assert_eq!(locks.0.lock().unwrap().len(), 1, "unused locks are forgotten");
    }
}
