//! Questions to providers: a bounded number at once to each, so that neither tokens that nobody
//! knows nor a slow provider take the sockets of this server, or keep others from asking.

use std::time::Duration;

use http::{Request, Response};
use tokio::sync::{Semaphore, SemaphorePermit};

use super::outcome::Refusal;
use crate::outgoing::Outgoing;

/// Questions to one provider that are open at once at most, and how long a further one waits.
const MAX_QUESTIONS: usize = 64;
const QUESTION_TIMEOUT: Duration = Duration::from_secs(2);

/// Sends questions to one provider.
pub(super) struct InFlightLookups {
    pub(super) outgoing: Outgoing,
    open: Semaphore,
}

impl InFlightLookups {
    pub(super) fn new(outgoing: &Outgoing) -> Self {
        Self { outgoing: outgoing.clone(), open: Semaphore::new(MAX_QUESTIONS) }
    }

    /// Takes part in the bound until the permit is dropped.
    ///
    /// # Errors
    /// [`Refusal::Unavailable`] when too many questions are open.
    pub(super) async fn permit(&self) -> Result<SemaphorePermit<'_>, Refusal> {
        let waiting = tokio::time::timeout(QUESTION_TIMEOUT, self.open.acquire()).await;
        match waiting {
            Ok(Ok(permit)) => Ok(permit),
            _ => {
                Err(Refusal::Unavailable("too many questions to the provider are open".to_owned()))
            }
        }
    }

    /// Asks for what stands at an address, in the name of a token's holder if one is given.
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
