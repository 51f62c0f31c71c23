//! The tokens of this installation: signed with HMAC under a key from the data directory, each with
//! the id of its row (behaviour 11.7).

use base64::Engine;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use daybook_domain::app::AppId;
use daybook_domain::email::Email;
use daybook_domain::id::{ApiKeyId, BookKey, GrantId, IntegrationId, SessionId, TokenId, UserId};
use daybook_domain::instant::Instant;
use daybook_service::delivery::bearer::Installed;
use jsonwebtoken::{Algorithm, DecodingKey, EncodingKey, Header, Validation, decode, encode};
use ring::hmac;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::api_key::text::ApiKeyText;
use crate::identity::checkpoint_key::CheckpointKey;
use crate::identity::crypto::install;
use crate::identity::sealer::{Sealer, SealingSecrets, SealingSource};

/// The issuer that tokens of this kind name, so that something else signed with the same key is no
/// token.
const ISSUER: &str = "daybook";
/// For whom all that is signed with this key is: this installation.
const AUDIENCE: &str = "daybook";
/// The scope every token must carry.
const SCOPE: &str = "email";

/// A token could not be signed.
#[derive(Debug, thiserror::Error)]
#[error("the token could not be signed: {0}")]
pub struct SigningFailed(String);

/// The key of an installation: it signs its tokens, and seals what its database keeps secret.
pub struct LocalKey {
    encoding: EncodingKey,
    decoding: DecodingKey,
    sealer: Sealer,
    deriving: hmac::Key,
}

/// What the key signs besides access tokens. Each names another issuer, so that none is taken for
/// another.
#[derive(Debug, Clone, Copy)]
pub(crate) enum TokenUse {
    /// A code that is redeemed for tokens.
    AuthorizationCode,
    /// A token that is redeemed for the next ones.
    RefreshToken,
}

/// Whether an issuer is the one that some token of this installation names, of whatever use.
pub(crate) fn is_own(issuer: &str) -> bool {
    let others = [TokenUse::AuthorizationCode, TokenUse::RefreshToken];
    issuer == ISSUER || others.iter().any(|other| other.issuer() == issuer)
}

impl TokenUse {
    const fn issuer(self) -> &'static str {
        match self {
            Self::AuthorizationCode => "daybook code",
            Self::RefreshToken => "daybook refresh",
        }
    }
}

/// Claims with the issuer that tells their purpose.
#[derive(Serialize, Deserialize)]
struct Sealed<T> {
    iss: String,
    aud: String,
    #[serde(flatten)]
    claims: T,
}

/// What a token says.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Claims {
    iss: String,
    aud: String,
    email: String,
    scope: String,
    iat: i64,
    exp: i64,
    /// The id of the token; present in those that were issued by themselves.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    jti: Option<String>,
    /// The id of the session that gave it; present in those of sessions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    sid: Option<String>,
    /// The id of the grant on which it hangs; present in those of apps.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    gid: Option<String>,
    /// What the app does with it that it was sent to; present in those of deliveries.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    act: Option<ActingClaims>,
}

/// The app that acts, as a token names it.
#[derive(Debug, Serialize, Deserialize)]
struct ActingClaims {
    uid: String,
    agent: String,
    depth: i64,
    /// The book and the integration in it; absent when the book is gone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    book: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    integration: Option<String>,
    /// The lease of the delivery.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    lease: Option<i64>,
}

/// Which app acts for a user, and how deep in a chain of apps (behaviour 8.11).
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Acting {
    pub(crate) agent: AppId,
    pub(crate) depth: i64,
    /// For which integration; none when the book is gone.
    pub(crate) installed: Option<Installed>,
    /// The lease of the delivery that it was sent with.
    pub(crate) lease: Option<i64>,
}

impl Claims {
    fn new(email: &Email, created_at: Instant, expires_at: Instant) -> Self {
        Self {
            iss: ISSUER.to_owned(),
            aud: AUDIENCE.to_owned(),
            email: email.to_string(),
            scope: SCOPE.to_owned(),
            iat: created_at.seconds(),
            exp: expires_at.seconds(),
            jti: None,
            sid: None,
            gid: None,
            act: None,
        }
    }

    /// The user and the app of a delivery.
    pub(crate) fn acting(&self) -> Option<(UserId, Acting)> {
        let ActingClaims { uid, agent, depth, book, integration, lease } = self.act.as_ref()?;
        let installed = match (book, integration) {
            (Some(book), Some(integration)) => {
                let integration = integration.parse().map(IntegrationId::new).ok()?;
                Some(Installed { book: BookKey::new(book.clone()), integration })
            }
            _ => None,
        };
        let agent = AppId::stored(agent.clone());
        Some((uid.parse().ok()?, Acting { agent, depth: *depth, installed, lease: *lease }))
    }

    /// The id of the token's row.
    pub(crate) fn id(&self) -> Option<TokenId> {
        self.jti.as_ref()?.parse().ok()
    }

    /// The id of the session that gave it.
    pub(crate) fn session(&self) -> Option<SessionId> {
        self.sid.as_ref()?.parse().ok()
    }

    /// The id of the grant on which it hangs.
    pub(crate) fn grant(&self) -> Option<GrantId> {
        self.gid.as_ref()?.parse().ok()
    }

    /// When it ends.
    pub(crate) const fn expires_at(&self) -> Instant {
        Instant::new(self.exp.saturating_mul(1_000))
    }
}

impl LocalKey {
    /// The key with this secret, of at least 32 random bytes.
    #[must_use]
    pub fn new(secret: &[u8]) -> Self {
        install();
        Self {
            encoding: EncodingKey::from_secret(secret),
            decoding: DecodingKey::from_secret(secret),
            sealer: Sealer::of_one(secret),
            deriving: hmac::Key::new(hmac::HMAC_SHA256, secret),
        }
    }

    /// Seals with keys of their own from now on, and not with one that comes from the secret.
    #[must_use]
    pub fn sealing_with(self, secrets: &SealingSecrets, source: SealingSource) -> Self {
        Self { sealer: Sealer::new(secrets, source), ..self }
    }

    /// What seals secrets.
    pub(crate) const fn sealer(&self) -> &Sealer {
        &self.sealer
    }

    /// Writes the token with that id. The same arguments always make the same text.
    ///
    /// # Errors
    /// When it cannot be signed.
    pub fn sign(
        &self,
        id: TokenId,
        email: &Email,
        created_at: Instant,
        expires_at: Instant,
    ) -> Result<String, SigningFailed> {
        let claims = Claims::new(email, created_at, expires_at);
        self.encode(&Claims { jti: Some(id.to_string()), ..claims })
    }

    /// Writes an access token that a session gives.
    ///
    /// # Errors
    /// When it cannot be signed.
    pub(crate) fn sign_for_session(
        &self,
        id: SessionId,
        email: &Email,
        created_at: Instant,
        expires_at: Instant,
    ) -> Result<String, SigningFailed> {
        let claims = Claims::new(email, created_at, expires_at);
        self.encode(&Claims { sid: Some(id.to_string()), ..claims })
    }

    /// Writes an access token that hangs on a grant.
    ///
    /// # Errors
    /// When it cannot be signed.
    pub(crate) fn sign_for_grant(
        &self,
        id: GrantId,
        email: &Email,
        created_at: Instant,
        expires_at: Instant,
    ) -> Result<String, SigningFailed> {
        let claims = Claims::new(email, created_at, expires_at);
        self.encode(&Claims { gid: Some(id.to_string()), ..claims })
    }

    /// Writes the access token of a delivery to an app, for who installed it.
    ///
    /// # Errors
    /// When it cannot be signed.
    pub(crate) fn sign_for_app(
        &self,
        user: UserId,
        (email, acting): (&Email, Acting),
        (created_at, expires_at): (Instant, Instant),
    ) -> Result<String, SigningFailed> {
        let claims = Claims::new(email, created_at, expires_at);
        let Acting { agent, depth, installed, lease } = acting;
        let (book, integration) = installed
            .map(|installed| (installed.book.to_string(), installed.integration.to_string()))
            .unzip();
        let (uid, agent) = (user.to_string(), agent.to_string());
        let act = ActingClaims { uid, agent, depth, book, integration, lease };
        self.encode(&Claims { act: Some(act), ..claims })
    }

    /// Signs something that is no access token.
    ///
    /// # Errors
    /// When it cannot be signed.
    pub(crate) fn seal(
        &self,
        purpose: TokenUse,
        claims: &impl Serialize,
    ) -> Result<String, SigningFailed> {
        let (iss, aud) = (purpose.issuer().to_owned(), AUDIENCE.to_owned());
        self.encode(&Sealed { iss, aud, claims })
    }

    /// Reads what this key has signed for that purpose. Whether it is still valid is not looked at.
    pub(crate) fn open<T: DeserializeOwned>(&self, purpose: TokenUse, text: &str) -> Option<T> {
        let mut validation = Validation::new(Algorithm::HS256);
        validation.set_audience(&[AUDIENCE]);
        validation.set_issuer(&[purpose.issuer()]);
        validation.set_required_spec_claims(&["iss", "aud"]);
        validation.validate_exp = false;
        Some(decode::<Sealed<T>>(text, &self.decoding, &validation).ok()?.claims.claims)
    }

    /// What signs checkpoints of logs.
    ///
    /// # Errors
    /// [`SigningFailed`], which the library allows for.
    pub fn checkpoint_key(&self) -> Result<CheckpointKey, SigningFailed> {
        let derived = CheckpointKey::derived(&self.deriving);
        derived.map_err(|error| SigningFailed(error.to_string()))
    }

    /// The text of the API key with that id, always the same, and not to be guessed without the
    /// secret. No token is signed over such a text: theirs have a dot.
    #[must_use]
    pub fn api_key(&self, id: ApiKeyId) -> ApiKeyText {
        let tag = hmac::sign(&self.deriving, format!("daybook API key {id}").as_bytes());
        ApiKeyText::new(format!("dbk_{}", BASE64_URL_SAFE_NO_PAD.encode(tag)))
    }

    fn encode(&self, claims: &impl Serialize) -> Result<String, SigningFailed> {
        encode(&Header::new(Algorithm::HS256), claims, &self.encoding)
            .map_err(|error| SigningFailed(error.to_string()))
    }

    /// Whether this key has signed a token, be it expired or revoked since. Such a token is not a
    /// guess.
    pub(crate) fn has_signed(&self, token: &str) -> bool {
        self.decode(token).is_some()
    }

    /// Whether a token is one that a session gave, and has expired.
    pub(crate) fn is_expired_session(&self, token: &str, now: Instant) -> bool {
        self.decode(token)
            .is_some_and(|claims| claims.session().is_some() && claims.expires_at() <= now)
    }

    /// What a token says; `None` for one that is not trusted: forged, expired, or something else
    /// signed with the same key.
    pub(crate) fn verify(&self, token: &str, now: Instant) -> Option<Claims> {
        let claims = self.decode(token)?;
        let scoped = claims.scope.split_whitespace().any(|scope| scope == SCOPE);
        let known = (claims.jti.is_none() || claims.id().is_some())
            && (claims.sid.is_none() || claims.session().is_some())
            && (claims.gid.is_none() || claims.grant().is_some())
            && (claims.act.is_none() || claims.acting().is_some());
        let trusted = scoped && known && now < claims.expires_at();
        (trusted && Email::parse(&claims.email).is_ok()).then_some(claims)
    }

    fn decode(&self, token: &str) -> Option<Claims> {
        let mut validation = Validation::new(Algorithm::HS256);
        validation.set_audience(&[AUDIENCE]);
        validation.set_issuer(&[ISSUER]);
        validation.set_required_spec_claims(&["exp", "iss", "aud"]);
        // The library would ask the clock itself.
        validation.validate_exp = false;
        Some(decode::<Claims>(token, &self.decoding, &validation).ok()?.claims)
    }
}

#[cfg(test)]
mod tests;
