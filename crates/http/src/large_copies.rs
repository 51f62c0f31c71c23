//! What the copies share that are more than one unit of work (behaviour 6.14).

use std::sync::Arc;

use daybook_domain::id::UserId;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::keyed_mutex::{KeyedGuard, KeyedMutex};
use crate::wakeup::Wakeup;

/// Large copies that a process makes at once: each holds a connection for reading.
const AT_ONCE: usize = 2;

/// The slots for large copies, and who is told when one fails.
#[derive(Clone)]
pub struct LargeCopies {
    all: Arc<Semaphore>,
    /// Of a user one is made at once.
    of_users: KeyedMutex<UserId>,
    /// Of the requests with one idempotency key one is at work at once.
    of_keys: KeyedMutex<String>,
    /// Wakes the worker that removes what an unfinished copy leaves.
    pub(crate) sweep: Wakeup,
    /// Whether the server is about to end.
    pub(crate) stop: Arc<dyn Fn() -> bool + Send + Sync>,
}

/// The place of a copy that is made. Others wait until it is dropped.
pub(crate) struct CopySlot {
    _of_user: KeyedGuard,
    _of_all: Option<OwnedSemaphorePermit>,
}

impl LargeCopies {
    /// Copies that give up when `stop` says so, and then wake the worker of `sweep`.
    pub fn new(sweep: Wakeup, stop: impl Fn() -> bool + Send + Sync + 'static) -> Self {
        let all = Arc::new(Semaphore::new(AT_ONCE));
        let (of_users, of_keys) = (KeyedMutex::default(), KeyedMutex::default());
        Self { all, of_users, of_keys, sweep, stop: Arc::new(stop) }
    }

    /// Waits until no other request of this process with that key is at work.
    pub(crate) async fn turn_of_key(&self, key: String) -> KeyedGuard {
        self.of_keys.turn(key).await
    }

    /// Waits for a slot: first among the copies of the user, then among those of all, so that each
    /// user has one copy at most in the queue of all.
    pub(crate) async fn slot(&self, user: UserId) -> CopySlot {
        let of_user = self.of_users.turn(user).await;
        // The semaphore is never closed.
        let of_all = Arc::clone(&self.all).acquire_owned().await.ok();
        CopySlot { _of_user: of_user, _of_all: of_all }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use tokio::time::timeout;

    use super::*;

    const SHORT: Duration = Duration::from_millis(20);

    #[tokio::test]
    async fn a_user_has_one_slot() {
        let copies = LargeCopies::new(Wakeup::default(), || false);
        let (one, other) = (UserId::new(1), UserId::new(2));
        let held = copies.slot(one).await;
        assert!(timeout(SHORT, copies.slot(one)).await.is_err(), "the user's second copy waits");
        let second = timeout(SHORT, copies.slot(other)).await.expect("another user's does not");
        assert!(timeout(SHORT, copies.slot(UserId::new(3))).await.is_err(), "there are two");
        drop(held);
        timeout(SHORT, copies.slot(one)).await.expect("the slot is free again");
        drop(second);
        drop(copies.slot(UserId::new(3)).await);
    }
}
