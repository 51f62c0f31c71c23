//! Token introspection (RFC 7662).

use std::collections::HashSet;

use daybook_domain::instant::Instant;
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
use super::outcome::{Refusal, Verified};
use super::scope::EmailScope;
use super::single_flight::InFlightLookups;
use super::userinfo;
use crate::outgoing::Failure;

/// A provider that introspects tokens.
pub(super) struct Introspection {
    pub(super) url: Url,
    /// The id and the secret by which the provider knows this server.
    pub(super) credentials: (String, String),
    /// Whose tokens are taken; those of all clients when absent.
    pub(super) clients: Option<HashSet<String>>,
    pub(super) userinfo: Option<Url>,
    pub(super) scope: EmailScope,
    pub(super) questions: InFlightLookups,
}

/// What an answer says beside the fields of the standard.
#[derive(Debug, Deserialize, Serialize)]
struct Others(Map<String, Value>);

impl ExtraTokenFields for Others {}

type Answer = StandardTokenIntrospectionResponse<Others, BasicTokenType>;

impl Introspection {
    /// Whom a token lets in.
    ///
    /// # Errors
    /// [`Refusal`].
    pub(super) async fn verify(&self, token: &str, now: Instant) -> Result<Verified, Refusal> {
        let answer = self.ask(token).await?;
        if !answer.active() {
            return Err(Refusal::Untrusted);
        }
        let claims = claims(&answer)?;
        let ours = self.clients.as_ref().is_none_or(|clients| {
            let named = ["client_id", "aud"].into_iter().flat_map(|claim| claims.texts(claim));
            named.into_iter().any(|client| clients.contains(client))
        });
        if !ours || !claims.is_current(now) {
            return Err(Refusal::Untrusted);
        }
        claims.require_scope(&self.scope)?;
        let at = self.userinfo.as_ref();
        let user = userinfo::user(&self.questions, at, token, &claims).await?;
        Ok(Verified { user, until: claims.remembered_until(now) })
    }

    async fn ask(&self, token: &str) -> Result<Answer, Refusal> {
        let _permit = self.questions.permit().await?;
        let (id, secret) = self.credentials.clone();
        let client = Client::<
            BasicErrorResponse,
            BasicTokenResponse,
            Answer,
            StandardRevocableToken,
            BasicRevocationErrorResponse,
        >::new(ClientId::new(id))
        .set_client_secret(ClientSecret::new(secret))
        .set_introspection_url(IntrospectionUrl::from_url(self.url.clone()));
        let token = AccessToken::new(token.to_owned());
        let question = client.introspect(&token).set_token_type_hint("access_token");
        question.request_async(&self.questions.outgoing).await.map_err(|error| match error {
            RequestTokenError::Request(failure) => Refusal::from(failure),
            // What some answer to any JWT: they do not know it.
            RequestTokenError::ServerResponse(error)
                if error.error().as_ref() == "unsupported_token_type" =>
            {
                Refusal::Untrusted
            }
            RequestTokenError::ServerResponse(_) => unavailable("introspection is refused"),
            RequestTokenError::Parse(..) | RequestTokenError::Other(_) => {
                unavailable("the answer of the introspection cannot be read")
            }
        })
    }
}

fn unavailable(why: &str) -> Refusal {
    Failure::NoResponse(why.to_owned()).into()
}

/// All fields of an answer.
fn claims(answer: &Answer) -> Result<IdentityClaims, Refusal> {
    let fields = serde_json::to_value(answer).and_then(serde_json::from_value);
    fields.map_err(|_| unavailable("the answer of the introspection cannot be read"))
}
