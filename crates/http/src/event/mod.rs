//! Events: handlers and the wire shape of an event (behaviour 8.2, 8.4, 8.16).
//!
//! Clients list events in pages, or receive them as a stream of server-sent events (`stream`).
//! Webhooks send the same shape to apps. Events store compact snapshots without derived fields;
//! `expand` adds these fields when an event is read.

mod actor;
mod expand;
mod stream;

use actix_web::web::Bytes;
use daybook_domain::delivery::AppResponse;
use daybook_domain::event::{EventType, ReadEvent};
use daybook_edge::response_budget::{self, EncodeError};
use daybook_service::event::{self, Request, View};
use daybook_service::{Context, zone};
use serde::Serialize;
use serde_json::Value;
use serde_json::value::{RawValue, to_raw_value};

use crate::book::BookOut;
use crate::collection::max_rows_with;
use crate::cursor::{self, EventCursor};
use crate::reply::{self, ApiResult};
use crate::request::ApiRequest;
use crate::wire::PageEnd;
pub(crate) use actor::{AgentOut, UserOut};
use expand::{Reader, data};

pub(crate) use stream::{EVENT_STREAM, stream_events};

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct EventOut<'v> {
    id: String,
    r#type: &'static str,
    book_id: &'v str,
    book: &'v RawValue,
    resource: String,
    agent: AgentOut<'v>,
    user: UserOut<'v>,
    created_at: String,
    created_on: String,
    data: Value,
    bot_responses: Vec<BotResponseOut<'v>>,
    sequence: i64,
    hash: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    canonical: Option<String>,
}

/// The response of an app to an event.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct BotResponseOut<'v> {
    agent_id: &'v str,
    r#type: &'static str,
    message: &'v str,
    created_at: String,
}

impl<'v> From<&'v AppResponse> for BotResponseOut<'v> {
    fn from(response: &'v AppResponse) -> Self {
        let AppResponse { app, kind, message, created_at } = response;
        Self {
            agent_id: app.as_str(),
            r#type: kind.as_str(),
            message,
            created_at: created_at.milliseconds().to_string(),
        }
    }
}

/// GET events.
pub(crate) async fn list_events(asked: ApiRequest) -> ApiResult {
    let (book, base) = (asked.book(), asked.base());
    let (request, filters) = request(&asked);
    let shows_canonical = request.canonical;
    let encode = move |view: &View, cx: &Context| {
        let encoded = |book: Box<RawValue>| {
            let (events, next) = page(view, &book);
            let end = |last: Option<&ReadEvent>| {
                let sequence = last.map(|read| read.event.sequence).or(next);
                PageEnd::at(sequence.map(|sequence| EventCursor { sequence, ..filters.clone() }))
            };
            let key = &view.access.book().key;
            response_budget::encode_page(
                events,
                |read| {
                    let canonical = shows_canonical.then(|| read.event.canonical(key));
                    Ok(EventOut { canonical, ..event_out(view, &base, read, &book)? })
                },
                end,
            )
        };
        let text = book_of(view, cx).map_err(EncodeError::from).and_then(encoded);
        reply::json(text).on_too_large("pass the event by with before=, or ask for its resource")
    };
    asked.read_replicated(move |tx, cx| event::list(tx, cx, &book, &request), encode).await
}

/// GET events/{id} (behaviour 12.9).
pub(crate) async fn get_event(asked: ApiRequest) -> ApiResult {
    let (book, id, base) = (asked.book(), asked.id(), asked.base());
    let encode = move |view: &View, cx: &Context| {
        if view.events.is_empty() {
            return reply::nothing();
        }
        reply::json(encode_single_event(view, cx, &base).map(|(_, text)| text))
    };
    asked.read_replicated(move |tx, cx| event::get(tx, cx, &book, &id), encode).await
}

/// Encodes the single event of a view for a webhook, and returns its id and text.
///
/// # Errors
/// When the text would exceed the response budget.
pub fn encode_single_event(
    view: &View,
    cx: &Context,
    base: &str,
) -> Result<(String, Bytes), EncodeError> {
    let Some(read) = view.events.first() else { return Ok((String::new(), Bytes::new())) };
    let book = book_of(view, cx)?;
    Ok((id_of(view), response_budget::encode(&event_out(view, base, read, &book)?)?))
}

/// Returns the id of the single event of a view.
pub(crate) fn id_of(view: &View) -> String {
    let key = &view.access.book().key;
    view.events.first().map(|read| read.event.public_id(key)).unwrap_or_default()
}

/// Returns the request and its filters.
///
/// A request with only a cursor uses the filters of the cursor (behaviour 2.4).
fn request(asked: &ApiRequest) -> (Request, EventCursor) {
    let text =
        |name: &str| asked.text(name).map(str::to_owned).filter(|text| !text.trim().is_empty());
    let own = EventCursor {
        sequence: 0,
        after: text("after"),
        before: text("before"),
        error: asked.flag("error"),
        resource: text("resoureId").or_else(|| text("resourceId")),
        kind: text("type"),
    };
    let cursor: Option<EventCursor> = asked.cursor().and_then(cursor::read).filter(is_valid);
    let below = cursor.as_ref().map(|cursor| cursor.sequence);
    let filters = if own == EventCursor::default() { cursor.unwrap_or_default() } else { own };
    let EventCursor { sequence: _, after, before, error, resource, kind } = filters.clone();
    // Each page asks for the canonical form itself, because it is not a filter.
    let canonical = asked.flag("canonical") == Some(true);
    let limit = asked.limit();
    (Request { after, before, error, resource, kind, limit, below, canonical }, filters)
}

/// Whether the filters of a cursor are valid. If not, the cursor is ignored (behaviour 2.5).
fn is_valid(cursor: &EventCursor) -> bool {
    let has_valid_instants = cursor
        .after
        .iter()
        .chain(&cursor.before)
        .all(|text| zone::parse_instant(text, "UTC").is_some());
    has_valid_instants
        && cursor.kind.as_deref().is_none_or(|name| EventType::from_name(name).is_some())
}

/// Returns the events of a page, and the sequence at which the next page starts.
///
/// Each event contains the book with the books of its collection. The page is shortened if they
/// take too much (behaviour 9.19).
fn page<'v>(view: &'v View, book: &RawValue) -> (&'v [ReadEvent], Option<i64>) {
    match view.events.get(..max_rows_with(book)) {
        Some(events) if view.events.len() > events.len() => {
            (events, events.last().map(|read| read.event.sequence))
        }
        _ => (&view.events, view.next),
    }
}

/// Encodes the book that every event of the page contains.
fn book_of(view: &View, cx: &Context) -> serde_json::Result<Box<RawValue>> {
    to_raw_value(
        &BookOut::new(&view.access, view.counters, cx)
            .with_collection(view.collection.as_deref(), cx),
    )
}

fn event_out<'v>(
    view: &'v View,
    base: &'v str,
    read: &'v ReadEvent,
    book: &'v RawValue,
) -> Result<EventOut<'v>, EncodeError> {
    let event = &read.event;
    if view.is_too_large {
        return Err(EncodeError::TooLarge);
    }
    let key = &view.access.book().key;
    let responses = view.responses.get(&event.sequence).map(Vec::as_slice).unwrap_or_default();
    Ok(EventOut {
        id: event.public_id(key),
        r#type: event.kind.as_str(),
        book_id: key.as_str(),
        book,
        resource: event.public_resource(key),
        agent: AgentOut::new(event.agent.as_deref(), &view.app_summaries),
        user: UserOut::new(event.user, &view.users),
        created_at: event.created_at.milliseconds().to_string(),
        created_on: zone::rfc3339(event.created_at),
        data: data(&Reader::new(view, base), read)?,
        bot_responses: responses.iter().map(BotResponseOut::from).collect(),
        sequence: event.sequence,
        hash: event.hash.to_string(),
        canonical: None,
    })
}
