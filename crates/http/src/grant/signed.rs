//! Authorization codes and refresh tokens: texts signed with the key of this installation, which
//! name their grant. The grant knows whether they were used.

use daybook_domain::grant::Grant;
use daybook_domain::id::GrantId;
use daybook_domain::instant::Instant;
use serde::{Deserialize, Serialize};

use crate::error::RequestError;
use crate::identity::own_token::TokenUse;
use crate::state::AppState;

/// What an authorization code says: the grant, and what the request for it has bound it to.
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

/// What a refresh token says.
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
        (challenge, nonce): (&str, Option<&str>),
        now: Instant,
    ) -> Self {
        Self {
            gid: grant.id.to_string(),
            exp: Grant::code_until(now).seconds(),
            redirect_uri: redirect_uri.to_owned(),
            challenge: challenge.to_owned(),
            nonce: nonce.map(str::to_owned),
        }
    }

    pub(super) fn grant(&self) -> Option<GrantId> {
        self.gid.parse().ok()
    }

    pub(super) fn sign(&self, state: &AppState) -> Result<String, RequestError> {
        sign(state, TokenUse::AuthorizationCode, self)
    }

    /// Reads a code that this installation has signed, and that is still valid.
    pub(super) fn read(text: &str, state: &AppState, now: Instant) -> Option<Self> {
        let code: Self = state.identity.key().open(TokenUse::AuthorizationCode, text)?;
        is_current(code.exp, now).then_some(code)
    }
}

impl RefreshToken {
    /// The refresh token of a grant that was redeemed, always the same until it is redeemed again.
    pub(super) fn new(grant: &Grant) -> Self {
        let exp = grant.expires_at.seconds();
        Self { gid: grant.id.to_string(), exp, rotation: grant.rotation }
    }

    pub(super) fn grant(&self) -> Option<GrantId> {
        self.gid.parse().ok()
    }

    /// When it ends, in seconds since the epoch.
    pub(super) const fn exp(&self) -> i64 {
        self.exp
    }

    pub(super) fn sign(&self, state: &AppState) -> Result<String, RequestError> {
        sign(state, TokenUse::RefreshToken, self)
    }

    /// Reads a token that this installation has signed, and that is still valid.
    pub(super) fn read(text: &str, state: &AppState, now: Instant) -> Option<Self> {
        let token: Self = state.identity.key().open(TokenUse::RefreshToken, text)?;
        is_current(token.exp, now).then_some(token)
    }
}

fn sign(
    state: &AppState,
    purpose: TokenUse,
    claims: &impl Serialize,
) -> Result<String, RequestError> {
    let signed = state.identity.key().seal(purpose, claims);
    signed.map_err(|error| RequestError::Failed(error.to_string()))
}
