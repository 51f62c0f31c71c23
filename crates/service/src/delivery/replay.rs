//! The backlog of deliveries, and repeated deliveries on request (behaviour 8.10, 8.12).

use std::collections::HashSet;

use daybook_domain::app::AppId;
use daybook_domain::delivery::{DeliveryAttempt, EventDelivery, Refusal, ResponseText, RetryState};
use daybook_domain::event::{EventType, sequence_of};
use daybook_domain::idempotency::{Claim, StoredResponse};
use daybook_domain::permission::Action;
use daybook_domain::purpose::{ReplayEvents, WriteIntegrations};
use daybook_storage::access::AccessTo;
use daybook_storage::delivery::replay::LeaseResult;
use daybook_storage::event::AddressedEvent;
use daybook_storage::{Error as StorageError, Tx};

use super::lookup::{find_event, shortened};
use super::{DeliveryOutcome, Due, Leased, record_response, replay_lease_end};
use crate::context::Context;
use crate::error::Result;
use crate::event::{self, View};
use crate::idempotency::find_response;
use crate::{access, batch};

/// getBookEventsBacklog: the number of pending deliveries of the book.
pub fn backlog(tx: &mut Tx<'_>, cx: &Context, book: &str) -> Result<i64> {
    let access = access::enter(tx, cx, book, Action::ReadEvents)?;
    Ok(tx.deliveries().backlog(access.book().id)?)
}

/// replayEvents: delivers events again to all their receivers, or with `errors_only` to those whose
/// response is an error.
///
/// # Errors
/// [`Refusal::UnknownEvents`], [`Refusal::NotReplayed`]; 400 for too many events.
pub fn replay(
    tx: &mut Tx<'_>,
    cx: &Context,
    book: &str,
    ids: &[String],
    errors_only: bool,
) -> Result<()> {
    let access = access::enter_to(tx, cx, book, ReplayEvents)?;
    batch::check_id_count("items", ids.len())?;
    batch::each(ids, |id| {
        if id.trim().is_empty() { Err(Refusal::EventIdRequired.into()) } else { Ok(()) }
    })?;
    let numbers: Vec<Option<i64>> =
        ids.iter().map(|id| sequence_of(id, &access.book().key)).collect();
    let sequences: Vec<i64> = numbers.iter().flatten().copied().collect();
    let events = tx.events().addressed(&access, &sequences)?;
    let known: HashSet<i64> = events.iter().map(|event| event.sequence).collect();
    let is_known = |number: &Option<i64>| number.is_some_and(|number| known.contains(&number));
    let unknown = ids.iter().zip(&numbers).filter(|(_, number)| !is_known(number));
    let unknown: Vec<String> = unknown.map(|(id, _)| shortened(id)).collect();
    if !unknown.is_empty() {
        return Err(Refusal::UnknownEvents(unknown).into());
    }
    events.iter().try_for_each(|event| check_replayable(event.kind))?;
    let receivers = tx.deliveries().receivers(&access)?;
    let errors = if errors_only {
        tx.bot_responses().errors_to(&access, &sequences)?
    } else {
        HashSet::new()
    };
    let has_error =
        |event: &AddressedEvent, app: &AppId| errors.contains(&(event.sequence, app.clone()));
    let mut deliveries = Vec::new();
    for event in &events {
        for receiver in &receivers {
            let (subject, agent) = (event.subject.as_deref(), event.agent.as_deref());
            let receives = receiver.receives(event.kind, subject, agent);
            if receives && (!errors_only || has_error(event, &receiver.app)) {
                deliveries.push(new_delivery(cx, &access, event.sequence, receiver.app.clone()));
            }
        }
    }
    tx.deliveries().queue(&access, &deliveries, cx.now);
    Ok(())
}

/// Deletes the response of an app to an event.
///
/// # Errors
/// [`Refusal::UnknownEvent`], [`Refusal::NoResponse`].
pub fn delete_response(
    tx: &mut Tx<'_>,
    cx: &Context,
    book: &str,
    id: &str,
    app: &str,
) -> Result<View> {
    let access = access::enter_to(tx, cx, book, ReplayEvents)?;
    let read = find_event(tx, &access, id)?;
    if !tx.bot_responses().delete(&access, read.event.sequence, app)? {
        return Err(Refusal::NoResponse.into());
    }
    event::show(tx, cx, access.into_access(), read)
}

/// The result of the first step of a replay.
#[derive(Debug)]
pub enum ReplayStart {
    /// A request with the same idempotency key already has this response.
    Replayed(StoredResponse),
    /// The event is to be sent under this lease.
    Leased(Box<Leased>),
}

/// replayEventResponse, first step: leases the queue of the app.
///
/// # Errors
/// [`Refusal::UnknownEvent`], [`Refusal::NotInstalled`], [`Refusal::NotReplayed`],
/// [`Refusal::Paused`]; 503 while another event is delivered to the app.
pub fn begin(
    tx: &mut Tx<'_>,
    cx: &Context,
    book: &str,
    id: &str,
    app: &str,
    claim: Option<&Claim>,
) -> Result<ReplayStart> {
    let access = access::enter_to(tx, cx, book, ReplayEvents)?;
    if let Some(claim) = claim
        && let Some(response) = find_response(tx, cx, claim)?
    {
        return Ok(ReplayStart::Replayed(response));
    }
    let read = find_event(tx, &access, id)?;
    check_replayable(read.event.kind)?;
    let app = AppId::stored(app.to_owned());
    if tx.integrations().installer(access.book().id, &app)?.is_none() {
        return Err(Refusal::NotInstalled(shortened(app.as_str())).into());
    }
    let delivery = new_delivery(cx, &access, read.event.sequence, app);
    let lease_end = replay_lease_end(cx.now);
    match tx.deliveries().lease_one(&access, delivery, cx.mint(), cx.now, lease_end)? {
        LeaseResult::Leased(leased) => Ok(ReplayStart::Leased(Box::new(leased))),
        LeaseResult::Paused => Err(Refusal::Paused.into()),
        LeaseResult::Busy => {
            let why = "another event is being delivered to the app".to_owned();
            Err(StorageError::Unavailable(why).into())
        }
    }
}

/// replayEventResponse, last step: applies the outcome and shows the event.
///
/// # Errors
/// 503 if the replay took so long that its lease has expired.
pub fn end(
    tx: &mut Tx<'_>,
    cx: &Context,
    leased: &Leased,
    outcome: DeliveryOutcome,
) -> Result<View> {
    let delivery = &leased.delivery;
    let access = access::enter_to(tx, cx, delivery.key.as_str(), ReplayEvents)?;
    let Some(queue) = tx.deliveries().lock_leased(leased)? else {
        let why = "the replay took too long".to_owned();
        return Err(StorageError::Unavailable(why).into());
    };
    let mut streak = queue.streak;
    let response = match outcome {
        DeliveryOutcome::Attempted(attempt, exchange) => {
            tx.delivery_log().add(delivery, &exchange, attempt.failure())?;
            match attempt {
                DeliveryAttempt::Answered(response) => {
                    streak = streak.record(true, cx.now);
                    let access = access.with_purpose(WriteIntegrations)?;
                    tx.deliveries().resume_failing(&access, &delivery.app)?;
                    response
                }
                DeliveryAttempt::Busy(_) => Some(ResponseText::error("not delivered: status 429")),
                DeliveryAttempt::Failed(reason) => {
                    Some(ResponseText::error(&format!("not delivered: {reason}")))
                }
            }
        }
        DeliveryOutcome::Skipped(Some(reason)) | DeliveryOutcome::Failed(reason) => Some(reason),
        DeliveryOutcome::Skipped(None) => {
            Some(ResponseText::error("not delivered: the app has no webhook"))
        }
        DeliveryOutcome::QueueEnded => {
            let reason = "not delivered: the user who installed the app has no access";
            Some(ResponseText::error(reason))
        }
    };
    record_response(tx, delivery, response, cx.storage_quotas.unwrap_or_default(), cx.now)?;
    let due = tx.deliveries().end(leased)?.map_or(Due::Never, |_| Due::AsBefore);
    tx.deliveries().release(leased, due, streak)?;
    let read = tx.events().find(&access, delivery.sequence)?;
    let read = read.ok_or_else(|| Refusal::UnknownEvent(delivery.sequence.to_string()))?;
    event::show(tx, cx, access.into_access(), read)
}

/// Refuses to replay the deletion of a book, because the book has been restored.
fn check_replayable(kind: EventType) -> std::result::Result<(), Refusal> {
    if kind == EventType::BookDeleted { Err(Refusal::NotReplayed) } else { Ok(()) }
}

/// Creates the delivery of a replay. It keeps the depth of the request, so apps that trigger one
/// another's replays reach the limit.
fn new_delivery(
    cx: &Context,
    access: &AccessTo<ReplayEvents>,
    sequence: i64,
    app: AppId,
) -> EventDelivery {
    EventDelivery {
        book: access.book().id,
        key: access.book().key.clone(),
        app,
        sequence,
        depth: cx.depth,
        retry_state: RetryState::default(),
        copy: None,
    }
}
