//! OpenID providers: discovery, the cache of their keys, and verification of their JWTs.
//!
//! The discovery document and the keys (OpenID Connect Discovery 1.0) are read on first use. They
//! are read again after an hour, or when a token names an unknown key. If the provider does not
//! respond, they are used for up to a day.

use std::collections::HashSet;
use std::sync::{Arc, PoisonError, RwLock};
use std::time::{Duration, Instant as Moment};

use daybook_domain::instant::Instant;
use jsonwebtoken::Header;
use reqwest::Url;
use serde::Deserialize;
use tokio::sync::Mutex;

use super::endpoint::endpoint;
use super::freshness::Freshness;
use super::http_client::HttpClient;
use super::jwt::{self, PublicKey};
use super::outcome::{Refusal, Verified};
use super::scope::EmailScope;
use super::sign_in::{
    Callback, PendingSignIn, ProviderSignIn, SignInClient, SignInEndpoints, SignInRefusal,
    SignInSecrets,
};
use super::userinfo;

/// The age after which keys are read again before they are used.
const STALE: Duration = Duration::from_secs(60 * 60);
/// The maximum age of keys if their provider does not respond.
const MAX_AGE: Duration = Duration::from_secs(24 * 60 * 60);
/// The minimum interval between reads because of unknown keys.
const UNKNOWN_KEY_INTERVAL: Duration = Duration::from_secs(60);
/// The minimum interval between attempts after a failure without usable keys.
const FAILURE_INTERVAL: Duration = Duration::from_secs(2);
/// The minimum interval between attempts after a failure with stale but usable keys.
const STALE_INTERVAL: Duration = Duration::from_secs(60);

#[derive(Deserialize)]
struct DiscoveryDocument {
    issuer: String,
    jwks_uri: String,
    userinfo_endpoint: Option<String>,
    authorization_endpoint: Option<String>,
    token_endpoint: Option<String>,
    #[serde(default)]
    authorization_response_iss_parameter_supported: bool,
    token_endpoint_auth_methods_supported: Option<Vec<String>>,
}

/// The keys and endpoints of a provider.
struct ProviderMetadata {
    keys: Vec<PublicKey>,
    userinfo: Option<Url>,
    /// `None` if the discovery document has no endpoints for it.
    sign_in: Option<SignInEndpoints>,
    read_at: Moment,
}

/// The last attempts to read the metadata.
#[derive(Default)]
struct Attempts {
    /// When the metadata was last read because of an unknown key.
    unknown_key: Option<Moment>,
    /// When and why the last attempt failed.
    failed: Option<(Moment, Refusal)>,
}

impl ProviderMetadata {
    fn is_fresh(&self) -> bool {
        self.read_at.elapsed() < STALE
    }

    fn is_usable(&self) -> bool {
        self.read_at.elapsed() < MAX_AGE
    }

    fn has_key_for(&self, header: &Header) -> bool {
        jwt::has_matching_key(header, &self.keys)
    }
}

impl Attempts {
    fn failure_within(&self, interval: Duration) -> Option<Refusal> {
        match &self.failed {
            Some((at, failure)) if at.elapsed() < interval => Some(failure.clone()),
            Some(_) | None => None,
        }
    }
}

/// An OpenID provider.
pub(super) struct Issuer {
    /// The `iss` of its tokens.
    pub(super) name: String,
    clients: HashSet<String>,
    scope: EmailScope,
    /// `None` if users may not sign in through it.
    pub(super) sign_in: Option<SignInClient>,
    http_client: HttpClient,
    metadata: RwLock<Option<Arc<ProviderMetadata>>>,
    /// Held while the metadata is read, so that concurrent requests read it once.
    attempts: Mutex<Attempts>,
}

impl Issuer {
    pub(super) fn new(
        name: String,
        clients: HashSet<String>,
        scope: EmailScope,
        sign_in: Option<SignInClient>,
        http_client: HttpClient,
    ) -> Self {
        let (metadata, attempts) = (RwLock::default(), Mutex::default());
        Self { name, clients, scope, sign_in, http_client, metadata, attempts }
    }

    /// Verifies a JWT of this issuer.
    ///
    /// # Errors
    /// [`Refusal`].
    pub(super) async fn verify(&self, token: &str, now: Instant) -> Result<Verified, Refusal> {
        let header = jwt::header(token).ok_or(Refusal::Untrusted)?;
        let metadata = self.metadata(|metadata| metadata.has_key_for(&header)).await?;
        let claims = jwt::verify(token, &header, &metadata.keys, &self.name, &self.clients, now)
            .ok_or(Refusal::Untrusted)?;
        claims.check_scope(&self.scope)?;
        let until = claims.cached_until(now);
        let userinfo_url = metadata.userinfo.as_ref();
        let user = userinfo::find_user(&self.http_client, userinfo_url, token, &claims).await?;
        Ok(Verified { user, until })
    }

    /// Starts a sign-in.
    ///
    /// Returns the URL to redirect the browser to, and what the response must match.
    ///
    /// # Errors
    /// [`Refusal::Unavailable`].
    pub(super) async fn begin(
        &self,
        client: &SignInClient,
        redirect: Url,
        secrets: SignInSecrets,
        freshness: &Freshness,
        now: Instant,
    ) -> Result<(Url, PendingSignIn), Refusal> {
        let metadata = self.metadata(|_| true).await?;
        let endpoints = self.sign_in_endpoints(&metadata)?;
        Ok(client.begin(endpoints, redirect, secrets, freshness, now))
    }

    /// Completes a sign-in when the browser returns.
    ///
    /// The time of the sign-in is `now` if the provider does not send `auth_time`.
    ///
    /// # Errors
    /// [`SignInRefusal`].
    pub(super) async fn finish(
        &self,
        client: &SignInClient,
        callback: Callback,
        pending: &PendingSignIn,
        redirect: Url,
        now: Instant,
    ) -> Result<ProviderSignIn, SignInRefusal> {
        let metadata = self.metadata(|_| true).await?;
        let endpoints = self.sign_in_endpoints(&metadata)?;
        let code = callback.code(pending, &self.name, endpoints)?;
        let tokens = client
            .exchange(endpoints, redirect, code, &pending.verifier, &self.http_client)
            .await?;
        let header = jwt::header(&tokens.id).ok_or(Refusal::Untrusted)?;
        let metadata = self.metadata(|metadata| metadata.has_key_for(&header)).await?;
        let audience = &client.audience;
        let claims = jwt::verify(&tokens.id, &header, &metadata.keys, &self.name, audience, now)
            .ok_or(Refusal::Untrusted)?;
        let auth_time = pending.check_id_token(&claims, header.alg, client, &tokens.access)?;
        let userinfo_url = metadata.userinfo.as_ref();
        let user =
            userinfo::find_user(&self.http_client, userinfo_url, &tokens.access, &claims).await?;
        Ok(ProviderSignIn { user, signed_in_at: auth_time.map_or(now, |at| at.min(now)) })
    }

    fn sign_in_endpoints<'m>(
        &self,
        metadata: &'m ProviderMetadata,
    ) -> Result<&'m SignInEndpoints, Refusal> {
        metadata.sign_in.as_ref().ok_or_else(|| {
            Refusal::Unavailable(format!(
                "{}: the discovery document has no sign-in endpoints",
                self.name
            ))
        })
    }

    /// Returns the metadata from the cache or the provider.
    ///
    /// It is read again if it is stale or not sufficient, for instance because it lacks a key.
    async fn metadata(
        &self,
        is_sufficient: impl Fn(&ProviderMetadata) -> bool,
    ) -> Result<Arc<ProviderMetadata>, Refusal> {
        let cached = self.cached();
        if let Some(fresh) = &cached
            && fresh.is_fresh()
            && is_sufficient(fresh)
        {
            return Ok(Arc::clone(fresh));
        }
        let usable = cached.filter(|cached| cached.is_usable() && is_sufficient(cached));
        let mut attempts = match (self.attempts.try_lock(), usable) {
            (Ok(attempts), _) => attempts,
            // Another request reads it. Use the stale metadata meanwhile.
            (Err(_), Some(usable)) => return Ok(usable),
            (Err(_), None) => self.attempts.lock().await,
        };
        // Another request may have read it while this one waited.
        let cached = self.cached();
        if let Some(fresh) = cached.as_ref().filter(|cached| cached.is_fresh()) {
            // After a failed attempt the key may exist, so it does not count.
            let last_read = attempts.unknown_key.filter(|_| attempts.failed.is_none());
            if is_sufficient(fresh)
                || last_read.is_some_and(|at| at.elapsed() < UNKNOWN_KEY_INTERVAL)
            {
                return Ok(Arc::clone(fresh));
            }
            attempts.unknown_key = Some(Moment::now());
        }
        let usable = cached.filter(|cached| cached.is_usable() && is_sufficient(cached));
        let interval = if usable.is_some() { STALE_INTERVAL } else { FAILURE_INTERVAL };
        let failure = match attempts.failure_within(interval) {
            Some(failure) => failure,
            None => match self.fetch().await {
                Ok(metadata) => {
                    attempts.failed = None;
                    return Ok(self.store(metadata));
                }
                Err(failure) => {
                    attempts.failed = Some((Moment::now(), failure.clone()));
                    failure
                }
            },
        };
        usable.ok_or(failure)
    }

    fn store(&self, metadata: ProviderMetadata) -> Arc<ProviderMetadata> {
        let metadata = Arc::new(metadata);
        let mut cached = self.metadata.write().unwrap_or_else(PoisonError::into_inner);
        *cached = Some(Arc::clone(&metadata));
        metadata
    }

    fn cached(&self) -> Option<Arc<ProviderMetadata>> {
        self.metadata.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Fetches the discovery document and the keys.
    async fn fetch(&self) -> Result<ProviderMetadata, Refusal> {
        let name = self.name.trim_end_matches('/');
        let body =
            get(&self.http_client, &format!("{name}/.well-known/openid-configuration")).await?;
        let unusable = |why: &str| Refusal::Unavailable(format!("{}: {why}", self.name));
        let document: DiscoveryDocument = serde_json::from_slice(&body)
            .map_err(|_| unusable("the discovery document is malformed"))?;
        if document.issuer != self.name {
            return Err(unusable("the discovery document is of another issuer"));
        }
        let keys_url = endpoint("jwks_uri", &document.jwks_uri).map_err(|why| unusable(&why))?;
        let userinfo = match &document.userinfo_endpoint {
            Some(url) => Some(endpoint("userinfo_endpoint", url).map_err(|why| unusable(&why))?),
            None => None,
        };
        let sign_in = match &self.sign_in {
            Some(_) => sign_in_endpoints(&document).map_err(|why| unusable(&why))?,
            None => None,
        };
        let keys = jwt::public_keys(&get(&self.http_client, keys_url.as_str()).await?)
            .ok_or_else(|| unusable("the keys are malformed"))?;
        Ok(ProviderMetadata { keys, userinfo, sign_in, read_at: Moment::now() })
    }
}

/// Returns the sign-in endpoints of a discovery document, if it has both.
fn sign_in_endpoints(document: &DiscoveryDocument) -> Result<Option<SignInEndpoints>, String> {
    let (Some(authorization), Some(token)) =
        (&document.authorization_endpoint, &document.token_endpoint)
    else {
        return Ok(None);
    };
    let methods = document.token_endpoint_auth_methods_supported.as_deref().unwrap_or_default();
    let supports = |method: &str| methods.iter().any(|supported| supported == method);
    Ok(Some(SignInEndpoints {
        authorization: endpoint("authorization_endpoint", authorization)?,
        token: endpoint("token_endpoint", token)?,
        names_issuer: document.authorization_response_iss_parameter_supported,
        secret_in_body: supports("client_secret_post") && !supports("client_secret_basic"),
    }))
}

async fn get(http_client: &HttpClient, url: &str) -> Result<Vec<u8>, Refusal> {
    let response = http_client.get(url, None).await?;
    if response.status() != 200 {
        let status = response.status();
        return Err(Refusal::Unavailable(format!("the provider responded with {status}")));
    }
    Ok(response.into_body())
}
