//! The tokens of this installation: JWTs signed by HMAC, which name their row (behaviour 11.7).
//!
//! An access token names one of four rows: an issued token (`jti`), a session (`sid`), a grant to
//! an OAuth client (`gid`), or the delivery of an event to an app (`act`). The signature proves
//! that this installation made the token, and the row decides whether it is still valid.
//! Authorization codes and refresh tokens are signed with the same key, but with another issuer
//! ([`TokenUse`]), so none of them is accepted as an access token.

use aws_lc_rs::hmac;
use base64::Engine;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use daybook_domain::app::AppId;
use daybook_domain::email::Email;
use daybook_domain::id::{
    ApiKeyId, BookKey, GrantId, IntegrationId, InvitationId, SessionId, TokenId, UserId,
};
use daybook_domain::instant::Instant;
use daybook_service::delivery::bearer::Installed;
use jsonwebtoken::{Algorithm, DecodingKey, EncodingKey, Header, Validation, decode, encode};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::api_key::text::ApiKeyText;
use crate::identity::checkpoint_key::CheckpointKey;
use crate::identity::sealer::{Sealer, SealingSecrets, SealingSource};

/// The `iss` of access tokens. Other uses of the key have another one.
const ISSUER: &str = "daybook";
/// The `aud` of everything that is signed with the key.
const AUDIENCE: &str = "daybook";
/// The scope that every access token must have.
const SCOPE: &str = "email";

/// Signing a token failed.
#[derive(Debug, thiserror::Error)]
#[error("signing the token failed: {0}")]
pub struct SigningFailed(String);

/// The key of an installation, from `token.key`.
///
/// It signs tokens and checkpoints, and derives API keys. It also seals database columns, unless
/// there is a `sealing.key`.
pub struct LocalKey {
    encoding: EncodingKey,
    decoding: DecodingKey,
    sealer: Sealer,
    deriving: hmac::Key,
}

/// The uses of the key besides access tokens.
///
/// Each has its own `iss`, so that a token of one use is not accepted for another.
#[derive(Debug, Clone, Copy)]
pub(crate) enum TokenUse {
    AuthorizationCode,
    RefreshToken,
}

/// Whether a token with this `iss` claims to be of this installation, of any use.
pub(crate) fn is_own_issuer(issuer: &str) -> bool {
    let uses = [TokenUse::AuthorizationCode, TokenUse::RefreshToken];
    issuer == ISSUER || uses.iter().any(|token_use| token_use.issuer() == issuer)
}

impl TokenUse {
    const fn issuer(self) -> &'static str {
        match self {
            Self::AuthorizationCode => "daybook code",
            Self::RefreshToken => "daybook refresh",
        }
    }
}

/// Claims with the `iss` and `aud` of their use.
#[derive(Serialize, Deserialize)]
struct SignedClaims<T> {
    iss: String,
    aud: String,
    #[serde(flatten)]
    claims: T,
}

/// The claims of an access token.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Claims {
    iss: String,
    aud: String,
    email: String,
    scope: String,
    iat: i64,
    exp: i64,
    /// The id of the token's row, if it was issued by a user or the operator.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    jti: Option<String>,
    /// The id of the session, if a session issued it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    sid: Option<String>,
    /// Whether a page of this server got it from the session, and not an app of a listed origin.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    own: bool,
    /// The id of the grant, if it was issued to an OAuth client.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    gid: Option<String>,
    /// The app and delivery, if it was sent with a webhook.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    act: Option<ActingClaims>,
}

/// The claims about an app that acts for a user.
#[derive(Debug, Serialize, Deserialize)]
struct ActingClaims {
    uid: String,
    agent: String,
    depth: i64,
    /// The book and the integration in it; absent if the book was removed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    book: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    integration: Option<String>,
    /// The lease of the delivery.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    lease: Option<i64>,
}

/// An app that acts for a user, and its depth in a chain of apps (behaviour 8.11).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ActingApp {
    /// The app.
    pub agent: AppId,
    /// The depth of the delivery in a chain of apps.
    pub depth: i64,
    /// The integration; `None` if the book was removed.
    pub installed: Option<Installed>,
    /// The lease of the delivery.
    pub lease: Option<i64>,
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
            own: false,
            gid: None,
            act: None,
        }
    }

    /// Returns the user and the app, if the token was sent with a webhook.
    pub(crate) fn acting(&self) -> Option<(UserId, ActingApp)> {
        let ActingClaims { uid, agent, depth, book, integration, lease } = self.act.as_ref()?;
        let installed = match (book, integration) {
            (Some(book), Some(integration)) => {
                let integration = integration.parse().map(IntegrationId::new).ok()?;
                Some(Installed { book: BookKey::new(book.clone()), integration })
            }
            _ => None,
        };
        let agent = AppId::stored(agent.clone());
        Some((uid.parse().ok()?, ActingApp { agent, depth: *depth, installed, lease: *lease }))
    }

    /// Returns the id of the token's row.
    pub(crate) fn id(&self) -> Option<TokenId> {
        self.jti.as_ref()?.parse().ok()
    }

    /// Returns the id of the session that issued the token.
    pub(crate) fn session(&self) -> Option<SessionId> {
        self.sid.as_ref()?.parse().ok()
    }

    /// Whether a page of this server got it from a session.
    pub(crate) const fn is_own(&self) -> bool {
        self.own
    }

    /// Returns the id of the token's grant.
    pub(crate) fn grant(&self) -> Option<GrantId> {
        self.gid.as_ref()?.parse().ok()
    }

    /// Returns the expiry.
    pub(crate) const fn expires_at(&self) -> Instant {
        Instant::new(self.exp.saturating_mul(1_000))
    }
}

impl LocalKey {
    /// Creates the key from a secret of at least 32 random bytes.
    #[must_use]
    pub fn new(secret: &[u8]) -> Self {
        Self {
            encoding: EncodingKey::from_secret(secret),
            decoding: DecodingKey::from_secret(secret),
            sealer: Sealer::with_secret(secret),
            deriving: hmac::Key::new(hmac::HMAC_SHA256, secret),
        }
    }

    /// Replaces the sealer by one with separate secrets.
    #[must_use]
    pub fn with_sealing_secrets(self, secrets: &SealingSecrets, source: SealingSource) -> Self {
        Self { sealer: Sealer::new(secrets, source), ..self }
    }

    /// Returns the sealer.
    #[must_use]
    pub const fn sealer(&self) -> &Sealer {
        &self.sealer
    }

    /// Signs the token with that id. The same arguments always result in the same text.
    ///
    /// # Errors
    /// When signing fails.
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

    /// Signs an access token of a session, for a page of this server or for a listed app.
    ///
    /// # Errors
    /// When signing fails.
    pub(crate) fn sign_for_session(
        &self,
        id: SessionId,
        email: &Email,
        (created_at, expires_at): (Instant, Instant),
        own: bool,
    ) -> Result<String, SigningFailed> {
        let claims = Claims::new(email, created_at, expires_at);
        self.encode(&Claims { sid: Some(id.to_string()), own, ..claims })
    }

    /// Signs an access token of a grant.
    ///
    /// # Errors
    /// When signing fails.
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

    /// Signs the access token of a webhook, which acts for the user who installed the app.
    ///
    /// # Errors
    /// When signing fails.
    pub fn sign_for_app(
        &self,
        user: UserId,
        email: &Email,
        acting: ActingApp,
        (created_at, expires_at): (Instant, Instant),
    ) -> Result<String, SigningFailed> {
        let claims = Claims::new(email, created_at, expires_at);
        let ActingApp { agent, depth, installed, lease } = acting;
        let (book, integration) = installed
            .map(|installed| (installed.book.to_string(), installed.integration.to_string()))
            .unzip();
        let (uid, agent) = (user.to_string(), agent.to_string());
        let act = ActingClaims { uid, agent, depth, book, integration, lease };
        self.encode(&Claims { act: Some(act), ..claims })
    }

    /// Signs claims for another use than access tokens.
    ///
    /// # Errors
    /// When signing fails.
    pub(crate) fn sign_claims(
        &self,
        token_use: TokenUse,
        claims: &impl Serialize,
    ) -> Result<String, SigningFailed> {
        let (iss, aud) = (token_use.issuer().to_owned(), AUDIENCE.to_owned());
        self.encode(&SignedClaims { iss, aud, claims })
    }

    /// Verifies the signature and use of claims, but not their expiry.
    pub(crate) fn verify_claims<T: DeserializeOwned>(
        &self,
        token_use: TokenUse,
        text: &str,
    ) -> Option<T> {
        let mut validation = Validation::new(Algorithm::HS256);
        validation.set_audience(&[AUDIENCE]);
        validation.set_issuer(&[token_use.issuer()]);
        validation.set_required_spec_claims(&["iss", "aud"]);
        validation.validate_exp = false;
        Some(decode::<SignedClaims<T>>(text, &self.decoding, &validation).ok()?.claims.claims)
    }

    /// Derives the key that signs checkpoints of event logs.
    ///
    /// # Errors
    /// [`SigningFailed`] is an error of the library that does not occur.
    pub fn checkpoint_key(&self) -> Result<CheckpointKey, SigningFailed> {
        CheckpointKey::derive(&self.deriving).map_err(|error| SigningFailed(error.to_string()))
    }

    /// Derives the text of the API key with that id, which is always the same.
    ///
    /// The signed message contains no dot, so its HMAC is never that of a token.
    #[must_use]
    pub fn api_key(&self, id: ApiKeyId) -> ApiKeyText {
        let tag = hmac::sign(&self.deriving, format!("daybook API key {id}").as_bytes());
        ApiKeyText::new(format!("dbk_{}", BASE64_URL_SAFE_NO_PAD.encode(tag)))
    }

    /// Derives the code of the invitation with that id, which is always the same.
    ///
    /// The signed message contains no dot, so its HMAC is never that of a token.
    #[must_use]
    pub(crate) fn invitation_code(&self, id: InvitationId) -> String {
        let tag = hmac::sign(&self.deriving, format!("daybook invitation {id}").as_bytes());
        BASE64_URL_SAFE_NO_PAD.encode(tag)
    }

    fn encode(&self, claims: &impl Serialize) -> Result<String, SigningFailed> {
        encode(&Header::new(Algorithm::HS256), claims, &self.encoding)
            .map_err(|error| SigningFailed(error.to_string()))
    }

    /// Whether this key signed a token, even if it has expired or was revoked.
    pub(crate) fn has_signed(&self, token: &str) -> bool {
        self.decode(token).is_some()
    }

    pub(crate) fn is_expired_session(&self, token: &str, now: Instant) -> bool {
        self.decode(token)
            .is_some_and(|claims| claims.session().is_some() && claims.expires_at() <= now)
    }

    /// Returns the claims of a token; `None` if it is forged, malformed or expired.
    pub(crate) fn verify(&self, token: &str, now: Instant) -> Option<Claims> {
        let claims = self.decode(token)?;
        let has_scope = claims.scope.split_whitespace().any(|scope| scope == SCOPE);
        let has_valid_ids = (claims.jti.is_none() || claims.id().is_some())
            && (claims.sid.is_none() || claims.session().is_some())
            && (claims.gid.is_none() || claims.grant().is_some())
            && (claims.act.is_none() || claims.acting().is_some());
        let is_valid = has_scope
            && has_valid_ids
            && now < claims.expires_at()
            && Email::parse(&claims.email).is_ok();
        is_valid.then_some(claims)
    }

    fn decode(&self, token: &str) -> Option<Claims> {
        let mut validation = Validation::new(Algorithm::HS256);
        validation.set_audience(&[AUDIENCE]);
        validation.set_issuer(&[ISSUER]);
        validation.set_required_spec_claims(&["exp", "iss", "aud"]);
        // The library would read the system clock. The callers compare `exp` with their own.
        validation.validate_exp = false;
        Some(decode::<Claims>(token, &self.decoding, &validation).ok()?.claims)
    }
}

#[cfg(test)]
mod tests;
