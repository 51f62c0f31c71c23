//! The delivery log on the wire (behaviour 12.13).

use daybook_domain::app::AppId;
use daybook_domain::delivery::{Exchange, LoggedAttempt};
use daybook_domain::event::public_id;
use daybook_domain::id::BookKey;
use daybook_domain::instant::Instant;
use daybook_service::Context;
use daybook_service::delivery::log::{self, AttemptPlace, LogPlace};
use daybook_storage::page::Page;
use serde::Serialize;

use crate::cursor::{self, AttemptCursor, LogCursor};
use crate::reply::{self, ApiResult, Reply};
use crate::request::ApiRequest;
use crate::wire::ListOut;

/// An attempt to deliver an event to an app.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct LoggedAttemptOut<'v> {
    agent_id: &'v str,
    event_id: String,
    attempt: i64,
    at: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    status: Option<u16>,
    duration_ms: i64,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<&'v str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    answer: Option<&'v str>,
}

impl<'v> LoggedAttemptOut<'v> {
    fn new(logged: &'v LoggedAttempt, book: &BookKey) -> Self {
        let LoggedAttempt { app, sequence, number, exchange, failure } = logged;
        let Exchange { at, milliseconds, status, answer } = exchange;
        Self {
            agent_id: app.as_str(),
            event_id: public_id(*sequence, book),
            attempt: *number,
            at: at.milliseconds().to_string(),
            status: *status,
            duration_ms: *milliseconds,
            error: failure.as_deref(),
            answer: answer.as_deref(),
        }
    }
}

fn page(attempts: &[LoggedAttempt], book: &BookKey, cursor: Option<String>) -> Reply {
    let items = attempts.iter().map(|logged| LoggedAttemptOut::new(logged, book)).collect();
    reply::ok(&ListOut { items, cursor })
}

/// GET events/{id}/deliveries.
pub(crate) async fn list_event_deliveries(asked: ApiRequest) -> ApiResult {
    let (book, id, limit) = (asked.book(), asked.id(), asked.limit());
    let after = asked.cursor().and_then(cursor::read::<LogCursor>);
    // App ids have no NUL, and PostgreSQL refuses it in text.
    let after = after.filter(|cursor| !cursor.app.contains('\0'));
    let after = after
        .map(|LogCursor { app, attempt }| LogPlace { app: AppId::stored(app), number: attempt });
    let key = BookKey::new(book.clone());
    let encode = move |attempts: &Page<LoggedAttempt, LogPlace>, _: &Context| {
        let next = attempts.next.as_ref();
        let next =
            next.map(|place| LogCursor { app: place.app.to_string(), attempt: place.number });
        page(&attempts.items, &key, next.as_ref().and_then(cursor::write))
    };
    asked.read(move |tx, cx| log::list(tx, cx, &book, &id, limit, after.as_ref()), encode).await
}

/// GET apps/{agentId}/deliveries.
pub(crate) async fn list_app_deliveries(asked: ApiRequest) -> ApiResult {
    let (book, app, limit) = (asked.book(), AppId::stored(asked.agent()), asked.limit());
    let after = asked.cursor().and_then(cursor::read::<AttemptCursor>);
    let after = after.map(|AttemptCursor { at, sequence, attempt }| AttemptPlace {
        at: Instant::new(at),
        sequence,
        number: attempt,
    });
    let key = BookKey::new(book.clone());
    let encode = move |attempts: &Page<LoggedAttempt, AttemptPlace>, _: &Context| {
        let next = attempts.next.map(|AttemptPlace { at, sequence, number }| AttemptCursor {
            at: at.milliseconds(),
            sequence,
            attempt: number,
        });
        page(&attempts.items, &key, next.as_ref().and_then(cursor::write))
    };
    asked.read(move |tx, cx| log::list_of_app(tx, cx, &book, &app, limit, after), encode).await
}
