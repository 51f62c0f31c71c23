//! Attacks on the issuer: open redirects, cross-site forms and links, injected codes.

use daybook_tests::Server;
use daybook_tests::browser::{Browser, form, is_let_in, is_page};

use super::{
    APP, APP_URI, ASKED, CLI, OLD, OLD_URI, WAITING, asked_with, code, is_refused, path_of, person,
    redeem, redemption, sent, with_clients,
};

pub fn tests() -> Vec<crate::Case> {
    crate::cases![
        unregistered_redirect_is_refused,
        cross_site_forms_are_refused,
        injected_code_is_refused,
        responses_name_the_issuer,
        long_and_repeated_parameters_are_refused,
        cross_site_logout_is_ignored,
        return_cookie_leads_to_own_pages_only,
        secrets_are_not_logged,
    ]
}

fn unregistered_redirect_is_refused(server: &Server) {
    let server = with_clients(server);
    let mut browser = Browser::signed_in(&server, &person());
    for (client, uri) in [
        (CLI, ""),
        (CLI, "https://evil.example/"),
        (CLI, "http://127.0.0.1:51234/callback/.."),
        (CLI, "http://127.0.0.1:51234/callback?x=1"),
        (CLI, "http://127.0.0.1:51234@evil.example/callback"),
        (CLI, "http://127.0.0.1.evil.example/callback"),
        (CLI, "http://localhost:51234/callback"),
        (CLI, APP_URI),
        (APP, "https://app.example.com/cb"),
        (APP, "https://app.example.com/cb?from=daybook&x=1"),
        (APP, "https://app.example.com/cb?from=daybook#x"),
        (APP, "https://APP.example.com/cb?from=daybook"),
        (APP, "http://app.example.com/cb?from=daybook"),
        (OLD, "javascript:alert(1)"),
        (OLD, "//old.example.com/"),
        (OLD, "https://evil.example/"),
        ("unknown", WAITING),
        ("", WAITING),
    ] {
        let asked = asked_with(&[("client_id", client), ("redirect_uri", uri)]);
        is_page(&browser.get(&path_of(&asked)), 400);
        for decision in ["allow", "deny"] {
            let fields = [&asked[..], &[("decision", decision)]].concat();
            is_page(&browser.post("/auth/consent", &fields), 400);
        }
    }
    let good = asked_with(&[("client_id", OLD), ("redirect_uri", OLD_URI)]);
    is_page(&browser.get(&path_of(&good)), 200);
}

fn cross_site_forms_are_refused(server: &Server) {
    let mut browser = Browser::signed_in(server, &person());
    let fields = form(&[&ASKED[..], &[("decision", "allow")]].concat());
    for origin in [Some("https://evil.example"), Some("null"), Some("http://127.0.0.1:1"), None] {
        for path in ["/auth/consent", "/auth/device", "/auth/consents", "/auth/logout"] {
            is_page(&browser.send("POST", path, origin, &fields), 403);
        }
    }
    is_page(&browser.get(&path_of(&ASKED)), 200);
    let mut signed_out = Browser::new(server);
    let answer = signed_out.post("/auth/consent", &[&ASKED[..], &[("decision", "allow")]].concat());
    is_page(&answer, 200);
    assert!(signed_out.cookie("daybook_session").is_none());
}

/// An injected code does not match the verifier of the program.
fn injected_code_is_refused(server: &Server) {
    let mut attacker = Browser::signed_in(server, &person());
    let injected = code(&mut attacker, &ASKED);
    let other = redemption(&injected)
        .map(|(name, value)| (name, if name == "code_verifier" { "another" } else { value }));
    is_refused(&super::ask(server, "/auth/token", &other), 400, "invalid_grant");
    redeem(server, &injected);
}

/// RFC 9207: `iss` tells the responses of several servers apart.
fn responses_name_the_issuer(server: &Server) {
    let public = server.beside(&["--public-url", "https://books.example.com/api"]);
    let asked = asked_with(&[("prompt", "none")]);
    let answer = Browser::new(&public).get(&path_of(&asked));
    assert_eq!(sent(&answer, "iss").as_deref(), Some("https://books.example.com/api"));
}

fn long_and_repeated_parameters_are_refused(server: &Server) {
    let mut browser = Browser::signed_in(server, &person());
    let long = "x".repeat(2_100);
    is_page(&browser.get(&path_of(&asked_with(&[("state", &long)]))), 400);
    for (name, value) in [("client_id", CLI), ("redirect_uri", WAITING), ("state", "2")] {
        is_page(&browser.get(&path_of(&[&ASKED[..], &[(name, value)]].concat())), 400);
    }
    is_page(&browser.get("/auth/authorize"), 400);
    is_page(&browser.get("/auth/authorize?%ff=%"), 400);
}

/// 11.4: browsers send the cookie with cross-site links, which must not end the session.
fn cross_site_logout_is_ignored(server: &Server) {
    let server = server.beside(&["--web-origins", "https://app.example.com"]);
    let email = person();
    let mut browser = Browser::signed_in(&server, &email);
    let tokens = redeem(&server, &code(&mut browser, &ASKED));
    let own = browser.server.clone();
    for referrer in [
        None,
        Some("https://evil.example/"),
        Some("https://app.example.com.evil.example/"),
        Some("https://app.example.com@evil.example/"),
        Some("https://evil.example/?https://app.example.com/"),
        Some("http://app.example.com/"),
        Some("about:client"),
        Some("null"),
    ] {
        browser.server = own.header("Sec-Fetch-Site", "cross-site");
        if let Some(referrer) = referrer {
            browser.server = browser.server.header("Referer", referrer);
        }
        for query in ["", "?returnUrl=https%3A%2F%2Fapp.example.com%2F", "?returnUrl=x&decision=1"]
        {
            let asked = browser.get(&format!("/auth/logout{query}"));
            is_page(&asked, 200);
            assert!(asked.text.contains("You are still signed in"), "{}", asked.text);
            assert!(!asked.headers.contains_key("set-cookie"), "the browser forgets nothing");
        }
    }
    browser.server = own;
    assert!(browser.get("/auth/consents").text.contains(&email), "the session goes on");
    super::lets_in(&server, super::text(&tokens, "access_token"), &email);
}

/// A planted cookie must not redirect to other pages.
fn return_cookie_leads_to_own_pages_only(server: &Server) {
    use base64::Engine;
    use base64::prelude::BASE64_URL_SAFE_NO_PAD;
    for target in [
        "/auth/logout",
        "/auth/authorize/../../evil",
        "//evil.example/auth/authorize",
        "/auth/authorize\\evil",
        "/auth/device?x\r\nSet-Cookie: a=1",
        "https://evil.example/",
    ] {
        let mut browser = Browser::new(server);
        let value = BASE64_URL_SAFE_NO_PAD.encode(target);
        browser.cookies.push(("daybook_return".to_owned(), value));
        let code = daybook_tests::browser::login_link(server, &person());
        is_let_in(&browser.press(&code));
    }
}

fn secrets_are_not_logged(server: &Server) {
    let (server, email) = (server.beside(&["--log", "trace"]), person());
    let mut browser = Browser::signed_in(&server, &email);
    browser.get(&path_of(&ASKED));
    let code = code(&mut browser, &ASKED);
    let tokens = redeem(&server, &code);
    let refreshed = super::refresh(&server, super::text(&tokens, "refresh_token")).ok();
    let fields = [("client_id", CLI)];
    let begun = super::ask(&server, "/auth/device/code", &fields).ok();
    browser.post("/auth/device", &[("user_code", super::text(&begun, "user_code"))]);
    super::ask(&server, "/auth/token", &redemption(&code));
    let log = server.log();
    assert!(log.contains("/auth/token"), "each request is logged");
    let secrets = [
        code.as_str(),
        super::text(&tokens, "access_token"),
        super::text(&tokens, "refresh_token"),
        super::text(&refreshed, "access_token"),
        super::text(&refreshed, "refresh_token"),
        super::text(&begun, "device_code"),
        super::text(&begun, "user_code"),
        &email,
        "st%26te",
    ];
    for secret in secrets {
        assert!(!log.contains(secret), "11: no secret and no address in the log: {secret}");
    }
}
