//! Authorization codes and refresh tokens: signed claims that name their grant.
//!
//! Neither is stored. The rotation of the grant tells whether a token was redeemed.

use daybook_domain::grant::Grant;
use daybook_domain::id::GrantId;
use daybook_domain::instant::Instant;
use daybook_edge::error::RequestError;
use serde::{Deserialize, Serialize};

use crate::identity::own_token::TokenUse;
use crate::state::Auth;

/// The claims of an authorization code: the grant, and the parameters it is bound to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct AuthorizationCode {
    gid: String,
    exp: i64,
    pub(super) redirect_uri: String,
    /// The code challenge (RFC 7636, 4.2).
    pub(super) challenge: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) nonce: Option<String>,
}

/// The claims of a refresh token.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct RefreshToken {
    gid: String,
    exp: i64,
    pub(super) rotation: i64,
}

fn is_current(exp: i64, now: Instant) -> bool {
    now < Instant::new(exp.saturating_mul(1_000))
}

impl AuthorizationCode {
    pub(super) fn new(
        grant: &Grant,
        redirect_uri: &str,
        challenge: &str,
        nonce: Option<&str>,
        now: Instant,
    ) -> Self {
        Self {
            gid: grant.id.to_string(),
            exp: Grant::code_expiry(now).seconds(),
            redirect_uri: redirect_uri.to_owned(),
            challenge: challenge.to_owned(),
            nonce: nonce.map(str::to_owned),
        }
    }

    pub(super) fn grant(&self) -> Option<GrantId> {
        self.gid.parse().ok()
    }

    pub(super) fn sign(&self, state: &Auth) -> Result<String, RequestError> {
        sign(state, TokenUse::AuthorizationCode, self)
    }

    /// Verifies the signature and expiry of a code.
    pub(super) fn read(text: &str, state: &Auth, now: Instant) -> Option<Self> {
        let code: Self = state.identity.key().verify_claims(TokenUse::AuthorizationCode, text)?;
        is_current(code.exp, now).then_some(code)
    }
}

impl RefreshToken {
    /// Returns the current refresh token of a grant, which is the same until its next rotation.
    pub(super) fn new(grant: &Grant) -> Self {
        let exp = grant.expires_at.seconds();
        Self { gid: grant.id.to_string(), exp, rotation: grant.rotation }
    }

    pub(super) fn grant(&self) -> Option<GrantId> {
        self.gid.parse().ok()
    }

    /// Returns the expiry in seconds since the epoch.
    pub(super) const fn exp(&self) -> i64 {
        self.exp
    }

    pub(super) fn sign(&self, state: &Auth) -> Result<String, RequestError> {
        sign(state, TokenUse::RefreshToken, self)
    }

    /// Verifies the signature and expiry of a refresh token.
    pub(super) fn read(text: &str, state: &Auth, now: Instant) -> Option<Self> {
        let token: Self = state.identity.key().verify_claims(TokenUse::RefreshToken, text)?;
        is_current(token.exp, now).then_some(token)
    }
}

fn sign(
    state: &Auth,
    token_use: TokenUse,
    claims: &impl Serialize,
) -> Result<String, RequestError> {
    let key = state.identity.key();
    key.sign_claims(token_use, claims).map_err(|error| RequestError::Failed(error.to_string()))
}
