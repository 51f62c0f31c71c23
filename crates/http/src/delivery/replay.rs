//! Endpoints of the backlog and of responses to events (behaviour 8.10, 8.12).

use daybook_edge::error::{ApiError, RequestError};
use daybook_edge::run;
use daybook_service::delivery::replay::{self, ReplayStart};
use daybook_service::event::View;
use daybook_service::idempotency::{Once, run_once};
use daybook_service::{Context, Target};
use serde::{Deserialize, Serialize};

use crate::body::Body;
use crate::event;
use crate::reply::{self, ApiResult, IdOut, Reply};
use crate::request::ApiRequest;
use crate::respond;
use crate::wire::{TextOrNumber, id_text, objects_only};

/// The number of pending deliveries.
#[derive(Serialize)]
struct BacklogOut {
    count: i64,
}

/// A list of events, of which only the ids are used.
#[derive(Deserialize)]
#[serde(remote = "Self")]
pub(crate) struct EventsIn {
    items: Vec<EventIn>,
}

/// An event, of which only the id is used.
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
    let errors_only = asked.flag("errorsOnly") == Some(true);
    let ids: Vec<String> =
        body.0.items.into_iter().map(|event| id_text(event.id).unwrap_or_default()).collect();
    asked
        .write_book(
            move |tx, cx, book| replay::replay(tx, cx, book, &ids, errors_only),
            |(), _| reply::no_content(),
        )
        .await
}

/// DELETE events/{id}/responses/{agentId}.
pub(crate) async fn delete_event_response(asked: ApiRequest) -> ApiResult {
    let (id, app, base) = (asked.id(), asked.agent(), asked.base());
    asked
        .write_book(
            move |tx, cx, book| replay::delete_response(tx, cx, book, &id, &app),
            move |view, cx| shown(view, cx, &base),
        )
        .await
}

/// PUT events/{id}/responses/{agentId}. The event is sent between two units of work.
pub(crate) async fn replay_event_response(asked: ApiRequest) -> ApiResult {
    let (book, id, app, base) = (asked.book(), asked.id(), asked.agent(), asked.base());
    let (cx, state, claim) = asked.into_claim()?;
    let target = Target::Book(book.clone());
    let submission = target.submission(&cx, None);
    let (caller, key) = (cx.clone(), claim.clone());
    let begin = move |tx: &mut daybook_storage::Tx<'_>| {
        replay::begin(tx, &caller, &book, &id, &app, key.as_ref())
    };
    let start =
        run::write(&state.edge, submission.clone(), begin).await.map_err(ApiError::repeatable)?;
    let leased = match start {
        ReplayStart::Replayed(stored) => {
            return respond::replay(&state.edge, cx.quota_subject(), stored).await;
        }
        ReplayStart::Leased(leased) => leased,
    };
    // A task of its own continues if the client disconnects.
    let sending = actix_web::rt::spawn(async move {
        let sent = state.webhooks.send(&leased, cx.user.id).await.map_err(RequestError::Failed)?;
        let cx = Context { now: (state.edge.clock)(), ..cx };
        let (user, caller) = (cx.quota_subject(), cx.clone());
        let end =
            move |tx: &mut daybook_storage::Tx<'_>| replay::end(tx, &caller, &leased, sent.outcome);
        let Some(claim) = claim else {
            let view = run::write(&state.edge, submission, end).await?;
            let encode = Box::new(move || shown(&view, &cx, &base));
            return respond::encode_write(&state.edge, user, encode).await;
        };
        let budget = state.edge.budget.clone();
        let transaction = move |tx: &mut daybook_storage::Tx<'_>| -> Result<Once<Reply>, ApiError> {
            run_once(tx, &cx, &target, &claim, |tx| {
                let view = end(tx)?;
                respond::encode_and_store(tx, &cx, &budget, || shown(&view, &cx, &base))
            })
        };
        let outcome = run::write(&state.edge, submission, transaction).await;
        respond::once_reply(&state.edge, user, outcome.map_err(ApiError::repeatable)?).await
    });
    sending.await.map_err(|error| RequestError::Failed(error.to_string()))?
}

fn shown(view: &View, cx: &Context, base: &str) -> Reply {
    reply::json(event::encode_single_event(view, cx, base).map(|(_, text)| text))
        .or_short(&IdOut { id: event::id_of(view) })
}
