//! Turns for what a user does one at a time, because it takes much of what all share.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use daybook_domain::id::UserId;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// What a user does at once.
const AT_ONCE: usize = 1;

/// The turns of each user.
#[derive(Debug, Clone, Default)]
pub(crate) struct UserTurns(Arc<Mutex<HashMap<UserId, Arc<Semaphore>>>>);

/// A turn; the user's next one begins when it is dropped.
pub(crate) struct UserTurn {
    _held: Option<OwnedSemaphorePermit>,
}

impl UserTurns {
    /// Waits for the user's turn.
    pub(crate) async fn turn(&self, user: UserId) -> UserTurn {
        // The semaphore is never closed.
        UserTurn { _held: self.of(user).acquire_owned().await.ok() }
    }

    fn of(&self, user: UserId) -> Arc<Semaphore> {
        let mut users = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        // One that somebody holds or waits for is held elsewhere too.
        users.retain(|_, turns| Arc::strong_count(turns) > 1);
        Arc::clone(users.entry(user).or_insert_with(|| Arc::new(Semaphore::new(AT_ONCE))))
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use tokio::time::timeout;

    use super::*;

    const SHORT: Duration = Duration::from_millis(20);

    #[tokio::test]
    async fn a_user_has_one_turn() {
        let turns = UserTurns::default();
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
