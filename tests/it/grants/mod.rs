//! The built-in OAuth 2.0 and OpenID Connect issuer (11.3, 11.16 - 11.19), tested with the requests
//! of apps.

mod abuse;
mod authorize;
mod codes;
mod consents;
mod device;
mod implicit;
mod made_up;
mod openid;
mod token_state;

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use daybook_tests::browser::{Browser, form};
use daybook_tests::{Answer, Client, Server, encode, unique, unique_address};
use serde_json::{Value, json};

pub fn tests() -> Vec<crate::Case> {
    let all = [
        abuse::tests(),
        authorize::tests(),
        codes::tests(),
        consents::tests(),
        device::tests(),
        implicit::tests(),
        made_up::tests(),
        openid::tests(),
        token_state::tests(),
    ];
    all.into_iter().flatten().collect()
}

/// The built-in client, and the loopback address of a program.
pub const CLI: &str = "daybook-cli";
pub const WAITING: &str = "http://127.0.0.1:51234/callback";
/// The example of RFC 7636, appendix B.
pub const VERIFIER: &str = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk";
const CHALLENGE: &str = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM";
/// A web app with a secret, an older one without, and a command line of another server.
pub const APP: &str = "app";
pub const APP_URI: &str = "https://app.example.com/cb?from=daybook";
const OLD: &str = "old-app";
const OLD_URI: &str = "https://old.example.com/";
const DESKTOP: &str = "desktop";
const DESKTOP_URI: &str = "https://desktop.example.com/cb";
const OTHER_CLI: &str = "1234.apps.example.com";
pub const SECRET: &str = "s3cret/with+signs%";

pub fn person() -> String {
    format!("{}@example.com", unique("grants"))
}

/// Starts a second process with these clients.
fn with_clients(server: &Server) -> Server {
    server.beside(&["--clients", &file_of_clients(server)])
}

/// Writes a file of clients and returns its path.
pub fn file_of_clients(server: &Server) -> String {
    let file = server.data_dir().join(unique("clients"));
    let clients = json!({"items": [
        {"clientId": APP, "name": "The <App>", "clientSecret": SECRET, "redirectUris": [APP_URI]},
        {"clientId": OLD, "name": "Old app", "implicit": true, "redirectUris": [OLD_URI]},
        {"clientId": DESKTOP, "name": "Desktop", "clientSecret": SECRET, "implicit": true,
            "redirectUris": [WAITING, DESKTOP_URI]},
        {"clientId": OTHER_CLI, "name": "Command line", "clientSecret": "public",
            "emailScope": "https://id.example.com/userinfo.email"},
    ]});
    std::fs::write(&file, clients.to_string()).expect("a file");
    let mode = std::os::unix::fs::PermissionsExt::from_mode(0o600);
    std::fs::set_permissions(&file, mode).expect("a mode");
    file.to_str().expect("a path").to_owned()
}

/// The authorization request of the built-in client.
pub const ASKED: [(&str, &str); 7] = [
    ("response_type", "code"),
    ("client_id", CLI),
    ("redirect_uri", WAITING),
    ("scope", "email"),
    ("state", "st&te"),
    ("code_challenge", CHALLENGE),
    ("code_challenge_method", "S256"),
];

/// The parameters of the web app that differ.
const OF_APP: [(&str, &str); 2] = [("client_id", APP), ("redirect_uri", APP_URI)];

/// Replaces parameters of [`ASKED`]; an empty value removes one.
pub fn asked_with<'p>(other: &[(&'p str, &'p str)]) -> Vec<(&'p str, &'p str)> {
    let mut all: Vec<(&str, &str)> =
        ASKED.into_iter().filter(|(name, _)| other.iter().all(|(own, _)| own != name)).collect();
    all.extend(other.iter().filter(|(_, value)| !value.is_empty()));
    all
}

fn path_of(asked: &[(&str, &str)]) -> String {
    format!("/auth/authorize?{}", form(asked))
}

/// Returns a parameter of the redirect of a response.
#[track_caller]
pub fn sent(answer: &Answer, name: &str) -> Option<String> {
    assert_eq!(answer.status, 303, "{}", answer.text);
    let (_, parameters) = answer.headers["location"].rsplit_once(['?', '#'])?;
    let found = parameters.split('&').find_map(|pair| pair.strip_prefix(&format!("{name}=")))?;
    Some(decoded(found))
}

/// Returns the parameters of a URL.
fn fields_of(path: &str) -> Vec<(String, String)> {
    let query = path.split_once('?').expect("a query").1;
    let pairs = query.split('&').filter_map(|pair| pair.split_once('='));
    pairs.map(|(name, value)| (name.to_owned(), decoded(value))).collect()
}

fn decoded(text: &str) -> String {
    let text = text.replace('+', " ");
    let mut bytes = Vec::new();
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        if byte == b'%' {
            let digits: String = rest.by_ref().take(2).map(char::from).collect();
            bytes.push(u8::from_str_radix(&digits, 16).expect("two digits"));
        } else {
            bytes.push(byte);
        }
    }
    String::from_utf8(bytes).expect("UTF-8")
}

/// Allows the request on the consent page.
#[track_caller]
fn allow(browser: &mut Browser, asked: &[(&str, &str)]) -> Answer {
    browser.post("/auth/consent", &[asked, &[("decision", "allow")]].concat())
}

/// Returns a code for a signed-in user.
#[track_caller]
pub fn code(browser: &mut Browser, asked: &[(&str, &str)]) -> String {
    sent(&allow(browser, asked), "code").expect("a code")
}

/// Posts a form from a new address.
#[track_caller]
fn ask(server: &Server, path: &str, fields: &[(&str, &str)]) -> Answer {
    let client = server.anonymous().header("X-Forwarded-For", &unique_address());
    post(&client, path, fields)
}

#[track_caller]
pub fn post(client: &Client, path: &str, fields: &[(&str, &str)]) -> Answer {
    let kind = Some("application/x-www-form-urlencoded");
    client.send_raw("POST", path, kind, form(fields).as_bytes())
}

/// Returns a client with HTTP Basic credentials.
pub fn with_secret(server: &Server, id: &str, secret: &str) -> Client {
    let pair = format!("{}:{}", encode(id), encode(secret));
    server.anonymous().header("Authorization", &format!("Basic {}", BASE64_STANDARD.encode(pair)))
}

fn redemption(code: &str) -> [(&str, &str); 5] {
    [
        ("grant_type", "authorization_code"),
        ("client_id", CLI),
        ("redirect_uri", WAITING),
        ("code_verifier", VERIFIER),
        ("code", code),
    ]
}

/// Exchanges a code of the built-in client for tokens.
#[track_caller]
pub fn redeem(server: &Server, code: &str) -> Value {
    ask(server, "/auth/token", &redemption(code)).ok()
}

#[track_caller]
fn refresh(server: &Server, token: &str) -> Answer {
    let fields = [("grant_type", "refresh_token"), ("client_id", CLI), ("refresh_token", token)];
    ask(server, "/auth/token", &fields)
}

pub fn text<'v>(value: &'v Value, name: &str) -> &'v str {
    value[name].as_str().unwrap_or_else(|| panic!("{name} in {value}"))
}

/// Asserts an error of RFC 6749 with a description.
#[track_caller]
fn is_refused(answer: &Answer, status: u16, code: &str) {
    assert_eq!(answer.status, status, "{}", answer.text);
    assert_eq!(answer.body["error"], code, "{}", answer.text);
    assert!(!text(&answer.body, "error_description").is_empty());
    assert_eq!(answer.headers["cache-control"], "no-store");
}

/// Asserts that a token authenticates this user.
#[track_caller]
pub fn lets_in(server: &Server, token: &str, email: &str) {
    assert_eq!(server.client_with_token(token).get("/v5/user").ok()["email"], email);
}
