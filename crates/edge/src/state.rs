//! The dependencies of every endpoint and worker.

use std::sync::Arc;
use std::time::Duration;

use actix_web::{HttpRequest, web};
use daybook_domain::instant::Instant;
use daybook_service::Ids;
use daybook_storage::Store;

use crate::budget::Budget;
use crate::error::RequestError;
use crate::headers::Headers;
use crate::reader_shares::ReaderShares;
use crate::site::Site;
use crate::wakeup::Wakeup;

/// The store, the clock, the limits and the addresses of this server.
pub struct Edge {
    /// The books.
    pub store: Arc<Store>,
    /// The source of ids.
    pub ids: Arc<Ids>,
    /// The clock: milliseconds since the epoch.
    pub clock: fn() -> Instant,
    /// How long a request may read (behaviour 0.32).
    pub read_deadline: Duration,
    /// The fair scheduling of reads between users.
    pub reader_shares: ReaderShares,
    /// The memory for request bodies, contents of files and responses.
    pub budget: Budget,
    /// The addresses of this server.
    pub site: Site,
    /// The names of the API's own headers (behaviour 0.15).
    pub headers: Headers,
    /// Wakes the mail worker.
    pub mails: Wakeup,
}

impl Edge {
    /// Returns the one that the application of a request was built with.
    ///
    /// # Errors
    /// 500 if it was built without.
    pub fn of(request: &HttpRequest) -> Result<&web::Data<Self>, RequestError> {
        request
            .app_data::<web::Data<Self>>()
            .ok_or_else(|| RequestError::Failed("no state".to_owned()))
    }
}
