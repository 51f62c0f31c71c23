//! Limits of concurrent large copies (behaviour 6.14).

use std::sync::Arc;

use daybook_domain::id::UserId;
use daybook_edge::Wakeup;
use daybook_edge::keyed_mutex::{KeyedGuard, KeyedMutex};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// The maximum number of concurrent large copies per process. Each holds a read connection.
const MAX_CONCURRENT: usize = 2;

/// The limits of large copies.
#[derive(Clone)]
pub struct LargeCopies {
    permits: Arc<Semaphore>,
    /// One copy per user.
    users: KeyedMutex<UserId>,
    /// One request per idempotency key.
    keys: KeyedMutex<String>,
    /// Wakes the worker that removes the rows of unfinished copies.
    pub(crate) sweep: Wakeup,
    /// Whether the server is stopping.
    pub(crate) stop: Arc<dyn Fn() -> bool + Send + Sync>,
}

/// The slot of a running copy, which is released when it is dropped.
pub(crate) struct CopySlot {
    _user_guard: KeyedGuard,
    _permit: Option<OwnedSemaphorePermit>,
}

impl LargeCopies {
    /// Creates the limits.
    ///
    /// Copies are abandoned when `stop` returns true, and then wake the worker of `sweep`.
    pub fn new(sweep: Wakeup, stop: impl Fn() -> bool + Send + Sync + 'static) -> Self {
        Self {
            permits: Arc::new(Semaphore::new(MAX_CONCURRENT)),
            users: KeyedMutex::default(),
            keys: KeyedMutex::default(),
            sweep,
            stop: Arc::new(stop),
        }
    }

    /// Waits until no other request with that key runs in this process.
    pub(crate) async fn lock_key(&self, key: String) -> KeyedGuard {
        self.keys.lock(key).await
    }

    /// Waits for a slot: first for the user, then for the process.
    ///
    /// So each user has at most one copy in the queue of the process.
    pub(crate) async fn slot(&self, user: UserId) -> CopySlot {
        let user_guard = self.users.lock(user).await;
        // The semaphore is never closed.
        let permit = Arc::clone(&self.permits).acquire_owned().await.ok();
        CopySlot { _user_guard: user_guard, _permit: permit }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use tokio::time::timeout;

    use super::*;

    const SHORT: Duration = Duration::from_millis(20);

    #[tokio::test]
    async fn user_has_one_slot_and_process_has_two() {
        let copies = LargeCopies::new(Wakeup::default(), || false);
        let (one, other) = (UserId::new(1), UserId::new(2));
        let first = copies.slot(one).await;
        assert!(timeout(SHORT, copies.slot(one)).await.is_err(), "the user's second copy waits");
        let second = timeout(SHORT, copies.slot(other)).await.expect("another user's does not");
        assert!(timeout(SHORT, copies.slot(UserId::new(3))).await.is_err(), "there are two");
        drop(first);
        timeout(SHORT, copies.slot(one)).await.expect("the slot is free again");
        drop(second);
        drop(copies.slot(UserId::new(3)).await);
    }
}
