//! The dependencies and settings of authentication.

use std::collections::HashSet;
use std::sync::Arc;

use daybook_domain::email::Email;
use daybook_domain::user::Admission;
use daybook_edge::Edge;
use daybook_storage::user::User;

use crate::api_key::cache::ApiKeyCache;
use crate::api_key::calls::ApiKeyCalls;
use crate::grant::{Clients, GrantLimits};
use crate::identity::Identity;
use crate::rate::attempts::AttemptLimit;
use crate::rate::quota::Quotas;
use crate::security::addresses::SecurityLog;
use crate::session::{FirstUserLink, LinkLimits, WebOrigins};

/// The keys, caches, limits and settings of authentication.
pub struct Auth {
    /// The store, the clock and the addresses of this server.
    pub edge: Arc<Edge>,
    /// The keys, providers and caches.
    pub identity: Arc<Identity>,
    /// The users that identity providers may create (behaviour 11.11).
    pub admission: Arc<Admission>,
    /// The cache of API keys.
    pub api_keys: ApiKeyCache,
    /// The calls per API key (behaviour 10.13).
    pub api_key_calls: Arc<ApiKeyCalls>,
    /// The limits of calls per minute, if configured (behaviour 10.6).
    pub quotas: Option<Quotas>,
    /// The limit of refused access tokens per client address (behaviour 10.12).
    pub refused_tokens: AttemptLimit,
    /// The security log.
    pub security: SecurityLog,
    /// Whether this server serves the web console (behaviour 0.44).
    pub has_console: bool,
    /// The web origins whose apps may use sessions (behaviour 11.4).
    pub web_origins: WebOrigins,
    /// The addresses of administrators, besides the users with a mark (behaviour 9.3).
    pub administrators: HashSet<Email>,
    /// The link for the first user of a trial (behaviour 11.14).
    pub first_user_link: Option<FirstUserLink>,
    /// The OAuth clients (behaviour 11.16).
    pub clients: Clients,
    /// The rate limits of the OAuth endpoints (behaviour 11.19).
    pub grant_limits: GrantLimits,
    /// The rate limits of mailed sign-in links (behaviour 11.14); `None` if the server sends no
    /// mail.
    pub mailed_links: Option<LinkLimits>,
}

impl Auth {
    /// Whether a user is an administrator (behaviour 9.3).
    #[must_use]
    pub fn is_administrator(&self, user: &User) -> bool {
        user.is_administrator || self.administrators.contains(&user.email)
    }

    /// Returns the path of the console; `None` if browsers cannot sign in to it.
    pub(crate) fn console(&self) -> Option<String> {
        let is_reachable = self.has_console && self.web_origins.has_own();
        is_reachable.then(|| format!("{}/", self.edge.site.public_path()))
    }
}

#[cfg(test)]
impl Auth {
    /// A minimal state for unit tests.
    pub(crate) fn bare(edge: Edge, identity: Identity) -> Self {
        use crate::security::addresses::LoggedAddresses;

        Self {
            edge: Arc::new(edge),
            identity: Arc::new(identity),
            admission: Arc::default(),
            api_keys: ApiKeyCache::default(),
            api_key_calls: Arc::default(),
            quotas: None,
            refused_tokens: AttemptLimit::per_minute(std::num::NonZeroU32::MAX),
            security: SecurityLog::new(LoggedAddresses::Plain),
            has_console: false,
            web_origins: WebOrigins::default(),
            administrators: HashSet::new(),
            first_user_link: None,
            clients: Clients::default(),
            grant_limits: GrantLimits::default(),
            mailed_links: None,
        }
    }
}
