//! What a client asks for by sending a browser to `/auth/authorize` (RFC 6749, 4.1.1 and 4.2.1;
//! RFC 7636; OpenID Connect Core, 3.1.2.1).

use daybook_domain::grant::{GrantScope, OauthClient};
use daybook_domain::instant::Instant;
use reqwest::Url;

use super::fields::Fields;
use super::redirect::Redirect;
use super::registry::Clients;
use crate::identity::provider::freshness::Freshness;
use crate::parameters::encoded;

/// Bytes of a request at most: the sign-in page keeps it in a cookie.
const MAX_REQUEST: usize = 2_048;
/// Characters of a code challenge: a SHA-256 in base64url (RFC 7636, 4.2).
const CHALLENGE: usize = 43;

/// Who asks, and where the answer goes.
pub(super) struct ClientRequest<'c> {
    pub(super) client: &'c OauthClient,
    pub(super) redirect_uri: String,
    pub(super) redirect: Redirect,
    /// Whether any program of the user's machine could be the one that gets the answer.
    pub(super) is_anybody: bool,
}

impl<'c> ClientRequest<'c> {
    /// Finds who asks.
    ///
    /// # Errors
    /// Why nobody may be sent anywhere.
    pub(super) fn read(
        fields: &Fields,
        clients: &'c Clients,
        base: &str,
    ) -> Result<Self, &'static str> {
        let pairs = fields.0.iter().map(|(name, value)| (name.as_str(), value.as_str()));
        if encoded(pairs).len() > MAX_REQUEST {
            return Err("The request of the app is too long.");
        }
        if fields.repeated().is_some() {
            return Err("The request of the app says something twice.");
        }
        let id = fields.get("client_id").ok_or("The app does not say who it is (client_id).")?;
        let known = clients.find(id).ok_or("The app is not one that this server knows.")?;
        let uri = fields
            .get("redirect_uri")
            .ok_or("The app does not say where to return to (redirect_uri).")?;
        if !known.redirects_to(uri, base) {
            return Err("The address to return to (redirect_uri) is not one that the app has.");
        }
        let url = Url::parse(uri).map_err(|_| "The address to return to cannot be read.")?;
        let in_fragment = fields.get("response_type") == Some("token");
        let state = fields.get("state").map(str::to_owned);
        Ok(Self {
            client: &known.client,
            // A token in the address needs no secret to be used.
            is_anybody: (known.secret.is_none() || in_fragment) && url.scheme() != "https",
            redirect_uri: uri.to_owned(),
            redirect: Redirect::new(url, in_fragment, state, base.to_owned()),
        })
    }
}

/// What the client gets.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Flow {
    /// A code, which it redeems with the verifier of this challenge.
    Code { challenge: String, nonce: Option<String> },
    /// A token at once.
    Implicit,
}

/// What a client asks for.
#[derive(Debug)]
pub(super) struct AuthorizationRequest {
    pub(super) flow: Flow,
    pub(super) scope: GrantScope,
    prompts: Vec<String>,
    /// How lately the user must have signed in.
    pub(super) freshness: Freshness,
}

/// An error code and its description.
type ErrorAnswer = (&'static str, String);

impl AuthorizationRequest {
    /// Reads what is asked.
    ///
    /// # Errors
    /// What the client is told.
    pub(super) fn read(fields: &Fields, client: &OauthClient) -> Result<Self, ErrorAnswer> {
        let flow = flow(fields, client)?;
        for (name, code) in
            [("request", "request_not_supported"), ("request_uri", "request_uri_not_supported")]
        {
            if fields.get(name).is_some() {
                return Err((code, format!("{name} is not supported")));
            }
        }
        let usual = if flow == Flow::Implicit { "fragment" } else { "query" };
        if fields.get("response_mode").is_some_and(|mode| mode != usual) {
            return Err(invalid(&format!("response_mode is {usual}, and needs not be named")));
        }
        let scope = client
            .scope(fields.get("scope"))
            .map_err(|refusal| (refusal.code(), refusal.to_string()))?;
        let prompts: Vec<String> = fields
            .get("prompt")
            .map(|text| text.split(' ').map(str::to_owned).collect())
            .unwrap_or_default();
        if prompts.len() > 1 && prompts.iter().any(|prompt| prompt == "none") {
            return Err(invalid("prompt is none, or something else, not both"));
        }
        let freshness = Freshness::read(fields.get("prompt"), fields.get("max_age"))
            .ok_or_else(|| invalid("max_age is no number of seconds"))?;
        Ok(Self { flow, scope, prompts, freshness })
    }

    /// Whether the client wants an answer without any page.
    pub(super) fn is_silent(&self) -> bool {
        self.prompts("none")
    }

    /// Whether it wants the user to agree again.
    pub(super) fn asks_again(&self) -> bool {
        self.prompts("consent")
    }

    /// Whether somebody who signed in then must sign in again.
    pub(super) fn needs_sign_in(&self, signed_in_at: Instant, now: Instant) -> bool {
        let since = self.freshness.since(now);
        self.freshness.asks_always() || since.is_some_and(|since| signed_in_at < since)
    }

    fn prompts(&self, what: &str) -> bool {
        self.prompts.iter().any(|prompt| prompt == what)
    }
}

fn flow(fields: &Fields, client: &OauthClient) -> Result<Flow, ErrorAnswer> {
    match fields.get("response_type") {
        Some("code") => {
            let challenge = fields
                .get("code_challenge")
                .filter(|_| fields.get("code_challenge_method") == Some("S256"))
                .filter(|text| is_challenge(text))
                .ok_or_else(|| {
                    invalid("code_challenge, with code_challenge_method=S256, is required")
                })?;
            let nonce = fields.get("nonce").map(str::to_owned);
            Ok(Flow::Code { challenge: challenge.to_owned(), nonce })
        }
        Some("token") if client.implicit => Ok(Flow::Implicit),
        Some("token") => Err((
            "unauthorized_client",
            "this client may not use response_type=token; use code".to_owned(),
        )),
        _ => Err(("unsupported_response_type", "response_type is code or token".to_owned())),
    }
}

fn is_challenge(text: &str) -> bool {
    text.len() == CHALLENGE
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_'))
}

fn invalid(text: &str) -> ErrorAnswer {
    ("invalid_request", text.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    const S256: &str = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM";

    fn read(pairs: &[(&str, &str)], implicit: bool) -> Result<AuthorizationRequest, &'static str> {
        let client = OauthClient {
            id: "app".to_owned(),
            name: "App".to_owned(),
            redirects: Vec::new(),
            implicit,
            email_scope: None,
        };
        let fields = pairs.iter().map(|(a, b)| ((*a).to_owned(), (*b).to_owned())).collect();
        AuthorizationRequest::read(&Fields(fields), &client).map_err(|(code, _)| code)
    }

    #[test]
    fn codes_need_a_challenge_and_tokens_a_permission() {
        let code = [("response_type", "code"), ("code_challenge", S256)];
        let method = ("code_challenge_method", "S256");
        assert!(read(&[code[0], code[1], method], false).is_ok());
        let plain = ("code_challenge_method", "plain");
        let short = ("code_challenge", &S256[1..]);
        for wrong in [&[code[0]][..], &code, &[code[0], code[1], plain], &[code[0], short, method]]
        {
            assert_eq!(read(wrong, true).unwrap_err(), "invalid_request", "{wrong:?}");
        }
        let token = [("response_type", "token")];
        assert_eq!(read(&token, true).unwrap().flow, Flow::Implicit);
        assert_eq!(read(&token, false).unwrap_err(), "unauthorized_client");
        for other in ["id_token", "code token", ""] {
            let refused = read(&[("response_type", other)], true).unwrap_err();
            assert_eq!(refused, "unsupported_response_type", "{other}");
        }
    }

    #[test]
    fn clients_say_how_the_user_is_asked() {
        let with = |name, value| read(&[("response_type", "token"), (name, value)], true);
        let (now, hour) = (Instant::new(3_600_000), Instant::new(0));
        for (name, value, silent, again, sign_in) in [
            ("prompt", "none", true, false, false),
            ("prompt", "consent", false, true, false),
            ("prompt", "login consent", false, true, true),
            ("prompt", "select_account", false, false, true),
            ("max_age", "3600", false, false, false),
            ("max_age", "3599", false, false, true),
            ("response_mode", "fragment", false, false, false),
        ] {
            let asked = with(name, value).unwrap();
            let found = (asked.is_silent(), asked.asks_again(), asked.needs_sign_in(hour, now));
            assert_eq!(found, (silent, again, sign_in), "{name}={value}");
        }
        for (name, value, expected) in [
            ("prompt", "none login", "invalid_request"),
            ("max_age", "-1", "invalid_request"),
            ("max_age", "soon", "invalid_request"),
            ("response_mode", "query", "invalid_request"),
            ("scope", "openid", "invalid_scope"),
            ("request", "x", "request_not_supported"),
            ("request_uri", "x", "request_uri_not_supported"),
        ] {
            assert_eq!(with(name, value).unwrap_err(), expected, "{name}={value}");
        }
    }
}
