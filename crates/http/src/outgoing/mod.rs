//! Requests that this server sends to others: one kind of client for all of them. It follows no
//! redirect, uses no proxy, waits no longer than its timeouts, reads no more of an answer than it
//! is told, and connects only to addresses that `address` allows.

pub(crate) mod address;
pub(crate) mod allowed;
mod off_limits;
mod webhook;

use std::future::Future;
use std::pin::Pin;
use std::time::Duration;

use http::{Request, Response};
use oauth2::AsyncHttpClient;
use reqwest::redirect::Policy;
use reqwest::{Body, Client, Url};

use address::{NameLookup, NoneReachable, Reach, Resolver};

pub use webhook::WebhookClient;

/// How long a connection may take to be made.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(3);
/// How long an answer of a provider may take, from the first step to its last byte.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(5);
/// Bytes of the body of a provider's answer that are read at most.
const MAX_ANSWER: usize = 1024 * 1024;

/// Why a request got no answer. It names no address and no part of the request.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Failure {
    /// The name has no address that may be reached.
    #[error("the address may not be reached")]
    Address,
    /// No connection, no answer in time, or one that ended early.
    #[error("no answer: {0}")]
    NoResponse(String),
    /// The same of an address that only `--webhook-allow` opens. Readers of a book see failures,
    /// and what they see must not tell a closed port from one that does not answer; the operator
    /// finds the cause in the log.
    #[error("no answer")]
    Inside(String),
    /// The body is longer than is read.
    #[error("the answer has more than {0} bytes")]
    TooLarge(usize),
}

impl From<reqwest::Error> for Failure {
    fn from(error: reqwest::Error) -> Self {
        // Its text would name the address, whose query may hold a token.
        let error = error.without_url();
        let mut causes = vec![error.to_string()];
        let mut cause = std::error::Error::source(&error);
        while let Some(inner) = cause {
            if inner.is::<NoneReachable>() {
                return Self::Address;
            }
            causes.push(inner.to_string());
            cause = inner.source();
        }
        Self::NoResponse(causes.join(": "))
    }
}

/// How long a client waits, and how much it reads.
#[derive(Debug, Clone, Copy)]
struct Timeouts {
    connect: Duration,
    answer: Duration,
    bytes: usize,
}

/// Sends requests. Clones share connections.
#[derive(Debug, Clone)]
pub(crate) struct Outgoing {
    client: Client,
    reach: Reach,
    bytes: usize,
}

impl Outgoing {
    /// A client for providers. It trusts the certificates that this machine trusts.
    ///
    /// # Errors
    /// When TLS cannot be set up.
    pub(crate) fn new() -> Result<Self, Failure> {
        let patience =
            Timeouts { connect: CONNECT_TIMEOUT, answer: ANSWER_TIMEOUT, bytes: MAX_ANSWER };
        Self::with(Reach::Configured, patience, address::of_this_machine())
    }

    fn with(reach: Reach, patience: Timeouts, lookup: NameLookup) -> Result<Self, Failure> {
        // It fails only when a provider is installed already, which serves as well.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let client = Client::builder()
            .redirect(Policy::none())
            .no_proxy()
            .dns_resolver(Resolver { reach: reach.clone(), lookup })
            .connect_timeout(patience.connect)
            .timeout(patience.answer)
            .build()?;
        Ok(Self { client, reach, bytes: patience.bytes })
    }

    /// Sends a request and reads its whole answer, whatever its status.
    ///
    /// # Errors
    /// [`Failure`].
    pub(crate) async fn send<B: Into<Body>>(
        &self,
        request: Request<B>,
    ) -> Result<Response<Vec<u8>>, Failure> {
        let request = reqwest::Request::try_from(request)?;
        self.check(request.url())?;
        let mut answer = self.client.execute(request).await?;
        let mut body = Vec::new();
        while let Some(chunk) = answer.chunk().await? {
            if body.len() + chunk.len() > self.bytes {
                return Err(Failure::TooLarge(self.bytes));
            }
            body.extend_from_slice(&chunk);
        }
        let mut response = Response::new(body);
        *response.status_mut() = answer.status();
        *response.headers_mut() = answer.headers().clone();
        Ok(response)
    }

    /// Refuses an address that stands in the URL itself: the resolver never sees it.
    fn check(&self, url: &Url) -> Result<(), Failure> {
        let host = url.host_str().unwrap_or_default();
        match address::written_in(url) {
            Some(ip) if !self.reach.holds(host, ip) => Err(Failure::Address),
            _ => Ok(()),
        }
    }
}

impl<'c> AsyncHttpClient<'c> for Outgoing {
    type Error = Failure;
    type Future = Pin<Box<dyn Future<Output = Result<Response<Vec<u8>>, Failure>> + Send + 'c>>;

    fn call(&'c self, request: Request<Vec<u8>>) -> Self::Future {
        Box::pin(self.send(request))
    }
}
