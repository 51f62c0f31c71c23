//! Signing in with a browser through an OpenID provider: the authorization code flow (OpenID
//! Connect Core 3.1) with PKCE (RFC 7636), `state`, `nonce`, and the issuer in the answer (RFC
//! 9207).

use std::borrow::Cow;
use std::collections::HashSet;

use daybook_domain::instant::Instant;
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
use super::outcome::Refusal;
use super::single_flight::InFlightLookups;

/// What is asked for: who somebody is, with address and profile.
const SCOPES: [&str; 3] = ["openid", "email", "profile"];
/// The most characters of the name of a provider.
const MAX_NAME: usize = 100;

/// This server as a client of a provider that people sign in through.
pub(super) struct SignInClient {
    /// What people call the provider.
    pub(super) name: String,
    /// The audience of its ID tokens: this server alone.
    pub(super) audience: HashSet<String>,
    pub(super) id: String,
    secret: Option<String>,
}

/// Where people sign in, as discovery tells it.
#[derive(Debug, Clone)]
pub(super) struct SignInEndpoints {
    pub(super) authorization: Url,
    pub(super) token: Url,
    /// Whether every answer of the provider names it.
    pub(super) names_issuer: bool,
    /// Whether secrets are sent in the body, because the provider takes them there only.
    pub(super) secret_in_body: bool,
}

/// What binds the answer of a provider to the browser that was sent there.
#[derive(Serialize, Deserialize)]
pub(crate) struct PendingSignIn {
    /// The name of the provider.
    pub(crate) provider: String,
    /// What the provider sends back with the browser.
    pub(crate) state: String,
    /// What the ID token must say.
    pub(super) nonce: String,
    /// What proves to the provider who has asked.
    pub(super) verifier: String,
    /// When the person must have signed in at the provider at the earliest, in milliseconds since
    /// the epoch, where an app wants that.
    pub(super) signed_in_since: Option<i64>,
}

/// The tokens of an answer.
pub(super) struct AnsweredTokens {
    pub(super) access: String,
    pub(super) id: String,
}

#[derive(Debug, Serialize, Deserialize)]
struct IdTokenField {
    id_token: String,
}

impl ExtraTokenFields for IdTokenField {}

type TokenAnswer = StandardTokenResponse<IdTokenField, BasicTokenType>;
type OpenIdClient = Client<
    BasicErrorResponse,
    TokenAnswer,
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
    /// As the operator has configured it.
    ///
    /// # Errors
    /// What is wrong with it.
    pub(super) fn new(name: &str, id: String, secret: Option<String>) -> Result<Self, String> {
        let name = name.trim();
        if name.is_empty() || name.chars().count() > MAX_NAME || name.contains(char::is_control) {
            return Err(format!(
                "signIn.name {name:?} is not a name of 1 to {MAX_NAME} characters"
            ));
        }
        if id.is_empty() || secret.as_ref().is_some_and(String::is_empty) {
            return Err("signIn has an empty clientId or clientSecret".to_owned());
        }
        let audience = HashSet::from([id.clone()]);
        Ok(Self { name: name.to_owned(), audience, id, secret })
    }

    /// Whether it has a secret.
    pub(super) const fn has_secret(&self) -> bool {
        self.secret.is_some()
    }

    fn client(&self, at: &SignInEndpoints) -> OpenIdClient {
        let client = Client::new(ClientId::new(self.id.clone()))
            .set_auth_uri(AuthUrl::from_url(at.authorization.clone()))
            .set_token_uri(TokenUrl::from_url(at.token.clone()));
        let client =
            if at.secret_in_body { client.set_auth_type(AuthType::RequestBody) } else { client };
        match &self.secret {
            Some(secret) => client.set_client_secret(ClientSecret::new(secret.clone())),
            None => client,
        }
    }

    /// The address to send a browser to now, and what it must bring back. `state` and `nonce` are
    /// two fresh secrets.
    pub(super) fn begin(
        &self,
        at: &SignInEndpoints,
        redirect: Url,
        (state, nonce): (String, String),
        (freshness, now): (&Freshness, Instant),
    ) -> (Url, PendingSignIn) {
        let (challenge, verifier) = PkceCodeChallenge::new_random_sha256();
        let client = self.client(at);
        let question = client.authorize_url(|| CsrfToken::new(state.clone()));
        let question = freshness
            .parameters()
            .fold(question, |question, (name, value)| question.add_extra_param(name, value));
        let (url, _) = question
            .add_scopes(SCOPES.map(|scope| Scope::new(scope.to_owned())))
            .add_extra_param("nonce", nonce.clone())
            .set_pkce_challenge(challenge)
            .set_redirect_uri(Cow::Owned(RedirectUrl::from_url(redirect)))
            .url();
        let (provider, verifier) = (self.name.clone(), verifier.into_secret());
        let signed_in_since = freshness.since(now).map(Instant::milliseconds);
        (url, PendingSignIn { provider, state, nonce, verifier, signed_in_since })
    }

    /// Exchanges a code for tokens.
    ///
    /// # Errors
    /// [`Refusal::Untrusted`] for a code that the provider does not take; [`Refusal::Unavailable`].
    pub(super) async fn exchange(
        &self,
        at: &SignInEndpoints,
        redirect: Url,
        (code, verifier): (String, &str),
        questions: &InFlightLookups,
    ) -> Result<AnsweredTokens, Refusal> {
        let _permit = questions.permit().await?;
        let client = self.client(at);
        let question = client
            .exchange_code(AuthorizationCode::new(code))
            .set_pkce_verifier(PkceCodeVerifier::new(verifier.to_owned()))
            .set_redirect_uri(Cow::Owned(RedirectUrl::from_url(redirect)));
        let unusable = |why: &str| Refusal::Unavailable(why.to_owned());
        let answer: Result<TokenAnswer, _> = question.request_async(&questions.outgoing).await;
        let answer = answer.map_err(|error| match error {
            RequestTokenError::Request(failure) => Refusal::from(failure),
            RequestTokenError::ServerResponse(error) => match error.error().as_ref() {
                "invalid_grant" | "invalid_request" => Refusal::Untrusted,
                _ => unusable("the token endpoint refuses this server as a client"),
            },
            RequestTokenError::Parse(..) | RequestTokenError::Other(_) => {
                unusable("the answer of the token endpoint cannot be read")
            }
        })?;
        let id = answer.extra_fields().id_token.clone();
        Ok(AnsweredTokens {
            access: oauth2::TokenResponse::access_token(&answer).secret().clone(),
            id,
        })
    }
}

/// What a browser brings back from a provider.
pub(crate) struct Callback {
    /// What the sign-in began with.
    pub(crate) state: String,
    /// The issuer that answers, where it says so.
    pub(crate) issuer: Option<String>,
    /// The code, or why there is none.
    pub(crate) outcome: Result<String, String>,
}

/// Why nobody is signed in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum SignInRefusal {
    /// The answer is not that of the provider to this browser.
    Foreign,
    /// The person, or the provider, does not want to.
    Denied,
    /// The person has signed in at the provider too long ago for the app, or the provider does not
    /// tell when.
    Stale,
    /// The provider failed.
    Failed,
    /// The tokens let nobody in.
    Token(Refusal),
}

impl From<Refusal> for SignInRefusal {
    fn from(refusal: Refusal) -> Self {
        Self::Token(refusal)
    }
}

impl Callback {
    /// The code, if the browser comes from that issuer, and with what it was sent with.
    ///
    /// # Errors
    /// [`SignInRefusal`].
    pub(super) fn code(
        self,
        pending: &PendingSignIn,
        issuer: &str,
        at: &SignInEndpoints,
    ) -> Result<String, SignInRefusal> {
        let named = self.issuer.as_deref();
        let from_issuer = named.map_or(!at.names_issuer, |named| named == issuer);
        if pending.state != self.state || !from_issuer {
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
    fn only_the_answer_of_the_issuer_to_this_browser_counts() {
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
    fn a_browser_is_sent_with_all_that_binds_the_answer() {
        let client = SignInClient::new(" Example ", "daybook".to_owned(), None).unwrap();
        let redirect = Url::parse("https://books.example.com/auth/callback").unwrap();
        let secrets = ("one".to_owned(), "two".to_owned());
        let wish = (&Freshness::read(Some("login"), None).unwrap(), Instant::new(70_000));
        let (url, pending) = client.begin(&endpoints(true), redirect.clone(), secrets, wish);
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
    fn clients_are_named() {
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
