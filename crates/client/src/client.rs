//! The client: where the server is, who calls, and how tokens are renewed.

use std::fmt;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use reqwest::header::{HeaderMap, HeaderValue};
use reqwest::{Method, Url};
use tokio::sync::RwLock;

use crate::call::{Body, Call, Reply};
use crate::credentials::{Credentials, OnRenewal, Renewed, Tokens};
use crate::error::{Error, Result};

const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);
/// Longer than a write with a key waits at the server (0.28).
const READ_TIMEOUT: Duration = Duration::from_secs(60);

/// A connection to a Daybook server. Clones share connections, tokens and settings.
///
/// ```
/// # daybook_tests::run_example(async |example| {
/// use daybook_client::Client;
///
/// let client = Client::builder(&example.url).token(&example.token).build()?;
/// let user = client.get_user().await?;
/// println!("signed in as {}", user.username);
/// for book in client.list_books(&Default::default()).await?.items {
///     println!("{}", book.name.unwrap_or_default());
/// }
/// # Ok(()) });
/// ```
#[derive(Clone)]
pub struct Client {
    pub(crate) shared: Arc<Shared>,
}

/// The settings and the state that clones of a client share.
pub(crate) struct Shared {
    pub(crate) http: reqwest::Client,
    pub(crate) base: Url,
    pub(crate) headers: HeaderMap,
    pub(crate) credentials: Credentials,
    pub(crate) read_timeout: Duration,
    pub(crate) retries: u32,
    pub(crate) on_retry: Option<OnRetry>,
    /// The last position of a write (0.42).
    pub(crate) log_position: Mutex<Option<HeaderValue>>,
}

type OnRetry = Arc<dyn Fn(&Retry) + Send + Sync>;

/// A repetition that is about to be made.
///
/// ```
/// use daybook_client::Client;
///
/// let client = Client::builder("http://127.0.0.1:8080")
///     .on_retry(|retry| eprintln!("{}: trying again in {:?}", retry.cause, retry.pause))
///     .build()?;
/// # let _ = client;
/// # Ok::<(), daybook_client::Error>(())
/// ```
#[derive(Debug)]
pub struct Retry {
    /// Method and path of the request.
    pub operation: String,
    /// How often it was sent.
    pub attempts: u32,
    /// The failure of the last attempt.
    pub cause: String,
    /// The time until the next one.
    pub pause: Duration,
}

/// The settings of a [`Client`].
///
/// ```
/// use daybook_client::Client;
/// use std::time::Duration;
///
/// let client = Client::builder("https://books.example.com/ledger")
///     .token("a token of this user")
///     .user_agent("importer/1.0")
///     .connect_timeout(Duration::from_secs(3))
///     .retries(2)
///     .build()?;
/// assert_eq!(client.base_url(), "https://books.example.com/ledger");
/// # Ok::<(), daybook_client::Error>(())
/// ```
#[must_use]
pub struct ClientBuilder {
    base: String,
    credentials: Credentials,
    user_agent: String,
    agent_id: Option<String>,
    api_key: Option<String>,
    connect_timeout: Duration,
    read_timeout: Duration,
    retries: u32,
    on_retry: Option<OnRetry>,
}

impl ClientBuilder {
    /// Sends this access token.
    ///
    /// ```
    /// let builder = daybook_client::Client::builder("http://127.0.0.1:8080").token("a token");
    /// assert!(builder.build().is_ok());
    /// ```
    pub fn token(mut self, token: impl Into<String>) -> Self {
        self.credentials = Credentials::Token(token.into());
        self
    }

    /// Sends the access token of a sign-in, and renews it when it has expired.
    ///
    /// A refresh token works once. `on_renewal` gets each new pair and must store it, or the next
    /// start of the program needs a sign-in. See [`Client::start_device_sign_in`].
    ///
    /// ```
    /// use daybook_client::{Client, Tokens};
    ///
    /// # fn example(stored: Tokens) -> Result<Client, daybook_client::Error> {
    /// Client::builder("http://127.0.0.1:8080")
    ///     .tokens("daybook-cli", stored, |tokens| {
    ///         let text = serde_json::to_string(tokens).expect("tokens are JSON");
    ///         std::fs::write("tokens.json", text).expect("a writable file");
    ///     })
    ///     .build()
    /// # }
    /// ```
    pub fn tokens(
        mut self,
        client_id: impl Into<String>,
        tokens: Tokens,
        on_renewal: impl Fn(&Tokens) + Send + Sync + 'static,
    ) -> Self {
        let on_renewal: OnRenewal = Arc::new(on_renewal);
        self.credentials = Credentials::Renewed(Renewed {
            client_id: client_id.into(),
            tokens: RwLock::new(tokens),
            on_renewal: Some(on_renewal),
            read_stored: None,
        });
        self
    }

    /// Reads the stored tokens before a renewal, and uses them if they are others. Programs that
    /// share tokens need it, because redeeming a refresh token again ends the sign-in. Two programs
    /// that redeem it within 30 seconds get the same successor (11.18), so they need no lock.
    /// Call it after [`tokens`](Self::tokens).
    ///
    /// ```
    /// # use daybook_client::{Client, Tokens};
    /// # fn example(stored: Tokens, store: fn(&Tokens)) -> Result<Client, daybook_client::Error> {
    /// Client::builder("http://127.0.0.1:8080")
    ///     .tokens("daybook-cli", stored, store)
    ///     .stored_tokens(|| serde_json::from_slice(&std::fs::read("tokens.json").ok()?).ok())
    ///     .build()
    /// # }
    /// ```
    pub fn stored_tokens(
        mut self,
        read: impl Fn() -> Option<Tokens> + Send + Sync + 'static,
    ) -> Self {
        if let Credentials::Renewed(renewed) = &mut self.credentials {
            renewed.read_stored = Some(Arc::new(read));
        }
        self
    }

    /// Sets the `User-Agent`, by default the name and version of this crate.
    ///
    /// ```
    /// let builder = daybook_client::Client::builder("http://127.0.0.1:8080").user_agent("bot/1");
    /// assert!(builder.build().is_ok());
    /// ```
    pub fn user_agent(mut self, user_agent: impl Into<String>) -> Self {
        self.user_agent = user_agent.into();
        self
    }

    /// Sets the id of the calling app, stored with what it creates (9.2).
    ///
    /// ```
    /// let builder = daybook_client::Client::builder("http://127.0.0.1:8080").agent_id("bot");
    /// assert!(builder.build().is_ok());
    /// ```
    pub fn agent_id(mut self, agent_id: impl Into<String>) -> Self {
        self.agent_id = Some(agent_id.into());
        self
    }

    /// Sets the API key, which names the app for quotas (10.13).
    ///
    /// ```
    /// let builder = daybook_client::Client::builder("http://127.0.0.1:8080").api_key("a key");
    /// assert!(builder.build().is_ok());
    /// ```
    pub fn api_key(mut self, api_key: impl Into<String>) -> Self {
        self.api_key = Some(api_key.into());
        self
    }

    /// Limits the time to connect; by default 10 seconds.
    ///
    /// ```
    /// let builder = daybook_client::Client::builder("http://127.0.0.1:8080")
    ///     .connect_timeout(std::time::Duration::from_secs(3));
    /// assert!(builder.build().is_ok());
    /// ```
    pub const fn connect_timeout(mut self, timeout: Duration) -> Self {
        self.connect_timeout = timeout;
        self
    }

    /// Limits the time without a byte of the response; by default 60 seconds.
    ///
    /// A whole response may take longer: general ledgers are long. So may the upload of a file:
    /// then it limits the time in which no part of the file is sent.
    ///
    /// ```
    /// let builder = daybook_client::Client::builder("http://127.0.0.1:8080")
    ///     .read_timeout(std::time::Duration::from_secs(20));
    /// assert!(builder.build().is_ok());
    /// ```
    pub const fn read_timeout(mut self, timeout: Duration) -> Self {
        self.read_timeout = timeout;
        self
    }

    /// Sets how often a failed request is repeated; by default 4 times.
    ///
    /// Repeated are reads, and writes with an idempotency key, after a lost connection and the
    /// statuses 408, 429, 502, 503 and 504. `Retry-After` determines the pause up to a minute;
    /// otherwise it grows from a quarter of a second to 8 seconds.
    ///
    /// ```
    /// let builder = daybook_client::Client::builder("http://127.0.0.1:8080").retries(0);
    /// assert!(builder.build().is_ok());
    /// ```
    pub const fn retries(mut self, retries: u32) -> Self {
        self.retries = retries;
        self
    }

    /// Calls a function before each repetition.
    ///
    /// ```
    /// let builder = daybook_client::Client::builder("http://127.0.0.1:8080")
    ///     .on_retry(|retry| eprintln!("{}: {}", retry.operation, retry.cause));
    /// assert!(builder.build().is_ok());
    /// ```
    pub fn on_retry(mut self, on_retry: impl Fn(&Retry) + Send + Sync + 'static) -> Self {
        self.on_retry = Some(Arc::new(on_retry));
        self
    }

    /// Makes the client. It does not connect yet.
    ///
    /// # Errors
    /// [`Error::Invalid`] if the address is not an `http:` or `https:` URL, or a value cannot be a
    /// header; [`Error::Transport`] if TLS is unavailable.
    ///
    /// ```
    /// assert!(daybook_client::Client::builder("books.example.com").build().is_err());
    /// ```
    pub fn build(self) -> Result<Client> {
        let invalid = || {
            let base = &self.base;
            Error::Invalid(format!("invalid base URL {base:?}: expected http(s)://host/path"))
        };
        let base = Url::parse(&self.base).map_err(|_| invalid())?;
        if !matches!(base.scheme(), "http" | "https") {
            return Err(invalid());
        }
        let mut headers = HeaderMap::new();
        for (name, value) in
            [("service-agent-id", &self.agent_id), ("service-api-key", &self.api_key)]
        {
            let Some(value) = value else { continue };
            let value = HeaderValue::from_str(value)
                .map_err(|_| Error::Invalid(format!("invalid value of {name}")))?;
            headers.insert(name, value);
        }
        // This fails only if a crypto provider is already installed, which is fine.
        let _ = rustls::crypto::aws_lc_rs::default_provider().install_default();
        let mut http = reqwest::Client::builder()
            .user_agent(self.user_agent)
            .redirect(reqwest::redirect::Policy::none())
            .connect_timeout(self.connect_timeout);
        let host = base.host_str().unwrap_or_default();
        if matches!(host, "localhost" | "127.0.0.1" | "[::1]") {
            http = http.no_proxy();
            if base.scheme() == "http" {
                // Nothing uses TLS. To read the machine's certificates takes longer than a request.
                http = http.tls_certs_only([]);
            }
        }
        let shared = Shared {
            http: http.build()?,
            base,
            headers,
            credentials: self.credentials,
            read_timeout: self.read_timeout,
            retries: self.retries,
            on_retry: self.on_retry,
            log_position: Mutex::new(None),
        };
        Ok(Client { shared: Arc::new(shared) })
    }
}

impl Client {
    /// Begins the settings of a client of the server at this address.
    ///
    /// A path in the address is the server's `--path-prefix`.
    ///
    /// ```
    /// let client = daybook_client::Client::builder("http://127.0.0.1:8080").build()?;
    /// # Ok::<(), daybook_client::Error>(())
    /// ```
    pub fn builder(base_url: impl Into<String>) -> ClientBuilder {
        ClientBuilder {
            base: base_url.into(),
            credentials: Credentials::Anonymous,
            user_agent: concat!("daybook-client/", env!("CARGO_PKG_VERSION")).to_owned(),
            agent_id: None,
            api_key: None,
            connect_timeout: CONNECT_TIMEOUT,
            read_timeout: READ_TIMEOUT,
            retries: 4,
            on_retry: None,
        }
    }

    /// Returns the address of the server, without a slash at the end.
    ///
    /// ```
    /// let client = daybook_client::Client::builder("http://127.0.0.1:8080/").build()?;
    /// assert_eq!(client.base_url(), "http://127.0.0.1:8080");
    /// # Ok::<(), daybook_client::Error>(())
    /// ```
    #[must_use]
    pub fn base_url(&self) -> &str {
        self.shared.base.as_str().trim_end_matches('/')
    }

    /// Returns the access token of the next request, for links and other programs.
    ///
    /// ```
    /// # daybook_tests::run_example(async |example| {
    /// let client = daybook_client::Client::builder(&example.url).token("a token").build()?;
    /// assert_eq!(client.access_token().await.as_deref(), Some("a token"));
    /// # Ok(()) });
    /// ```
    pub async fn access_token(&self) -> Option<String> {
        self.shared.credentials.access_token().await
    }

    /// Renews the tokens, unless another request has. Returns whether a repetition can help.
    pub(crate) async fn renew(&self, refused: &str) -> Result<bool> {
        let Credentials::Renewed(renewed) = &self.shared.credentials else { return Ok(false) };
        let mut tokens = renewed.tokens.write().await;
        let read_stored = renewed.read_stored.as_ref().filter(|_| tokens.access_token == refused);
        if let Some(stored) = read_stored.and_then(|read| read()) {
            *tokens = stored;
        }
        if tokens.access_token != refused {
            return Ok(true);
        }
        *tokens = self.refresh(&renewed.client_id, &tokens.refresh_token).await?;
        if let Some(on_renewal) = &renewed.on_renewal {
            on_renewal(&tokens);
        }
        Ok(true)
    }

    /// Redeems a refresh token.
    pub(crate) async fn refresh(&self, client_id: &str, refresh_token: &str) -> Result<Tokens> {
        let form = [
            ("grant_type", "refresh_token"),
            ("client_id", client_id),
            ("refresh_token", refresh_token),
        ];
        self.post_form(&["auth", "token"], &form).await
    }

    /// Posts a form to the token endpoint and reads JSON.
    ///
    /// It is sent once, because a code and a refresh token work once.
    pub(crate) async fn post_form<T: serde::de::DeserializeOwned>(
        &self,
        path: &[&str],
        form: &[(&str, &str)],
    ) -> Result<T> {
        let reply = self.send_form(path, form).await?;
        serde_json::from_slice(&reply.body)
            .map_err(|source| Error::Decode { operation: reply.operation, source })
    }

    /// Posts a form to the token endpoint.
    pub(crate) async fn send_form(&self, path: &[&str], form: &[(&str, &str)]) -> Result<Reply> {
        let mut call = Call::new(Method::POST, path);
        let mut encoded = Url::parse("form:").map_err(|error| Error::Invalid(error.to_string()))?;
        encoded.query_pairs_mut().extend_pairs(form);
        let form = encoded.query().unwrap_or_default().to_owned();
        call.body = Some(Body::Bytes(form.into()));
        call.media_type = "application/x-www-form-urlencoded";
        call.is_authorized = false;
        self.attempt(&call, 1).await.map_err(|failure| failure.error)
    }
}

impl fmt::Debug for Client {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("Client").field("base_url", &self.base_url()).finish_non_exhaustive()
    }
}
