//! Outgoing HTTP requests, to identity providers and to the webhooks of apps.
//!
//! The URL of a webhook comes from the developer of the app, who could aim it at a service of the
//! internal network (server-side request forgery). A client therefore connects only to the
//! addresses that its [`Reach`] permits: a literal address is checked before the request, and a
//! host name when it is resolved (`address`), so a name server cannot change the address in
//! between. A client follows no redirects and uses no proxy. It has timeouts, and a limit on the
//! bytes of the response.
//!
//! A request without a complete response returns a [`Failure`]. Texts of failures contain neither
//! addresses nor secrets, because webhooks store them in the delivery log.

pub mod address;
pub mod allowed;
mod off_limits;

use std::future::Future;
use std::net::IpAddr;
use std::pin::Pin;
use std::time::Duration;

use http::{Request, Response};
use oauth2::AsyncHttpClient;
use reqwest::redirect::Policy;
use reqwest::{Body, Client, Url};

use address::{NameLookup, NoneReachable, Reach, Resolver};

/// The timeout for establishing a connection.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(3);
/// The timeout for a provider's answer, including its last byte.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(5);
/// The most bytes of a provider's answer.
const MAX_ANSWER: usize = 1024 * 1024;

/// Why a request got no answer, that is, no complete response. The text contains no address and no
/// part of the request.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Failure {
    /// No address of the host may be reached.
    #[error("the address may not be reached")]
    Address,
    /// No connection, no answer in time, or an incomplete answer.
    #[error("no answer: {0}")]
    NoResponse(String),
    /// No answer from an address that only `--webhook-allow` opens.
    ///
    /// Readers of a book see the text, so it must not tell a closed port from a silent one. The
    /// cause is for the operator's log.
    #[error("no answer")]
    Internal(String),
    /// The body exceeds the limit.
    #[error("the answer has more than {0} bytes")]
    TooLarge(usize),
}

impl From<reqwest::Error> for Failure {
    fn from(error: reqwest::Error) -> Self {
        // The text would contain the URL, whose query may hold a token.
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

/// The limits of a client.
#[derive(Debug, Clone, Copy)]
pub struct Timeouts {
    /// How long a connection may take to be established.
    pub connect: Duration,
    /// How long an answer may take, including its last byte.
    pub answer: Duration,
    /// The most bytes of an answer.
    pub bytes: usize,
}

/// An HTTP client. Clones share connections.
#[derive(Debug, Clone)]
pub struct Outgoing {
    client: Client,
    reach: Reach,
    bytes: usize,
}

impl Outgoing {
    /// Creates a client for providers. It trusts the certificates that this machine trusts.
    ///
    /// # Errors
    /// When TLS is unavailable.
    pub fn new() -> Result<Self, Failure> {
        let timeouts =
            Timeouts { connect: CONNECT_TIMEOUT, answer: ANSWER_TIMEOUT, bytes: MAX_ANSWER };
        Self::with(Reach::Configured, timeouts, address::system_lookup())
    }

    /// Creates a client that reaches these addresses, within these limits.
    ///
    /// # Errors
    /// When TLS is unavailable.
    pub fn with(reach: Reach, timeouts: Timeouts, lookup: NameLookup) -> Result<Self, Failure> {
        // This fails only if a crypto provider is already installed, which is fine.
        let _ = rustls::crypto::aws_lc_rs::default_provider().install_default();
        let client = Client::builder()
            .redirect(Policy::none())
            .no_proxy()
            .dns_resolver(Resolver { reach: reach.clone(), lookup })
            .connect_timeout(timeouts.connect)
            .timeout(timeouts.answer)
            .build()?;
        Ok(Self { client, reach, bytes: timeouts.bytes })
    }

    /// Sends a request and reads the whole answer, whatever its status.
    ///
    /// # Errors
    /// [`Failure`].
    pub async fn send<B: Into<Body>>(
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

    /// Returns whether a request to a URL may connect to this address of its host.
    #[must_use]
    pub fn may_reach(&self, url: &Url, ip: IpAddr) -> bool {
        self.reach.permits(url.host_str().unwrap_or_default(), ip)
    }

    /// Refuses a URL with a literal address that may not be reached. The resolver never sees it.
    fn check(&self, url: &Url) -> Result<(), Failure> {
        match address::literal_address(url) {
            Some(ip) if !self.may_reach(url, ip) => Err(Failure::Address),
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
