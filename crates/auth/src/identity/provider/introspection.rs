//! Verification of opaque tokens by introspection (RFC 7662).

use std::collections::HashSet;

use daybook_domain::instant::Instant;
use daybook_edge::outgoing::Failure;
use oauth2::basic::{
    BasicErrorResponse, BasicRevocationErrorResponse, BasicTokenResponse, BasicTokenType,
};
use oauth2::{
    AccessToken, Client, ClientId, ClientSecret, ExtraTokenFields, IntrospectionUrl,
    RequestTokenError, StandardRevocableToken, StandardTokenIntrospectionResponse,
    TokenIntrospectionResponse,
};
use reqwest::Url;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::claims::IdentityClaims;
use super::http_client::HttpClient;
use super::outcome::{Refusal, Verified};
use super::scope::EmailScope;
use super::userinfo;

/// A provider that introspects tokens.
pub(super) struct Introspection {
    pub(super) url: Url,
    /// The client id of this server at the provider.
    pub(super) client_id: String,
    pub(super) client_secret: String,
    /// The clients whose tokens are accepted; `None` accepts all.
    pub(super) clients: Option<HashSet<String>>,
    pub(super) userinfo: Option<Url>,
    pub(super) scope: EmailScope,
    pub(super) http_client: HttpClient,
}

/// The fields of a response that the standard does not define.
#[derive(Debug, Deserialize, Serialize)]
struct OtherFields(Map<String, Value>);

impl ExtraTokenFields for OtherFields {}

type IntrospectionResponse = StandardTokenIntrospectionResponse<OtherFields, BasicTokenType>;

impl Introspection {
    /// Verifies a token.
    ///
    /// # Errors
    /// [`Refusal`].
    pub(super) async fn verify(&self, token: &str, now: Instant) -> Result<Verified, Refusal> {
        let response = self.introspect(token).await?;
        if !response.active() {
            return Err(Refusal::Untrusted);
        }
        let claims = claims(&response)?;
        let is_accepted_client = self.clients.as_ref().is_none_or(|clients| {
            let mut named = ["client_id", "aud"].into_iter().flat_map(|claim| claims.texts(claim));
            named.any(|client| clients.contains(client))
        });
        if !is_accepted_client || !claims.is_current(now) {
            return Err(Refusal::Untrusted);
        }
        claims.require_scope(&self.scope)?;
        let userinfo_url = self.userinfo.as_ref();
        let user = userinfo::find_user(&self.http_client, userinfo_url, token, &claims).await?;
        Ok(Verified { user, until: claims.cached_until(now) })
    }

    async fn introspect(&self, token: &str) -> Result<IntrospectionResponse, Refusal> {
        let _permit = self.http_client.permit().await?;
        let client = Client::<
            BasicErrorResponse,
            BasicTokenResponse,
            IntrospectionResponse,
            StandardRevocableToken,
            BasicRevocationErrorResponse,
        >::new(ClientId::new(self.client_id.clone()))
        .set_client_secret(ClientSecret::new(self.client_secret.clone()))
        .set_introspection_url(IntrospectionUrl::from_url(self.url.clone()));
        let token = AccessToken::new(token.to_owned());
        let request = client.introspect(&token).set_token_type_hint("access_token");
        request.request_async(&self.http_client.outgoing).await.map_err(|error| match error {
            RequestTokenError::Request(failure) => Refusal::from(failure),
            // Some providers respond so to every JWT that is not theirs.
            RequestTokenError::ServerResponse(error)
                if error.error().as_ref() == "unsupported_token_type" =>
            {
                Refusal::Untrusted
            }
            RequestTokenError::ServerResponse(_) => {
                unavailable("the provider refused the introspection")
            }
            RequestTokenError::Parse(..) | RequestTokenError::Other(_) => {
                unavailable("the introspection response is malformed")
            }
        })
    }
}

fn unavailable(why: &str) -> Refusal {
    Failure::NoResponse(why.to_owned()).into()
}

/// Returns all fields of a response as claims.
fn claims(response: &IntrospectionResponse) -> Result<IdentityClaims, Refusal> {
    let fields = serde_json::to_value(response).and_then(serde_json::from_value);
    fields.map_err(|_| unavailable("the introspection response is malformed"))
}
