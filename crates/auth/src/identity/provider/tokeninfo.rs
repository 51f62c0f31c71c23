//! Verification of opaque tokens by a tokeninfo endpoint in the form of Google.

use std::collections::HashSet;

use daybook_domain::instant::Instant;
use http::StatusCode;
use reqwest::Url;

use super::claims::IdentityClaims;
use super::http_client::HttpClient;
use super::outcome::{Refusal, Verified};
use super::scope::EmailScope;

/// A provider with a tokeninfo endpoint.
pub(super) struct Tokeninfo {
    pub(super) url: Url,
    /// The clients whose tokens are accepted.
    pub(super) clients: HashSet<String>,
    pub(super) scope: EmailScope,
    pub(super) http_client: HttpClient,
}

impl Tokeninfo {
    /// Verifies a token.
    ///
    /// # Errors
    /// [`Refusal`].
    pub(super) async fn verify(&self, token: &str, now: Instant) -> Result<Verified, Refusal> {
        let claims = self.fetch_claims(token).await?;
        let is_accepted_client =
            claims.texts("aud").into_iter().any(|client| self.clients.contains(client));
        if !is_accepted_client || claims.instant("exp").is_none() || !claims.is_current(now) {
            return Err(Refusal::Untrusted);
        }
        claims.require_scope(&self.scope)?;
        Ok(Verified { user: claims.user()?, until: claims.cached_until(now) })
    }

    async fn fetch_claims(&self, token: &str) -> Result<IdentityClaims, Refusal> {
        let mut url = self.url.clone();
        url.query_pairs_mut().append_pair("access_token", token);
        let response = self.http_client.get(url.as_str(), None).await?;
        match response.status() {
            StatusCode::OK => {}
            StatusCode::BAD_REQUEST | StatusCode::UNAUTHORIZED => return Err(Refusal::Untrusted),
            other => return Err(Refusal::Unavailable(format!("tokeninfo responded with {other}"))),
        }
        IdentityClaims::read(response.body()).ok_or_else(|| {
            Refusal::Unavailable("the tokeninfo response is not a JSON object".to_owned())
        })
    }
}
