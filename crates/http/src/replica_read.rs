//! Reads from replicas, with the primary as the fallback (behaviour 0.41, 0.42).
//!
//! A read takes a reader share of its user on a replica without waiting for one. All replicas
//! together get half of the deadline, so a replica that does not respond delays no read for
//! longer.

use std::sync::Arc;
use std::time::{Duration, Instant};

use actix_web::web;
use daybook_domain::id::UserId;
use daybook_edge::blocking::block;
use daybook_edge::response_budget::ResponseBudget;
use daybook_edge::run::StopOnDrop;
use daybook_service::{Context, Result};
use daybook_storage::{LogPosition, ReadStop, ReplicaChoice, Tx};
use tokio::time::timeout;

use crate::reply::{ApiResult, Reply};
use crate::request::{ApiRequest, ReplyFuture};
use crate::respond::{self, RepeatedRead};
use crate::state::AppState;

impl ApiRequest {
    /// Runs a use case that reads a book, on a replica if possible, and encodes its result
    /// (behaviour 0.41).
    ///
    /// # Errors
    /// Those of [`Self::read`].
    pub(crate) fn read_replicated<T: Send + 'static>(
        self,
        work: impl Fn(&mut Tx<'_>, &Context) -> Result<T> + Send + Sync + 'static,
        encode: impl Fn(&T, &Context) -> Reply + Send + Sync + 'static,
    ) -> ReplyFuture {
        self.read_repeatedly(work, encode, false)
    }

    /// Does the same as [`Self::read_replicated`] for a use case that needs a single statement if
    /// the access and the chart are cached.
    ///
    /// # Errors
    /// Those of [`Self::read`].
    pub(crate) fn read_with_one_statement<T: Send + 'static>(
        self,
        work: impl Fn(&mut Tx<'_>, &Context) -> Result<T> + Send + Sync + 'static,
        encode: impl Fn(&T, &Context) -> Reply + Send + Sync + 'static,
    ) -> ReplyFuture {
        self.read_repeatedly(work, encode, true)
    }

    fn read_repeatedly<T: Send + 'static>(
        self,
        work: impl Fn(&mut Tx<'_>, &Context) -> Result<T> + Send + Sync + 'static,
        encode: impl Fn(&T, &Context) -> Reply + Send + Sync + 'static,
        one_statement: bool,
    ) -> ReplyFuture {
        let Self { cx, state, log_position, .. } = self;
        let (user, encode) = (cx.quota_subject(), Arc::new(encode));
        let work: RepeatedRead = Arc::new(move |tx| {
            let (result, cx, encode) = (work(tx, &cx)?, cx.clone(), Arc::clone(&encode));
            Ok(Box::new(move || encode(&result, &cx)))
        });
        Box::pin(read_replicated(state, user, log_position, work, one_statement))
    }
}

/// Reads from a replica that has everything up to `log_position`, else from the primary.
async fn read_replicated(
    state: web::Data<AppState>,
    user: UserId,
    log_position: Option<LogPosition>,
    work: RepeatedRead,
    one_statement: bool,
) -> ApiResult {
    let begun = Instant::now();
    if let Some(choice) = state.edge.store.replicas_for(user, log_position)
        && let Some(reply) = try_replicas(&state, user, choice, &work).await
    {
        return Ok(reply);
    }
    let left = state.edge.read_deadline.saturating_sub(begun.elapsed());
    if one_statement {
        return respond::read_reply_with_one_statement(&state.edge, user, left, work).await;
    }
    respond::read_reply(&state.edge, user, left, Box::new(move |tx| work(tx))).await
}

/// Reads from the first replica that responds in time.
async fn try_replicas(
    state: &AppState,
    user: UserId,
    choice: ReplicaChoice,
    work: &RepeatedRead,
) -> Option<Reply> {
    let max = state.edge.read_deadline.checked_div(2).unwrap_or(Duration::ZERO);
    let (begun, stop) = (Instant::now(), ReadStop::new(max));
    let _stop = StopOnDrop(stop.clone());
    for replica in choice.replicas {
        let Some(reader) = state.replica_shares.get(replica).and_then(|one| one.try_acquire(user))
        else {
            continue;
        };
        let (store, stop, work) = (Arc::clone(&state.edge.store), stop.clone(), Arc::clone(work));
        let budget = ResponseBudget::new(state.edge.budget.reservation(user));
        let after = choice.min_position;
        let read = block(move || {
            let _reader = reader;
            let encode = store.read_replica(replica, after, &stop, |tx| work(tx))?;
            stop.check().ok()?;
            Some(respond::encode_within(budget, encode))
        });
        match timeout(max.saturating_sub(begun.elapsed()), read).await {
            Ok(Ok(Some(reply))) => return Some(reply),
            Ok(Ok(None) | Err(_)) => {}
            Err(_) => return None,
        }
    }
    None
}
