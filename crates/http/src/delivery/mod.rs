//! Webhooks: requests to apps that carry events, and the classification of their answers (behaviour
//! 8.6 - 8.8).
//!
//! The webhook worker of the server decides which delivery is sent when, under which lease. For
//! each it calls [`WebhookSender::send`], which reads the event as the user who installed the app
//! may read it, builds a signed request, sends it, and returns the
//! [`DeliveryOutcome`](daybook_service::delivery::DeliveryOutcome). The worker passes the outcome
//! to [`daybook_service::delivery::finish`], which writes the delivery log. An app that is down,
//! slow or wrong ends in an outcome. Only failures of this server are errors, and the worker then
//! repeats the delivery after its lease.
//!
//! | Module | What it does |
//! |---|---|
//! | `webhook_request` | Builds the request: body, tokens, signatures |
//! | `signature` | Signs with the secret of the app |
//! | `answer` | Classifies the answer |
//! | `detach` | Copies the deletion of a book before its rows are removed |
//! | `log` | Lists the attempts |
//! | `replay` | Repeats deliveries for users, and counts the backlog |

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
use daybook_service::delivery::{self, DeliveryOutcome, Leased, Prepared, WebhookRequest};
use daybook_storage::Tx;

use crate::error::{ApiError, RequestError};
use crate::outgoing::Failure;
use crate::reader_shares::ReaderPermit;
use crate::run;
use crate::state::AppState;

pub(crate) use log::{list_app_deliveries, list_event_deliveries};
use webhook_request::{BuildError, Built};

pub(crate) use replay::{
    delete_event_response, get_book_events_backlog, replay_event_response, replay_events,
};
pub(crate) use webhook_request::place_of_secret;

/// Sends webhooks.
#[derive(Clone)]
pub struct WebhookSender {
    state: Arc<AppState>,
}

/// A delivery after its attempt.
#[derive(Debug)]
pub struct Sent {
    /// The outcome.
    pub outcome: DeliveryOutcome,
    /// The duration of the attempt.
    pub took: Duration,
}

/// Returns the outcome of an attempt that failed before the request was sent.
fn failed_at(at: instant::Instant, why: &str) -> DeliveryOutcome {
    let exchange = Exchange { at, milliseconds: 0, status: None, answer: None };
    DeliveryOutcome::Attempted(DeliveryAttempt::Failed(why.to_owned()), exchange)
}

impl WebhookSender {
    /// Creates a sender.
    #[must_use]
    pub const fn new(state: Arc<AppState>) -> Self {
        Self { state }
    }

    /// Sends the event of a delivery.
    ///
    /// It first waits for a delivery share of the user who installed the app. Then it takes at most
    /// a minute, plus the time of the database.
    ///
    /// # Errors
    /// When the event cannot be read or the request not built for now; the delivery is repeated
    /// after its lease. A damaged event is not an error: its delivery is skipped.
    pub async fn send(&self, leased: &Leased, installer: UserId) -> Result<Sent, String> {
        self.deliver(leased, installer).await.map_err(|error| error.to_string())
    }

    async fn deliver(&self, leased: &Leased, installer: UserId) -> Result<Sent, ApiError> {
        let delivery = &leased.delivery;
        let state = &self.state;
        let permit = state.delivery_shares.acquire(installer, None).await;
        let (begun, at) = (Instant::now(), (state.clock)());
        let has_connection = Arc::new(AtomicBool::new(false));
        let (connected, prepared) = (Arc::clone(&has_connection), delivery.clone());
        let ids = Arc::clone(&state.ids);
        let prepare = move |tx: &mut Tx<'_>| {
            connected.store(true, Ordering::Relaxed);
            delivery::prepare(tx, &prepared, ids, at)
        };
        let prepared = match run::read_for_server(state, prepare).await {
            // The row stays damaged, so another attempt would only delay the events after it.
            Err(error) if error.is_corrupt() => {
                tracing::error!(
                    app = delivery.app.as_str(),
                    book = delivery.key.as_str(),
                    event = delivery.sequence,
                    %error,
                    "webhook event unreadable, delivery skipped"
                );
                let reason = ResponseText::error("not delivered: the event cannot be read");
                Prepared::NotSent(DeliveryOutcome::Skipped(Some(reason)))
            }
            // An immediate retry would take as long, so it counts as a failed attempt. A deadline
            // that passed before there was a connection is not the event's fault.
            Err(ApiError::RequestError(RequestError::DeadlineExceeded(deadline)))
                if has_connection.load(Ordering::Relaxed) =>
            {
                let why = format!("the event was not read within {} seconds", deadline.as_secs());
                return Ok(Sent { outcome: failed_at(at, &why), took: begun.elapsed() });
            }
            prepared => prepared?,
        };
        let outcome = match prepared {
            Prepared::Request(request) => self.post(leased, *request, permit).await?,
            Prepared::NotSent(outcome) => outcome,
        };
        Ok(Sent { outcome, took: begun.elapsed() })
    }

    /// Builds the request and sends it.
    ///
    /// The reader is returned once the request is built. Then the data it was built from is gone,
    /// and a large body counts against the memory of the user who installed the app.
    async fn post(
        &self,
        leased: &Leased,
        request: WebhookRequest,
        permit: ReaderPermit,
    ) -> Result<DeliveryOutcome, ApiError> {
        let (state, delivery) = (&self.state, &leased.delivery);
        let built = webhook_request::build(state, leased, request).await;
        let (at, begun) = ((state.clock)(), Instant::now());
        match built {
            Ok(Built { request, secrets, memory }) => {
                drop(permit);
                let answer = state.webhooks.send(request).await;
                drop(memory);
                let answered = answer.as_ref().ok();
                let status = answered.map(|answer| answer.status().as_u16());
                let text = answered.map(|answer| Exchange::excerpt(answer.body(), &secrets));
                let milliseconds = match &answer {
                    Err(Failure::Inside(cause)) => {
                        let (app, book) = (delivery.app.as_str(), delivery.key.as_str());
                        tracing::info!(app, book, cause, "webhook to an allowed address failed");
                        // The duration would tell readers a closed port from a silent one.
                        0
                    }
                    _ => i64::try_from(begun.elapsed().as_millis()).unwrap_or(i64::MAX),
                };
                let exchange = Exchange { at, milliseconds, status, answer: text };
                Ok(DeliveryOutcome::Attempted(answer::classify(answer, &secrets), exchange))
            }
            Err(BuildError::Crowded) => Ok(failed_at(at, "the memory of this server is in use")),
            Err(BuildError::Address) => Ok(failed_at(at, "the address of the app is not valid")),
            Err(BuildError::Secret(error)) => {
                tracing::warn!(
                    app = delivery.app.as_str(),
                    error,
                    "app secret cannot be opened, webhook delivery failed"
                );
                let why = "not delivered: this server can no longer open the secret of the app; \
                           its developer has to send it again";
                Ok(DeliveryOutcome::Failed(ResponseText::error(why)))
            }
            // Another attempt would be as large, and the events after it wait.
            Err(BuildError::TooLarge) => {
                let why = "not delivered: the event exceeds the size limit of a response; read it \
                           from the API";
                Ok(DeliveryOutcome::Skipped(Some(ResponseText::error(why))))
            }
            Err(BuildError::Failed(error)) => Err(error),
        }
    }
}
