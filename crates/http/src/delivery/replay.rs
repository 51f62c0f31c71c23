//! The backlog and the responses to events (behaviour 8.10, 8.12).

use daybook_service::Context;
use daybook_service::delivery::replay::{self, ReplayBegun};
use daybook_service::event::View;
use daybook_service::idempotency::{KeyScope, once};
use daybook_storage::{ShardKey, Submission};
use serde::{Deserialize, Serialize};

use super::WebhookSender;
use crate::body::Body;
use crate::budget::MemoryOwner;
use crate::error::{ApiError, RequestError};
use crate::event;
use crate::reply::{self, ApiResult, IdOut, Reply};
use crate::request::ApiRequest;
use crate::run;
use crate::wire::{TextOrNumber, id_text, objects_only};

/// How much there is to do.
#[derive(Serialize)]
struct BacklogOut {
    count: i64,
}

/// A list of events, of which only the ids are read.
#[derive(Deserialize)]
#[serde(remote = "Self")]
pub(crate) struct EventsIn {
    items: Vec<EventIn>,
}

/// An event, of which only the id is read.
#[derive(Deserialize)]
#[serde(remote = "Self")]
struct EventIn {
    #[serde(default)]
    id: Option<TextOrNumber>,
}

objects_only!(EventsIn, EventIn);

/// GET events/backlog.
pub(crate) async fn get_book_events_backlog(asked: ApiRequest) -> ApiResult {
    let book = asked.book();
    let encode = |count: &i64, _: &Context| reply::ok(&BacklogOut { count: *count });
    asked.read(move |tx, cx| replay::backlog(tx, cx, &book), encode).await
}

/// PATCH events/replay/batch.
pub(crate) async fn replay_events(asked: ApiRequest, body: Body<EventsIn>) -> ApiResult {
    let (book, errors_only) = (asked.book(), asked.flag("errorsOnly") == Some(true));
    let ids: Vec<String> =
        body.0.items.into_iter().map(|event| id_text(event.id).unwrap_or_default()).collect();
    let lane = book.clone();
    let work = move |tx: &mut daybook_storage::Tx<'_>, cx: &Context| {
        replay::replay(tx, cx, &book, (&ids, errors_only))
    };
    asked.write(&lane, work, |(), _| reply::no_content()).await
}

/// DELETE events/{id}/responses/{agentId}.
pub(crate) async fn delete_event_response(asked: ApiRequest) -> ApiResult {
    let (book, id, app, base) = (asked.book(), asked.id(), asked.agent(), asked.base());
    let lane = book.clone();
    let work = move |tx: &mut daybook_storage::Tx<'_>, cx: &Context| {
        replay::delete(tx, cx, &book, (&id, &app))
    };
    asked.write(&lane, work, move |view, cx| shown(view, cx, &base)).await
}

/// PUT events/{id}/responses/{agentId}: between its two units of work the event is sent.
pub(crate) async fn replay_event_response(asked: ApiRequest) -> ApiResult {
    let (book, id, app, base) = (asked.book(), asked.id(), asked.agent(), asked.base());
    let (cx, state, claim) = asked.into_claim()?;
    let ticket = Submission::of(ShardKey::of_book(&book), cx.payer());
    let scope = KeyScope::Book(book.clone());
    let (caller, key) = (cx.clone(), claim.clone());
    let begin = move |tx: &mut daybook_storage::Tx<'_>| {
        replay::begin(tx, &caller, &book, (&id, &app), key.as_ref())
    };
    let begun = run::write(&state, ticket.clone(), begin).await.map_err(ApiError::repeatable)?;
    let leased = match begun {
        ReplayBegun::Answered(known) => return run::answer_again(&state, cx.payer(), known).await,
        ReplayBegun::Leased(leased) => leased,
    };
    let courier = WebhookSender::new(state.clone().into_inner());
    // A task of its own: it goes on when the client leaves.
    let sending = actix_web::rt::spawn(async move {
        let sent = courier.send(&leased, cx.user.id).await.map_err(RequestError::Failed)?;
        let cx = Context { now: (state.clock)(), ..cx };
        let (user, asked) = (cx.payer(), cx.clone());
        let end =
            move |tx: &mut daybook_storage::Tx<'_>| replay::end(tx, &asked, &leased, sent.outcome);
        let Some(claim) = claim else {
            let view = run::write(&state, ticket, end).await?;
            return run::answer(&state, user, move || shown(&view, &cx, &base)).await;
        };
        let shared = state.clone();
        let whole = move |tx: &mut daybook_storage::Tx<'_>| -> Result<_, ApiError> {
            let (reader, caller) = (cx.clone(), cx.clone());
            let carry_out = move |tx: &mut daybook_storage::Tx<'_>| {
                let view = end(tx)?;
                let memory = || shared.budget.grant(MemoryOwner::User(user));
                run::answer_to_store(tx, &caller, memory, move || shown(&view, &reader, &base))
            };
            once(tx, &cx, (&scope, &claim), carry_out)
        };
        let done = run::write(&state, ticket, whole).await;
        let outcome = done.map_err(ApiError::repeatable)?;
        run::answer_once(&state, user, outcome).await
    });
    sending.await.map_err(|error| RequestError::Failed(error.to_string()))?
}

fn shown(view: &View, cx: &Context, base: &str) -> Reply {
    reply::json(event::delivered(view, cx, base).map(|(_, text)| text))
        .or_short(|| IdOut { id: event::id_of(view) })
}
