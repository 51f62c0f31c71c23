//! An OpenID provider: its keys are found by discovery (OpenID Connect Discovery 1.0), and its JWTs
//! verified by them.

use std::collections::HashSet;
use std::sync::{Arc, PoisonError, RwLock};
use std::time::{Duration, Instant as Moment};

use daybook_domain::instant::Instant;
use daybook_service::user::VerifiedUser;
use jsonwebtoken::Header;
use reqwest::Url;
use serde::Deserialize;
use tokio::sync::Mutex;

use super::endpoint::endpoint;
use super::freshness::Freshness;
use super::jwt::{self, PublicKey};
use super::outcome::{Refusal, Verified};
use super::scope::EmailScope;
use super::sign_in::{Callback, PendingSignIn, SignInClient, SignInEndpoints, SignInRefusal};
use super::single_flight::InFlightLookups;
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
    authorization_endpoint: Option<String>,
    token_endpoint: Option<String>,
    #[serde(default)]
    authorization_response_iss_parameter_supported: bool,
    token_endpoint_auth_methods_supported: Option<Vec<String>>,
}

/// What a provider publishes.
struct Published {
    keys: Vec<PublicKey>,
    userinfo: Option<Url>,
    /// `None` for a provider that tells no addresses for it.
    sign_in: Option<SignInEndpoints>,
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
    /// How people sign in through it, where they may.
    pub(super) sign_in: Option<SignInClient>,
    questions: InFlightLookups,
    published: RwLock<Option<Arc<Published>>>,
    /// Held while the provider is asked, so that it is asked once for all who wait.
    attempts: Mutex<Attempts>,
}

impl Issuer {
    pub(super) fn new(
        name: String,
        clients: HashSet<String>,
        scope: EmailScope,
        sign_in: Option<SignInClient>,
        questions: InFlightLookups,
    ) -> Self {
        let (published, attempts) = (RwLock::default(), Mutex::default());
        Self { name, clients, scope, sign_in, questions, published, attempts }
    }

    /// Whom a JWT of this issuer lets in.
    ///
    /// # Errors
    /// [`Refusal`].
    pub(super) async fn verify(&self, token: &str, now: Instant) -> Result<Verified, Refusal> {
        let header = jwt::header(token).ok_or(Refusal::Untrusted)?;
        let published = self.published(|known| known.fits(&header)).await?;
        let named = (self.name.as_str(), &self.clients);
        let claims =
            jwt::verify(token, &header, &published.keys, named, now).ok_or(Refusal::Untrusted)?;
        claims.check_scope(&self.scope)?;
        let until = claims.remembered_until(now);
        let at = published.userinfo.as_ref();
        let user = userinfo::user(&self.questions, at, token, &claims).await?;
        Ok(Verified { user, until })
    }

    /// The address at which a browser signs in, and what it must bring back; with two fresh
    /// secrets, and how fresh the sign-in must be that begins now.
    ///
    /// # Errors
    /// [`Refusal::Unavailable`].
    pub(super) async fn begin(
        &self,
        client: &SignInClient,
        redirect: Url,
        secrets: (String, String),
        wish: (&Freshness, Instant),
    ) -> Result<(Url, PendingSignIn), Refusal> {
        let published = self.published(|_| true).await?;
        Ok(client.begin(self.sign_in_at(&published)?, redirect, secrets, wish))
    }

    /// Who has signed in, and when, when a browser comes back: now, where the provider does not
    /// tell it.
    ///
    /// # Errors
    /// [`SignInRefusal`].
    pub(super) async fn finish(
        &self,
        client: &SignInClient,
        (callback, pending): (Callback, &PendingSignIn),
        redirect: Url,
        now: Instant,
    ) -> Result<(VerifiedUser, Instant), SignInRefusal> {
        let published = self.published(|_| true).await?;
        let at = self.sign_in_at(&published)?;
        let code = callback.code(pending, &self.name, at)?;
        let given = (code, pending.verifier.as_str());
        let tokens = client.exchange(at, redirect, given, &self.questions).await?;
        let header = jwt::header(&tokens.id).ok_or(Refusal::Untrusted)?;
        let published = self.published(|known| known.fits(&header)).await?;
        let named = (self.name.as_str(), &client.audience);
        let claims = jwt::verify(&tokens.id, &header, &published.keys, named, now)
            .ok_or(Refusal::Untrusted)?;
        let signed_in_at =
            pending.answered_by((&claims, header.alg), client, &tokens.access)?.unwrap_or(now);
        let at = published.userinfo.as_ref();
        let user = userinfo::user(&self.questions, at, &tokens.access, &claims).await?;
        Ok((user, signed_in_at.min(now)))
    }

    fn sign_in_at<'p>(&self, published: &'p Published) -> Result<&'p SignInEndpoints, Refusal> {
        let why = || {
            Refusal::Unavailable(format!("{}: discovery tells no endpoints to sign in", self.name))
        };
        published.sign_in.as_ref().ok_or_else(why)
    }

    /// What the provider publishes: as known, or read again when it is old or does not have what is
    /// needed, such as a key.
    async fn published(
        &self,
        fits: impl Fn(&Published) -> bool,
    ) -> Result<Arc<Published>, Refusal> {
        let known = self.known();
        if let Some(fresh) = known.as_ref().filter(|known| known.is_fresh() && fits(known)) {
            return Ok(Arc::clone(fresh));
        }
        let usable = known.filter(|known| known.is_usable() && fits(known));
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
            if fits(fresh) || asked.is_some_and(|at| at.elapsed() < UNKNOWN_INTERVAL) {
                return Ok(Arc::clone(fresh));
            }
            attempts.unknown = Some(Moment::now());
        }
        let usable = known.filter(|known| known.is_usable() && fits(known));
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
        let userinfo = found.userinfo_endpoint.as_deref();
        let userinfo = userinfo.map(|url| endpoint("userinfo_endpoint", url));
        let userinfo = userinfo.transpose().map_err(|why| unusable(&why))?;
        let sign_in = self.sign_in.as_ref().map(|_| endpoints(&found)).transpose();
        let sign_in = sign_in.map_err(|why| unusable(&why))?.flatten();
        let keys = jwt::public_keys(&get(&self.questions, keys_at.as_str()).await?)
            .ok_or_else(|| unusable("the keys cannot be read"))?;
        Ok(Published { keys, userinfo, sign_in, read_at: Moment::now() })
    }
}

/// Where people sign in; `None` where discovery does not tell it.
fn endpoints(found: &Discovered) -> Result<Option<SignInEndpoints>, String> {
    let both = found.authorization_endpoint.as_ref().zip(found.token_endpoint.as_ref());
    let Some((authorization, token)) = both else { return Ok(None) };
    let methods = found.token_endpoint_auth_methods_supported.as_deref().unwrap_or_default();
    let takes = |method: &str| methods.iter().any(|known| known == method);
    Ok(Some(SignInEndpoints {
        authorization: endpoint("authorization_endpoint", authorization)?,
        token: endpoint("token_endpoint", token)?,
        names_issuer: found.authorization_response_iss_parameter_supported,
        secret_in_body: takes("client_secret_post") && !takes("client_secret_basic"),
    }))
}

async fn get(questions: &InFlightLookups, url: &str) -> Result<Vec<u8>, Refusal> {
    let answer = questions.get(url, None).await?;
    if answer.status() != 200 {
        return Err(Refusal::Unavailable(format!("the provider answers {}", answer.status())));
    }
    Ok(answer.into_body())
}
