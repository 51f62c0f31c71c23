//! The dependencies of webhooks.

use std::sync::Arc;

use actix_web::web::Bytes;
use daybook_auth::Auth;
use daybook_domain::storage_quota::StorageQuotas;
use daybook_edge::Edge;
use daybook_edge::reader_shares::ReaderShares;
use daybook_edge::response_budget::EncodeError;
use daybook_service::Context;
use daybook_service::event::View;

use crate::client::WebhookClient;

/// Encodes the single event of a view, as the API shows it with links to this server, and returns
/// its id and text.
pub type EncodeEvent = fn(&View, &Context, &str) -> Result<(String, Bytes), EncodeError>;

/// Sends webhooks.
pub struct Webhooks {
    /// The store, the clock and the addresses of this server.
    pub edge: Arc<Edge>,
    /// The keys that sign requests.
    pub auth: Arc<Auth>,
    /// The client that sends them.
    pub client: WebhookClient,
    /// The fair scheduling of deliveries between users (behaviour 8.9).
    pub shares: ReaderShares,
    /// Encodes an event.
    pub encode: EncodeEvent,
    /// The limits of stored data, which also hold for the responses of apps.
    pub storage_quotas: StorageQuotas,
}
