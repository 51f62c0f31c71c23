//! Reads that a replica answers where it can, and the primary else (behaviour 0.41, 0.42).
//!
//! What reads from a replica has a turn of its user there, as at the primary, but waits for none:
//! where the user's share of the replicas is taken, the primary is next. All replicas together have
//! half of the time that the request has, so that those that stand still hold nobody up for longer.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use daybook_domain::id::UserId;
use daybook_service::{Context, Result};
use daybook_storage::{LogPosition, ReadStop, ReplicaChoice, Tx};
use tokio::time::timeout;

use crate::blocking::block;
use crate::error::{ApiError, RequestError};
use crate::reply::{ApiResult, Reply};
use crate::request::ApiRequest;
use crate::response_budget::ResponseBudget;
use crate::run::{self, AwaitedRead};
use crate::state::AppState;

impl ApiRequest {
    /// As [`Self::read`], of a book that the use case enters; a replica may answer (behaviour
    /// 0.41).
    ///
    /// # Errors
    /// As [`Self::read`].
    pub(crate) async fn read_replicated<T: Send + 'static>(
        self,
        work: impl Fn(&mut Tx<'_>, &Context) -> Result<T> + Send + Sync + 'static,
        encode: impl FnOnce(&T, &Context) -> Reply + Send + 'static,
    ) -> ApiResult {
        let reader = (self.cx.quota_subject(), self.log_position);
        let make = run::maker(self.cx.clone(), ResponseBudget::of_read(self.memory()), encode);
        let cx = self.cx;
        read_replicated(&self.state, reader, move |tx| work(tx, &cx), make).await
    }
}

/// As [`run::read_and`], from a replica if one has what the user has written and what was `asked`.
///
/// # Errors
/// As [`run::read_and`].
async fn read_replicated<T: Send + 'static, R: Send + 'static>(
    state: &AppState,
    (user, asked): (UserId, Option<LogPosition>),
    work: impl Fn(&mut Tx<'_>) -> Result<T> + Send + Sync + 'static,
    make: impl FnOnce(T) -> R + Send + 'static,
) -> std::result::Result<R, ApiError> {
    let Some(choice) = state.store.replicas_for(user, asked) else {
        return run::read_and(state, user, work, make).await;
    };
    let begun = Instant::now();
    let work = Arc::new(work);
    let make = match try_replicas(state, (user, choice), &work, make).await {
        ReplicaOutcome::Answered(done) => return Ok(done),
        ReplicaOutcome::Late => {
            return Err(RequestError::DeadlineExceeded(state.read_deadline).into());
        }
        ReplicaOutcome::Not(make) => make,
    };
    let left = state.read_deadline.saturating_sub(begun.elapsed());
    run::read_within(state, (user, left), move |tx| work(tx), make).await
}

/// What came of asking replicas.
enum ReplicaOutcome<R, M> {
    Answered(R),
    /// A replica had answered, and encoding that took too long.
    Late,
    /// The primary is to be asked.
    Not(M),
}

async fn try_replicas<T, R, W, M>(
    state: &AppState,
    (user, choice): (UserId, ReplicaChoice),
    work: &Arc<W>,
    make: M,
) -> ReplicaOutcome<R, M>
where
    T: Send + 'static,
    R: Send + 'static,
    W: Fn(&mut Tx<'_>) -> Result<T> + Send + Sync + 'static,
    M: FnOnce(T) -> R + Send + 'static,
{
    let most = state.read_deadline.checked_div(2).unwrap_or(Duration::ZERO);
    let (begun, stop) = (Instant::now(), ReadStop::new(most));
    let _awaited = AwaitedRead::of(&stop);
    // Whoever takes it makes the answer.
    let slot = Arc::new(Mutex::new(Some(make)));
    let take = |slot: &Mutex<Option<M>>| slot.lock().unwrap_or_else(PoisonError::into_inner).take();
    for replica in choice.replicas {
        let Some(turn) = state.replica_shares.get(replica).and_then(|one| one.try_turn(user))
        else {
            continue;
        };
        let (store, stop, work) = (Arc::clone(&state.store), stop.clone(), Arc::clone(work));
        let (after, slot_of_read) = (choice.min_position, Arc::clone(&slot));
        let read = move || {
            let _turn = turn;
            let done = store.read_replica(replica, after, &stop, |tx| work(tx))?;
            Some(take(&slot_of_read)?(done))
        };
        let mut read = std::pin::pin!(block(read));
        match timeout(most.saturating_sub(begun.elapsed()), &mut read).await {
            Ok(Ok(Some(done))) => return ReplicaOutcome::Answered(done),
            // The next one, if the answer was not being made when the work failed.
            Ok(Ok(None) | Err(_)) => {}
            Err(_) => {
                if let Some(make) = take(&slot) {
                    return ReplicaOutcome::Not(make);
                }
                let encoded = timeout(most, read).await;
                let encoded = encoded.ok().and_then(std::result::Result::ok).flatten();
                return encoded.map_or(ReplicaOutcome::Late, ReplicaOutcome::Answered);
            }
        }
    }
    take(&slot).map_or(ReplicaOutcome::Late, ReplicaOutcome::Not)
}
