//! Use cases of webhooks, for the worker that delivers them (behaviour 8.6 - 8.11): it takes
//! deliveries, fills in their events, and writes down what became of them.
//!
//! Who delivers enters the book as the user who installed the app, to read what that user may read.

use daybook_domain::app::App;
use daybook_domain::delivery::{
    BotResponse, DeliveryAttempt, EventDelivery, Exchange, Next, Remark, is_too_deep, webhook,
};
use daybook_domain::instant::Instant;
use daybook_storage::Tx;
pub use daybook_storage::delivery::{Leased, Occupied};

pub mod log;
pub mod replay;

use std::sync::Arc;

use crate::context::{Context, visitor};
use crate::error::{Error, Result};
use crate::event;
use crate::ids::Ids;

/// How long a lease holds unless it is prolonged: after that the process has ended (behaviour 8.9).
const LEASE_TIME: i64 = 45_000;

/// What is to be done with a delivery.
#[derive(Debug)]
pub enum Prepared {
    /// It is sent.
    Parcel(Box<Parcel>),
    /// It is not sent, and this is what is said of it.
    Unsent(Remark),
    /// Who installed the app has lost access to the book, so nothing is sent any more.
    Lost,
    /// There is nowhere to send it to.
    Nowhere,
}

/// An event with what sending it needs.
#[derive(Debug)]
pub struct Parcel {
    /// The event, as who installed the app reads it.
    pub view: event::View,
    /// The app.
    pub app: App,
    /// Where it is sent.
    pub url: String,
    /// Who installed the app.
    pub cx: Context,
}

const fn until(now: Instant) -> Instant {
    Instant::new(now.milliseconds().saturating_add(LEASE_TIME))
}

/// Takes deliveries that are due, at most so many, under a lease that nobody else has.
pub fn take(
    tx: &mut Tx<'_>,
    lease: i64,
    mut occupied: Occupied,
    (limit, now): (usize, Instant),
) -> Result<Vec<Leased>> {
    Ok(tx.deliveries().take((now, until(now)), lease, &mut occupied, limit)?)
}

/// Prolongs a lease.
pub fn prolong(tx: &mut Tx<'_>, leased: &Leased, now: Instant) -> Result<()> {
    Ok(tx.deliveries().prolong(leased, until(now))?)
}

/// Reads what a delivery consists of.
pub fn prepare(
    tx: &mut Tx<'_>,
    delivery: &EventDelivery,
    (ids, now): (Arc<Ids>, Instant),
) -> Result<Prepared> {
    if is_too_deep(delivery.depth) {
        let why = "not delivered: too many apps have acted one after another";
        return Ok(Prepared::Unsent(Remark::failed(why)));
    }
    let installer = tx.integrations().installer(delivery.book, &delivery.app)?;
    let app = tx.apps().find(delivery.app.as_str())?;
    let (Some(installer), Some(app)) = (installer, app) else { return Ok(Prepared::Nowhere) };
    let installer = tx.users().by_ids(&[installer])?.into_iter().next();
    let Some(installer) = installer.filter(|user| user.disabled_at.is_none()) else {
        return Ok(Prepared::Lost);
    };
    let cx = Context::new(Arc::new(installer), now, ids);
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
    Ok(Prepared::Parcel(Box::new(Parcel { view, app, url, cx })))
}

/// What became of a delivery.
#[derive(Debug)]
pub enum Outcome {
    /// It was tried, and this was sent and came back.
    Tried(DeliveryAttempt, Exchange),
    /// It is not to be sent, and this is said of it.
    Unsent(Remark),
    /// There is nowhere to send it to, and nothing to say.
    Dropped,
    /// Nothing is to be sent to the app in the book any more.
    Stopped,
}

/// Writes down what became of a delivery. Answers the next one of its queue when it is to go on,
/// which is then taken under the same lease.
pub fn finish(
    tx: &mut Tx<'_>,
    leased: &Leased,
    outcome: Outcome,
    (goes_on, now): (bool, Instant),
) -> Result<Option<Leased>> {
    if !tx.deliveries().holds(leased)? {
        return Ok(None);
    }
    let delivery = &leased.delivery;
    let mut failing = leased.failing;
    let remark = match outcome {
        Outcome::Tried(attempt, exchange) => {
            tx.delivery_log().add(delivery, &exchange, attempt.failure())?;
            match delivery.tries.after(attempt, now) {
                Next::Again(tries, at) => {
                    tx.deliveries().save_tries(delivery, tries)?;
                    tx.deliveries().release(leased, Some(at), failing)?;
                    return Ok(None);
                }
                Next::Delivered(remark) => {
                    failing = failing.after(true, now);
                    remark
                }
                Next::GivenUp(remark) => {
                    failing = failing.after(false, now);
                    Some(remark)
                }
            }
        }
        Outcome::Unsent(remark) => Some(remark),
        Outcome::Dropped => None,
        Outcome::Stopped => {
            let why = "not delivered: who installed the app has no access to the book any more";
            respond(tx, delivery, Some(Remark::failed(why)), now)?;
            tx.deliveries().stop(delivery, now)?;
            return Ok(None);
        }
    };
    respond(tx, delivery, remark, now)?;
    let next = tx.deliveries().end(leased)?.map(|next| Leased { failing, ..next });
    match next {
        Some(next) if goes_on && failing == leased.failing => {
            tx.deliveries().prolong(&next, until(now))?;
            Ok(Some(next))
        }
        Some(_) => {
            tx.deliveries().release(leased, Some(now), failing)?;
            Ok(None)
        }
        None => {
            tx.deliveries().release(leased, None, failing)?;
            Ok(None)
        }
    }
}

fn respond(
    tx: &mut Tx<'_>,
    delivery: &EventDelivery,
    remark: Option<Remark>,
    now: Instant,
) -> Result<()> {
    let response: Option<BotResponse> = remark.map(|remark| remark.of(delivery.app.clone(), now));
    Ok(tx.bot_responses().replace(delivery, response.as_ref())?)
}
