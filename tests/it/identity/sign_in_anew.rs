//! Requests for a new sign-in (`prompt`, `max_age`; 11.16, 11.20), and concurrent sign-ins in one
//! browser.

use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use daybook_tests::browser::{Browser, form, is_page};
use daybook_tests::{Answer, Engine, encode};
use serde_json::{Value, json};

use super::sign_in::{APP, BEGIN, SignInFixture, parameter, refused, sent};
use super::{changed, now};
use crate::Case;

pub fn tests() -> Vec<Case> {
    crate::isolated![
        prompt_and_max_age_are_passed_to_the_provider,
        auth_time_of_the_provider_is_passed_to_the_app,
        too_old_auth_time_is_refused,
        two_tabs_sign_in_independently,
        pending_sign_ins_per_browser_are_limited,
    ]
}

/// The example of RFC 7636, appendix B.
const VERIFIER: &str = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk";
const CHALLENGE: &str = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM";
const WAITING: &str = "http://127.0.0.1:4000/callback";

/// Returns the authorization request of an app with more parameters.
fn question(other: &[(&str, &str)]) -> String {
    let asked = [
        ("response_type", "code"),
        ("client_id", "daybook-cli"),
        ("scope", "openid email"),
        ("redirect_uri", WAITING),
        ("code_challenge_method", "S256"),
        ("code_challenge", CHALLENGE),
    ];
    format!("/auth/authorize?{}", form(&[&asked[..], other].concat()))
}

/// Returns the link of a sign-in page to the provider.
#[track_caller]
fn link(page: &Answer) -> String {
    is_page(page, 200);
    let link =
        page.text.split_once("class=\"button\" href=\"").and_then(|(_, rest)| rest.split_once('"'));
    let (link, _) = link.unwrap_or_else(|| panic!("a link: {}", page.text));
    assert!(link.starts_with("/auth/provider?name=Example+Id&amp;to="), "{link}");
    link.replace("&amp;", "&")
}

fn prompt_and_max_age_are_passed_to_the_provider(engine: Engine) {
    let fixture = SignInFixture::new(engine);
    let email = fixture.person("petra");
    let mut visitor = fixture.provider.visitor();
    for (wanted, told, must_sign_in) in [
        (&[][..], &[][..], true),
        (&[], &[], false),
        (&[("prompt", "consent")], &[], false),
        (&[("prompt", "login")], &[("prompt", "login"), ("max_age", "0")], true),
        (&[("max_age", "0")], &[("max_age", "0")], true),
        (&[("max_age", "3600")], &[("max_age", "3600")], false),
        (&[("prompt", "select_account")], &[("prompt", "select_account")], true),
    ] {
        let mut browser = Browser::new(&fixture.server);
        let link = link(&browser.get(&question(wanted)));
        let to = sent(&browser.get(&link));
        for name in ["prompt", "max_age"] {
            let expected = told.iter().find(|(known, _)| *known == name);
            let found = to.contains(&format!("&{name}=")).then(|| parameter(&to, name));
            assert_eq!(found.as_deref(), expected.map(|(_, value)| *value), "{wanted:?} {to}");
        }
        if told.first() != Some(&("prompt", "select_account")) {
            // This provider does not support select_account.
            assert_eq!(visitor.must_sign_in(&to), must_sign_in, "{wanted:?}");
            let back = fixture.path(&visitor.visit(&to, "petra"));
            let goes_on = sent(&browser.get(&back));
            let page = browser.get(&goes_on);
            is_page(&page, 200);
            assert!(page.text.contains("Allow") && page.text.contains(&email), "{}", page.text);
        }
    }
    for wrong in ["", "soon", "-1"] {
        let path = format!("{BEGIN}&max_age={wrong}");
        is_page(&Browser::new(&fixture.server).get(&path), 400);
    }
}

/// Returns a browser whose ID token has this `auth_time`, and its callback path.
#[track_caller]
fn answered_at(fixture: &SignInFixture, begin: &str, change: &Value) -> (Browser, String) {
    let mut browser = Browser::new(&fixture.server);
    let to = sent(&browser.get(begin));
    let claims = json!({
        "iss": fixture.provider.issuer(), "aud": "sign-in", "sub": "petra", "iat": now(),
        "exp": now() + 60, "nonce": parameter(&to, "nonce"), "email": "petra@example.com",
        "email_verified": true,
    });
    let key = json!({"alg": "ES256"});
    let id_token = fixture.provider.sign(&json!({}), &changed(claims, change), &key);
    let body = json!({"access_token": "a", "token_type": "Bearer", "id_token": id_token});
    let answer = json!({"kind": "status", "status": 200, "body": body.to_string()});
    fixture.provider.fail("/token", &answer);
    let (state, issuer) = (parameter(&to, "state"), encode(fixture.provider.issuer()));
    (browser, format!("/auth/callback?code=c&state={state}&iss={issuer}"))
}

/// The `auth_time` of the provider becomes that of this server, and an app that wants a younger one
/// asks for it.
fn auth_time_of_the_provider_is_passed_to_the_app(engine: Engine) {
    let fixture = SignInFixture::new(engine);
    let before = now() - 5_000;
    let (mut browser, back) = answered_at(&fixture, BEGIN, &json!({"auth_time": before}));
    is_page(&browser.get(&back), 200);
    let asked = question(&[("max_age", "6000")]);
    let page = browser.get(&asked);
    assert!(page.text.contains("Allow"), "signed in lately enough: {}", page.text);
    let fields = asked.split_once('?').expect("a query").1.to_owned() + "&decision=allow";
    let origin = browser.origin.clone();
    let given = sent(&browser.send("POST", "/auth/consent", Some(&origin), &fields));
    let form = form(&[
        ("grant_type", "authorization_code"),
        ("client_id", "daybook-cli"),
        ("redirect_uri", WAITING),
        ("code_verifier", VERIFIER),
        ("code", &parameter(&given, "code")),
    ]);
    let kind = Some("application/x-www-form-urlencoded");
    let client = fixture.server.anonymous();
    let tokens = client.send_raw("POST", "/auth/token", kind, form.as_bytes()).ok();
    let claims = tokens["id_token"].as_str().and_then(|token| token.split('.').nth(1));
    let claims = BASE64_URL_SAFE_NO_PAD.decode(claims.expect("an ID token")).expect("base64url");
    let claims: Value = serde_json::from_slice(&claims).expect("JSON");
    assert_eq!(claims["auth_time"], before);
    let again = browser.get(&question(&[("max_age", "3600")]));
    assert!(link(&again).ends_with("&max_age=3600"), "too old: {}", again.text);
    // A provider clock that is ahead.
    let (mut browser, back) = answered_at(&fixture, BEGIN, &json!({"auth_time": now() + 5_000}));
    is_page(&browser.get(&back), 200);
    link(&browser.get(&question(&[("prompt", "login")])));
}

/// For a provider that ignores `prompt` and `max_age`, or omits `auth_time`.
fn too_old_auth_time_is_refused(engine: Engine) {
    let fixture = SignInFixture::new(engine);
    for (wish, time, status) in [
        ("&max_age=600", json!(now() - 500), 200),
        ("&max_age=600", json!(now() - 800), 403),
        ("&max_age=600", json!("soon"), 403),
        ("&max_age=600", Value::Null, 403),
        ("&prompt=login", json!(now()), 200),
        ("&prompt=login", json!(now() - 200), 403),
        ("&prompt=login", Value::Null, 403),
        ("&prompt=select_account", Value::Null, 200),
    ] {
        let begin = format!("{BEGIN}{wish}");
        let (mut browser, back) = answered_at(&fixture, &begin, &json!({"auth_time": time}));
        if status == 200 {
            is_page(&browser.get(&back), 200);
        } else {
            let text = refused(&mut browser, &back, status, wish);
            let why = "The app requires a recent sign-in, but the identity provider did not \
                confirm one.";
            assert!(text.contains(why), "{text}");
        }
    }
}

/// Each tab returns to its own page.
fn two_tabs_sign_in_independently(engine: Engine) {
    let fixture = SignInFixture::new(engine);
    fixture.person("petra");
    let mut browser = Browser::new(&fixture.server);
    let app = format!("/auth/login?returnUrl={}", encode(APP));
    let (one, other) = (link(&browser.get(&app)), link(&browser.get(&question(&[]))));
    let (one, other) = (sent(&browser.get(&one)), sent(&browser.get(&other)));
    assert_eq!(browser.sign_ins().len(), 2);
    let mut visitor = fixture.provider.visitor();
    let (one, other) = (visitor.visit(&one, "petra"), visitor.visit(&other, "petra"));
    assert_eq!(sent(&browser.get(&fixture.path(&one))), APP);
    assert_eq!(browser.sign_ins().len(), 1);
    let goes_on = sent(&browser.get(&fixture.path(&other)));
    let page = browser.get(&goes_on);
    assert!(page.text.contains("Allow"), "{}", page.text);
    assert_eq!(browser.sign_ins(), Vec::<&str>::new());
    refused(&mut browser, &fixture.path(&one), 400, "once");
}

fn pending_sign_ins_per_browser_are_limited(engine: Engine) {
    let fixture = SignInFixture::new(engine);
    fixture.person("petra");
    let mut browser = Browser::new(&fixture.server);
    let begun: Vec<String> = (0..20).map(|_| sent(&browser.get(BEGIN))).collect();
    let bytes: usize = browser.sign_ins().into_iter().map(str::len).sum();
    assert!(browser.sign_ins().len() >= 4 && bytes <= 4_096, "{bytes} bytes");
    let mut visitor = fixture.provider.visitor();
    let mut back = |to: &str| fixture.path(&visitor.visit(to, "petra"));
    let (first, last) = (back(&begun[0]), back(&begun[19]));
    let kept = browser.sign_ins().len();
    let answer = browser.get(&first);
    is_page(&answer, 400);
    is_page(&browser.get(&last), 200);
    assert_eq!(browser.sign_ins().len(), kept - 1);
}
