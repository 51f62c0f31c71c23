//! The delivery log on the wire (behaviour 12.13).

use daybook_domain::app::AppId;
use daybook_domain::delivery::{Exchange, LoggedAttempt};
use daybook_service::Context;
use daybook_service::delivery::log::{self, LogPlace};
use daybook_storage::page::Page;
use serde::Serialize;

use crate::cursor::{self, LogCursor};
use crate::reply::{self, ApiResult};
use crate::request::ApiRequest;
use crate::wire::ListOut;

/// An attempt to deliver an event to an app.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct LoggedAttemptOut<'v> {
    agent_id: &'v str,
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

impl<'v> From<&'v LoggedAttempt> for LoggedAttemptOut<'v> {
    fn from(logged: &'v LoggedAttempt) -> Self {
        let LoggedAttempt { app, number, exchange, failure } = logged;
        let Exchange { at, milliseconds, status, answer } = exchange;
        Self {
            agent_id: app.as_str(),
            attempt: *number,
            at: at.milliseconds().to_string(),
            status: *status,
            duration_ms: *milliseconds,
            error: failure.as_deref(),
            answer: answer.as_deref(),
        }
    }
}

/// GET events/{id}/deliveries.
pub(crate) async fn list_event_deliveries(asked: ApiRequest) -> ApiResult {
    let (book, id, limit) = (asked.book(), asked.id(), asked.limit());
    let after = asked.cursor().and_then(cursor::read::<LogCursor>);
    // No app is called so, and no database takes it.
    let after = after.filter(|cursor| !cursor.app.contains('\0'));
    let after = after
        .map(|LogCursor { app, attempt }| LogPlace { app: AppId::stored(app), number: attempt });
    let encode = |page: &Page<LoggedAttempt, LogPlace>, _: &Context| {
        let next = page
            .next
            .as_ref()
            .map(|place| LogCursor { app: place.app.to_string(), attempt: place.number });
        let items = page.items.iter().map(LoggedAttemptOut::from).collect();
        reply::ok(&ListOut { items, cursor: next.as_ref().and_then(cursor::write) })
    };
    asked.read(move |tx, cx| log::list(tx, cx, &book, &id, (limit, after)), encode).await
}
