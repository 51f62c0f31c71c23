//! An OpenID provider: its keys are found by discovery (OpenID Connect Discovery 1.0), and its JWTs
//! verified by them.

use std::collections::HashSet;
use std::sync::{Arc, PoisonError, RwLock};
use std::time::{Duration, Instant as Moment};

use daybook_domain::instant::Instant;
use jsonwebtoken::Header;
use reqwest::Url;
use serde::Deserialize;
use tokio::sync::Mutex;

use super::endpoint::endpoint;
use super::jwt::{self, PublicKey};
use super::outcome::{Refusal, Verified};
use super::question::Questions;
use super::scope::EmailScope;
use super::userinfo;

/// Age from which keys are read again before they are used.
const STALE: Duration = Duration::from_secs(60 * 60);
/// Age up to which keys are used when their provider does not answer.
const MAX_AGE: Duration = Duration::from_secs(24 * 60 * 60);
/// How often a key that is not known leads to reading the keys again.
const UNKNOWN_INTERVAL: Duration = Duration::from_secs(60);
/// How long a provider that did not answer is not asked again: while nothing is known of its keys,
/// and while what is known is only old.
const FAILURE_INTERVAL: Duration = Duration::from_secs(2);
const STALE_INTERVAL: Duration = Duration::from_secs(60);

/// The form of the document that discovery finds.
#[derive(Deserialize)]
struct Discovered {
    issuer: String,
    jwks_uri: String,
    userinfo_endpoint: Option<String>,
}

/// What a provider publishes.
struct Published {
    keys: Vec<PublicKey>,
    userinfo: Option<Url>,
    read_at: Moment,
}

/// When the provider was asked last, and why it did not answer.
#[derive(Default)]
struct Attempts {
    /// For a key that was not known.
    unknown: Option<Moment>,
    failed: Option<(Moment, Refusal)>,
}

impl Published {
    fn is_fresh(&self) -> bool {
        self.read_at.elapsed() < STALE
    }

    fn is_usable(&self) -> bool {
        self.read_at.elapsed() < MAX_AGE
    }

    fn fits(&self, header: &Header) -> bool {
        jwt::is_known(header, &self.keys)
    }
}

impl Attempts {
    fn failed_within(&self, pause: Duration) -> Option<Refusal> {
        let lately = self.failed.as_ref().filter(|(at, _)| at.elapsed() < pause);
        lately.map(|(_, failure)| failure.clone())
    }
}

/// An OpenID provider.
pub(super) struct Issuer {
    /// Its name, which its tokens carry as `iss`.
    pub(super) name: String,
    clients: HashSet<String>,
    scope: EmailScope,
    questions: Questions,
    published: RwLock<Option<Arc<Published>>>,
    /// Held while the provider is asked, so that it is asked once for all who wait.
    attempts: Mutex<Attempts>,
}

impl Issuer {
    pub(super) fn new(
        name: String,
        clients: HashSet<String>,
        scope: EmailScope,
        questions: Questions,
    ) -> Self {
        let (published, attempts) = (RwLock::default(), Mutex::default());
        Self { name, clients, scope, questions, published, attempts }
    }

    /// Whom a JWT of this issuer lets in.
    ///
    /// # Errors
    /// [`Refusal`].
    pub(super) async fn verify(&self, token: &str, now: Instant) -> Result<Verified, Refusal> {
        let header = jwt::header(token).ok_or(Refusal::Untrusted)?;
        let published = self.published(&header).await?;
        let named = (self.name.as_str(), &self.clients);
        let claims =
            jwt::verify(token, &header, &published.keys, named, now).ok_or(Refusal::Untrusted)?;
        claims.check_scope(&self.scope)?;
        let until = claims.remembered_until(now);
        let at = published.userinfo.as_ref();
        let user = userinfo::user(&self.questions, at, token, &claims).await?;
        Ok(Verified { user, until })
    }

    /// What the provider publishes: as known, or read again when it is old or does not have the key
    /// of this header.
    async fn published(&self, header: &Header) -> Result<Arc<Published>, Refusal> {
        let known = self.known();
        if let Some(fresh) = known.as_ref().filter(|known| known.is_fresh() && known.fits(header)) {
            return Ok(Arc::clone(fresh));
        }
        let usable = known.filter(|known| known.is_usable() && known.fits(header));
        let mut attempts = match (self.attempts.try_lock(), usable) {
            (Ok(attempts), _) => attempts,
            // Another request reads them; what is known does meanwhile.
            (Err(_), Some(usable)) => return Ok(usable),
            (Err(_), None) => self.attempts.lock().await,
        };
        // Another request may have read them while this one waited.
        let known = self.known();
        if let Some(fresh) = known.as_ref().filter(|known| known.is_fresh()) {
            // An attempt that failed says nothing about the key, and is made again.
            let asked = attempts.unknown.filter(|_| attempts.failed.is_none());
            if fresh.fits(header) || asked.is_some_and(|at| at.elapsed() < UNKNOWN_INTERVAL) {
                return Ok(Arc::clone(fresh));
            }
            attempts.unknown = Some(Moment::now());
        }
        let usable = known.filter(|known| known.is_usable() && known.fits(header));
        let pause = if usable.is_some() { STALE_INTERVAL } else { FAILURE_INTERVAL };
        let failure = match attempts.failed_within(pause) {
            Some(failure) => failure,
            None => match self.read().await {
                Ok(read) => {
                    attempts.failed = None;
                    return Ok(self.publish(read));
                }
                Err(failure) => {
                    attempts.failed = Some((Moment::now(), failure.clone()));
                    failure
                }
            },
        };
        usable.ok_or(failure)
    }

    fn publish(&self, read: Published) -> Arc<Published> {
        let read = Arc::new(read);
        let mut published = self.published.write().unwrap_or_else(PoisonError::into_inner);
        *published = Some(Arc::clone(&read));
        read
    }

    fn known(&self) -> Option<Arc<Published>> {
        self.published.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Asks the provider for its keys.
    async fn read(&self) -> Result<Published, Refusal> {
        let name = self.name.trim_end_matches('/');
        let body =
            get(&self.questions, &format!("{name}/.well-known/openid-configuration")).await?;
        let unusable = |why: &str| Refusal::Unavailable(format!("{}: {why}", self.name));
        let found: Discovered = serde_json::from_slice(&body)
            .map_err(|_| unusable("the discovery document cannot be read"))?;
        if found.issuer != self.name {
            return Err(unusable("the discovery document names another issuer"));
        }
        let keys_at = endpoint("jwks_uri", &found.jwks_uri).map_err(|why| unusable(&why))?;
        let userinfo = found.userinfo_endpoint.map(|url| endpoint("userinfo_endpoint", &url));
        let userinfo = userinfo.transpose().map_err(|why| unusable(&why))?;
        let keys = jwt::public_keys(&get(&self.questions, keys_at.as_str()).await?)
            .ok_or_else(|| unusable("the keys cannot be read"))?;
        Ok(Published { keys, userinfo, read_at: Moment::now() })
    }
}

async fn get(questions: &Questions, url: &str) -> Result<Vec<u8>, Refusal> {
    let answer = questions.get(url, None).await?;
    if answer.status() != 200 {
        return Err(Refusal::Unavailable(format!("the provider answers {}", answer.status())));
    }
    Ok(answer.into_body())
}
