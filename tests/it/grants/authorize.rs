//! Authorization requests (RFC 6749; OpenID Connect Core, 3.1.2.1): validation, sign-in, consent
//! and redirect.

use daybook_tests::Server;
use daybook_tests::browser::{Browser, form, is_page, login_link};

use super::{
    ASKED, CLI, OF_APP, OLD, OLD_URI, WAITING, allow, asked_with, code, fields_of, path_of, person,
    redeem, sent, with_clients,
};

pub fn tests() -> Vec<crate::Case> {
    crate::cases![
        signed_out_user_signs_in_first,
        invalid_request_is_reported_to_the_app,
        prompt_none_returns_without_a_page,
        prompt_login_requires_a_new_sign_in,
        user_can_deny_access,
        loopback_redirect_accepts_any_port,
    ]
}

fn signed_out_user_signs_in_first(server: &Server) {
    let email = person();
    let mut browser = Browser::new(server);
    let asked = asked_with(&[("nonce", "n1")]);
    is_page(&browser.get(&path_of(&asked)), 200);
    let link = login_link(server, &email);
    let shown = browser.get(&format!("/auth/link?code={link}"));
    let policy = &shown.headers["content-security-policy"];
    assert!(policy.contains("http://127.0.0.1:51234"), "the form may lead there: {policy}");
    let back = browser.press(&link);
    assert_eq!(back.status, 303, "{}", back.text);
    let path = back.headers["location"].clone();
    assert!(path.starts_with("/auth/authorize?"), "{path}");
    let asks_on = fields_of(&path);
    for (name, value) in asked {
        let is_same = |field: &(String, String)| field.0 == name && field.1 == value;
        assert!(asks_on.iter().any(is_same), "{name} is lost: {path}");
    }
    assert_eq!(browser.cookie("daybook_return"), None);
    is_page(&browser.get(&path), 200);
    redeem(server, &code(&mut browser, &ASKED));
    // OpenID Connect Core, 3.1.2.1: an app may also post a form from another site.
    let other = Some("https://app.example.com");
    let sent_on = browser.send("POST", "/auth/authorize", other, &form(&ASKED));
    assert_eq!(sent_on.status, 303, "{}", sent_on.text);
    is_page(&browser.get(&sent_on.headers["location"]), 200);
}

/// Checks that the app gets this error and no code.
#[track_caller]
fn assert_error(browser: &mut Browser, asked: &[(&str, &str)], expected: &str) {
    let answer = browser.get(&path_of(asked));
    assert_eq!(sent(&answer, "error").as_deref(), Some(expected), "{asked:?}");
    assert_eq!(sent(&answer, "state").as_deref(), Some("st&te"));
    assert!(sent(&answer, "iss").is_some() && sent(&answer, "code").is_none());
}

fn invalid_request_is_reported_to_the_app(server: &Server) {
    let (server, email) = (with_clients(server), person());
    let mut browser = Browser::signed_in(&server, &email);
    for (name, value, expected) in [
        ("response_type", "", "unsupported_response_type"),
        ("response_type", "code token", "unsupported_response_type"),
        ("response_type", "id_token", "unsupported_response_type"),
        ("response_type", "token", "unauthorized_client"),
        ("code_challenge", "", "invalid_request"),
        ("code_challenge", "short", "invalid_request"),
        ("code_challenge_method", "", "invalid_request"),
        ("code_challenge_method", "plain", "invalid_request"),
        ("scope", "openid profile", "invalid_scope"),
        ("response_mode", "form_post", "invalid_request"),
        ("prompt", "none login", "invalid_request"),
        ("max_age", "soon", "invalid_request"),
        ("request", "x.y.z", "request_not_supported"),
        ("request_uri", "https://evil.example/", "request_uri_not_supported"),
    ] {
        assert_error(&mut browser, &asked_with(&[(name, value)]), expected);
    }
    let old = [("client_id", OLD), ("redirect_uri", OLD_URI)];
    assert_error(
        &mut browser,
        &asked_with(&[&old[..], &[("code_challenge", "")]].concat()),
        "invalid_request",
    );
}

fn prompt_none_returns_without_a_page(server: &Server) {
    let server = with_clients(server);
    let of_app =
        |other: &[(&'static str, &'static str)]| asked_with(&[&OF_APP[..], other].concat());
    let silent = of_app(&[("prompt", "none")]);
    assert_error(&mut Browser::new(&server), &silent, "login_required");
    let mut browser = Browser::signed_in(&server, &person());
    assert_error(&mut browser, &silent, "consent_required");
    allow(&mut browser, &of_app(&[]));
    let answer = browser.get(&path_of(&silent));
    assert!(sent(&answer, "code").is_some(), "{}", answer.headers["location"]);
    let more = of_app(&[("prompt", "none"), ("scope", "email profile")]);
    assert_error(&mut browser, &more, "consent_required");
    is_page(&browser.get(&path_of(&of_app(&[("prompt", "consent")]))), 200);
    // RFC 8252, 8.6: the program at a loopback address is unknown.
    allow(&mut browser, &ASKED);
    assert_error(&mut browser, &asked_with(&[("prompt", "none")]), "consent_required");
}

fn prompt_login_requires_a_new_sign_in(server: &Server) {
    let (server, email) = (with_clients(server), person());
    let mut browser = Browser::signed_in(&server, &email);
    allow(&mut browser, &asked_with(&OF_APP));
    for again in [("prompt", "login"), ("prompt", "select_account"), ("max_age", "0")] {
        let page = browser.get(&path_of(&asked_with(&[again, OF_APP[0], OF_APP[1]])));
        is_page(&page, 200);
        assert!(!page.text.contains("Allow"), "{}", page.text);
        let back = browser.press(&login_link(&server, &email));
        let answer = browser.get(&back.headers["location"]);
        assert!(sent(&answer, "code").is_some(), "once");
    }
    let silent = asked_with(&[("max_age", "0"), ("prompt", "none"), OF_APP[0], OF_APP[1]]);
    let silent = browser.get(&path_of(&silent));
    assert_eq!(sent(&silent, "error").as_deref(), Some("login_required"));
}

fn user_can_deny_access(server: &Server) {
    let mut browser = Browser::signed_in(server, &person());
    for decision in ["deny", "", "x"] {
        let fields = [&ASKED[..], &[("decision", decision)]].concat();
        let answer = browser.post("/auth/consent", &fields);
        assert_eq!(sent(&answer, "error").as_deref(), Some("access_denied"));
    }
    is_page(&browser.get(&path_of(&ASKED)), 200);
}

/// RFC 8252, 7.3.
fn loopback_redirect_accepts_any_port(server: &Server) {
    let mut browser = Browser::signed_in(server, &person());
    for uri in ["http://127.0.0.1:40000/callback", "http://[::1]:9/callback", WAITING] {
        let answer = allow(&mut browser, &asked_with(&[("redirect_uri", uri)]));
        assert!(answer.headers["location"].starts_with(&format!("{uri}?code=")));
    }
    assert_eq!(ASKED[1], ("client_id", CLI));
}
