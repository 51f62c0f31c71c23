//! Webhooks: the deliveries of events to apps (behaviour 8.6 - 8.11).
//!
//! The unit of work that records an event queues a delivery for each app in the book that receives
//! it. The deliveries of one app in one book form a queue, and one process at a time holds the
//! lease of a queue. The worker of the server takes due queues ([`lease_due`]), reads the event as
//! the user who installed the app may read it ([`prepare`]), sends the request, and reports the
//! [`DeliveryOutcome`] ([`finish`]). `finish` records the response of the app, schedules a retry or
//! ends the delivery, and hands out the next delivery of the queue.
//!
//! A lease that is not prolonged expires, and another process takes the queue. So an event may be
//! sent twice, and is never lost. An app that fails for days is paused (`pause`). If its installer
//! loses access to the book, the queue ends (`ended`). The delivery of a book's deletion is
//! detached before the rows of the book are removed (`detached`). Users read the attempts (`log`)
//! and repeat deliveries (`replay`). An app calls back with the token of its delivery (`bearer`).

pub mod bearer;
pub mod detached;
pub mod ended;
pub mod log;
mod lookup;
mod outcome;
pub mod pause;
pub mod replay;

use std::sync::Arc;

use daybook_domain::app::App;
use daybook_domain::delivery::{
    AppResponse, EventCopy, EventDelivery, Next, ResponseText, is_too_deep, webhook_url,
};
use daybook_domain::id::IntegrationId;
use daybook_domain::instant::Instant;
use daybook_domain::storage_quota::StorageQuotas;
pub use daybook_storage::delivery::in_flight::{InFlight, SlotHolder};
use daybook_storage::delivery::lease::{Due, LockedQueue};
pub use daybook_storage::delivery::lease::{Leased, LeasedWithSlot};
use daybook_storage::{ShardKey, Tx};
pub use outcome::{DeliveryOutcome, Finished, UnloggedAttempt};

use crate::context::{Context, app_visitor};
use crate::error::{Error, Result};
use crate::ids::Ids;
use crate::{event, storage_quota};
use lookup::find_book;

/// The shard key of the writes across books: [`lease_due`] and [`log::sweep`].
///
/// They run last in their group, because writes to books may wait for their rows.
pub const SHARD_KEY: ShardKey = ShardKey::DELIVERIES;
/// How long a lease holds unless it is prolonged, in milliseconds (behaviour 8.9).
const LEASE_TIME: i64 = 45_000;
/// How long the lease of a replay holds, in milliseconds.
///
/// It is never prolonged, so it covers the time an app may take and the waits of the request
/// (behaviour 8.12).
const REPLAY_LEASE_TIME: i64 = 120_000;

/// The result of preparing a delivery.
#[derive(Debug)]
pub enum Prepared {
    /// The event is to be sent.
    Request(Box<WebhookRequest>),
    /// The delivery ends without a request.
    NotSent(DeliveryOutcome),
}

/// The body of a webhook request.
#[derive(Debug)]
pub enum Payload {
    /// The event as the installer of the app reads it.
    Event(Box<event::View>),
    /// The stored copy of a detached delivery.
    Copy(Arc<EventCopy>),
}

/// An event with everything that its request needs.
#[derive(Debug)]
pub struct WebhookRequest {
    /// The event.
    pub content: Payload,
    /// The app.
    pub app: App,
    /// The address of the webhook.
    pub url: String,
    /// The integration; `None` if its book is gone.
    pub integration: Option<IntegrationId>,
    /// The context of the user who installed the app.
    pub cx: Context,
}

const fn lease_end(now: Instant) -> Instant {
    Instant::new(now.milliseconds().saturating_add(LEASE_TIME))
}

const fn replay_lease_end(now: Instant) -> Instant {
    Instant::new(now.milliseconds().saturating_add(REPLAY_LEASE_TIME))
}

/// Leases due deliveries, as many as `in_flight` has free slots. Each gets a lease of its own. A
/// restored installation leases none until its operator releases it.
pub fn lease_due(
    tx: &mut Tx<'_>,
    new_lease: &mut dyn FnMut() -> i64,
    mut in_flight: InFlight,
    now: Instant,
) -> Result<Vec<LeasedWithSlot>> {
    if tx.holds_deliveries()? {
        return Ok(Vec::new());
    }
    let mut leased = tx.deliveries().lease_due(now, lease_end(now), new_lease, &mut in_flight)?;
    if in_flight.free() > 0 {
        let detached = tx.detached_deliveries();
        leased.extend(detached.lease_due(now, lease_end(now), new_lease, &mut in_flight)?);
    }
    Ok(leased)
}

/// Prolongs a lease if it still holds, even if the delivery was detached since.
pub fn prolong(tx: &mut Tx<'_>, leased: &Leased, now: Instant) -> Result<()> {
    tx.books().lock(leased.delivery.key.as_str())?;
    match tx.deliveries().lock_leased(leased)? {
        Some(_) => tx.deliveries().extend_lease(leased, lease_end(now))?,
        None => tx.detached_deliveries().extend_lease(leased, lease_end(now))?,
    }
    Ok(())
}

/// Reads the data of a delivery's request, or returns the outcome if no request is to be sent.
pub fn prepare(
    tx: &mut Tx<'_>,
    delivery: &EventDelivery,
    ids: Arc<Ids>,
    now: Instant,
) -> Result<Prepared> {
    let skip = |reason: Option<&str>| {
        Prepared::NotSent(DeliveryOutcome::Skipped(reason.map(ResponseText::error)))
    };
    if is_too_deep(delivery.depth) {
        return Ok(skip(Some("not delivered: too many apps have acted one after another")));
    }
    let installed = match &delivery.copy {
        Some(copy) => Some((None, copy.installer)),
        None => {
            let first = tx.integrations().first(delivery.book, &delivery.app)?;
            first.map(|(id, installer)| (Some(id), installer))
        }
    };
    let app = tx.apps().find(delivery.app.as_str())?;
    let (Some((integration, installer)), Some(app)) = (installed, app) else {
        return Ok(skip(None));
    };
    let installer = tx.users().by_ids(&[installer])?.into_iter().next();
    let Some(installer) = installer else {
        return Ok(Prepared::NotSent(DeliveryOutcome::QueueEnded));
    };
    if installer.disabled_at.is_some() {
        return Ok(skip(Some("not delivered: the user who installed the app is disabled")));
    }
    let cx = Context::new(Arc::new(installer), now, ids);
    let (content, url) = match &delivery.copy {
        Some(copy) => (Payload::Copy(Arc::clone(copy)), copy.url.clone()),
        None => {
            let view = match event::read_for_delivery(tx, &cx, delivery) {
                Ok(Some(view)) => view,
                Ok(None) => return Ok(skip(None)),
                Err(Error::Refused(_)) => {
                    return Ok(Prepared::NotSent(DeliveryOutcome::QueueEnded));
                }
                Err(failure) => return Err(failure),
            };
            let actor = view.events.first().and_then(|read| view.users.get(&read.event.user));
            let audience = actor.into_iter().chain([&*cx.user]);
            let audience: Vec<_> = audience.map(|user| app_visitor(user, false)).collect();
            let Some(url) = webhook_url(&app, &audience).map(str::to_owned) else {
                return Ok(skip(None));
            };
            (Payload::Event(Box::new(view)), url)
        }
    };
    Ok(Prepared::Request(Box::new(WebhookRequest { content, app, url, integration, cx })))
}

/// The end of a delivery.
struct Ending {
    /// The response of the app to the event.
    response: Option<ResponseText>,
    verdict: Verdict,
}

/// How the end of a delivery counts for the app.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Verdict {
    Succeeded,
    Failed,
    NotCounted,
}

/// Applies the outcome of a delivery.
///
/// It leases the next delivery of the queue under `next_lease`, unless the queue is paused or the
/// app fails for too long. An event that the app caused itself stays for the next round, because
/// the delivery that caused it may still be in flight in another book.
pub fn finish(
    tx: &mut Tx<'_>,
    leased: &Leased,
    outcome: DeliveryOutcome,
    next_lease: Option<i64>,
    now: Instant,
    quotas: StorageQuotas,
) -> Result<Finished> {
    tx.books().lock(leased.delivery.key.as_str())?;
    let Some(queue) = tx.deliveries().lock_leased(leased)? else {
        return detached::finish(tx, leased, outcome, now);
    };
    let Some(ending) = apply_outcome(tx, leased, outcome, queue, now, quotas)? else {
        return Ok(Finished::default());
    };
    let Ending { response, verdict } = ending;
    record_response(tx, &leased.delivery, response, quotas, now)?;
    let streak = match verdict {
        Verdict::Succeeded => queue.streak.record(true, now),
        Verdict::Failed => queue.streak.record(false, now),
        Verdict::NotCounted => queue.streak,
    };
    let is_paused = queue.pause.is_some();
    let must_pause = verdict == Verdict::Failed && !is_paused && streak.requires_pause(now);
    let next = tx.deliveries().end(leased)?;
    let continues = |next: &Leased| next.cause_lease.is_none() && !is_paused && !must_pause;
    match (next, next_lease) {
        (Some(next), Some(lease)) if continues(&next) => {
            let next = Leased { lease, ..next };
            tx.deliveries().continue_with(&next, now, lease_end(now), streak)?;
            Ok(Finished { next: Some(next), ..Finished::default() })
        }
        (next, _) => {
            let due = next.map_or(Due::Never, |_| Due::At(now));
            tx.deliveries().release(leased, due, streak)?;
            Ok(Finished { must_pause, ..Finished::default() })
        }
    }
}

/// Applies an outcome to the delivery and its queue. Returns `None` if the delivery is retried or
/// the queue has ended.
fn apply_outcome(
    tx: &mut Tx<'_>,
    leased: &Leased,
    outcome: DeliveryOutcome,
    queue: LockedQueue,
    now: Instant,
    quotas: StorageQuotas,
) -> Result<Option<Ending>> {
    let delivery = &leased.delivery;
    let (response, verdict) = match outcome {
        DeliveryOutcome::Attempted(attempt, exchange) => {
            tx.delivery_log().add(delivery, &exchange, attempt.failure())?;
            match delivery.retry_state.next_step(attempt, now) {
                Next::Retry(retry_state, at) => {
                    tx.deliveries().save_retry_state(delivery, retry_state)?;
                    tx.deliveries().release(leased, Due::At(at), queue.streak)?;
                    return Ok(None);
                }
                Next::Delivered(response) => (response, Verdict::Succeeded),
                Next::GivenUp(response) => (Some(response), Verdict::Failed),
            }
        }
        DeliveryOutcome::Skipped(reason) => (reason, Verdict::NotCounted),
        DeliveryOutcome::Failed(reason) => (Some(reason), Verdict::Failed),
        DeliveryOutcome::QueueEnded => {
            let reason =
                "not delivered: the user who installed the app has lost access to the book";
            record_response(tx, delivery, Some(ResponseText::error(reason)), quotas, now)?;
            tx.deliveries().stop(delivery, now)?;
            return Ok(None);
        }
    };
    Ok(Some(Ending { response, verdict }))
}

/// Records the response of an app to an event.
///
/// The response counts for the book's quota (behaviour 10.14). Without room for its message, only
/// its kind is stored.
fn record_response(
    tx: &mut Tx<'_>,
    delivery: &EventDelivery,
    response: Option<ResponseText>,
    quotas: StorageQuotas,
    now: Instant,
) -> Result<()> {
    if find_book(tx, &delivery.key)?.is_none() {
        return Ok(());
    }
    let response = match response {
        Some(response) => {
            let bytes = i64::try_from(response.message.len()).unwrap_or(i64::MAX);
            let fits = storage_quota::may_respond(tx, delivery.book, bytes, quotas, now)?;
            Some(if fits { response } else { response.with_quota_notice() })
        }
        None => None,
    };
    let response: Option<AppResponse> =
        response.map(|response| response.by_app(delivery.app.clone(), now));
    Ok(tx.bot_responses().replace(delivery, response.as_ref())?)
}
