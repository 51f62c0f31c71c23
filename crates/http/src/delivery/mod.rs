//! Webhooks: an event becomes a request to an app, and its answer what became of the delivery
//! (behaviour 8.6 - 8.8). Which deliveries there are, and when, is a matter of the worker.
//!
//! | Module | What it does |
//! |---|---|
//! | `parcel` | Writes the request: body, tokens, signatures |
//! | `signature` | Signs with the secret of the app |
//! | `answer` | Reads the answer |
//! | `farewell` | Copies the deletion of a book before the book goes |
//! | `log` | Shows what was tried |
//! | `replay` | What users ask of responses and of the backlog |

mod answer;
mod detach;
mod log;
mod replay;
mod signature;
mod webhook_request;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use daybook_domain::delivery::{DeliveryAttempt, Exchange, ResponseText};
use daybook_domain::id::UserId;
use daybook_domain::instant;
use daybook_service::delivery::{self, Leased, Outcome, Prepared, WebhookRequest};
use daybook_storage::Tx;

use crate::error::{ApiError, RequestError};
use crate::outgoing::Failure;
use crate::reader_shares::ReaderTurn;
use crate::run;
use crate::state::AppState;

pub(crate) use log::{list_app_deliveries, list_event_deliveries};
use webhook_request::{BuildError, Written};

pub(crate) use replay::{
    delete_event_response, get_book_events_backlog, replay_event_response, replay_events,
};
pub(crate) use webhook_request::place_of_secret;

/// Sends events to apps.
#[derive(Clone)]
pub struct WebhookSender {
    state: Arc<AppState>,
}

/// An event that was sent, or was not to be sent.
#[derive(Debug)]
pub struct Sent {
    /// What became of it.
    pub outcome: Outcome,
    /// How long the app took.
    pub took: Duration,
}

/// An attempt that failed before anything was sent.
fn failed_at(at: instant::Instant, why: &str) -> Outcome {
    let exchange = Exchange { at, milliseconds: 0, status: None, answer: None };
    Outcome::Attempt(DeliveryAttempt::Failed(why.to_owned()), exchange)
}

impl WebhookSender {
    /// A courier.
    #[must_use]
    pub const fn new(state: Arc<AppState>) -> Self {
        Self { state }
    }

    /// Sends the event of a delivery. Beside waiting for the turn of who installed the app it takes
    /// no longer than a minute and what the database takes.
    ///
    /// # Errors
    /// When the event cannot be read now, or not written; then it is tried again after its lease.
    /// One that is damaged is given up.
    pub async fn send(&self, leased: &Leased, installer: UserId) -> Result<Sent, String> {
        self.deliver(leased, installer).await.map_err(|error| error.to_string())
    }

    async fn deliver(&self, leased: &Leased, installer: UserId) -> Result<Sent, ApiError> {
        let delivery = &leased.delivery;
        let (state, asked) = (&self.state, delivery.clone());
        let turn = state.delivery_shares.turn(installer).await;
        let (begun, at) = (Instant::now(), (state.clock)());
        let with = (Arc::clone(&state.ids), at);
        let has_connection = Arc::new(AtomicBool::new(false));
        let connected = Arc::clone(&has_connection);
        let prepare = move |tx: &mut Tx<'_>| {
            connected.store(true, Ordering::Relaxed);
            delivery::prepare(tx, &asked, with)
        };
        let prepared = match run::read_for_server(state, prepare).await {
            // It stays so, and the events behind it wait.
            Err(error) if error.is_corrupt() => {
                tracing::error!(
                    app = delivery.app.as_str(),
                    book = delivery.key.as_str(),
                    event = delivery.sequence,
                    %error,
                    "an event cannot be read; it is given up"
                );
                Prepared::Unsent(ResponseText::failed("not delivered: the event cannot be read"))
            }
            // Repeated at once it would take as long. A wait for a connection is nobody's failure.
            Err(ApiError::RequestError(RequestError::DeadlineExceeded(most)))
                if has_connection.load(Ordering::Relaxed) =>
            {
                let why = format!("the event was not read within {} seconds", most.as_secs());
                return Ok(Sent { outcome: failed_at(at, &why), took: begun.elapsed() });
            }
            prepared => prepared?,
        };
        let outcome = match prepared {
            Prepared::WebhookRequest(parcel) => self.post(leased, *parcel, turn).await?,
            Prepared::Unsent(remark) => Outcome::Unsent(remark),
            Prepared::Nowhere => Outcome::Dropped,
            Prepared::Lost => Outcome::Stopped,
        };
        Ok(Sent { outcome, took: begun.elapsed() })
    }

    /// Writes the request and sends it. The turn ends when it is written: what it was made of is
    /// gone then, and a large body counts on the memory of whoever installed the app.
    async fn post(
        &self,
        leased: &Leased,
        parcel: WebhookRequest,
        turn: ReaderTurn,
    ) -> Result<Outcome, ApiError> {
        let (state, delivery) = (&self.state, &leased.delivery);
        let written = webhook_request::request(state, leased, parcel).await;
        let (at, begun) = ((state.clock)(), Instant::now());
        match written {
            Ok(Written { request, secrets, memory }) => {
                drop(turn);
                let answer = state.webhooks.send(request).await;
                drop(memory);
                let answered = answer.as_ref().ok();
                let status = answered.map(|answer| answer.status().as_u16());
                let text = answered.map(|answer| Exchange::excerpt(answer.body(), &secrets));
                let milliseconds = match &answer {
                    Err(Failure::Inside(cause)) => {
                        let (app, book) = (delivery.app.as_str(), delivery.key.as_str());
                        tracing::info!(app, book, cause, "a webhook that is allowed has no answer");
                        0
                    }
                    _ => i64::try_from(begun.elapsed().as_millis()).unwrap_or(i64::MAX),
                };
                let exchange = Exchange { at, milliseconds, status, answer: text };
                Ok(Outcome::Attempt(answer::read(answer, &secrets), exchange))
            }
            Err(BuildError::Crowded) => Ok(failed_at(at, "the memory of this server is in use")),
            Err(BuildError::Address) => Ok(failed_at(at, "the address of the app is none")),
            Err(BuildError::Secret(error)) => {
                tracing::warn!(
                    app = delivery.app.as_str(),
                    error,
                    "the secret of an app does not open; its event is given up"
                );
                let why = "not delivered: the secret of the app does not open on this server any \
                           more; its developer has to send it again";
                Ok(Outcome::Unsendable(ResponseText::failed(why)))
            }
            // Another attempt would be no smaller, and the events behind it wait.
            Err(BuildError::TooLarge) => {
                let why = "not delivered: the event shows more than an answer may have; ask for it";
                Ok(Outcome::Unsent(ResponseText::failed(why)))
            }
            Err(BuildError::Failed(error)) => Err(error),
        }
    }
}
