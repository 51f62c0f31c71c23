//! Use cases of webhooks, for the worker that delivers them (behaviour 8.6 - 8.11): it takes
//! deliveries, fills in their events, and writes down what became of them.
//!
//! Who delivers enters the book as the user who installed the app, to read what that user may
//! read.

use daybook_domain::access::Access;
use daybook_domain::app::App;
use daybook_domain::delivery::{
    AppResponse, DeliveryAttempt, EventCopy, EventDelivery, Exchange, Next, Refusal, ResponseText,
    is_too_deep, webhook,
};
use daybook_domain::event::{ReadEvent, sequence_of};
use daybook_domain::id::IntegrationId;
use daybook_domain::instant::Instant;
use daybook_domain::storage_quota::StorageQuotas;
use daybook_storage::Tx;
pub use daybook_storage::delivery::in_flight::{InFlight, Slot};
pub use daybook_storage::delivery::lease::{Dispatched, Leased};
use daybook_storage::delivery::lease::{Due, HeldQueue};

pub mod bearer;
pub mod detached;
pub mod ended;
pub mod log;
pub mod pause;
pub mod replay;

use std::sync::Arc;

use crate::context::{Context, visitor};
use crate::error::{Error, Result};
use crate::ids::Ids;
use crate::{event, storage_quota};

/// How long a lease holds unless it is prolonged: after that the process has ended (behaviour
/// 8.9).
const LEASE_TIME: i64 = 45_000;
/// How long the lease of a replay holds, which nobody prolongs: for what an app may take to
/// answer,
/// and what the request waits for (behaviour 8.12).
const REPLAY_LEASE_TIME: i64 = 120_000;

/// What is to be done with a delivery.
#[derive(Debug)]
pub enum Prepared {
    /// It is sent.
    WebhookRequest(Box<WebhookRequest>),
    /// It is not sent, and this is what is said of it.
    Unsent(ResponseText),
    /// Who installed the app has lost access to the book, so nothing is sent any more.
    Lost,
    /// There is nowhere to send it to.
    Nowhere,
}

/// What is sent.
#[derive(Debug)]
pub enum Payload {
    /// The event, as who installed the app reads it.
    Event(Box<event::View>),
    /// What was kept of it.
    Copy(Arc<EventCopy>),
}

/// An event with what sending it needs.
#[derive(Debug)]
pub struct WebhookRequest {
    /// The event.
    pub content: Payload,
    /// The app.
    pub app: App,
    /// Where it is sent.
    pub url: String,
    /// The integration; none when its book is gone.
    pub integration: Option<IntegrationId>,
    /// Who installed the app.
    pub cx: Context,
}

const fn until(now: Instant) -> Instant {
    Instant::new(now.milliseconds().saturating_add(LEASE_TIME))
}

const fn until_replayed(now: Instant) -> Instant {
    Instant::new(now.milliseconds().saturating_add(REPLAY_LEASE_TIME))
}

/// Takes deliveries that are due, as many as there are places for, each under a lease that nobody
/// else has, and no other attempt.
pub fn take(
    tx: &mut Tx<'_>,
    mint: &mut dyn FnMut() -> i64,
    mut occupied: InFlight,
    now: Instant,
) -> Result<Vec<Dispatched>> {
    let mut taken = tx.deliveries().take((now, until(now)), mint, &mut occupied)?;
    if occupied.free() > 0 {
        let detached = tx.detached_deliveries();
        taken.extend(detached.take((now, until(now)), mint, &mut occupied)?);
    }
    Ok(taken)
}

/// Prolongs a lease that still holds, also of a delivery that has left its book since.
pub fn prolong(tx: &mut Tx<'_>, leased: &Leased, now: Instant) -> Result<()> {
    tx.books().lock(leased.delivery.key.as_str())?;
    match tx.deliveries().hold(leased)? {
        Some(_) => tx.deliveries().prolong(leased, until(now))?,
        None => tx.detached_deliveries().prolong(leased, until(now))?,
    }
    Ok(())
}

/// Reads what a delivery consists of.
pub fn prepare(
    tx: &mut Tx<'_>,
    delivery: &EventDelivery,
    (ids, now): (Arc<Ids>, Instant),
) -> Result<Prepared> {
    if is_too_deep(delivery.depth) {
        let why = "not delivered: too many apps have acted one after another";
        return Ok(Prepared::Unsent(ResponseText::failed(why)));
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
        return Ok(Prepared::Nowhere);
    };
    let installer = tx.users().by_ids(&[installer])?.into_iter().next();
    let Some(installer) = installer else { return Ok(Prepared::Lost) };
    if installer.disabled_at.is_some() {
        let why = "not delivered: who installed the app is disabled";
        return Ok(Prepared::Unsent(ResponseText::failed(why)));
    }
    let cx = Context::new(Arc::new(installer), now, ids);
    if let Some(copy) = &delivery.copy {
        let (content, url) = (Payload::Copy(Arc::clone(copy)), copy.url.clone());
        return Ok(Prepared::WebhookRequest(Box::new(WebhookRequest {
            content,
            app,
            url,
            integration,
            cx,
        })));
    }
    let view = match event::deliver(tx, &cx, delivery) {
        Ok(Some(view)) => view,
        Ok(None) => return Ok(Prepared::Nowhere),
        Err(Error::Refused(_)) => return Ok(Prepared::Lost),
        Err(failure) => return Err(failure),
    };
    let acted = view.events.first().and_then(|read| view.users.get(&read.event.user));
    let people = acted.into_iter().chain([&*cx.user]);
    let people: Vec<_> = people.map(|user| visitor(user, false)).collect();
    let Some(url) = webhook(&app, &people).map(str::to_owned) else {
        return Ok(Prepared::Nowhere);
    };
    let content = Payload::Event(Box::new(view));
    Ok(Prepared::WebhookRequest(Box::new(WebhookRequest { content, app, url, integration, cx })))
}

/// What became of a delivery.
#[derive(Debug, Clone)]
pub enum Outcome {
    /// It was tried, and this was sent and came back.
    Attempt(DeliveryAttempt, Exchange),
    /// It is not to be sent, and this is said of it.
    Unsent(ResponseText),
    /// It cannot be sent as the app is, which no other attempt would change; it has failed.
    Unsendable(ResponseText),
    /// There is nowhere to send it to, and nothing to say.
    Dropped,
    /// Nothing is to be sent to the app in the book any more.
    Stopped,
}

/// What comes after a delivery.
#[derive(Debug, Default)]
pub struct Finished {
    /// The next one of its queue, under the next lease.
    pub next: Option<Leased>,
    /// The app has failed for so long that it is to be paused.
    pub fails: bool,
    /// Nobody will tell the app that the book was deleted.
    pub lost: bool,
    /// The attempt stands in no delivery log: the book has none any more.
    pub unlogged: bool,
}

/// How a delivery has ended: what is said of it, and whether the app has it, where it was asked.
type End = (Option<ResponseText>, Option<bool>);

/// Writes down what became of a delivery. Answers the next one of its queue when it is to go on,
/// which is then taken under the next lease. One that the app has caused itself is left to the next
/// look at what is due: its cause may still be on its way, from another book.
pub fn finish(
    tx: &mut Tx<'_>,
    leased: &Leased,
    outcome: Outcome,
    (next_lease, now, quotas): (Option<i64>, Instant, StorageQuotas),
) -> Result<Finished> {
    tx.books().lock(leased.delivery.key.as_str())?;
    let Some(held) = tx.deliveries().hold(leased)? else {
        return detached::finish(tx, leased, outcome, now);
    };
    let Some((remark, delivered)) = settle(tx, leased, outcome, (held, now, quotas))? else {
        return Ok(Finished::default());
    };
    respond(tx, &leased.delivery, remark, (quotas, now))?;
    let failing = delivered.map_or(held.failing, |delivered| held.failing.after(delivered, now));
    let is_paused = held.pause.is_some();
    let fails = delivered == Some(false) && !is_paused && failing.is_over(now);
    let next = tx.deliveries().end(leased)?;
    let goes_on = |next: &Leased| next.cause_lease.is_none() && !is_paused && !fails;
    match (next, next_lease) {
        (Some(next), Some(lease)) if goes_on(&next) => {
            let next = Leased { lease, ..next };
            tx.deliveries().go_on(&next, (now, until(now)), failing)?;
            Ok(Finished { next: Some(next), ..Finished::default() })
        }
        (next, _) => {
            let due = next.map_or(Due::Never, |_| Due::At(now));
            tx.deliveries().release(leased, due, failing)?;
            Ok(Finished { fails, ..Finished::default() })
        }
    }
}

/// What an outcome means; nothing when the delivery has not ended, or its queue has.
fn settle(
    tx: &mut Tx<'_>,
    leased: &Leased,
    outcome: Outcome,
    (held, now, quotas): (HeldQueue, Instant, StorageQuotas),
) -> Result<Option<End>> {
    let delivery = &leased.delivery;
    Ok(Some(match outcome {
        Outcome::Attempt(attempt, exchange) => {
            tx.delivery_log().add(delivery, &exchange, attempt.failure())?;
            match delivery.tries.after(attempt, now) {
                Next::Again(tries, at) => {
                    tx.deliveries().save_tries(delivery, tries)?;
                    tx.deliveries().release(leased, Due::At(at), held.failing)?;
                    return Ok(None);
                }
                Next::Delivered(remark) => (remark, Some(true)),
                Next::GivenUp(remark) => (Some(remark), Some(false)),
            }
        }
        Outcome::Unsent(remark) => (Some(remark), None),
        Outcome::Unsendable(remark) => (Some(remark), Some(false)),
        Outcome::Dropped => (None, None),
        Outcome::Stopped => {
            let why = "not delivered: who installed the app has no access to the book any more";
            respond(tx, delivery, Some(ResponseText::failed(why)), (quotas, now))?;
            tx.deliveries().stop(delivery, now)?;
            return Ok(None);
        }
    }))
}

/// The event with this id in the book.
fn find(tx: &mut Tx<'_>, access: &Access, id: &str) -> Result<ReadEvent> {
    let found = match sequence_of(id, &access.book().key) {
        Some(sequence) => tx.events().find(access, sequence)?,
        None => None,
    };
    Ok(found.ok_or_else(|| Refusal::UnknownEvent(shortened(id)))?)
}

/// As much of an unknown id as a message says.
fn shortened(id: &str) -> String {
    id.chars().take(60).collect()
}

/// Records what is said of a delivery. It counts for the book (behaviour 10.14), so what there is
/// no
/// room for is not kept, but for how the app took the event.
fn respond(
    tx: &mut Tx<'_>,
    delivery: &EventDelivery,
    remark: Option<ResponseText>,
    (quotas, now): (StorageQuotas, Instant),
) -> Result<()> {
    if pause::find(tx, &delivery.key)?.is_none() {
        return Ok(());
    }
    let remark = match remark {
        Some(remark) => {
            let bytes = i64::try_from(remark.message.len()).unwrap_or(i64::MAX);
            let fits = storage_quota::may_respond(tx, delivery.book, bytes, (quotas, now))?;
            Some(if fits { remark } else { remark.without_message() })
        }
        None => None,
    };
    let response: Option<AppResponse> = remark.map(|remark| remark.of(delivery.app.clone(), now));
    Ok(tx.bot_responses().replace(delivery, response.as_ref())?)
}
