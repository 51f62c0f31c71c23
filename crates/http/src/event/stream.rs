//! streamEvents: the events of a book as they are recorded (behaviour 8.23).
//!
//! The response is a stream of Server-Sent Events (WHATWG HTML, 9.2) without an end. Its body is a
//! loop over the log: wait for an event after the last one sent, read the next events in a snapshot
//! of their own, and send them. Between the reads a stream holds neither a connection nor memory of
//! the response budget. Each read checks the permission. A change of the permission is an event of
//! the book, so it causes a read. The token is checked every second.

use std::convert::Infallible;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context as TaskContext, Poll, ready};
use std::time::Duration;

use actix_web::body::{BodySize, MessageBody};
use actix_web::http::Method;
use actix_web::http::header::HeaderName;
use actix_web::web::Bytes;
use actix_web::{HttpRequest, HttpResponse, web};
use daybook_auth::identity::authenticate_again;
use daybook_domain::event::ReadEvent;
use daybook_domain::id::BookKey;
use daybook_edge::budget::Reservation;
use daybook_edge::error::{ApiError, RequestError};
use daybook_edge::request_head::{bearer, last_event_id};
use daybook_edge::response_budget::{EncodeError, ResponseBudget, encode_rows};
use daybook_edge::run;
use daybook_service::event::{self, View};
use daybook_service::{Context, Error};
use daybook_storage::Tx;
use tokio::time::{Instant, sleep_until};

use super::{book_of, event_out, page};
use crate::event_streams::Listener;
use crate::reply::encoding_error;
use crate::request::ApiRequest;
use crate::state::AppState;

/// The content type of a stream.
pub(crate) const EVENT_STREAM: &str = "text/event-stream";
/// How long a stream lasts. Its client then connects again.
const MAX_DURATION: Duration = Duration::from_secs(3_600);
/// The longest time between two texts of a stream.
const HEARTBEAT_INTERVAL: Duration = Duration::from_secs(15);
/// How often the token is checked. The cache of tokens follows changes within two seconds, so a
/// stream ends within five.
const TOKEN_INTERVAL: Duration = Duration::from_secs(1);
/// A comment, which clients ignore.
const HEARTBEAT: &[u8] = b":\n\n";
/// Milliseconds after which a client connects again.
const RETRY_MILLISECONDS: u32 = 1_000;
/// The bytes that the HTTP server gets at a time.
const PIECE: usize = 32 * 1024;
/// Tells nginx not to collect the events.
const BUFFERING: HeaderName = HeaderName::from_static("x-accel-buffering");

/// Advice for a client that meets an event too large to be sent.
const TOO_LARGE: &str = "pass the next event by with its number in Last-Event-ID";

/// GET events/stream.
pub(crate) async fn stream_events(
    asked: ApiRequest,
    http: HttpRequest,
) -> Result<HttpResponse, ApiError> {
    let after = requested_position(&http)?;
    let (book, base) = (asked.book(), asked.base());
    let name = book.clone();
    let find = move |tx: &mut Tx<'_>, cx: &Context| event::last_number(tx, cx, &name);
    let (id, last) = asked.on_snapshot(find).await?;
    let position = after.unwrap_or(last);
    if position > last {
        let message = format!("Last-Event-ID {position} is after the last event, {last}");
        return Err(Error::BadRequest(message).into());
    }
    let mut response = HttpResponse::Ok();
    response.content_type(EVENT_STREAM).insert_header((BUFFERING, "no"));
    if http.method() == Method::HEAD {
        return Ok(response.finish());
    }
    let ApiRequest { cx, state, .. } = asked;
    let listener = state.event_streams.listen(cx.quota_subject(), id, last)?;
    let now = Instant::now();
    let mut feed = Feed {
        http,
        state,
        cx,
        book,
        base,
        listener,
        position,
        ends_at: now + MAX_DURATION,
        check_at: now + TOKEN_INTERVAL,
        heartbeat_at: now + HEARTBEAT_INTERVAL,
    };
    let opening = format!("retry: {RETRY_MILLISECONDS}\nid: {position}\n\n");
    // A refusal of the first events still has a status.
    let first = if position < last { feed.read().await? } else { None };
    let opening = Batch { text: opening.into(), _memory: None };
    Ok(response.body(EventStream::new(feed, opening, first)))
}

/// Returns the number of the last event that the client has.
///
/// # Errors
/// 400 for another value.
fn requested_position(request: &HttpRequest) -> Result<Option<i64>, ApiError> {
    let Some(text) = last_event_id(request).map(str::trim).filter(|text| !text.is_empty()) else {
        return Ok(None);
    };
    match text.parse() {
        Ok(number @ 0..) => Ok(Some(number)),
        Ok(_) | Err(_) => {
            let shown: String = text.chars().take(40).collect();
            let message =
                format!("invalid Last-Event-ID \"{shown}\": expected the number of an event");
            Err(Error::BadRequest(message).into())
        }
    }
}

/// A text to send, with its memory.
#[derive(Default)]
struct Batch {
    text: Bytes,
    _memory: Option<Reservation>,
}

/// The source of a stream: the log of a book after a position.
struct Feed {
    http: HttpRequest,
    state: web::Data<AppState>,
    cx: Context,
    book: String,
    base: String,
    listener: Listener,
    /// The number of the last event that was sent or is hidden.
    position: i64,
    ends_at: Instant,
    check_at: Instant,
    heartbeat_at: Instant,
}

impl Feed {
    /// Waits for the next text. Returns `None` at the end of the stream.
    ///
    /// # Errors
    /// When the token or the permission has ended, and when the events cannot be read.
    async fn next(&mut self) -> Result<Option<Batch>, ApiError> {
        loop {
            tokio::select! {
                () = self.state.event_streams.stopped() => return Ok(None),
                () = sleep_until(self.ends_at) => return Ok(None),
                () = self.listener.event_after(self.position) => {
                    self.check_token().await?;
                    if let Some(batch) = self.read().await? {
                        self.heartbeat_at = Instant::now() + HEARTBEAT_INTERVAL;
                        return Ok(Some(batch));
                    }
                }
                () = sleep_until(self.check_at) => self.check_token().await?,
                () = sleep_until(self.heartbeat_at) => {
                    self.heartbeat_at = Instant::now() + HEARTBEAT_INTERVAL;
                    let text = Bytes::from_static(HEARTBEAT);
                    return Ok(Some(Batch { text, _memory: None }));
                }
            }
        }
    }

    /// Checks that the token is still valid and includes the book, and refreshes the caller.
    async fn check_token(&mut self) -> Result<(), ApiError> {
        let token = bearer(&self.http).ok_or(RequestError::LoginRequired)?;
        let caller = authenticate_again(&self.http, &self.state.auth, token).await?;
        caller.scope.check_book(&BookKey::new(self.book.clone())).map_err(Error::from)?;
        self.cx.user = Arc::clone(&caller.user);
        self.cx.scope = caller.scope.clone();
        self.check_at = Instant::now() + TOKEN_INTERVAL;
        Ok(())
    }

    /// Reads and encodes the next events, and moves the position behind them. Returns `None` if all
    /// of them are hidden.
    ///
    /// # Errors
    /// The refusals of listEvents.
    async fn read(&mut self) -> Result<Option<Batch>, ApiError> {
        let edge = &self.state.edge;
        let (user, after) = (self.cx.quota_subject(), self.position);
        let cx = Context { now: (edge.clock)(), ..self.cx.clone() };
        let (book, base) = (self.book.clone(), self.base.clone());
        let work = move |tx: &mut Tx<'_>| Ok((event::after(tx, &cx, &book, after)?, cx));
        let memory = edge.budget.reservation(user);
        let encode = move |(view, cx): (View, Context)| {
            ResponseBudget::new(memory).with(|| encode(&view, &cx, &base))
        };
        let (encoded, memory) =
            run::read_and_encode(edge, user, edge.read_deadline, work, encode).await?;
        let (text, position) = encoded.map_err(|error| encoding_error(error, TOO_LARGE))?;
        let missing = || RequestError::Failed(format!("no event after {after} in the log"));
        self.position = position.ok_or_else(missing)?;
        Ok((!text.is_empty()).then_some(Batch { text, _memory: memory }))
    }
}

/// Encodes events. Returns their text and the position after them.
fn encode(view: &View, cx: &Context, base: &str) -> Result<(Bytes, Option<i64>), EncodeError> {
    let book = book_of(view, cx)?;
    let (events, next) = page(view, &book);
    let (text, count) = encode_rows(events, |text, read: &ReadEvent| {
        let (number, kind) = (read.event.sequence, read.event.kind.as_str());
        text.push(format!("id: {number}\nevent: {kind}\ndata: ").as_bytes())?;
        text.json(&event_out(view, base, read, &book)?)?;
        text.push(b"\n\n")
    })?;
    let last = count.checked_sub(1).and_then(|last| events.get(last));
    let cut = last.filter(|_| count < events.len()).map(|read| read.event.sequence);
    Ok((text, cut.or(next)))
}

/// The next text of a stream, with its source.
type NextBatch = Pin<Box<dyn Future<Output = (Feed, Result<Option<Batch>, ApiError>)>>>;

/// The body of a stream.
struct EventStream {
    /// The batch that is being sent.
    batch: Batch,
    /// The batch after it.
    queued: Option<Batch>,
    next: NextBatch,
}

impl EventStream {
    fn new(feed: Feed, opening: Batch, first: Option<Batch>) -> Self {
        Self { batch: opening, queued: first, next: next_batch(feed) }
    }
}

fn next_batch(mut feed: Feed) -> NextBatch {
    Box::pin(async move {
        let next = feed.next().await;
        (feed, next)
    })
}

impl MessageBody for EventStream {
    type Error = Infallible;

    fn size(&self) -> BodySize {
        BodySize::Stream
    }

    fn poll_next(
        mut self: Pin<&mut Self>,
        cx: &mut TaskContext<'_>,
    ) -> Poll<Option<Result<Bytes, Infallible>>> {
        if self.batch.text.is_empty() {
            self.batch = self.queued.take().unwrap_or_default();
        }
        if self.batch.text.is_empty() {
            let (feed, next) = ready!(self.next.as_mut().poll(cx));
            match next {
                Ok(Some(batch)) => self.batch = batch,
                Ok(None) => return Poll::Ready(None),
                Err(error) => {
                    tracing::debug!(%error, "event stream ended");
                    return Poll::Ready(None);
                }
            }
            self.next = next_batch(feed);
        }
        let length = self.batch.text.len().min(PIECE);
        Poll::Ready(Some(Ok(self.batch.text.split_to(length))))
    }
}

#[cfg(test)]
mod tests {
    use actix_web::test::TestRequest;

    use super::*;

    #[test]
    fn position_is_a_number_of_an_event() {
        let read = |value: &str| {
            let request = TestRequest::default().insert_header(("Last-Event-ID", value));
            requested_position(&request.to_http_request()).map_err(|error| error.to_string())
        };
        assert_eq!(read("17"), Ok(Some(17)));
        assert_eq!(read(" 0 "), Ok(Some(0)));
        assert_eq!(read(""), Ok(None));
        for invalid in ["-1", "1.5", "last", "9223372036854775808"] {
            let message =
                format!("invalid Last-Event-ID \"{invalid}\": expected the number of an event");
            assert_eq!(read(invalid), Err(message));
        }
    }
}
