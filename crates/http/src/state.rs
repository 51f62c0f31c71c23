//! The application state: the store, the clock, the settings.

use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

use actix_web::http::header::{HeaderName, HeaderValue};
use daybook_domain::email::Email;
use daybook_domain::instant::Instant;
use daybook_domain::storage_quota::StorageQuotas;
use daybook_domain::user::Admission;
use daybook_service::Ids;
use daybook_storage::Store;

use crate::api_key::cache::ApiKeyCache;
use crate::api_key::calls::ApiKeyCalls;
use crate::blob::store::Blobs;
use crate::budget::Budget;
use crate::client_address::proxy::TrustedProxy;
use crate::grant::{Clients, GrantLimits};
use crate::identity::Identity;
use crate::large_copies::LargeCopies;
use crate::outgoing::WebhookClient;
use crate::rate::attempts::AttemptLimit;
use crate::rate::quota::Quotas;
use crate::rate::uploads::Uploads;
use crate::reader_shares::ReaderShares;
use crate::security::addresses::SecurityLog;
use crate::session::{LinkLimits, WebOrigin};
use crate::template::catalog::Templates;
use crate::wakeup::Wakeup;

/// The request headers whose names are not configured.
const STANDARD: [&str; 7] = [
    "Authorization",
    "Content-Type",
    "cursor",
    "Idempotency-Key",
    "If-Match",
    "Log-Position",
    "X-Request-Id",
];

/// The dependencies and settings of the API.
pub struct AppState {
    /// The books.
    pub store: Arc<Store>,
    /// The source of ids.
    pub ids: Arc<Ids>,
    /// The clock: milliseconds since the epoch.
    pub clock: fn() -> Instant,
    /// Authentication.
    pub identity: Arc<Identity>,
    /// The users that identity providers may create (behaviour 11.11).
    pub admission: Arc<Admission>,
    /// The users who may change and publish any app (behaviour 9.3).
    pub administrators: HashSet<Email>,
    /// The cache of API keys.
    pub api_keys: ApiKeyCache,
    /// The calls per API key (behaviour 10.13).
    pub api_key_calls: Arc<ApiKeyCalls>,
    /// The limits of calls per minute, if configured (behaviour 10.6).
    pub quotas: Option<Quotas>,
    /// The limits of stored data (behaviour 10.14).
    pub storage_quotas: StorageQuotas,
    /// The limits of uploaded file contents.
    pub uploads: Uploads,
    /// The proxies whose `X-Forwarded-For` is used (behaviour 10.12).
    pub trusted_proxies: Vec<TrustedProxy>,
    /// The limit of refused access tokens per client address (behaviour 10.12).
    pub refused_tokens: AttemptLimit,
    /// The security log.
    pub security: SecurityLog,
    /// The web origins whose apps may use sessions (behaviour 11.4).
    pub web_origins: Vec<WebOrigin>,
    /// The OAuth clients (behaviour 11.16).
    pub clients: Clients,
    /// The rate limits of the OAuth endpoints (behaviour 11.19).
    pub grant_limits: GrantLimits,
    /// The names of the API's own headers (behaviour 0.15).
    pub headers: Headers,
    /// The path that the API is mounted under: empty, or without trailing slash (behaviour 0.1).
    pub path_prefix: String,
    /// The URL at which clients reach the server, with the path it is mounted under and without
    /// trailing slash. Without it, links use the host of each request.
    pub public_url: Option<String>,
    /// The bytes of files.
    pub blobs: Blobs,
    /// How long a request may read (behaviour 0.32).
    pub read_deadline: Duration,
    /// The fair scheduling of reads between users.
    pub reader_shares: ReaderShares,
    /// The fair scheduling of webhook deliveries between users (behaviour 8.9).
    pub delivery_shares: ReaderShares,
    /// The fair scheduling of reads on each replica (behaviour 0.41).
    pub replica_shares: Vec<ReaderShares>,
    /// The memory for request bodies and contents of files.
    pub budget: Budget,
    /// Whether getAccount, getGroup and getTransaction respond 204 instead of 404 for missing
    /// resources (behaviour 4.4).
    pub missing_as_no_content: bool,
    /// Whether accounts can also be created at the path of older clients (behaviour 12.6).
    pub ledger_alias: bool,
    /// The starter books of this installation (behaviour 9.7).
    pub templates: Templates,
    /// The URL of this server in mails and webhooks. It is never the host of a request, which its
    /// sender could forge.
    pub mail_address: String,
    /// The rate limits of mailed sign-in links (behaviour 11.14); `None` if the server sends no
    /// mail.
    pub mailed_links: Option<LinkLimits>,
    /// Sends webhooks.
    pub webhooks: WebhookClient,
    /// Wakes the mail worker.
    pub mails: Wakeup,
    /// Wakes the audit worker.
    pub audits: Wakeup,
    /// The copies of books in several units of work.
    pub copies: LargeCopies,
    /// The days that deleted books can be restored (behaviour 6.22).
    pub deleted_books_days: u16,
    /// Wakes the worker that removes books.
    pub removals: Wakeup,
    /// Wakes the worker that removes the deliveries of uninstalled apps.
    pub delivery_sweeps: Wakeup,
}

impl AppState {
    /// Returns the absolute URL of this server, without trailing slash.
    ///
    /// It is the configured one, or has the host of the request. Without both it is only the path.
    pub(crate) fn base(&self, host: Option<&str>) -> String {
        match (&self.public_url, host) {
            (Some(url), _) => url.clone(),
            (None, Some(host)) => format!("http://{host}{}", self.path_prefix),
            (None, None) => self.path_prefix.clone(),
        }
    }

    /// Returns the `Cache-Control` of documents that contain [`Self::base`].
    ///
    /// Without a configured URL they contain the host of the request and must not be cached.
    pub(crate) const fn base_cache_control(&self) -> &'static str {
        if self.public_url.is_some() { "public, max-age=300" } else { "no-store" }
    }

    /// Whether clients reach this server over TLS.
    pub(crate) fn is_encrypted(&self) -> bool {
        self.public_url.as_ref().is_some_and(|url| url.starts_with("https:"))
    }

    /// Returns the path under which clients find the API, which may be empty.
    ///
    /// It is that of the public URL, because a proxy may strip a part of the path.
    pub(crate) fn public_path(&self) -> &str {
        let Some(url) = &self.public_url else { return &self.path_prefix };
        let host = url.split_once("://").map_or(url.as_str(), |(_, rest)| rest);
        host.find('/').and_then(|at| host.get(at..)).unwrap_or_default()
    }
}

/// The names of the API's own headers of requests and webhooks, in every accepted spelling.
#[derive(Debug, Clone)]
pub struct Headers {
    /// Header names that carry the agent id.
    pub(crate) agent: Vec<HeaderName>,
    /// Header names that carry an API key.
    pub(crate) api_key: Vec<HeaderName>,
    /// Header names that carry the access token of a delivery.
    pub(crate) oauth_token: Vec<HeaderName>,
    /// Header names that carry the signature of a delivery.
    pub(crate) signature: Vec<HeaderName>,
    /// The value of `Access-Control-Allow-Headers` (behaviour 0.13).
    pub(crate) allowed: HeaderValue,
}

impl Headers {
    /// Creates the headers with these prefixes, for example `service-`.
    ///
    /// # Errors
    /// A description of the invalid header name.
    ///
    /// ```
    /// use daybook_http::Headers;
    /// assert!(Headers::with_prefixes(&["service-".to_owned()]).is_ok());
    /// let refused = Headers::with_prefixes(&["my service".to_owned()]).unwrap_err();
    /// assert_eq!(refused, "\"my serviceagent-id\" is not a valid header name");
    /// ```
    pub fn with_prefixes(prefixes: &[String]) -> Result<Self, String> {
        let spellings = |name: &str| {
            let names = prefixes.iter().map(|prefix| format!("{}{name}", prefix.trim()));
            names.map(|name| parse_name(&name)).collect::<Result<Vec<_>, _>>()
        };
        let (agent, api_key) = (spellings("agent-id")?, spellings("api-key")?);
        let (oauth_token, signature) = (spellings("oauth-token")?, spellings("signature")?);
        let prefixed = agent.iter().chain(&api_key).map(HeaderName::as_str);
        let allowed: Vec<&str> = STANDARD.into_iter().chain(prefixed).collect();
        let allowed =
            HeaderValue::from_str(&allowed.join(", ")).map_err(|error| error.to_string())?;
        Ok(Self { agent, api_key, oauth_token, signature, allowed })
    }
}

fn parse_name(text: &str) -> Result<HeaderName, String> {
    HeaderName::from_bytes(text.as_bytes())
        .map_err(|_| format!("{text:?} is not a valid header name"))
}

#[cfg(test)]
impl AppState {
    /// A minimal state for unit tests.
    pub(crate) fn bare(store: Store, identity: Identity) -> Self {
        let many = std::num::NonZeroU32::MAX;
        Self {
            store: Arc::new(store),
            ids: Arc::new(Ids::new(1)),
            administrators: HashSet::new(),
            clock: || Instant::new(0),
            identity: Arc::new(identity),
            admission: Arc::default(),
            api_keys: ApiKeyCache::default(),
            api_key_calls: Arc::default(),
            quotas: None,
            storage_quotas: StorageQuotas::default(),
            uploads: Uploads::within(Duration::from_secs(1)),
            trusted_proxies: Vec::new(),
            refused_tokens: AttemptLimit::per_minute(many),
            security: SecurityLog::new(crate::security::addresses::LoggedAddresses::Plain),
            web_origins: Vec::new(),
            clients: Clients::default(),
            grant_limits: GrantLimits::default(),
            headers: Headers::with_prefixes(&[]).unwrap(),
            path_prefix: String::new(),
            public_url: None,
            blobs: Blobs::elsewhere(Arc::new(object_store::memory::InMemory::new())),
            read_deadline: Duration::from_secs(10),
            reader_shares: ReaderShares::new(8),
            delivery_shares: ReaderShares::of_deliveries(),
            replica_shares: Vec::new(),
            budget: Budget::of_megabytes(64),
            missing_as_no_content: false,
            ledger_alias: false,
            templates: Templates::default(),
            mail_address: String::new(),
            mailed_links: None,
            webhooks: WebhookClient::new(Vec::new()).unwrap(),
            mails: Wakeup::default(),
            audits: Wakeup::default(),
            copies: LargeCopies::new(Wakeup::default(), || false),
            deleted_books_days: 30,
            removals: Wakeup::default(),
            delivery_sweeps: Wakeup::default(),
        }
    }
}
