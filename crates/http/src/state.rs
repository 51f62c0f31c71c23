//! What every request is answered with: the store, the clock, the settings.

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

/// Everything that the API is wired to.
pub struct AppState {
    /// The books.
    pub store: Arc<Store>,
    /// The source of ids.
    pub ids: Arc<Ids>,
    /// The clock: milliseconds since the epoch.
    pub clock: fn() -> Instant,
    /// Who turns access tokens into users.
    pub identity: Arc<Identity>,
    /// Whom identity providers may bring as new users (behaviour 11.11).
    pub admission: Arc<Admission>,
    /// Who may change any app, and publish it (behaviour 9.3).
    pub administrators: HashSet<Email>,
    /// The API keys that requests brought.
    pub api_keys: ApiKeyCache,
    /// How often they were used (behaviour 10.13).
    pub api_key_calls: Arc<ApiKeyCalls>,
    /// What calls may cost a minute, if that is limited (behaviour 10.6).
    pub quotas: Option<Quotas>,
    /// How much may be stored (behaviour 10.14).
    pub storage_quotas: StorageQuotas,
    /// The contents of files that users send.
    pub uploads: Uploads,
    /// The proxies that tell the addresses of clients (behaviour 10.12).
    pub trusted_proxies: Vec<TrustedProxy>,
    /// Access tokens that were refused, by the address of the client (behaviour 10.12).
    pub refused_tokens: AttemptLimit,
    /// The log of what was refused to whom, and of who may do what.
    pub security: SecurityLog,
    /// The web origins whose apps may use sessions (behaviour 11.4).
    pub web_origins: Vec<WebOrigin>,
    /// The apps that may ask users for access (behaviour 11.16).
    pub clients: Clients,
    /// How often what these apps show may be guessed (behaviour 11.19).
    pub grant_limits: GrantLimits,
    /// Accepted prefixes of the agent and API-key headers (behaviour 0.15).
    pub headers: Headers,
    /// Where the API is mounted: empty, or a path without trailing slash (behaviour 0.1).
    pub path_prefix: String,
    /// The address at which clients reach the server, with the path it is mounted under and without
    /// trailing slash; without one, links have the address of each request.
    pub public_url: Option<String>,
    /// The bytes of files.
    pub blobs: Blobs,
    /// How long a request may read (behaviour 0.32).
    pub read_deadline: Duration,
    /// Whose read comes next.
    pub reader_shares: ReaderShares,
    /// Whose delivery is read next, among those who installed the apps (behaviour 8.9).
    pub delivery_shares: ReaderShares,
    /// Whose read comes next on each replica (behaviour 0.41).
    pub replica_shares: Vec<ReaderShares>,
    /// The memory for request bodies and contents of files.
    pub budget: Budget,
    /// Whether getAccount, getGroup and getTransaction answer 204 instead of 404 for what is
    /// missing (behaviour 4.4).
    pub missing_as_no_content: bool,
    /// Whether accounts are also created at the address of older clients (behaviour 12.6).
    pub ledger_alias: bool,
    /// The starter books of this installation (behaviour 9.7).
    pub templates: Templates,
    /// The address of this server in mails and deliveries. It is configured: the host of a request
    /// is what its sender says, and others read the mail.
    pub mail_address: String,
    /// Links that are asked for by mail, by the address of the client (behaviour 11.14); none where
    /// no mail leaves.
    pub mailed_links: Option<LinkLimits>,
    /// Sends webhooks.
    pub webhooks: WebhookClient,
    /// Wakes the mail worker.
    pub mails: Wakeup,
    /// Wakes the audit worker.
    pub audits: Wakeup,
    /// Copies of more than one unit of work.
    pub copies: LargeCopies,
    /// For how many days deleted books wait (behaviour 6.22).
    pub deleted_books_days: u16,
    /// Wakes the worker that removes books.
    pub removals: Wakeup,
    /// Wakes the worker that removes what waited for an app that has left its book.
    pub delivery_sweeps: Wakeup,
}

impl AppState {
    /// The absolute address of this server, without trailing slash: the configured one, else the
    /// host that a request was sent to. A request that names no host gets the path alone.
    pub(crate) fn base(&self, host: Option<&str>) -> String {
        match (&self.public_url, host) {
            (Some(url), _) => url.clone(),
            (None, Some(host)) => format!("http://{host}{}", self.path_prefix),
            (None, None) => self.path_prefix.clone(),
        }
    }

    /// How long a document may be kept in which [`Self::base`] stands. Without a configured address
    /// it has the host that a request names, which a cache must not give to others.
    pub(crate) const fn kept_with_address(&self) -> &'static str {
        if self.public_url.is_some() { "public, max-age=300" } else { "no-store" }
    }

    /// Whether clients reach this server with TLS.
    pub(crate) fn is_encrypted(&self) -> bool {
        self.public_url.as_ref().is_some_and(|url| url.starts_with("https:"))
    }

    /// The path under which clients find the API; empty for none. The public address counts: a
    /// proxy may remove a part of the path before a request arrives.
    pub(crate) fn public_path(&self) -> &str {
        let Some(url) = &self.public_url else { return &self.path_prefix };
        let host = url.split_once("://").map_or(url.as_str(), |(_, rest)| rest);
        host.find('/').and_then(|at| host.get(at..)).unwrap_or_default()
    }
}

/// The headers of its own that the API reads and deliveries have, in every accepted spelling.
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
    /// All names, as browsers are told (behaviour 0.13).
    pub(crate) allowed: HeaderValue,
}

impl Headers {
    /// The headers with these prefixes, for example `service-`.
    ///
    /// # Errors
    /// The name that a prefix makes and no header can have.
    ///
    /// ```
    /// use daybook_http::Headers;
    /// assert!(Headers::with_prefixes(&["service-".to_owned()]).is_ok());
    /// let refused = Headers::with_prefixes(&["my service".to_owned()]).unwrap_err();
    /// assert_eq!(refused, "\"my serviceagent-id\" is no name of a header");
    /// ```
    pub fn with_prefixes(prefixes: &[String]) -> Result<Self, String> {
        let named = |name: &str| {
            let spelled = prefixes.iter().map(|prefix| format!("{}{name}", prefix.trim()));
            spelled.map(|name| read_name(&name)).collect::<Result<Vec<_>, _>>()
        };
        let (agent, api_key) = (named("agent-id")?, named("api-key")?);
        let (oauth_token, signature) = (named("oauth-token")?, named("signature")?);
        let own = agent.iter().chain(&api_key).map(HeaderName::as_str);
        let allowed: Vec<&str> = STANDARD.into_iter().chain(own).collect();
        let allowed =
            HeaderValue::from_str(&allowed.join(", ")).map_err(|error| error.to_string())?;
        Ok(Self { agent, api_key, oauth_token, signature, allowed })
    }
}

fn read_name(text: &str) -> Result<HeaderName, String> {
    let name = HeaderName::from_bytes(text.as_bytes());
    name.map_err(|_| format!("{text:?} is no name of a header"))
}

#[cfg(test)]
impl AppState {
    /// A server with nothing configured, for tests that change what they need.
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
