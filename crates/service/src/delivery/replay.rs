//! Use cases of the backlog and of responses to events (behaviour 8.10, 8.12).

use std::collections::HashSet;

use daybook_domain::app::AppId;
use daybook_domain::delivery::{DeliveryAttempt, EventDelivery, Refusal, ResponseText, RetryState};
use daybook_domain::event::{EventType, sequence_of};
use daybook_domain::idempotency::{Claim, StoredAnswer};
use daybook_domain::permission::Action;
use daybook_domain::purpose::{ReplayEvents, WriteIntegrations};
use daybook_storage::access::AccessTo;
use daybook_storage::delivery::replay::Turn;
use daybook_storage::event::AddressedEvent;
use daybook_storage::{Error as StorageError, Tx};

use super::{Due, Leased, Outcome, find, respond, shortened, until_replayed};
use crate::context::Context;
use crate::error::Result;
use crate::event::{self, View};
use crate::idempotency::answered;
use crate::{access, batch};

/// getBookEventsBacklog: how many events of the book are on their way.
///
/// # Errors
/// What the access step refuses.
pub fn backlog(tx: &mut Tx<'_>, cx: &Context, book: &str) -> Result<i64> {
    let access = access::enter(tx, cx, book, Action::ReadEvents)?;
    Ok(tx.deliveries().backlog(access.book().id)?)
}

/// replayEvents: the events go once more to the apps that receive them; with `errors_only` to those
/// whose response is an error.
///
/// # Errors
/// What the access step refuses; [`Refusal::UnknownEvents`], [`Refusal::NotReplayed`]; 400 for too
/// many.
pub fn replay(
    tx: &mut Tx<'_>,
    cx: &Context,
    book: &str,
    (ids, errors_only): (&[String], bool),
) -> Result<()> {
    let access = access::enter_to(tx, cx, book, ReplayEvents)?;
    batch::check_named("items", ids.len())?;
    batch::each(ids, |id| {
        if id.trim().is_empty() { Err(Refusal::EventIdRequired.into()) } else { Ok(()) }
    })?;
    let numbers: Vec<Option<i64>> =
        ids.iter().map(|id| sequence_of(id, &access.book().key)).collect();
    let wanted: Vec<i64> = numbers.iter().flatten().copied().collect();
    let events = tx.events().addressed(&access, &wanted)?;
    let known: HashSet<i64> = events.iter().map(|event| event.sequence).collect();
    let is_known = |number: &Option<i64>| number.is_some_and(|number| known.contains(&number));
    let unknown = ids.iter().zip(&numbers).filter(|(_, number)| !is_known(number));
    let unknown: Vec<String> = unknown.map(|(id, _)| shortened(id)).collect();
    if !unknown.is_empty() {
        return Err(Refusal::UnknownEvents(unknown).into());
    }
    events.iter().try_for_each(|event| check_kind(event.kind))?;
    let receivers = tx.deliveries().receivers(&access)?;
    let errors =
        if errors_only { tx.bot_responses().errors_to(&access, &wanted)? } else { HashSet::new() };
    let failed =
        |event: &AddressedEvent, app: &AppId| errors.contains(&(event.sequence, app.clone()));
    let mut deliveries = Vec::new();
    for event in &events {
        for receiver in &receivers {
            let (subject, agent) = (event.subject.as_deref(), event.agent.as_deref());
            let receives = receiver.receives(event.kind, subject, agent);
            if receives && (!errors_only || failed(event, &receiver.app)) {
                deliveries.push(of(cx, &access, event.sequence, receiver.app.clone()));
            }
        }
    }
    tx.deliveries().queue(&access, &deliveries, cx.now);
    Ok(())
}

/// Deletes the response of an app to an event.
///
/// # Errors
/// What the access step refuses; [`Refusal::UnknownEvent`], [`Refusal::NoResponse`].
pub fn delete(tx: &mut Tx<'_>, cx: &Context, book: &str, (id, app): (&str, &str)) -> Result<View> {
    let access = access::enter_to(tx, cx, book, ReplayEvents)?;
    let read = find(tx, &access, id)?;
    if !tx.bot_responses().delete(&access, read.event.sequence, app)? {
        return Err(Refusal::NoResponse.into());
    }
    event::show(tx, cx, access.into_access(), read)
}

/// How the replay of one event begins.
#[derive(Debug)]
pub enum ReplayBegun {
    /// A request with the same key was answered already.
    Answered(StoredAnswer),
    /// The event is to be sent.
    Leased(Box<Leased>),
}

/// The first step of replayEventResponse: takes the queue of the app.
///
/// # Errors
/// What the access step refuses; [`Refusal::UnknownEvent`], [`Refusal::NotInstalled`],
/// [`Refusal::NotReplayed`], [`Refusal::Paused`]; 503 while something else is delivered to the app.
pub fn begin(
    tx: &mut Tx<'_>,
    cx: &Context,
    book: &str,
    (id, app): (&str, &str),
    claim: Option<&Claim>,
) -> Result<ReplayBegun> {
    let access = access::enter_to(tx, cx, book, ReplayEvents)?;
    if let Some(claim) = claim
        && let Some(known) = answered(tx, cx, claim)?
    {
        return Ok(ReplayBegun::Answered(known));
    }
    let read = find(tx, &access, id)?;
    check_kind(read.event.kind)?;
    let app = AppId::stored(app.to_owned());
    if tx.integrations().installer(access.book().id, &app)?.is_none() {
        return Err(Refusal::NotInstalled(shortened(app.as_str())).into());
    }
    let delivery = of(cx, &access, read.event.sequence, app);
    let until = until_replayed(cx.now);
    match tx.deliveries().take_one(&access, delivery, cx.mint(), (cx.now, until))? {
        Turn::Taken(leased) => Ok(ReplayBegun::Leased(Box::new(leased))),
        Turn::Paused => Err(Refusal::Paused.into()),
        Turn::Busy => {
            let why = "another event is being delivered to the app".to_owned();
            Err(StorageError::Unavailable(why).into())
        }
    }
}

/// The last step of replayEventResponse: writes down what became of it, and shows the event.
///
/// # Errors
/// What the access step refuses; 503 when the replay took so long that another one has begun.
pub fn end(tx: &mut Tx<'_>, cx: &Context, leased: &Leased, outcome: Outcome) -> Result<View> {
    let delivery = &leased.delivery;
    let access = access::enter_to(tx, cx, delivery.key.as_str(), ReplayEvents)?;
    let Some(held) = tx.deliveries().hold(leased)? else {
        let why = "the replay took too long".to_owned();
        return Err(StorageError::Unavailable(why).into());
    };
    let mut failing = held.failing;
    let remark = match outcome {
        Outcome::Attempt(attempt, exchange) => {
            tx.delivery_log().add(delivery, &exchange, attempt.failure())?;
            match attempt {
                DeliveryAttempt::Answered(remark) => {
                    failing = failing.after(true, cx.now);
                    let access = access.with_purpose(WriteIntegrations)?;
                    tx.deliveries().resume_failing(&access, &delivery.app)?;
                    remark
                }
                DeliveryAttempt::Busy(_) => Some(ResponseText::failed("not delivered: status 429")),
                DeliveryAttempt::Failed(why) => {
                    Some(ResponseText::failed(&format!("not delivered: {why}")))
                }
            }
        }
        Outcome::Unsent(remark) | Outcome::Unsendable(remark) => Some(remark),
        Outcome::Dropped => Some(ResponseText::failed("not delivered: the app has no webhook")),
        Outcome::Stopped => {
            Some(ResponseText::failed("not delivered: who installed the app has no access"))
        }
    };
    respond(tx, delivery, remark, (cx.storage_quotas.unwrap_or_default(), cx.now))?;
    let due = tx.deliveries().end(leased)?.map_or(Due::Never, |_| Due::AsBefore);
    tx.deliveries().release(leased, due, failing)?;
    let read = tx.events().find(&access, delivery.sequence)?;
    let read = read.ok_or_else(|| Refusal::UnknownEvent(delivery.sequence.to_string()))?;
    event::show(tx, cx, access.into_access(), read)
}

/// That a book was deleted, which is back, is no news.
fn check_kind(kind: EventType) -> std::result::Result<(), Refusal> {
    if kind == EventType::BookDeleted { Err(Refusal::NotReplayed) } else { Ok(()) }
}

/// The chain of apps goes on: an app that replays events for ever comes to its end.
fn of(cx: &Context, access: &AccessTo<ReplayEvents>, sequence: i64, app: AppId) -> EventDelivery {
    EventDelivery {
        book: access.book().id,
        key: access.book().key.clone(),
        app,
        sequence,
        depth: cx.depth,
        tries: RetryState::default(),
        copy: None,
    }
}
