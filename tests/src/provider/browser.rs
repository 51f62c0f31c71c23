//! Signing in at a provider: the authorization code flow, through its pages.

use std::collections::BTreeMap;

use serde_json::Value;
use ureq::Agent;
use ureq::http::Response;

use super::{Provider, agent};
use crate::encode;

/// The secret of the clients that people sign in through.
const SECRET: &str = "of-the-web-page";
/// The redirect URI of these clients; no server listens there.
const CALLBACK: &str = "https://client.example/callback";

/// The token response of the provider.
#[derive(Clone, Debug)]
pub struct Tokens {
    /// Opaque, or a JWT when a resource was requested.
    pub access: String,
    /// A JWT.
    pub id: String,
}

impl Provider {
    /// Signs a user in through a client (`web-ES256`, ...; the access tokens of `web-brief` live
    /// for twelve seconds) and consents to the scope. With a resource the access token is a JWT.
    #[track_caller]
    pub fn sign_in(&self, sub: &str, client: &str, scope: &str, resource: &str) -> Tokens {
        let mut question = vec![
            ("client_id", client),
            ("redirect_uri", CALLBACK),
            ("response_type", "code"),
            ("scope", scope),
        ];
        if !resource.is_empty() {
            question.push(("resource", resource));
        }
        let back = self.visit(&format!("{}/auth?{}", self.issuer(), form(&question)), sub);
        let query = back.strip_prefix(CALLBACK).map(|query| query.trim_start_matches('?'));
        let code =
            query.and_then(|query| query.split('&').find_map(|pair| pair.strip_prefix("code=")));
        let code = code.unwrap_or_else(|| panic!("a code: {back}"));
        self.exchange(client, code, resource)
    }

    /// A person who is not signed in at this issuer.
    pub fn visitor(&self) -> Visitor {
        Visitor { issuer: self.issuer().to_owned(), agent: agent(), cookies: BTreeMap::new() }
    }

    /// Signs a user in and consents, starting at an authorization URL; returns the redirect to the
    /// client.
    #[track_caller]
    pub fn visit(&self, url: &str, sub: &str) -> String {
        self.visitor().visit(url, sub)
    }

    /// Refuses to sign in; returns the redirect to the client.
    #[track_caller]
    pub fn refuse(&self, url: &str) -> String {
        let mut visitor = self.visitor();
        let page = visitor.get(url);
        let Page::Form { action, .. } = page else { panic!("a form: {page:?}") };
        match visitor.get(&format!("{action}/abort")) {
            Page::Back(place) => place,
            page @ Page::Form { .. } => panic!("back at the client, not {page:?}"),
        }
    }

    #[track_caller]
    fn exchange(&self, client: &str, code: &str, resource: &str) -> Tokens {
        let mut fields = vec![
            ("grant_type", "authorization_code"),
            ("code", code),
            ("redirect_uri", CALLBACK),
            ("client_id", client),
            ("client_secret", SECRET),
        ];
        if !resource.is_empty() {
            fields.push(("resource", resource));
        }
        let body = self.form("/token", &fields);
        let body: Value = serde_json::from_str(&body).expect("JSON");
        let text = |name: &str| match body[name].as_str() {
            Some(text) => text.to_owned(),
            None => panic!("{name}: {body}"),
        };
        Tokens { access: text("access_token"), id: text("id_token") }
    }

    /// Revokes an opaque access token of this client.
    #[track_caller]
    pub fn revoke(&self, client: &str, token: &str) {
        let fields = [("token", token), ("client_id", client), ("client_secret", SECRET)];
        self.form("/token/revocation", &fields);
    }

    /// Posts a form to an endpoint, which must succeed; returns the body.
    #[track_caller]
    fn form(&self, path: &str, fields: &[(&str, &str)]) -> String {
        let request = agent().post(format!("{}{path}", self.issuer()));
        let sent = request.content_type("application/x-www-form-urlencoded").send(form(fields));
        let mut answer = sent.expect("an answer");
        let text = answer.body_mut().read_to_string().expect("text");
        assert_eq!(answer.status(), 200, "{path}: {text}");
        text
    }
}

fn form(fields: &[(&str, &str)]) -> String {
    let pairs = fields.iter().map(|(name, value)| format!("{name}={}", encode(value)));
    pairs.collect::<Vec<_>>().join("&")
}

/// The page after all redirects.
#[derive(Debug)]
enum Page {
    /// A page with a prompt (`login`, `consent`) and the address of its form.
    Form { action: String, prompt: String },
    /// The redirect to the client.
    Back(String),
}

/// A person with a browser session: cookies, redirects and forms.
pub struct Visitor {
    issuer: String,
    agent: Agent,
    cookies: BTreeMap<String, String>,
}

impl Visitor {
    /// Goes through all pages from an authorization URL; returns the redirect to the client.
    #[track_caller]
    pub fn visit(&mut self, url: &str, sub: &str) -> String {
        let mut page = self.get(url);
        loop {
            let (action, prompt) = match page {
                Page::Back(place) => return place,
                Page::Form { action, prompt } => (action, prompt),
            };
            let fields = match prompt.as_str() {
                "login" => &[("prompt", "login"), ("login", sub), ("password", "any")][..],
                "consent" => &[("prompt", "consent")],
                other => panic!("a page that asks for {other:?}"),
            };
            page = self.post(&action, fields);
        }
    }

    /// Whether an authorization URL makes this person sign in again.
    #[track_caller]
    pub fn must_sign_in(&mut self, url: &str) -> bool {
        matches!(self.get(url), Page::Form { prompt, .. } if prompt == "login")
    }

    #[track_caller]
    fn get(&mut self, url: &str) -> Page {
        let request = self.agent.get(url).header("cookie", self.cookie());
        let answer = request.call().expect("an answer");
        self.follow(answer)
    }

    #[track_caller]
    fn post(&mut self, url: &str, fields: &[(&str, &str)]) -> Page {
        let request = self.agent.post(url).header("cookie", self.cookie());
        let request = request.content_type("application/x-www-form-urlencoded");
        let answer = request.send(form(fields)).expect("an answer");
        self.follow(answer)
    }

    fn cookie(&self) -> String {
        let pairs = self.cookies.iter().map(|(name, value)| format!("{name}={value}"));
        pairs.collect::<Vec<_>>().join("; ")
    }

    #[track_caller]
    fn follow(&mut self, mut answer: Response<ureq::Body>) -> Page {
        for set in answer.headers().get_all("set-cookie") {
            let pair = set.to_str().expect("ASCII").split(';').next().unwrap_or_default();
            let (name, value) = pair.split_once('=').expect("a name and a value");
            // An empty value deletes a cookie.
            self.cookies.insert(name.to_owned(), value.to_owned());
            self.cookies.retain(|_, value| !value.is_empty());
        }
        if let Some(place) = answer.headers().get("location") {
            let place = place.to_str().expect("ASCII").to_owned();
            if place.starts_with('/') {
                return self.get(&format!("{}{place}", self.issuer));
            }
            let inside = place.strip_prefix(&self.issuer).is_some_and(|rest| rest.starts_with('/'));
            return if inside { self.get(&place) } else { Page::Back(place) };
        }
        let page = answer.body_mut().read_to_string().expect("a page");
        let between = |start: &str| {
            let (_, rest) = page.split_once(start).unwrap_or_else(|| panic!("{start} in {page}"));
            rest.split('"').next().unwrap_or_default().to_owned()
        };
        let prompt = between("name=\"prompt\" value=\"");
        Page::Form { action: between("action=\""), prompt }
    }
}
