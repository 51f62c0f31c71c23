//! Tokeninfo: a provider is asked about an access token as Google answers it.

use std::collections::HashSet;

use daybook_domain::instant::Instant;
use http::StatusCode;
use reqwest::Url;

use super::claims::IdentityClaims;
use super::outcome::{Refusal, Verified};
use super::scope::EmailScope;
use super::single_flight::InFlightLookups;

/// A provider that tells about its access tokens.
pub(super) struct Tokeninfo {
    pub(super) url: Url,
    /// Whose tokens are taken.
    pub(super) clients: HashSet<String>,
    pub(super) scope: EmailScope,
    pub(super) questions: InFlightLookups,
}

impl Tokeninfo {
    /// Whom a token lets in.
    ///
    /// # Errors
    /// [`Refusal`].
    pub(super) async fn verify(&self, token: &str, now: Instant) -> Result<Verified, Refusal> {
        let claims = self.ask(token).await?;
        let ours = claims.texts("aud").into_iter().any(|client| self.clients.contains(client));
        if !ours || claims.instant("exp").is_none() || !claims.is_current(now) {
            return Err(Refusal::Untrusted);
        }
        claims.require_scope(&self.scope)?;
        Ok(Verified { user: claims.user()?, until: claims.remembered_until(now) })
    }

    async fn ask(&self, token: &str) -> Result<IdentityClaims, Refusal> {
        let mut url = self.url.clone();
        url.query_pairs_mut().append_pair("access_token", token);
        let answer = self.questions.get(url.as_str(), None).await?;
        match answer.status() {
            StatusCode::OK => {}
            StatusCode::BAD_REQUEST | StatusCode::UNAUTHORIZED => return Err(Refusal::Untrusted),
            other => return Err(Refusal::Unavailable(format!("tokeninfo answers {other}"))),
        }
        IdentityClaims::read(answer.body())
            .ok_or_else(|| Refusal::Unavailable("tokeninfo answers no JSON object".to_owned()))
    }
}
