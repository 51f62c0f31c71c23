//! The device flow (RFC 8628), with the requests of existing command-line clients (11.1).

use std::time::Instant;

use daybook_tests::browser::{Browser, is_page, login_link};
use daybook_tests::{Answer, RawSql, Server};
use serde_json::Value;

use super::{CLI, OLD, OTHER_CLI, ask, is_refused, lets_in, person, refresh, text, with_clients};

pub fn tests() -> Vec<crate::Case> {
    crate::cases![
        device_flow_of_existing_command_lines_works,
        user_code_is_accepted_in_any_spelling,
        user_can_deny_a_device,
        fast_polling_is_slowed_down,
        expired_device_codes_are_refused,
        device_code_is_bound_to_its_client,
        device_code_is_decided_once,
        invalid_device_request_is_refused,
        guesses_are_limited_by_address,
    ]
}

const TYPE: &str = "urn:ietf:params:oauth:grant-type:device_code";

#[track_caller]
fn begin_device_flow(server: &Server, client: &str) -> Value {
    ask(server, "/auth/device/code", &[("client_id", client), ("scope", "email")]).ok()
}

#[track_caller]
fn poll(server: &Server, client: &str, begun: &Value) -> Answer {
    let code = text(begun, "device_code");
    let fields = [("grant_type", TYPE), ("client_id", client), ("device_code", code)];
    ask(server, "/auth/token", &fields)
}

#[track_caller]
fn decide(browser: &mut Browser, begun: &Value, decision: &str) -> Answer {
    let code = text(begun, "user_code");
    browser.post("/auth/device", &[("user_code", code), ("decision", decision)])
}

/// Lets the program poll again at once.
fn allow_next_poll(raw_sql: &mut RawSql, begun: &Value) {
    let code = text(begun, "user_code").replace('-', "");
    raw_sql.execute(&format!(
        "UPDATE device_authorizations SET polled_at = polled_at - 3600000 \
         WHERE user_code = '{code}'"
    ));
}

/// The exact requests of 11.1.
fn device_flow_of_existing_command_lines_works(server: &Server) {
    const SCOPE: &str = "https://id.example.com/userinfo.email";
    let (server, email) = (with_clients(server), person());
    let begun = ask(&server, "/auth/device/code", &[("client_id", OTHER_CLI), ("scope", SCOPE)]);
    is_refused(&begun, 401, "invalid_client");
    let known = [("client_id", OTHER_CLI), ("client_secret", "public")];
    let begun = ask(&server, "/auth/device/code", &[&known[..], &[("scope", SCOPE)]].concat()).ok();
    assert_eq!((&begun["expires_in"], &begun["interval"]), (&1_800.into(), &5.into()));
    let page = format!("{}/auth/device", server.base());
    for name in ["verification_url", "verification_uri"] {
        assert_eq!(text(&begun, name), page);
    }
    let code = text(&begun, "user_code");
    assert_eq!(text(&begun, "verification_uri_complete"), format!("{page}?user_code={code}"));
    let device_code = text(&begun, "device_code");
    let fields = [&known[..], &[("device_code", device_code), ("grant_type", TYPE)]].concat();
    is_refused(&ask(&server, "/auth/token", &fields), 400, "authorization_pending");

    let mut browser = Browser::new(&server);
    is_page(&browser.get(&format!("/auth/device?user_code={code}")), 200);
    let back = browser.press(&login_link(&server, &email)).headers["location"].clone();
    assert_eq!(back, format!("/auth/device?user_code={code}"));
    let form = browser.get(&back);
    is_page(&form, 200);
    assert!(form.text.contains(code), "{}", form.text);
    let shown = browser.post("/auth/device", &[("user_code", code)]);
    is_page(&shown, 200);
    for text in ["Command line", code, &email, "started the program yourself"] {
        assert!(shown.text.contains(text), "{text}: {}", shown.text);
    }
    is_page(&decide(&mut browser, &begun, "allow"), 200);

    allow_next_poll(&mut RawSql::open(&server), &begun);
    let tokens = ask(&server, "/auth/token", &fields).ok();
    assert_eq!((text(&tokens, "scope"), &tokens["expires_in"]), (SCOPE, &3_600.into()));
    lets_in(&server, text(&tokens, "access_token"), &email);
    is_refused(&ask(&server, "/auth/token", &fields), 400, "invalid_grant");
    let token = text(&tokens, "refresh_token");
    let again = [&known[..], &[("refresh_token", token), ("grant_type", "refresh_token")]].concat();
    let tokens = ask(&server, "/auth/token", &again).ok();
    lets_in(&server, text(&tokens, "access_token"), &email);
    assert!(browser.get("/auth/consents").text.contains("Command line"));
}

fn user_code_is_accepted_in_any_spelling(server: &Server) {
    let mut browser = Browser::signed_in(server, &person());
    let begun = begin_device_flow(server, CLI);
    let code = text(&begun, "user_code");
    assert_eq!(code.len(), 9);
    for typed in [code.to_lowercase(), code.replace('-', " "), code.replace('-', "")] {
        is_page(&browser.post("/auth/device", &[("user_code", &typed)]), 200);
    }
    for typed in ["", "BCDF-GHJ", "AAAA-AAAA", "<script>", &"B".repeat(500)] {
        let answer = browser.post("/auth/device", &[("user_code", typed)]);
        is_page(&answer, 404);
        assert!(answer.text.contains("is unknown or has expired"), "{}", answer.text);
        is_page(
            &browser.get(&format!("/auth/device?user_code={}", daybook_tests::encode(typed))),
            200,
        );
    }
    is_refused(&poll(server, CLI, &begun), 400, "authorization_pending");
    is_page(&decide(&mut browser, &begun, "allow"), 200);
    let tokens = poll(server, CLI, &begun).ok();
    refresh(server, text(&tokens, "refresh_token")).ok();
}

fn user_can_deny_a_device(server: &Server) {
    let mut browser = Browser::signed_in(server, &person());
    let begun = begin_device_flow(server, CLI);
    is_page(&decide(&mut browser, &begun, "deny"), 200);
    is_refused(&poll(server, CLI, &begun), 400, "access_denied");
    is_refused(&poll(server, CLI, &begun), 400, "invalid_grant");
}

fn fast_polling_is_slowed_down(server: &Server) {
    let mut raw_sql = RawSql::open(server);
    let begun = begin_device_flow(server, CLI);
    let code = text(&begun, "user_code").replace('-', "");
    let interval = |raw_sql: &mut RawSql, from: i64, to: i64| {
        raw_sql.execute(&format!(
            "UPDATE device_authorizations SET poll_interval = {to} \
             WHERE user_code = '{code}' AND poll_interval = {from}"
        ))
    };
    is_refused(&poll(server, CLI, &begun), 400, "authorization_pending");
    // A long interval makes the next polls too early on any machine.
    assert_eq!(interval(&mut raw_sql, 5, 1_000), 1);
    is_refused(&poll(server, CLI, &begun), 400, "slow_down");
    is_refused(&poll(server, CLI, &begun), 400, "slow_down");
    allow_next_poll(&mut raw_sql, &begun);
    is_refused(&poll(server, CLI, &begun), 400, "authorization_pending");
    let slower = interval(&mut raw_sql, 1_010, 1_010);
    assert_eq!(slower, 1, "RFC 8628, 3.5: five seconds more each time");
}

fn expired_device_codes_are_refused(server: &Server) {
    let mut raw_sql = RawSql::open(server);
    let mut browser = Browser::signed_in(server, &person());
    let age = |raw_sql: &mut RawSql, begun: &Value, minutes: i64| {
        let code = text(begun, "user_code").replace('-', "");
        let past = minutes * 60_000;
        raw_sql.execute(&format!(
            "UPDATE device_authorizations SET created_at = created_at - {past} \
             WHERE user_code = '{code}'"
        ))
    };
    let (old, granted) = (begin_device_flow(server, CLI), begin_device_flow(server, CLI));
    decide(&mut browser, &granted, "allow");
    for begun in [&old, &granted] {
        age(&mut raw_sql, begun, 30);
        is_page(&decide(&mut browser, begun, "allow"), 404);
        is_refused(&poll(server, CLI, begun), 400, "expired_token");
        is_refused(&poll(server, CLI, begun), 400, "invalid_grant");
    }
    let older = begin_device_flow(server, CLI);
    age(&mut raw_sql, &older, 61);
    begin_device_flow(server, CLI);
    assert_eq!(age(&mut raw_sql, &older, 0), 0, "the next request removes it");
}

fn device_code_is_bound_to_its_client(server: &Server) {
    let server = &with_clients(server);
    let begun = begin_device_flow(server, CLI);
    is_refused(&poll(server, OLD, &begun), 400, "invalid_grant");
    is_refused(&poll(server, "unknown", &begun), 401, "invalid_client");
    is_refused(&poll(server, CLI, &begun), 400, "authorization_pending");
    let guess = serde_json::json!({"device_code": "guess"});
    is_refused(&poll(server, CLI, &guess), 400, "invalid_grant");
}

fn device_code_is_decided_once(server: &Server) {
    let email = person();
    let (mut one, mut other) =
        (Browser::signed_in(server, &email), Browser::signed_in(server, &person()));
    let begun = begin_device_flow(server, CLI);
    is_page(&decide(&mut one, &begun, "allow"), 200);
    is_page(&decide(&mut other, &begun, "deny"), 404);
    is_page(&decide(&mut other, &begun, "allow"), 404);
    let tokens = poll(server, CLI, &begun).ok();
    lets_in(server, text(&tokens, "access_token"), &email);
    let later = begin_device_flow(server, CLI);
    is_page(&decide(&mut Browser::new(server), &later, "allow"), 200);
    is_refused(&poll(server, CLI, &later), 400, "authorization_pending");
}

fn invalid_device_request_is_refused(server: &Server) {
    for (fields, status, expected) in [
        (&[("scope", "email")][..], 400, "invalid_request"),
        (&[("client_id", "unknown")], 401, "invalid_client"),
        (&[("client_id", CLI), ("scope", "books")], 400, "invalid_scope"),
        (&[("client_id", CLI), ("client_id", CLI)], 400, "invalid_request"),
    ] {
        is_refused(&ask(server, "/auth/device/code", fields), status, expected);
    }
    let without_scope = ask(server, "/auth/device/code", &[("client_id", CLI)]).ok();
    assert_eq!(text(&without_scope, "user_code").len(), 9);
}

/// Repeats an attempt until it is refused: `max` at once and one more each `seconds`.
#[track_caller]
fn attempt_until_limited(max: u64, seconds: u64, mut attempt: impl FnMut() -> Answer) -> Answer {
    let (started, mut taken) = (Instant::now(), 0);
    loop {
        let answer = attempt();
        if answer.status == 429 {
            assert!(taken >= max, "{taken} are taken");
            return answer;
        }
        taken += 1;
        assert!(taken <= max + started.elapsed().as_secs() / seconds, "{taken} are taken");
    }
}

/// Per address: ten wrong codes and thirty new ones a minute.
fn guesses_are_limited_by_address(server: &Server) {
    let mut browser = Browser::signed_in(server, &person());
    let wrong = [("user_code", "BBBB-BBBB")];
    let refused = attempt_until_limited(10, 6, || browser.post("/auth/device", &wrong));
    is_page(&refused, 429);
    // A token of the limit may become free between a refused guess and the right code.
    let limited = (0..20).find_map(|_| {
        let begun = begin_device_flow(server, CLI);
        while browser.post("/auth/device", &wrong).status != 429 {}
        let answer = decide(&mut browser, &begun, "allow");
        is_page(&answer, if answer.status == 429 { 429 } else { 200 });
        (answer.status == 429).then_some(begun)
    });
    let begun = limited.expect("a right code is refused too");
    let mut other = Browser::signed_in(server, &person());
    is_page(&decide(&mut other, &begun, "allow"), 200);

    let address = daybook_tests::unique_address();
    let program = server.anonymous().header("X-Forwarded-For", &address);
    let client = [("client_id", CLI)];
    let refused =
        attempt_until_limited(30, 2, || super::post(&program, "/auth/device/code", &client));
    is_refused(&refused, 429, "temporarily_unavailable");
    assert!(refused.headers["retry-after"].parse::<u64>().is_ok_and(|seconds| seconds > 0));
    begin_device_flow(server, CLI);
}
