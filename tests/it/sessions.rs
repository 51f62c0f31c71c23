//! Browser sessions (11.3, 11.4, 11.14): sign-in by a single-use link, access tokens for apps of
//! listed origins, and sign-out.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::thread;
use std::time::Duration;

use daybook_tests::browser::{Browser, form, is_let_in, is_page, login_link};
use daybook_tests::{Answer, RawSql, Server, encode, unique};
use serde_json::{Value, json};

use crate::audiences::{claims, signed};
use crate::file_sweep::eventually;
use crate::secrets::assert_not_logged;

pub fn tests() -> Vec<crate::Case> {
    crate::cases![
        a_link_signs_in_and_an_app_gets_tokens,
        a_link_works_once,
        a_link_is_used_by_one_of_two,
        old_links_and_sessions_end,
        refreshing_needs_a_session_and_a_listed_origin,
        web_apps_get_403_to_refresh,
        signing_out_ends_all_tokens_of_the_session,
        cross_site_sign_out_asks_for_confirmation,
        redirects_to_other_sites_are_refused,
        cross_site_sign_in_form_is_refused,
        disabled_users_get_no_tokens,
        apps_of_unlisted_origins_are_refused,
        a_session_of_before_is_not_taken_over,
        cookies_and_pages_are_closed,
        sessions_log_no_secrets,
    ]
}

/// Waits for a limit of 30 seconds.
pub fn nightly() -> Vec<crate::Case> {
    crate::cases![forms_come_in_time]
}

const APP: &str = "https://app.example.com";
const ORIGINS: [&str; 2] = ["--web-origins", "https://app.example.com,http://localhost:3000"];

fn refresh(browser: &mut Browser) -> Answer {
    browser.send("POST", "/auth/refresh", Some(APP), "")
}

#[track_caller]
fn access_token(browser: &mut Browser) -> String {
    let answer = refresh(browser).ok();
    answer["accessToken"].as_str().expect("an access token").to_owned()
}

fn person() -> String {
    format!("{}@example.com", unique("browser"))
}

/// 11.4: a browser client sends the browser to login, and refreshes by cookie.
fn a_link_signs_in_and_an_app_gets_tokens(server: &Server) {
    let (server, email) = (server.beside(&ORIGINS), person());
    let mut browser = Browser::new(&server);
    let login = format!("/auth/login?returnUrl={}", encode("https://app.example.com/books?a=1;b"));
    is_page(&browser.get(&login), 200);
    refresh(&mut browser).refused(401, "required");
    let code = login_link(&server, &email);
    for _ in 0..2 {
        let shown = browser.get(&format!("/auth/link?code={code}"));
        is_page(&shown, 200);
        assert!(shown.text.contains(&email), "whom it signs in");
        assert!(shown.headers["content-security-policy"].contains(APP), "form-action");
    }
    let answer = browser.press(&code);
    assert_eq!(answer.status, 303, "{}", answer.text);
    assert_eq!(answer.headers["location"], "https://app.example.com/books?a=1;b");
    assert_eq!(browser.cookie("daybook_return"), None);
    let refreshed = refresh(&mut browser);
    assert_eq!(refreshed.headers["access-control-allow-origin"], APP);
    assert_eq!(refreshed.headers["access-control-allow-credentials"], "true");
    assert_eq!(refreshed.headers["cache-control"], "no-store");
    let stored = &refreshed.headers["set-cookie"];
    assert!(stored.contains("daybook_session=") && stored.contains("Max-Age=2592000"), "{stored}");
    let refreshed = refreshed.ok();
    let user = server.client_with_token(refreshed["accessToken"].as_str().expect("a token"));
    let user = user.get("/v5/user").ok();
    assert_eq!((&user["email"], &user["id"]), (&Value::from(email), &refreshed["userId"]));
    let repeated = browser.get(&login);
    assert_eq!(repeated.status, 303, "who is signed in goes back at once");
    assert_eq!(repeated.headers["location"], "https://app.example.com/books?a=1;b");
}

fn a_link_works_once(server: &Server) {
    let code = login_link(server, &person());
    let mut browser = Browser::new(server);
    is_let_in(&browser.press(&code));
    let session = browser.cookie("daybook_session").map(str::to_owned);
    assert!(session.is_some());
    for code in [code.as_str(), "", "unknown", &"x".repeat(10_000)] {
        is_page(&browser.press(code), 404);
        is_page(&browser.get(&format!("/auth/link?code={code}")), 404);
    }
    is_page(&browser.post("/auth/link", &[("kode", "1")]), 404);
    assert_eq!(browser.cookie("daybook_session").map(str::to_owned), session);
}

fn a_link_is_used_by_one_of_two(server: &Server) {
    let other = server.beside(&ORIGINS);
    let code = login_link(server, &person());
    let statuses = thread::scope(|scope| {
        let press = |server| Browser::new(server).press(&code).status;
        let both = [server, &other].map(|server| scope.spawn(move || press(server)));
        both.map(|one| one.join().expect("an answer"))
    });
    let mut sorted = statuses;
    sorted.sort_unstable();
    assert_eq!(sorted, [303, 404]);
}

/// 11.3: fifteen minutes; 11.14: thirty days without use.
fn old_links_and_sessions_end(server: &Server) {
    let server = server.beside(&ORIGINS);
    let mut database = RawSql::open(&server);
    let email = person();
    let code = login_link(&server, &email);
    database.execute(&format!(
        "UPDATE login_links SET created_at = created_at - 900000 WHERE email = '{email}'"
    ));
    is_page(&Browser::new(&server).press(&code), 404);
    let mut browser = Browser::signed_in(&server, &email);
    let days = |days: i64| format!("UPDATE sessions SET used_at = used_at - {}", days * 86_400_000);
    let id = i64::from_str_radix(
        browser.cookie("daybook_session").and_then(|all| all.split('.').next()).expect("an id"),
        16,
    );
    let only = format!(" WHERE id = {}", id.expect("a number"));
    database.execute(&format!("{}{only}", days(29)));
    access_token(&mut browser);
    // The use is recorded: the session lasts another thirty days.
    database.execute(&format!("{}{only}", days(29)));
    access_token(&mut browser);
    database.execute(&format!("{}{only}", days(30)));
    refresh(&mut browser).refused(401, "required");
}

fn refreshing_needs_a_session_and_a_listed_origin(server: &Server) {
    let server = server.beside(&ORIGINS);
    let mut browser = Browser::signed_in(&server, &person());
    for origin in
        [None, Some("https://evil.example"), Some("null"), Some("https://app.example.com.")]
    {
        let answer = browser.send("POST", "/auth/refresh", origin, "");
        assert_eq!(answer.headers["access-control-allow-origin"], "*");
        assert!(!answer.headers.contains_key("access-control-allow-credentials"));
        answer.refused(403, "forbidden");
    }
    for cookie in ["", "x", "1.2", "zz.zz"] {
        let mut other = Browser::new(&server);
        other.cookies.push(("daybook_session".to_owned(), cookie.to_owned()));
        let answer = refresh(&mut other);
        assert_eq!(answer.headers["access-control-allow-origin"], APP, "an app reads the 401");
        answer.refused(401, "required");
    }
    let stored = browser.cookie("daybook_session").expect("a session").to_owned();
    let (id, secret) = stored.split_once('.').expect("id and secret");
    let mut guess = Browser::new(&server);
    let wrong = secret.replace(|c: char| c.is_ascii_lowercase(), "x");
    guess.cookies.push(("daybook_session".to_owned(), format!("{id}.{wrong}")));
    refresh(&mut guess).refused(401, "required");
    let preflight = browser.send("OPTIONS", "/auth/refresh", Some("http://localhost:3000"), "");
    assert_eq!(preflight.headers["access-control-allow-origin"], "http://localhost:3000");
    assert_eq!(preflight.headers["access-control-allow-credentials"], "true");
    // 0.13: all other routes ignore credentials.
    let elsewhere = browser.send("GET", "/v5/user", Some(APP), "");
    assert_eq!(elsewhere.headers["access-control-allow-origin"], "*");
    elsewhere.refused(401, "required");
}

/// 11.4: existing web apps refresh only on 403; other clients get 401.
fn web_apps_get_403_to_refresh(server: &Server) {
    let server = server.beside(&ORIGINS);
    let mut browser = Browser::signed_in(&server, &person());
    let token = access_token(&mut browser);
    let mut old = claims(&token);
    old["exp"] = 1.into();
    let expired = signed(&server, &old);
    let client = server.client_with_token(&expired);
    let page = format!("{APP}/books?a=1");
    let app = client.header("Origin", APP);
    for app in [&app, &client.header("Referer", &page)] {
        let answer = app.get("/v5/user");
        assert_eq!(answer.headers["access-control-allow-origin"], "*", "the app reads it");
        answer.refused(403, "tokenExpired");
        app.post("/v5/books", &json!({"name": "B"})).refused(403, "tokenExpired");
        app.get("/auth/userinfo").refused(403, "tokenExpired");
    }
    assert!(server.log().contains("authentication failed"), "11.24");
    // The app continues with the next token.
    let next = access_token(&mut browser);
    server.client_with_token(&next).header("Origin", APP).get("/v5/user").ok();
    for origin in ["https://evil.example", "null", "http://localhost:3001"] {
        client.header("Origin", origin).get("/v5/user").refused(401, "required");
    }
    client.header("Referer", "https://evil.example/").get("/v5/user").refused(401, "required");
    client.get("/v5/user").refused(401, "required");
    // A token that is not of a session, and an invalid token.
    let person = server.client(&person());
    let mut old = claims(person.token().expect("a token"));
    old["exp"] = 1.into();
    for token in [signed(&server, &old), format!("{expired}x"), "x".to_owned(), String::new()] {
        let client = server.client_with_token(&token).header("Origin", APP);
        client.get("/v5/user").refused(401, "required");
    }
    server.anonymous().header("Origin", APP).get("/v5/user").refused(401, "required");
    // After the sign-out a refresh cannot succeed; while the token is fresh the response is 401.
    browser.get("/auth/logout");
    server.client_with_token(&next).header("Origin", APP).get("/v5/user").refused(401, "required");
    refresh(&mut browser).refused(401, "required");
}

fn signing_out_ends_all_tokens_of_the_session(server: &Server) {
    let (server, email) = (server.beside(&ORIGINS), person());
    let other = server.beside(&ORIGINS);
    let mut browser = Browser::signed_in(&server, &email);
    let mut elsewhere = Browser::signed_in(&server, &email);
    let token = access_token(&mut browser);
    let (here, there) = (server.client_with_token(&token), other.client_with_token(&token));
    here.get("/v5/user").ok();
    there.get("/v5/user").ok();
    let before = browser.cookies.clone();
    is_page(&browser.get("/auth/logout"), 200);
    assert_eq!(browser.cookie("daybook_session"), None);
    here.get("/v5/user").refused(401, "required");
    eventually("11.8: within 5 seconds", || there.get("/v5/user").status == 401);
    browser.cookies = before;
    refresh(&mut browser).refused(401, "required");
    is_page(&browser.get("/auth/logout"), 200);
    access_token(&mut elsewhere);
    let back = elsewhere.get(&format!("/auth/logout?returnUrl={}", encode(APP)));
    assert_eq!((back.status, back.headers["location"].as_str()), (303, "https://app.example.com/"));
}

/// 11.4: the request of existing browser clients ends the session at once; a link on another site
/// leads to a confirmation page.
fn cross_site_sign_out_asks_for_confirmation(server: &Server) {
    let server = server.beside(&ORIGINS);
    let path = format!("/auth/logout?returnUrl={}", encode("https://app.example.com/bye"));
    for sent in [
        &[][..],
        &[("Referer", "https://evil.example/")][..],
        &[("Sec-Fetch-Site", "none")][..],
        &[("Sec-Fetch-Site", "same-origin")][..],
        &[("Sec-Fetch-Site", "same-site"), ("Referer", "https://other.example.com/")][..],
        &[("Sec-Fetch-Site", "cross-site"), ("Origin", APP)][..],
        &[("Sec-Fetch-Site", "cross-site"), ("Referer", "https://app.example.com/a?b")][..],
    ] {
        let mut browser = Browser::signed_in(&server, &person());
        for (name, value) in sent {
            browser.server = browser.server.header(name, value);
        }
        let answer = browser.get(&path);
        assert_eq!(
            (answer.status, &*answer.headers["location"]),
            (303, "https://app.example.com/bye")
        );
        assert_eq!(browser.cookie("daybook_session"), None, "{sent:?} signs out");
    }
    let mut browser = Browser::signed_in(&server, &person());
    let own = browser.server.clone();
    browser.server = own.header("Sec-Fetch-Site", "cross-site");
    let started = browser.get(&path);
    is_page(&started, 200);
    assert!(
        started.text.contains("method=\"post\"") && started.text.contains("value=\"https://app")
    );
    assert!(started.headers["content-security-policy"].contains(APP), "form-action");
    browser.server = own;
    access_token(&mut browser);
    let answer = browser.post("/auth/logout", &[("returnUrl", "https://app.example.com/bye")]);
    assert_eq!((answer.status, &*answer.headers["location"]), (303, "https://app.example.com/bye"));
    assert_eq!(browser.cookie("daybook_session"), None);
    // Without a session the confirmation is skipped.
    browser.server = browser.server.header("Sec-Fetch-Site", "cross-site");
    assert_eq!(browser.get(&path).status, 303);
}

fn redirects_to_other_sites_are_refused(server: &Server) {
    let server = server.beside(&ORIGINS);
    let mut browser = Browser::signed_in(&server, &person());
    for target in [
        "",
        "/",
        "//evil.example",
        "https://evil.example/",
        "https://app.example.com.evil.example/",
        "https://app.example.com@evil.example/",
        "https://me@app.example.com/",
        "https://app.example.com:444/",
        "http://app.example.com/",
        "javascript:alert(1)",
        "blob:https://app.example.com/x",
        "\\\\evil.example",
    ] {
        for page in ["login", "logout"] {
            let answer = browser.get(&format!("/auth/{page}?returnUrl={}", encode(target)));
            is_page(&answer, if page == "login" { 400 } else { 200 });
        }
        browser = Browser::signed_in(&server, &person());
    }
    browser.cookies.push(("daybook_return".to_owned(), "aHR0cHM6Ly9ldmlsLmV4YW1wbGUv".to_owned()));
    let code = login_link(&server, &person());
    is_let_in(&browser.press(&code));
}

fn cross_site_sign_in_form_is_refused(server: &Server) {
    let code = login_link(server, &person());
    let mut browser = Browser::new(server);
    for origin in ["https://evil.example", "null", "http://127.0.0.1:1"] {
        is_page(&browser.send("POST", "/auth/link", Some(origin), &form(&[("code", &code)])), 403);
    }
    assert!(browser.cookies.is_empty());
    is_page(&browser.send("POST", "/auth/link", None, &form(&[("code", &code)])), 403);
    is_let_in(&browser.press(&code));
}

fn disabled_users_get_no_tokens(server: &Server) {
    let (server, email) = (server.beside(&ORIGINS), person());
    let mut browser = Browser::signed_in(&server, &email);
    access_token(&mut browser);
    server.run(&["user", "disable", "--email", &email]).expect("it is done");
    refresh(&mut browser).refused(403, "disabled");
    let code = login_link(&server, &email);
    is_page(&browser.press(&code), 403);
    server.run(&["user", "enable", "--email", &email]).expect("it is done");
    is_let_in(&browser.press(&code));
}

/// An app of an unlisted origin would redirect its browser in a loop.
fn apps_of_unlisted_origins_are_refused(server: &Server) {
    let server = server.beside(&ORIGINS);
    let mut browser = Browser::signed_in(&server, &person());
    let path = format!("/auth/login?returnUrl={}", encode("http://localhost:3000/"));
    assert_eq!(browser.get(&path).status, 303);
    browser.server = browser.server.header("Sec-Fetch-Site", "cross-site");
    is_page(&browser.get(&path), 200);
}

fn forms_come_in_time(server: &Server) {
    let mut socket = TcpStream::connect(server.address()).expect("a connection");
    socket.set_read_timeout(Some(Duration::from_secs(120))).expect("a setting");
    let head = "POST /auth/link HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\nc";
    socket.write_all(head.as_bytes()).expect("it is sent");
    let mut printed = String::new();
    let _ = socket.read_to_string(&mut printed);
    assert!(printed.starts_with("HTTP/1.1 408"), "{printed}");
}

/// A session planted in a browser is not reused at sign-in (session fixation).
fn a_session_of_before_is_not_taken_over(server: &Server) {
    let server = server.beside(&ORIGINS);
    let mut planted = Browser::signed_in(&server, &person());
    let (victim, mut browser) = (person(), Browser::new(&server));
    browser.cookies = planted.cookies.clone();
    is_let_in(&browser.press(&login_link(&server, &victim)));
    assert_ne!(browser.cookie("daybook_session"), planted.cookie("daybook_session"));
    let user = |token: String| server.client_with_token(&token).get("/v5/user").ok();
    assert_eq!(user(access_token(&mut browser))["email"], victim.as_str());
    assert_ne!(user(access_token(&mut planted))["email"], victim.as_str());
}

fn cookies_and_pages_are_closed(server: &Server) {
    let code = login_link(server, &person());
    let answer = Browser::new(server).press(&code);
    let set = &answer.headers["set-cookie"];
    for part in ["HttpOnly", "SameSite=Lax", "Path=/auth", "Max-Age=2592000"] {
        assert!(set.contains(part), "{part}: {set}");
    }
    assert!(!set.contains("Secure"), "on loopback without TLS a browser would drop it");
    assert_eq!(answer.headers["x-frame-options"], "DENY");
    assert_eq!(answer.headers["referrer-policy"], "same-origin");
    let public = server.beside(&["--public-url", "https://books.example.com/api"]);
    let mut browser = Browser::new(&public);
    browser.origin = "https://books.example.com".to_owned();
    let answer = browser.press(&login_link(&public, &person()));
    let set = &answer.headers["set-cookie"];
    assert!(set.contains("Secure") && set.contains("Path=/api/auth"), "{set}");
}

fn sessions_log_no_secrets(server: &Server) {
    let (server, email) = (server.beside(&[&ORIGINS[..], &["--log", "trace"]].concat()), person());
    let code = login_link(&server, &email);
    let mut browser = Browser::new(&server);
    browser.get(&format!("/auth/link?code={code}"));
    browser.press(&code);
    let token = access_token(&mut browser);
    server.client_with_token(&token).get("/v5/user").ok();
    let stored = browser.cookie("daybook_session").expect("a session").to_owned();
    let secret = stored.split_once('.').expect("id and secret").1;
    browser.get("/auth/logout");
    assert!(server.log().contains("/auth/link"), "each request is logged");
    assert_not_logged(&server, [code.as_str(), secret, &token, &email]);
}
