//! Signing in with a browser through a provider (11.20), and attacks on it: login CSRF, replay,
//! code injection and mix-up.

use daybook_tests::browser::{Browser, is_page};
use daybook_tests::provider::{File, Provider, SIGN_IN_SECRET};
use daybook_tests::{Answer, Engine, Options, Server, encode, shows};
use serde_json::{Value, json};

use super::{arguments, changed, now};
use crate::Case;
use crate::secrets::assert_not_logged;
use daybook_tests::openapi::access::is_documented;

pub fn tests() -> Vec<Case> {
    crate::isolated![
        user_signs_in_through_a_provider,
        public_client_signs_in_with_pkce,
        unadmitted_unverified_and_disabled_users_are_refused,
        callback_is_bound_to_its_browser,
        callback_works_once,
        callback_works_at_another_process,
        authorization_request_resumes_after_sign_in,
        injected_codes_are_refused,
        callback_of_another_issuer_is_refused,
        id_token_must_match_the_request,
        provider_errors_are_shown,
        sign_in_secrets_are_not_logged,
    ]
}

pub(super) const APP: &str = "https://app.example.com/books";
pub(super) const BEGIN: &str = "/auth/provider?name=Example%20Id";

/// A server with an issuer called `Example Id` for signing in.
pub(super) struct SignInFixture {
    pub(super) provider: Provider,
    pub(super) server: Server,
    file: File,
}

impl SignInFixture {
    #[track_caller]
    pub(super) fn new(engine: Engine) -> SignInFixture {
        SignInFixture::with(engine, true, &[])
    }

    /// With or without a client secret, and with other entries.
    #[track_caller]
    fn with(engine: Engine, secret: bool, others: &[Value]) -> SignInFixture {
        let provider = Provider::start();
        let entry = provider.signing_in("Example Id", secret);
        let file = File::new(&[&[entry], others].concat());
        let mut args = arguments(&file, &["@example.com"]);
        args.extend(["--web-origins", "https://app.example.com"].map(str::to_owned));
        // A sign-in that began nowhere else ends on a page.
        args.push("--no-console".to_owned());
        let env = vec![("DAYBOOK_LOG".to_owned(), "trace".to_owned())];
        let options = Options { engine, args, env, ..Options::default() };
        let fixture = SignInFixture { provider, server: Server::start_with(options), file };
        fixture.meet(&fixture.provider);
        fixture
    }

    /// Registers the redirect URI of the server at a provider.
    #[track_caller]
    fn meet(&self, provider: &Provider) {
        let redirect = format!("{}/auth/callback", self.server.base());
        provider.set(&json!({"redirects": [redirect]}));
    }

    #[track_caller]
    pub(super) fn person(&self, sub: &str) -> String {
        let email = format!("{sub}@example.com");
        let claims = json!({"email": email, "email_verified": true, "name": "Petra Private"});
        self.provider.user(sub, &claims);
        email
    }

    /// Returns a browser that was redirected to the provider, and the address.
    #[track_caller]
    fn begun(&self) -> (Browser, String) {
        let mut browser = Browser::new(&self.server);
        let to = sent(&browser.get(BEGIN));
        (browser, to)
    }

    /// Returns a browser after signing in at the provider, and its callback path.
    #[track_caller]
    fn answered(&self, sub: &str) -> (Browser, String) {
        let (browser, to) = self.begun();
        (browser, self.path(&self.provider.visit(&to, sub)))
    }

    /// Returns the path of an address of the server.
    #[track_caller]
    pub(super) fn path(&self, url: &str) -> String {
        let path = url.strip_prefix(self.server.base());
        path.unwrap_or_else(|| panic!("an address of the server: {url}")).to_owned()
    }
}

/// Returns the redirect of a response.
#[track_caller]
pub(super) fn sent(answer: &Answer) -> String {
    assert_eq!(answer.status, 303, "{}", answer.text);
    answer.headers["location"].clone()
}

/// Checks that the sign-in is refused with a page. It ends, unless the callback does not belong to
/// it (400).
#[track_caller]
pub(super) fn refused(browser: &mut Browser, path: &str, status: u16, what: &str) -> String {
    let session = browser.cookie("daybook_session").map(str::to_owned);
    let answer = browser.get(path);
    assert_eq!(answer.status, status, "{what}: {}", answer.text);
    is_page(&answer, status);
    is_documented("GET", path, &answer);
    assert_eq!(browser.cookie("daybook_session").map(str::to_owned), session, "{what}");
    if status != 400 {
        assert_eq!(browser.sign_ins(), Vec::<&str>::new(), "{what}");
    }
    answer.text
}

/// Returns the signed-in user.
#[track_caller]
fn user(fixture: &SignInFixture, browser: &mut Browser) -> Value {
    let answer = browser.send("POST", "/auth/refresh", Some("https://app.example.com"), "").ok();
    let token = answer["accessToken"].as_str().expect("an access token");
    fixture.server.client_with_token(token).get("/v5/user").ok()
}

/// Returns the raw value of a parameter.
#[track_caller]
pub(super) fn parameter(url: &str, name: &str) -> String {
    let (_, query) = url.split_once('?').expect("a query");
    let found = query.split('&').find_map(|pair| pair.strip_prefix(&format!("{name}=")));
    found.unwrap_or_else(|| panic!("{name} in {url}")).to_owned()
}

/// Replaces a parameter of an address; `None` removes it.
fn with(url: &str, name: &str, value: Option<&str>) -> String {
    let (path, query) = url.split_once('?').expect("a query");
    let other = query.split('&').filter(|pair| !pair.starts_with(&format!("{name}=")));
    let new = value.map(|value| format!("{name}={value}"));
    let pairs: Vec<String> = other.map(str::to_owned).chain(new).collect();
    format!("{path}?{}", pairs.join("&"))
}

/// From the app to the provider and back.
fn user_signs_in_through_a_provider(engine: Engine) {
    let fixture = SignInFixture::new(engine);
    let email = fixture.person("petra");
    let mut browser = Browser::new(&fixture.server);
    let page = browser.get(&format!("/auth/login?returnUrl={}", encode(APP)));
    is_page(&page, 200);
    let (_, link) = page.text.split_once("class=\"button\" href=\"").expect("a link");
    let link = link.split('"').next().expect("its end").replace("&amp;", "&");
    assert!(page.text.contains("Sign in with Example Id"), "{}", page.text);
    let answer = browser.get(&link);
    is_documented("GET", &link, &answer);
    let cookie = answer.headers["set-cookie"].clone();
    for part in ["HttpOnly", "SameSite=Lax", "Path=/auth", "Max-Age=600"] {
        assert!(cookie.contains(part), "{part}: {cookie}");
    }
    assert!(!cookie.contains("Secure"), "loopback without TLS");
    let to = sent(&answer);
    assert!(to.starts_with(fixture.provider.issuer()), "{to}");
    for (name, value) in [
        ("response_type", "code"),
        ("client_id", "sign-in"),
        ("code_challenge_method", "S256"),
        ("scope", "openid+email+profile"),
    ] {
        assert_eq!(parameter(&to, name), value, "{to}");
    }
    assert!(parameter(&to, "state").len() >= 43 && parameter(&to, "nonce").len() >= 43);
    let back = fixture.path(&fixture.provider.visit(&to, "petra"));
    let answer = browser.get(&back);
    is_documented("GET", &back, &answer);
    assert_eq!(sent(&answer), APP);
    assert_eq!(browser.sign_ins(), Vec::<&str>::new());
    assert_eq!(browser.cookie("daybook_return"), None);
    let signed_in = user(&fixture, &mut browser);
    shows(&signed_in, &json!({"email": email, "fullName": "Petra Private"}));
    let sessions = fixture.server.client(&email).get("/v5/user/sessions").ok();
    assert_eq!(sessions["items"][0]["method"], "provider", "11.28");
    // Without an app and as the existing user. State, nonce and challenge are unique.
    let (mut other, again) = fixture.begun();
    for name in ["state", "nonce", "code_challenge"] {
        assert_ne!(parameter(&to, name), parameter(&again, name), "{name}");
    }
    is_page(&other.get(&fixture.path(&fixture.provider.visit(&again, "petra"))), 200);
    assert_eq!(user(&fixture, &mut other)["id"], signed_in["id"]);
    assert_ne!(other.cookie("daybook_session"), browser.cookie("daybook_session"));
}

fn public_client_signs_in_with_pkce(engine: Engine) {
    let fixture = SignInFixture::with(engine, false, &[]);
    let email = fixture.person("petra");
    fixture.provider.set(&json!({"emailInIdToken": true}));
    let (mut browser, back) = fixture.answered("petra");
    is_page(&browser.get(&back), 200);
    assert_eq!(user(&fixture, &mut browser)["email"], email);
    assert_eq!(fixture.provider.count("/me"), 0, "the ID token tells the address");
}

/// 11.11.
fn unadmitted_unverified_and_disabled_users_are_refused(engine: Engine) {
    let fixture = SignInFixture::new(engine);
    let claims = json!({"email": "olaf@outside.example", "email_verified": true});
    fixture.provider.user("olaf", &claims);
    let (mut browser, back) = fixture.answered("olaf");
    refused(&mut browser, &back, 403, "not admitted");
    let listed = fixture.server.run(&["user", "list"]).expect("users");
    assert!(!listed.contains("olaf"), "nothing is kept of them");
    for claims in [
        json!({"email": "una@example.com", "email_verified": false}),
        json!({"email": "una@example.com"}),
        json!({"email_verified": true}),
    ] {
        fixture.provider.user("una", &claims);
        let (mut browser, back) = fixture.answered("una");
        let text = refused(&mut browser, &back, 403, "not verified");
        assert!(
            text.contains("The identity provider did not send your verified e-mail address."),
            "{text}"
        );
    }
    let email = fixture.person("dora");
    let (mut browser, back) = fixture.answered("dora");
    is_page(&browser.get(&back), 200);
    fixture.server.run(&["user", "disable", "--email", &email]).expect("it is done");
    let (mut browser, back) = fixture.answered("dora");
    refused(&mut browser, &back, 403, "disabled");
}

/// Login CSRF: an attacker signs the browser of another person in as themselves.
fn callback_is_bound_to_its_browser(engine: Engine) {
    let fixture = SignInFixture::new(engine);
    fixture.person("petra");
    let (mut own, back) = fixture.answered("petra");
    refused(&mut Browser::new(&fixture.server), &back, 400, "a browser that was not sent");
    let (mut other, _) = fixture.begun();
    refused(&mut other, &back, 400, "one that was sent with another state");
    for state in [None, Some(""), Some("x")] {
        let (mut other, _) = fixture.begun();
        other.cookies.clone_from(&own.cookies);
        refused(&mut other, &with(&back, "state", state), 400, "another state");
    }
    for cookie in ["", "x", "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"] {
        let mut other = Browser::new(&fixture.server);
        other.cookies.clone_from(&own.cookies);
        other.cookies[0].1 = cookie.to_owned();
        refused(&mut other, &back, 400, "an unknown cookie");
    }
    is_page(&own.get(&back), 200);
}

/// Neither the callback nor its code works again.
fn callback_works_once(engine: Engine) {
    let fixture = SignInFixture::new(engine);
    fixture.person("petra");
    let (mut browser, back) = fixture.answered("petra");
    // Session fixation: a planted session cookie is not used.
    browser.cookies.push(("daybook_session".to_owned(), "7f.planted".to_owned()));
    let before = browser.cookies.clone();
    is_page(&browser.get(&back), 200);
    let session = browser.cookie("daybook_session").expect("a session").to_owned();
    assert!(!session.contains("planted") && !session.starts_with("7f."));
    refused(&mut browser, &back, 400, "the same callback");
    let mut again = Browser::new(&fixture.server);
    again.cookies = before;
    refused(&mut again, &back, 403, "with the cookie kept: the code is used up");
    assert_eq!(user(&fixture, &mut browser)["email"], "petra@example.com");
}

/// A proxy may send the callback to any process.
fn callback_works_at_another_process(engine: Engine) {
    let fixture = SignInFixture::new(engine);
    fixture.person("petra");
    let path = fixture.file.path().display().to_string();
    let args = ["--providers", &path, "--admit", "@example.com", "--no-console"];
    let beside = fixture.server.beside(&args);
    let (mut browser, back) = fixture.answered("petra");
    let host = fixture.server.address().to_string();
    browser.server = beside.anonymous().header("Host", &host);
    is_page(&browser.get(&back), 200);
    browser.server = fixture.server.anonymous();
    assert_eq!(user(&fixture, &mut browser)["email"], "petra@example.com");
}

/// 11.16.
fn authorization_request_resumes_after_sign_in(engine: Engine) {
    let fixture = SignInFixture::new(engine);
    let email = fixture.person("petra");
    let mut browser = Browser::new(&fixture.server);
    let question = format!(
        "/auth/authorize?response_type=code&client_id=daybook-cli&scope=email&state=s\
            &redirect_uri={}&code_challenge_method=S256&code_challenge={}",
        encode("http://127.0.0.1:4000/callback"),
        "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"
    );
    let page = browser.get(&question);
    is_page(&page, 200);
    assert!(page.text.contains("Sign in with Example Id"), "{}", page.text);
    let (_, link) = page.text.split_once("class=\"button\" href=\"").expect("a link");
    let link = link.split('"').next().expect("its end").replace("&amp;", "&");
    let to = sent(&browser.get(&link));
    let back = fixture.path(&fixture.provider.visit(&to, "petra"));
    let goes_on = sent(&browser.get(&back));
    assert!(goes_on.starts_with("/auth/authorize?"), "{goes_on}");
    let page = browser.get(&goes_on);
    is_page(&page, 200);
    assert!(page.text.contains(&email), "it asks {email}: {}", page.text);
}

/// The code of one sign-in is sent in another.
fn injected_codes_are_refused(engine: Engine) {
    let fixture = SignInFixture::new(engine);
    fixture.person("petra");
    fixture.person("mallory");
    let (_, stolen) = fixture.answered("petra");
    let (mut browser, own) = fixture.answered("mallory");
    let injected = with(&own, "code", Some(&parameter(&stolen, "code")));
    refused(&mut browser, &injected, 403, "a code for another challenge");
    for code in [Some(""), Some("x"), None] {
        let (mut browser, own) = fixture.answered("mallory");
        let status = if code.is_some() { 403 } else { 400 };
        refused(&mut browser, &with(&own, "code", code), status, "no code");
    }
}

/// Mix-up attack (RFC 9207).
fn callback_of_another_issuer_is_refused(engine: Engine) {
    let other = Provider::start();
    let fixture = SignInFixture::with(engine, true, &[other.signing_in("Other", true)]);
    fixture.meet(&other);
    fixture.person("petra");
    let page = Browser::new(&fixture.server).get(&format!("/auth/login?returnUrl={}", encode(APP)));
    assert!(page.text.contains("Example Id") && page.text.contains("name=Other"), "{}", page.text);
    for issuer in [Some(other.issuer()), Some(""), None] {
        let (mut browser, back) = fixture.answered("petra");
        let issuer = issuer.map(encode);
        let mixed = with(&back, "iss", issuer.as_deref());
        refused(&mut browser, &mixed, 400, "another issuer, or none where one is promised");
        assert_eq!(browser.sign_ins(), Vec::<&str>::new(), "once");
    }
    assert_eq!(other.count("/token"), 0, "no code goes to another provider");
    assert_eq!(fixture.provider.count("/token"), 0, "nor back");
    let claims = json!({"email": "olga@example.com", "email_verified": true});
    other.user("olga", &claims);
    let mut browser = Browser::new(&fixture.server);
    let to = sent(&browser.get("/auth/provider?name=Other"));
    is_page(&browser.get(&fixture.path(&other.visit(&to, "olga"))), 200);
    assert_eq!(user(&fixture, &mut browser)["email"], "olga@example.com");
}

/// Nonce replay and foreign ID tokens from the token endpoint.
fn id_token_must_match_the_request(engine: Engine) {
    let fixture = SignInFixture::new(engine);
    let issuer = fixture.provider.issuer();
    let es256 = json!({"alg": "ES256"});
    for (header, change, key, expected) in [
        (json!({}), json!({}), es256.clone(), 200),
        (json!({}), json!({"nonce": "of-another-sign-in"}), es256.clone(), 403),
        (json!({}), json!({"nonce": null}), es256.clone(), 403),
        (json!({}), json!({"aud": "web-ES256"}), es256.clone(), 403),
        (json!({}), json!({"aud": ["sign-in", "web-ES256"]}), es256.clone(), 403),
        (json!({}), json!({"azp": "web-ES256"}), es256.clone(), 403),
        (json!({}), json!({"iss": "https://other.example"}), es256.clone(), 403),
        (json!({}), json!({"exp": 5}), es256.clone(), 403),
        (json!({}), json!({"sub": null}), es256.clone(), 403),
        (json!({}), json!({"email_verified": false}), es256.clone(), 403),
        // The hash of the access token `a`, and of another.
        (json!({}), json!({"at_hash": "ypeBEsobvcr6wjGzmiPcTQ"}), es256.clone(), 200),
        (json!({}), json!({"at_hash": "77QmUPtjPfzWtF2AnpK9RQ"}), es256.clone(), 403),
        (json!({}), json!({"at_hash": 1}), es256.clone(), 403),
        (json!({}), json!({}), json!({"alg": "ES256", "set": "somebody else's"}), 403),
        (json!({"typ": "logout+jwt"}), json!({}), es256, 403),
        (json!({"alg": "none"}), json!({}), json!({"alg": "none"}), 403),
        (json!({"alg": "HS256", "kid": null}), json!({}), json!({"secret": SIGN_IN_SECRET}), 403),
    ] {
        let (mut browser, to) = fixture.begun();
        let claims = json!({
            "iss": issuer, "aud": "sign-in", "sub": "petra", "iat": now(), "exp": now() + 60,
            "nonce": parameter(&to, "nonce"), "email": "petra@example.com", "email_verified": true,
        });
        let what = format!("{header} {change} {key}");
        let id_token = fixture.provider.sign(&header, &changed(claims, &change), &key);
        let body = json!({"access_token": "a", "token_type": "Bearer", "id_token": id_token});
        let answer = json!({"kind": "status", "status": 200, "body": body.to_string()});
        fixture.provider.fail("/token", &answer);
        let state = parameter(&to, "state");
        let back = format!("/auth/callback?code=c&state={state}&iss={}", encode(issuer));
        if expected == 200 {
            is_page(&browser.get(&back), 200);
        } else {
            refused(&mut browser, &back, expected, &what);
        }
    }
}

fn provider_errors_are_shown(engine: Engine) {
    let fixture = SignInFixture::new(engine);
    fixture.person("petra");
    let (mut browser, to) = fixture.begun();
    let back = fixture.path(&fixture.provider.refuse(&to));
    assert_eq!(parameter(&back, "error"), "access_denied");
    refused(&mut browser, &back, 403, "the person does not want to");
    let issuer = encode(fixture.provider.issuer());
    for (error, status) in [("server_error", 502), ("<b>", 502), ("access_denied", 403)] {
        let (mut browser, to) = fixture.begun();
        let path = format!(
            "/auth/callback?error={}&error_description=%3Cb%3Ebold&state={}&iss={issuer}",
            encode(error),
            parameter(&to, "state")
        );
        let text = refused(&mut browser, &path, status, error);
        assert!(!text.contains("<b>") && !text.contains("bold"), "{text}");
    }
    let unknown = Browser::new(&fixture.server).get("/auth/provider?name=Unknown");
    is_page(&unknown, 404);
    is_page(&Browser::new(&fixture.server).get("/auth/provider"), 404);
    for failure in [
        json!({"kind": "status", "status": 500}),
        json!({"kind": "status", "status": 401, "body": "{\"error\":\"invalid_client\"}"}),
        json!({"kind": "status", "status": 200, "body": "{\"access_token\":\"a\"}"}),
        json!({"kind": "redirect", "location": "https://evil.example/"}),
    ] {
        let (mut browser, back) = fixture.answered("petra");
        fixture.provider.fail("/token", &failure);
        refused(&mut browser, &back, 503, &failure.to_string());
        fixture.provider.fail("/token", &Value::Null);
    }
    let silent = Provider::start();
    let others = [silent.signing_in("Silent", true)];
    let fixture = SignInFixture::with(engine, true, &others);
    silent.pause();
    let answer = Browser::new(&fixture.server).get("/auth/provider?name=Silent");
    is_page(&answer, 503);
    assert!(answer.headers.contains_key("retry-after"));
}

/// At any level.
fn sign_in_secrets_are_not_logged(engine: Engine) {
    let fixture = SignInFixture::new(engine);
    let email = fixture.person("zacharias");
    let (mut browser, to) = fixture.begun();
    let cookie = browser.sign_ins().first().map(|cookie| (*cookie).to_owned()).expect("a cookie");
    let back = fixture.path(&fixture.provider.visit(&to, "zacharias"));
    is_page(&browser.get(&back), 200);
    let (mut other, denied) = fixture.begun();
    let denied = fixture.path(&fixture.provider.refuse(&denied));
    refused(&mut other, &denied, 403, "denied");
    let (mut late, unused) = fixture.answered("zacharias");
    fixture.provider.pause();
    refused(&mut late, &unused, 503, "the provider is down");
    let session = browser.cookie("daybook_session").expect("a session");
    let (_, secret) = session.split_once('.').expect("id and secret");
    let words = [
        email,
        "zacharias".to_owned(),
        "Private".to_owned(),
        SIGN_IN_SECRET.to_owned(),
        encode(SIGN_IN_SECRET),
        cookie,
        secret.to_owned(),
        parameter(&to, "state"),
        parameter(&to, "nonce"),
        parameter(&to, "code_challenge"),
        parameter(&back, "code"),
        parameter(&unused, "code"),
        parameter(&denied, "state"),
    ];
    assert_not_logged(&fixture.server, words.iter().map(String::as_str));
}
