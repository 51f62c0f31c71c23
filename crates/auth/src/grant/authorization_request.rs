//! Authorization requests: the query of `/auth/authorize` (RFC 6749, 4.1.1 and 4.2.1; RFC 7636;
//! OpenID Connect Core, 3.1.2.1).

use daybook_domain::grant::{GrantScope, OauthClient};
use daybook_domain::instant::Instant;
use daybook_edge::parameters::encode;
use reqwest::Url;

use super::fields::Fields;
use super::redirect::Redirect;
use super::registry::Clients;
use crate::identity::provider::freshness::Freshness;

/// The maximum length of a request in bytes. The sign-in page stores it in a cookie.
const MAX_REQUEST: usize = 2_048;
/// The length of a code challenge: a SHA-256 in base64url (RFC 7636, 4.2).
const CHALLENGE_LENGTH: usize = 43;

/// The client of an authorization request, and where the response goes.
pub(super) struct ClientRequest<'c> {
    pub(super) client: &'c OauthClient,
    pub(super) redirect_uri: String,
    pub(super) redirect: Redirect,
    /// Whether this is a public client with a loopback or custom-scheme redirect URI. Any program
    /// on the user's machine could receive its response, so a stored consent does not count.
    pub(super) ignores_stored_consent: bool,
}

impl<'c> ClientRequest<'c> {
    /// Finds the client and checks the redirect URI.
    ///
    /// # Errors
    /// The text of an error page. The browser must not be redirected.
    pub(super) fn read(
        fields: &Fields,
        clients: &'c Clients,
        base: &str,
    ) -> Result<Self, &'static str> {
        let pairs = fields.0.iter().map(|(name, value)| (name.as_str(), value.as_str()));
        if encode(pairs).len() > MAX_REQUEST {
            return Err("The request from the app is too long.");
        }
        if fields.repeated().is_some() {
            return Err("The request from the app repeats a parameter.");
        }
        let id = fields.get("client_id").ok_or("The request from the app has no client_id.")?;
        let registered =
            clients.find(id).ok_or("The app is not registered on this server (client_id).")?;
        let uri =
            fields.get("redirect_uri").ok_or("The request from the app has no redirect_uri.")?;
        if !registered.client.redirects_to(uri) {
            return Err("The address to return to (redirect_uri) is not registered for the app.");
        }
        let url = Url::parse(uri).map_err(|_| "The address to return to is not a valid URL.")?;
        let in_fragment = fields.get("response_type") == Some("token");
        let state = fields.get("state").map(str::to_owned);
        Ok(Self {
            client: &registered.client,
            // A token in the fragment is usable without the client's secret.
            ignores_stored_consent: (registered.secret.is_none() || in_fragment)
                && url.scheme() != "https",
            redirect_uri: uri.to_owned(),
            redirect: Redirect::new(url, in_fragment, state, base.to_owned()),
        })
    }
}

/// The flow that a client chose with `response_type`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Flow {
    /// `code`: the client redeems the code with the verifier of this challenge.
    Code { challenge: String, nonce: Option<String> },
    /// `token`: the redirect itself carries the access token.
    Implicit,
}

/// The validated parameters of an authorization request.
#[derive(Debug)]
pub(super) struct AuthorizationRequest {
    pub(super) flow: Flow,
    pub(super) scope: GrantScope,
    prompts: Vec<String>,
    /// How recently the user must have signed in.
    pub(super) freshness: Freshness,
}

/// An OAuth error code and its description.
type OauthError = (&'static str, String);

impl AuthorizationRequest {
    /// Parses and validates the parameters.
    ///
    /// # Errors
    /// The error to redirect to the client.
    pub(super) fn read(fields: &Fields, client: &OauthClient) -> Result<Self, OauthError> {
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
            return Err(invalid(&format!("response_mode must be {usual} or absent")));
        }
        let scope = client
            .scope(fields.get("scope"))
            .map_err(|refusal| (refusal.code(), refusal.to_string()))?;
        let prompts: Vec<String> = fields
            .get("prompt")
            .map(|text| text.split(' ').map(str::to_owned).collect())
            .unwrap_or_default();
        if prompts.len() > 1 && prompts.iter().any(|prompt| prompt == "none") {
            return Err(invalid("prompt must not combine none with other values"));
        }
        let freshness = Freshness::read(fields.get("prompt"), fields.get("max_age"))
            .ok_or_else(|| invalid("max_age must be a number of seconds"))?;
        Ok(Self { flow, scope, prompts, freshness })
    }

    /// Whether the client wants a response without any page (`prompt=none`).
    pub(super) fn is_silent(&self) -> bool {
        self.has_prompt("none")
    }

    /// Whether the client wants the consent page even if the user consented before.
    pub(super) fn requires_consent(&self) -> bool {
        self.has_prompt("consent")
    }

    /// Whether a user who signed in at that instant must sign in again.
    pub(super) fn needs_sign_in(&self, signed_in_at: Instant, now: Instant) -> bool {
        let earliest = self.freshness.earliest_sign_in(now);
        self.freshness.forces_sign_in() || earliest.is_some_and(|earliest| signed_in_at < earliest)
    }

    fn has_prompt(&self, value: &str) -> bool {
        self.prompts.iter().any(|prompt| prompt == value)
    }
}

fn flow(fields: &Fields, client: &OauthClient) -> Result<Flow, OauthError> {
    match fields.get("response_type") {
        Some("code") => {
            let is_s256 = fields.get("code_challenge_method") == Some("S256");
            match fields.get("code_challenge") {
                Some(challenge) if is_s256 && is_challenge(challenge) => Ok(Flow::Code {
                    challenge: challenge.to_owned(),
                    nonce: fields.get("nonce").map(str::to_owned),
                }),
                _ => Err(invalid("code_challenge with code_challenge_method=S256 is required")),
            }
        }
        Some("token") if client.implicit => Ok(Flow::Implicit),
        Some("token") => Err((
            "unauthorized_client",
            "this client may not use response_type=token; use code".to_owned(),
        )),
        _ => Err(("unsupported_response_type", "response_type must be code or token".to_owned())),
    }
}

fn is_challenge(text: &str) -> bool {
    text.len() == CHALLENGE_LENGTH
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_'))
}

fn invalid(text: &str) -> OauthError {
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
    fn code_flow_requires_a_challenge_and_implicit_flow_a_permission() {
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
    fn prompt_and_max_age_control_sign_in_and_consent() {
        let with = |name, value| read(&[("response_type", "token"), (name, value)], true);
        let (now, hour) = (Instant::new(3_600_000), Instant::new(0));
        for (name, value, is_silent, requires_consent, needs_sign_in) in [
            ("prompt", "none", true, false, false),
            ("prompt", "consent", false, true, false),
            ("prompt", "login consent", false, true, true),
            ("prompt", "select_account", false, false, true),
            ("max_age", "3600", false, false, false),
            ("max_age", "3599", false, false, true),
            ("response_mode", "fragment", false, false, false),
        ] {
            let parsed = with(name, value).unwrap();
            assert_eq!(parsed.is_silent(), is_silent, "{name}={value}");
            assert_eq!(parsed.requires_consent(), requires_consent, "{name}={value}");
            assert_eq!(parsed.needs_sign_in(hour, now), needs_sign_in, "{name}={value}");
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
