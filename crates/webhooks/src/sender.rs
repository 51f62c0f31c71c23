//! One delivery: reads the event, sends the request and makes the outcome.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use daybook_domain::delivery::{DeliveryAttempt, Exchange, ResponseText};
use daybook_domain::id::UserId;
use daybook_domain::instant;
use daybook_edge::error::{ApiError, RequestError};
use daybook_edge::outgoing::Failure;
use daybook_edge::reader_shares::ReaderPermit;
use daybook_edge::run;
use daybook_service::delivery::{self, DeliveryOutcome, Leased, Prepared, WebhookRequest};
use daybook_storage::Tx;

use crate::answer;
use crate::request::{self, BuildError, Built};
use crate::state::Webhooks;

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

impl Webhooks {
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
        let permit = self.shares.acquire(installer, None).await;
        let (begun, at) = (Instant::now(), (self.edge.clock)());
        let has_connection = Arc::new(AtomicBool::new(false));
        let (connected, prepared) = (Arc::clone(&has_connection), delivery.clone());
        let ids = Arc::clone(&self.edge.ids);
        let prepare = move |tx: &mut Tx<'_>| {
            connected.store(true, Ordering::Relaxed);
            delivery::prepare(tx, &prepared, ids, at)
        };
        let prepared = match run::read_for_server(&self.edge, prepare).await {
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
        let delivery = &leased.delivery;
        let built = request::build(self, leased, request).await;
        let (at, begun) = ((self.edge.clock)(), Instant::now());
        match built {
            Ok(Built { request, secrets, memory }) => {
                drop(permit);
                let answer = self.client.send(request).await;
                drop(memory);
                let answered = answer.as_ref().ok();
                let status = answered.map(|answer| answer.status().as_u16());
                let text = answered.map(|answer| Exchange::excerpt(answer.body(), &secrets));
                let milliseconds = match &answer {
                    Err(Failure::Internal(cause)) => {
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
            Err(BuildError::MemoryExhausted) => {
                Ok(failed_at(at, "the memory of this server is in use"))
            }
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
