//! How the console gets in (11.4, 11.14): the server's own origin, what its access tokens may do,
//! and the links that signed-in users make.

use daybook_tests::browser::{Browser, form, is_let_in, is_page, login_link};
use daybook_tests::{Answer, Client, Engine, Server, encode, unique};
use serde_json::{Value, json};

pub fn tests() -> Vec<crate::Case> {
    let shared = crate::cases![
        own_origin_needs_no_listing,
        own_origin_is_not_that_of_the_host_header,
        own_origin_returns_after_signing_in,
        only_the_console_manages_tokens_and_keys,
        device_signs_in_by_a_link,
        only_pages_of_the_server_make_links,
        unencrypted_server_signs_in_with_a_warning,
    ];
    let isolated =
        crate::isolated![console_has_a_rate_of_its_own, refresh_shows_the_rights_of_the_user];
    shared.into_iter().chain(isolated).collect()
}

const APP: &str = "https://app.example.com";

fn person() -> String {
    format!("{}@example.com", unique("console"))
}

fn refresh(browser: &mut Browser, origin: &str) -> Answer {
    browser.send("POST", "/auth/refresh", Some(origin), "")
}

/// The access token that a page of this origin gets, as a caller.
#[track_caller]
fn caller(server: &Server, browser: &mut Browser, origin: &str) -> Client {
    let answer = refresh(browser, origin).ok();
    server.client_with_token(answer["accessToken"].as_str().expect("a token"))
}

fn own_origin_needs_no_listing(server: &Server) {
    let email = person();
    let mut browser = Browser::signed_in(server, &email);
    let port = server.address().port();
    for origin in [browser.origin.clone(), format!("http://localhost:{port}")] {
        let answer = refresh(&mut browser, &origin).ok();
        assert_eq!(
            (&answer["administrator"], &answer["mailsLinks"]),
            (&json!(false), &json!(false))
        );
        let user = server.client_with_token(answer["accessToken"].as_str().expect("a token"));
        assert_eq!(user.get("/v5/user").ok()["email"], email.as_str());
    }
    browser.get("/auth/logout");
    let own = browser.origin.clone();
    refresh(&mut browser, &own).refused(401, "required");
    // An app of a listed origin does not learn whether its user is an administrator.
    let listing = server.beside(&["--web-origins", APP]);
    let mut browser = Browser::signed_in(&listing, &email);
    let answer = refresh(&mut browser, APP).ok();
    assert!(answer["administrator"].is_null() && answer["mailsLinks"].is_null(), "{answer}");
}

/// A page at a name that an attacker resolves to this server has an `Origin` that agrees with the
/// `Host` of its requests.
fn own_origin_is_not_that_of_the_host_header(server: &Server) {
    let mut browser = Browser::signed_in(server, &person());
    let port = server.address().port();
    let plain = browser.server.clone();
    for host in ["evil.example", "127.0.0.1.evil.example", "127.0.0.2"] {
        let host = format!("{host}:{port}");
        browser.server = plain.header("Host", &host);
        let origin = format!("http://{host}");
        refresh(&mut browser, &origin).refused(403, "forbidden");
        let login = format!("/auth/login?returnUrl={}", encode(&format!("{origin}/a")));
        is_page(&browser.get(&login), 400);
        browser.send("POST", "/auth/links", Some(&origin), "").refused(403, "forbidden");
    }
    browser.server = plain;
    for origin in [
        format!("http://127.0.0.1:{}", port.wrapping_add(1)),
        format!("https://127.0.0.1:{port}"),
        "http://127.0.0.1".to_owned(),
        "null".to_owned(),
        "http://evil.example".to_owned(),
    ] {
        refresh(&mut browser, &origin).refused(403, "forbidden");
    }
    browser.send("POST", "/auth/refresh", None, "").refused(403, "forbidden");
    // With a public URL only that counts.
    let public = server.beside(&["--public-url", "https://books.example.com/api"]);
    let mut browser = Browser::new(&public);
    browser.origin = "https://books.example.com".to_owned();
    let answer = browser.press(&login_link(&public, &person()));
    assert_eq!((answer.status, answer.headers["location"].as_str()), (303, "/api/"));
    let loopback = format!("http://{}", public.address());
    refresh(&mut browser, &loopback).refused(403, "forbidden");
    refresh(&mut browser, "https://books.example.com").ok();
}

fn own_origin_returns_after_signing_in(server: &Server) {
    let mut browser = Browser::new(server);
    let view = format!("{}/books/b1?q=a", server.base());
    let login = format!("/auth/login?returnUrl={}", encode(&view));
    let page = browser.get(&login);
    is_page(&page, 200);
    assert!(!page.text.contains("return to"), "the console is no other app: {}", page.text);
    let answer = browser.press(&login_link(server, &person()));
    assert_eq!((answer.status, answer.headers["location"].as_str()), (303, view.as_str()));
    // A link in a mail program is no reason to stop a page of this server.
    browser.server = browser.server.header("Sec-Fetch-Site", "cross-site");
    let answer = browser.get(&login);
    assert_eq!((answer.status, answer.headers["location"].as_str()), (303, view.as_str()));
    let own = browser.origin.clone();
    let back = format!("/auth/logout?returnUrl={}", encode(&view));
    let answer = browser.send("GET", &back, Some(&own), "");
    assert_eq!((answer.status, answer.headers["location"].as_str()), (303, view.as_str()));
    assert_eq!(browser.cookie("daybook_session"), None);
    // Without the console a sign-in ends on a page.
    let bare = server.beside(&["--no-console"]);
    is_page(&Browser::new(&bare).press(&login_link(&bare, &person())), 200);
}

fn only_the_console_manages_tokens_and_keys(server: &Server) {
    let server = server.beside(&["--web-origins", APP]);
    let mut browser = Browser::signed_in(&server, &person());
    let own = browser.origin.clone();
    let console = caller(&server, &mut browser, &own);
    let app = caller(&server, &mut browser, APP);
    for kind in ["tokens", "keys"] {
        let path = format!("/v5/user/{kind}");
        let made = console.post(&path, &json!({"name": "mine"})).ok();
        let one = format!("{path}/{}", made["id"].as_str().expect("an id"));
        for app in [&app, &app.header("Origin", &own), &app.header("Referer", &format!("{own}/"))] {
            app.post(&path, &json!({})).refused(403, "insufficientScope");
            app.delete(&one).refused(403, "insufficientScope");
            app.get(&path).ok();
        }
        console.delete(&one).ok();
    }
    // Signing out ends both.
    browser.get("/auth/logout");
    for client in [&console, &app] {
        client.get("/v5/user").refused(401, "required");
    }
}

fn console_has_a_rate_of_its_own(engine: Engine) {
    let args = ["--quota-per-minute", "3", "--web-origins", APP];
    let server = Server::with_args(engine, &args);
    let email = person();
    let mut browser = Browser::signed_in(&server, &email);
    let own = browser.origin.clone();
    let console = caller(&server, &mut browser, &own);
    let app = caller(&server, &mut browser, APP);
    let limit = |client: &Client| {
        let answer = client.get("/v5/user");
        (answer.status, answer.headers["ratelimit-limit"].clone())
    };
    for _ in 0..5 {
        assert_eq!(limit(&console), (200, "1200".to_owned()));
    }
    let forged = app.header("Origin", &own).header("Sec-Fetch-Site", "same-origin");
    assert_eq!(limit(&app), (200, "3".to_owned()));
    assert_eq!(limit(&forged), (200, "3".to_owned()));
    // Another token of the user, whose calls count with those of the app.
    assert_eq!(limit(&server.client(&email).header("Origin", &own)), (200, "3".to_owned()));
    assert_eq!(limit(&forged), (429, "3".to_owned()));
    assert_eq!(limit(&console), (200, "1200".to_owned()));
    let narrow = [&args[..], &["--console-quota", "4"]].concat();
    let narrow = server.beside(&narrow);
    let console = narrow.client_with_token(console.token().expect("a token"));
    let all: Vec<u16> = (0..5).map(|_| console.get("/v5/user").status).collect();
    assert_eq!(all, [200, 200, 200, 200, 429]);
}

#[track_caller]
fn code_of(link: &Value) -> String {
    let url = link["url"].as_str().expect("a link");
    url.split_once("/auth/link?code=").expect("a code").1.to_owned()
}

/// Makes a link as a page of the server does.
fn make_link(browser: &mut Browser) -> Answer {
    browser.post("/auth/links", &[])
}

fn device_signs_in_by_a_link(server: &Server) {
    let email = person();
    let mut browser = Browser::signed_in(server, &email);
    let link = make_link(&mut browser).ok();
    assert!(link["url"].as_str().is_some_and(|url| url.starts_with(server.base())), "{link}");
    let image = link["qrCode"].as_str().expect("an image");
    assert!(image.starts_with("data:image/svg+xml;base64,"), "{image}");
    let expires: i64 = link["expiresAt"].as_str().and_then(|at| at.parse().ok()).expect("a time");
    let mut device = Browser::new(server);
    is_let_in(&device.press(&code_of(&link)));
    is_page(&Browser::new(server).press(&code_of(&link)), 404);
    let origin = device.origin.clone();
    let user = caller(server, &mut device, &origin).get("/v5/user").ok();
    assert_eq!(user["email"], email.as_str());
    browser.get("/auth/logout");
    refresh(&mut device, &origin).ok();
    let mut last = 0;
    for made in 0..12 {
        let answer = make_link(&mut device);
        last = answer.status;
        if last != 200 {
            assert_eq!(made, 10, "the first one is used");
            answer.refused(400, "badRequest");
            break;
        }
        let later: i64 =
            answer.body["expiresAt"].as_str().and_then(|at| at.parse().ok()).expect("a time");
        assert!((expires..expires + 600_000).contains(&later), "15 minutes");
    }
    assert_eq!(last, 400, "11.14: ten links of an address work at a time");
}

fn only_pages_of_the_server_make_links(server: &Server) {
    let server = server.beside(&["--web-origins", APP]);
    let email = person();
    let mut browser = Browser::signed_in(&server, &email);
    for origin in [None, Some(APP), Some("null"), Some("https://evil.example")] {
        browser.send("POST", "/auth/links", origin, "").refused(403, "forbidden");
    }
    // A token is not enough, whoever has it, and a disabled user makes none.
    let token = server.client(&email).header("Origin", &browser.origin);
    let kind = Some("application/x-www-form-urlencoded");
    token.send_raw("POST", "/auth/links", kind, b"").refused(401, "required");
    server.run(&["user", "disable", "--email", &email]).expect("it is done");
    make_link(&mut browser).refused(401, "required");
}

fn refresh_shows_the_rights_of_the_user(engine: Engine) {
    let server = Server::with_args(engine, &["--administrators", "root@example.com"]);
    let mut root = Browser::signed_in(&server, "root@example.com");
    let own = root.origin.clone();
    let rights = refresh(&mut root, &own).ok();
    assert_eq!([&rights["administrator"], &rights["mailsLinks"]], [&json!(true), &json!(false)]);
    let public = "https://books.example.com";
    let mailing = server.beside(
        &[
            ["--smtp-url", "smtp://127.0.0.1:1"],
            ["--mail-from", "books@example.com"],
            ["--public-url", public],
        ]
        .concat(),
    );
    root.move_to(&mailing);
    public.clone_into(&mut root.origin);
    let rights = refresh(&mut root, public).ok();
    assert_eq!([&rights["administrator"], &rights["mailsLinks"]], [&json!(false), &json!(true)]);
    make_link(&mut root).ok();
}

fn unencrypted_server_signs_in_with_a_warning(server: &Server) {
    let lan = "http://192.168.1.5:8080";
    let warning = "This connection is not encrypted";
    for (url, is_plain) in [(lan, true), ("https://books.example.com", false)] {
        let server = server.beside(&["--public-url", url]);
        let mut browser = Browser::new(&server);
        url.clone_into(&mut browser.origin);
        let code = login_link(&server, &person());
        let login = format!("/auth/login?returnUrl={}", encode(&format!("{url}/a")));
        for path in [login, format!("/auth/link?code={code}")] {
            let page = browser.get(&path);
            is_page(&page, 200);
            assert_eq!(page.text.contains(warning), is_plain, "{path}: {}", page.text);
        }
        let answer = browser.send("POST", "/auth/link", Some(url), &form(&[("code", &code)]));
        assert_eq!(answer.status, 303);
        assert_eq!(!answer.headers["set-cookie"].contains("Secure"), is_plain, "{url}");
        refresh(&mut browser, url).ok();
    }
    let view = format!("{}/a", server.base());
    let page = Browser::new(server).get(&format!("/auth/login?returnUrl={}", encode(&view)));
    is_page(&page, 200);
    assert!(!page.text.contains(warning), "loopback");
}
