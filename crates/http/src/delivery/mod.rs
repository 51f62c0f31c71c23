//! Webhooks: an event becomes a request to an app, and its answer what became of the delivery
//! (behaviour 8.6 - 8.8). Which deliveries there are, and when, is a matter of the worker.
//!
//! | Module | What it does |
//! |---|---|
//! | `parcel` | Writes the request: body, tokens, signatures |
//! | `signature` | Signs with the secret of the app |
//! | `answer` | Reads the answer |
//! | `replay` | What users ask of responses and of the backlog |

mod answer;
mod parcel;
mod replay;
mod signature;

use std::sync::Arc;
use std::time::{Duration, Instant};

use daybook_domain::delivery::{DeliveryAttempt, EventDelivery};
use daybook_service::delivery::{self, Outcome, Prepared};

use crate::error::ApiError;
use crate::run;
use crate::state::AppState;

pub(crate) use parcel::place_of_secret;
pub(crate) use replay::{
    delete_event_response, get_book_events_backlog, replay_event_response, replay_events,
};

/// Sends events to apps.
#[derive(Clone)]
pub struct Courier {
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

impl Courier {
    /// A courier.
    #[must_use]
    pub const fn new(state: Arc<AppState>) -> Self {
        Self { state }
    }

    /// Sends the event of a delivery. It takes no longer than a minute and what the database takes.
    ///
    /// # Errors
    /// When the event cannot be read or written; then it is tried again after its lease.
    pub async fn send(&self, delivery: &EventDelivery) -> Result<Sent, String> {
        self.deliver(delivery).await.map_err(|error| error.to_string())
    }

    async fn deliver(&self, delivery: &EventDelivery) -> Result<Sent, ApiError> {
        let (state, begun) = (&self.state, Instant::now());
        let sent = |outcome| Sent { outcome, took: begun.elapsed() };
        let asked = delivery.clone();
        let with = (Arc::clone(&state.ids), (state.clock)());
        let prepared = run::read(state, move |tx| delivery::prepare(tx, &asked, with)).await?;
        let parcel = match prepared {
            Prepared::Parcel(parcel) => parcel,
            Prepared::Unsent(remark) => return Ok(sent(Outcome::Unsent(remark))),
            Prepared::Nowhere => return Ok(sent(Outcome::Dropped)),
            Prepared::Lost => return Ok(sent(Outcome::Stopped)),
        };
        let attempt = match parcel::request(state, delivery, *parcel).await {
            Ok(request) => answer::read(state.webhooks.send(request).await),
            Err(parcel::Unwritten::Address) => {
                DeliveryAttempt::Failed("the address of the app is none".to_owned())
            }
            Err(parcel::Unwritten::Failed(error)) => return Err(error),
        };
        Ok(sent(Outcome::Tried(attempt)))
    }
}
