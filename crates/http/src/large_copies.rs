//! What the copies share that are more than one unit of work (behaviour 6.14).

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use daybook_domain::id::UserId;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::wakeup::Wakeup;

/// Large copies that a process makes at once: each holds a connection for reading.
const AT_ONCE: usize = 2;
/// Those of a user among them.
const AT_ONCE_OF_A_USER: usize = 1;

/// The slots for large copies, and who is told when one fails.
#[derive(Clone)]
pub struct LargeCopies {
    all: Arc<Semaphore>,
    /// The users whose copies are made or wait.
    of_users: Arc<Mutex<HashMap<UserId, Arc<Semaphore>>>>,
    /// Wakes the worker that removes what an unfinished copy leaves.
    pub(crate) sweep: Wakeup,
    /// Whether the server is about to end.
    pub(crate) stop: Arc<dyn Fn() -> bool + Send + Sync>,
}

/// The place of a copy that is made. Others wait until it is dropped.
pub(crate) struct CopySlot {
    _of_user: Option<OwnedSemaphorePermit>,
    _of_all: Option<OwnedSemaphorePermit>,
}

impl LargeCopies {
    /// Copies that give up when `stop` says so, and then wake the worker of `sweep`.
    pub fn new(sweep: Wakeup, stop: impl Fn() -> bool + Send + Sync + 'static) -> Self {
        let all = Arc::new(Semaphore::new(AT_ONCE));
        Self { all, of_users: Arc::default(), sweep, stop: Arc::new(stop) }
    }

    /// Waits for a slot: first among the copies of the user, then among those of all, so that each
    /// user has one copy at most in the queue of all.
    pub(crate) async fn slot(&self, user: UserId) -> CopySlot {
        let own = self.of_user(user);
        // Neither semaphore is ever closed.
        let of_user = own.acquire_owned().await.ok();
        let of_all = Arc::clone(&self.all).acquire_owned().await.ok();
        CopySlot { _of_user: of_user, _of_all: of_all }
    }

    fn of_user(&self, user: UserId) -> Arc<Semaphore> {
        let mut users = self.of_users.lock().unwrap_or_else(PoisonError::into_inner);
        // One that somebody holds or waits for is held elsewhere too.
        users.retain(|_, slots| Arc::strong_count(slots) > 1);
        let slots = || Arc::new(Semaphore::new(AT_ONCE_OF_A_USER));
        Arc::clone(users.entry(user).or_insert_with(slots))
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
        assert_eq!(copies.of_users.lock().unwrap().len(), 1, "users without copies are forgotten");
    }
}
