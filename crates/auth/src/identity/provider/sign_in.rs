//! Sign-in through an OpenID provider: the authorization code flow (OpenID Connect Core 3.1).
//!
//! It uses PKCE (RFC 7636), `state`, `nonce`, and the issuer in the response (RFC 9207).

use std::borrow::Cow;
use std::collections::HashSet;

use daybook_domain::instant::Instant;
use daybook_service::user::VerifiedUser;
use oauth2::basic::{
    BasicErrorResponse, BasicRevocationErrorResponse, BasicTokenIntrospectionResponse,
    BasicTokenType,
};
use oauth2::{
    AuthType, AuthUrl, AuthorizationCode, Client, ClientId, ClientSecret, CsrfToken,
    EndpointNotSet, EndpointSet, ExtraTokenFields, PkceCodeChallenge, PkceCodeVerifier,
    RedirectUrl, RequestTokenError, Scope, StandardRevocableToken, StandardTokenResponse, TokenUrl,
};
use reqwest::Url;
use serde::{Deserialize, Serialize};

use super::freshness::Freshness;
use super::http_client::HttpClient;
use super::outcome::Refusal;

/// The requested scopes.
const SCOPES: [&str; 3] = ["openid", "email", "profile"];
/// The maximum number of characters of the name of a provider.
const MAX_NAME: usize = 100;

/// The registration of this server as a client of a provider.
pub(super) struct SignInClient {
    /// The display name of the provider.
    pub(super) name: String,
    /// The accepted audience of ID tokens, which is `id`.
    pub(super) audience: HashSet<String>,
    pub(super) id: String,
    secret: Option<String>,
}

/// The sign-in endpoints of a provider, from its discovery document.
#[derive(Debug, Clone)]
pub(super) struct SignInEndpoints {
    pub(super) authorization: Url,
    pub(super) token: Url,
    /// Whether every authorization response has `iss`.
    pub(super) names_issuer: bool,
    /// Whether the provider accepts the client secret only in the body.
    pub(super) secret_in_body: bool,
}

/// The random values of a sign-in.
pub(crate) struct SignInSecrets {
    pub(crate) state: String,
    pub(crate) nonce: String,
}

/// A sign-in in progress, stored in the browser, which the response of the provider must match.
#[derive(Serialize, Deserialize)]
pub(crate) struct PendingSignIn {
    pub(crate) provider: String,
    /// The `state` of the response.
    pub(crate) state: String,
    /// The `nonce` of the ID token.
    pub(super) nonce: String,
    /// The PKCE code verifier.
    pub(super) verifier: String,
    /// The earliest acceptable `auth_time`, in milliseconds since the epoch.
    pub(super) signed_in_since: Option<i64>,
}

/// A completed sign-in at a provider.
pub(crate) struct ProviderSignIn {
    pub(crate) user: VerifiedUser,
    pub(crate) signed_in_at: Instant,
}

/// The tokens of a token response.
pub(super) struct ProviderTokens {
    pub(super) access: String,
    pub(super) id: String,
}

#[derive(Debug, Serialize, Deserialize)]
struct IdTokenField {
    id_token: String,
}

impl ExtraTokenFields for IdTokenField {}

type TokenResponse = StandardTokenResponse<IdTokenField, BasicTokenType>;
type OpenIdClient = Client<
    BasicErrorResponse,
    TokenResponse,
    BasicTokenIntrospectionResponse,
    StandardRevocableToken,
    BasicRevocationErrorResponse,
    EndpointSet,
    EndpointNotSet,
    EndpointNotSet,
    EndpointNotSet,
    EndpointSet,
>;

impl SignInClient {
    /// Creates a client from the configuration.
    ///
    /// # Errors
    /// A description of the error.
    pub(super) fn new(name: &str, id: String, secret: Option<String>) -> Result<Self, String> {
        let name = name.trim();
        if name.is_empty() || name.chars().count() > MAX_NAME || name.contains(char::is_control) {
            return Err(format!(
                "signIn.name {name:?} must have 1 to {MAX_NAME} characters and no line break"
            ));
        }
        if id.is_empty() || secret.as_ref().is_some_and(String::is_empty) {
            return Err("signIn.clientId and signIn.clientSecret must not be empty".to_owned());
        }
        let audience = HashSet::from([id.clone()]);
        Ok(Self { name: name.to_owned(), audience, id, secret })
    }

    /// Whether the client has a secret.
    pub(super) const fn has_secret(&self) -> bool {
        self.secret.is_some()
    }

    fn client(&self, endpoints: &SignInEndpoints) -> OpenIdClient {
        let mut client = Client::new(ClientId::new(self.id.clone()))
            .set_auth_uri(AuthUrl::from_url(endpoints.authorization.clone()))
            .set_token_uri(TokenUrl::from_url(endpoints.token.clone()));
        if endpoints.secret_in_body {
            client = client.set_auth_type(AuthType::RequestBody);
        }
        match &self.secret {
            Some(secret) => client.set_client_secret(ClientSecret::new(secret.clone())),
            None => client,
        }
    }

    /// Returns the URL to redirect the browser to, and what the response must match.
    pub(super) fn begin(
        &self,
        endpoints: &SignInEndpoints,
        redirect: Url,
        secrets: SignInSecrets,
        freshness: &Freshness,
        now: Instant,
    ) -> (Url, PendingSignIn) {
        let SignInSecrets { state, nonce } = secrets;
        let (challenge, verifier) = PkceCodeChallenge::new_random_sha256();
        let client = self.client(endpoints);
        let mut request = client.authorize_url(|| CsrfToken::new(state.clone()));
        for (name, value) in freshness.parameters() {
            request = request.add_extra_param(name, value);
        }
        let (url, _) = request
            .add_scopes(SCOPES.map(|scope| Scope::new(scope.to_owned())))
            .add_extra_param("nonce", nonce.clone())
            .set_pkce_challenge(challenge)
            .set_redirect_uri(Cow::Owned(RedirectUrl::from_url(redirect)))
            .url();
        let pending = PendingSignIn {
            provider: self.name.clone(),
            state,
            nonce,
            verifier: verifier.into_secret(),
            signed_in_since: freshness.earliest_sign_in(now).map(Instant::milliseconds),
        };
        (url, pending)
    }

    /// Exchanges a code for tokens.
    ///
    /// # Errors
    /// [`Refusal::Untrusted`] if the provider refuses the code; [`Refusal::Unavailable`].
    pub(super) async fn exchange(
        &self,
        endpoints: &SignInEndpoints,
        redirect: Url,
        code: String,
        verifier: &str,
        http_client: &HttpClient,
    ) -> Result<ProviderTokens, Refusal> {
        let _permit = http_client.permit().await?;
        let client = self.client(endpoints);
        let request = client
            .exchange_code(AuthorizationCode::new(code))
            .set_pkce_verifier(PkceCodeVerifier::new(verifier.to_owned()))
            .set_redirect_uri(Cow::Owned(RedirectUrl::from_url(redirect)));
        let unusable = |why: &str| Refusal::Unavailable(why.to_owned());
        let response: Result<TokenResponse, _> = request.request_async(&http_client.outgoing).await;
        let response = response.map_err(|error| match error {
            RequestTokenError::Request(failure) => Refusal::from(failure),
            RequestTokenError::ServerResponse(error) => match error.error().as_ref() {
                "invalid_grant" | "invalid_request" => Refusal::Untrusted,
                _ => unusable("the token endpoint refused the client id or secret"),
            },
            RequestTokenError::Parse(..) | RequestTokenError::Other(_) => {
                unusable("the token response is malformed")
            }
        })?;
        Ok(ProviderTokens {
            access: oauth2::TokenResponse::access_token(&response).secret().clone(),
            id: response.extra_fields().id_token.clone(),
        })
    }
}

/// The authorization response of a provider.
pub(crate) struct Callback {
    /// The `state`.
    pub(crate) state: String,
    /// The `iss`, if present.
    pub(crate) issuer: Option<String>,
    /// The code or the error code.
    pub(crate) outcome: Result<String, String>,
}

/// Why a sign-in failed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum SignInRefusal {
    /// The response does not match a pending sign-in of this browser.
    Foreign,
    /// The user or the provider denied the sign-in.
    Denied,
    /// The sign-in at the provider is too old for the app, or of unknown age.
    Stale,
    /// The provider responded with another error.
    Failed,
    /// The tokens were refused.
    Token(Refusal),
}

impl From<Refusal> for SignInRefusal {
    fn from(refusal: Refusal) -> Self {
        Self::Token(refusal)
    }
}

impl Callback {
    /// Checks `state` and `iss`, and returns the code.
    ///
    /// # Errors
    /// [`SignInRefusal`].
    pub(super) fn code(
        self,
        pending: &PendingSignIn,
        issuer: &str,
        endpoints: &SignInEndpoints,
    ) -> Result<String, SignInRefusal> {
        let is_from_issuer = match &self.issuer {
            Some(named) => named == issuer,
            None => !endpoints.names_issuer,
        };
        if pending.state != self.state || !is_from_issuer {
            return Err(SignInRefusal::Foreign);
        }
        self.outcome.map_err(|error| match error.as_str() {
            "access_denied" | "login_required" | "consent_required" | "interaction_required" => {
                SignInRefusal::Denied
            }
            _ => SignInRefusal::Failed,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ISSUER: &str = "https://id.example.com";

    fn pending() -> PendingSignIn {
        let text = |text: &str| text.to_owned();
        PendingSignIn {
            provider: text("Example"),
            state: text("state"),
            nonce: text("nonce"),
            verifier: text("verifier"),
            signed_in_since: None,
        }
    }

    fn endpoints(names_issuer: bool) -> SignInEndpoints {
        let url = |path: &str| Url::parse(&format!("{ISSUER}/{path}")).unwrap();
        let (authorization, token) = (url("auth?tenant=1"), url("token"));
        SignInEndpoints { authorization, token, names_issuer, secret_in_body: false }
    }

    #[test]
    fn callback_must_match_the_state_and_the_issuer() {
        use SignInRefusal::{Denied, Failed, Foreign};
        let code = |state: &str, issuer: Option<&str>, outcome: Result<&str, &str>, names| {
            let outcome = outcome.map(str::to_owned).map_err(str::to_owned);
            let issuer = issuer.map(str::to_owned);
            let callback = Callback { state: state.to_owned(), issuer, outcome };
            callback.code(&pending(), ISSUER, &endpoints(names))
        };
        let (other, denied) = ("https://id.example.com/", Err("access_denied"));
        for (state, issuer, outcome, names, expected) in [
            ("state", Some(ISSUER), Ok("code"), true, Ok("code")),
            ("state", Some(ISSUER), Ok("code"), false, Ok("code")),
            ("state", None, Ok("code"), false, Ok("code")),
            ("state", None, Ok("code"), true, Err(Foreign)),
            ("state", Some(other), Ok("code"), true, Err(Foreign)),
            ("state", Some(other), Ok("code"), false, Err(Foreign)),
            ("State", Some(ISSUER), Ok("code"), true, Err(Foreign)),
            ("", Some(ISSUER), Ok("code"), true, Err(Foreign)),
            ("state", Some(ISSUER), denied, true, Err(Denied)),
            ("state", Some(other), denied, true, Err(Foreign)),
            ("other", Some(ISSUER), denied, true, Err(Foreign)),
            ("state", Some(ISSUER), Err("server_error"), true, Err(Failed)),
        ] {
            let expected = expected.map(str::to_owned);
            assert_eq!(code(state, issuer, outcome, names), expected, "{state} {issuer:?}");
        }
    }

    #[test]
    fn authorization_url_has_all_parameters() {
        let client = SignInClient::new(" Example ", "daybook".to_owned(), None).unwrap();
        let redirect = Url::parse("https://books.example.com/auth/callback").unwrap();
        let secrets = SignInSecrets { state: "one".to_owned(), nonce: "two".to_owned() };
        let freshness = Freshness::read(Some("login"), None).unwrap();
        let now = Instant::new(70_000);
        let (url, pending) =
            client.begin(&endpoints(true), redirect.clone(), secrets, &freshness, now);
        let challenge = PkceCodeVerifier::new(pending.verifier.clone());
        let challenge = PkceCodeChallenge::from_code_verifier_sha256(&challenge);
        for (name, expected) in [
            ("tenant", "1"),
            ("client_id", "daybook"),
            ("response_type", "code"),
            ("scope", "openid email profile"),
            ("redirect_uri", redirect.as_str()),
            ("state", "one"),
            ("nonce", "two"),
            ("code_challenge_method", "S256"),
            ("code_challenge", challenge.as_str()),
            ("prompt", "login"),
            ("max_age", "0"),
        ] {
            let found: Vec<_> = url.query_pairs().filter(|(known, _)| known == name).collect();
            assert_eq!(found.len(), 1, "{name}");
            assert_eq!(found[0].1, expected, "{name}");
        }
        assert_eq!((&*pending.provider, pending.signed_in_since), ("Example", Some(70_000)));
        assert!(!url.as_str().contains(&pending.verifier));
    }

    #[test]
    fn client_needs_a_name_and_non_empty_credentials() {
        let refused = |name: &str, id: &str, secret: Option<&str>| {
            SignInClient::new(name, id.to_owned(), secret.map(str::to_owned)).is_err()
        };
        assert!(!refused("Example", "daybook", Some("secret")));
        assert!(refused(" ", "daybook", None));
        assert!(refused("a\nb", "daybook", None));
        assert!(refused(&"x".repeat(101), "daybook", None));
        assert!(refused("Example", "", None));
        assert!(refused("Example", "daybook", Some("")));
    }
}
