//! An HTTP client for one provider with a bounded number of requests in flight.
//!
//! The bound protects the sockets of this server and the other providers from floods of invalid
//! tokens and from slow providers.

use std::time::Duration;

use daybook_edge::outgoing::Outgoing;
use http::{Request, Response};
use tokio::sync::{Semaphore, SemaphorePermit};

use super::outcome::Refusal;

/// The maximum number of requests in flight to one provider.
const MAX_IN_FLIGHT: usize = 64;
/// How long a further request waits for a permit.
const PERMIT_TIMEOUT: Duration = Duration::from_secs(2);

/// Sends requests to one provider.
pub(super) struct HttpClient {
    pub(super) outgoing: Outgoing,
    permits: Semaphore,
}

impl HttpClient {
    pub(super) fn new(outgoing: &Outgoing) -> Self {
        Self { outgoing: outgoing.clone(), permits: Semaphore::new(MAX_IN_FLIGHT) }
    }

    /// Acquires a permit for a request that the caller sends itself.
    ///
    /// # Errors
    /// [`Refusal::Unavailable`] when too many requests are in flight.
    pub(super) async fn permit(&self) -> Result<SemaphorePermit<'_>, Refusal> {
        match tokio::time::timeout(PERMIT_TIMEOUT, self.permits.acquire()).await {
            Ok(Ok(permit)) => Ok(permit),
            _ => Err(Refusal::Unavailable("too many requests to the provider".to_owned())),
        }
    }

    /// Sends a GET request, with a bearer token if one is given.
    ///
    /// # Errors
    /// [`Refusal::Unavailable`].
    pub(super) async fn get(
        &self,
        url: &str,
        bearer: Option<&str>,
    ) -> Result<Response<Vec<u8>>, Refusal> {
        let _permit = self.permit().await?;
        let mut request = Request::get(url).header("accept", "application/json");
        if let Some(token) = bearer {
            request = request.header("authorization", format!("Bearer {token}"));
        }
        let request = request.body(Vec::new());
        let request = request.map_err(|error| Refusal::Unavailable(error.to_string()))?;
        Ok(self.outgoing.send(request).await?)
    }
}
