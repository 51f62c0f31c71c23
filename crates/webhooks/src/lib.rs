//! Webhooks: requests that send events to apps, and the classification of their answers (behaviour
//! 8.6 - 8.8).
//!
//! An *answer* is the HTTP response of the app to a request. The *response* of the app to the event
//! is the message in the answer, or the reason why there is none
//! ([`ResponseText`](daybook_domain::delivery::ResponseText)). Readers of the book see it on the
//! event (`botResponses`).
//!
//! The worker [`worker::delivery`] decides which delivery is sent when, under which lease. For each
//! it calls [`Webhooks::send`], which reads the event as the user who installed the app may read
//! it, builds a signed request, sends it, and returns the
//! [`DeliveryOutcome`](daybook_service::delivery::DeliveryOutcome). The worker passes the outcome
//! to [`daybook_service::delivery::finish`], which writes the delivery log. An app that is down,
//! slow or wrong ends in an outcome. Only failures of this server are errors, and the worker then
//! repeats the delivery after its lease.
//!
//! | Module | What it does |
//! |---|---|
//! | `sender` | Reads the event, sends the request and makes the outcome |
//! | `request` | Builds the request: body, tokens, signatures |
//! | `signature` | Signs with the secret of the app |
//! | `client` | Sends the request, to addresses that are allowed |
//! | `answer` | Classifies the answer |
//! | `detach` | Copies the deletion of a book before its rows are removed |
//! | [`worker`] | Leases queues, and cleans up after deliveries |
//!
//! Endpoints that list and replay deliveries are in the http crate.

mod answer;
mod client;
mod detach;
mod request;
mod sender;
mod signature;
mod state;
pub mod worker;

pub use client::WebhookClient;
pub use sender::Sent;
pub use state::{EncodeEvent, Webhooks};
