//! Programs without a browser (RFC 8628), as existing command-line clients ask (11.1).

use std::time::Instant;

use daybook_tests::browser::{Browser, is_page, login_link};
use daybook_tests::{Answer, Backdoor, Server};
use serde_json::Value;

use super::{CLI, OTHER_CLI, ask, is_refused, lets_in, person, refresh, text, with_clients};

pub fn tests() -> Vec<crate::Case> {
    crate::cases![
        a_command_line_of_another_server_signs_in,
        people_type_codes_as_they_like,
        people_may_refuse,
        programs_that_hurry_are_slowed_down,
        codes_end,
        codes_are_one_clients,
        a_decision_is_made_once,
        programs_ask_for_what_there_is,
        guesses_are_limited_by_address,
    ]
}

const TYPE: &str = "urn:ietf:params:oauth:grant-type:device_code";

#[track_caller]
fn begin(server: &Server, client: &str) -> Value {
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

/// Lets the program ask again at once.
fn waited(door: &mut Backdoor, begun: &Value) {
    let code = text(begun, "user_code").replace('-', "");
    door.execute(&format!(
        "UPDATE device_authorizations SET polled_at = polled_at - 3600000 \
         WHERE user_code = '{code}'"
    ));
}

/// The requests of 11.1, letter by letter.
fn a_command_line_of_another_server_signs_in(server: &Server) {
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

    waited(&mut Backdoor::open(&server), &begun);
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

fn people_type_codes_as_they_like(server: &Server) {
    let mut browser = Browser::signed_in(server, &person());
    let begun = begin(server, CLI);
    let code = text(&begun, "user_code");
    assert_eq!(code.len(), 9);
    for typed in [code.to_lowercase(), code.replace('-', " "), code.replace('-', "")] {
        is_page(&browser.post("/auth/device", &[("user_code", &typed)]), 200);
    }
    for typed in ["", "BCDF-GHJ", "AAAA-AAAA", "<script>", &"B".repeat(500)] {
        let answer = browser.post("/auth/device", &[("user_code", typed)]);
        is_page(&answer, 404);
        assert!(answer.text.contains("does not work"), "{}", answer.text);
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

fn people_may_refuse(server: &Server) {
    let mut browser = Browser::signed_in(server, &person());
    let begun = begin(server, CLI);
    is_page(&decide(&mut browser, &begun, "deny"), 200);
    is_refused(&poll(server, CLI, &begun), 400, "access_denied");
    is_refused(&poll(server, CLI, &begun), 400, "invalid_grant");
}

fn programs_that_hurry_are_slowed_down(server: &Server) {
    let mut door = Backdoor::open(server);
    let begun = begin(server, CLI);
    let code = text(&begun, "user_code").replace('-', "");
    let interval = |door: &mut Backdoor, from: i64, to: i64| {
        door.execute(&format!(
            "UPDATE device_authorizations SET poll_interval = {to} \
             WHERE user_code = '{code}' AND poll_interval = {from}"
        ))
    };
    is_refused(&poll(server, CLI, &begun), 400, "authorization_pending");
    // Whatever the machine does meanwhile, the next ones hurry.
    assert_eq!(interval(&mut door, 5, 1_000), 1);
    is_refused(&poll(server, CLI, &begun), 400, "slow_down");
    is_refused(&poll(server, CLI, &begun), 400, "slow_down");
    waited(&mut door, &begun);
    is_refused(&poll(server, CLI, &begun), 400, "authorization_pending");
    let slower = interval(&mut door, 1_010, 1_010);
    assert_eq!(slower, 1, "RFC 8628, 3.5: five seconds more each time");
}

fn codes_end(server: &Server) {
    let mut door = Backdoor::open(server);
    let mut browser = Browser::signed_in(server, &person());
    let age = |door: &mut Backdoor, begun: &Value, minutes: i64| {
        let code = text(begun, "user_code").replace('-', "");
        let past = minutes * 60_000;
        door.execute(&format!(
            "UPDATE device_authorizations SET created_at = created_at - {past} \
             WHERE user_code = '{code}'"
        ))
    };
    let (old, granted) = (begin(server, CLI), begin(server, CLI));
    decide(&mut browser, &granted, "allow");
    for begun in [&old, &granted] {
        age(&mut door, begun, 30);
        is_page(&decide(&mut browser, begun, "allow"), 404);
        is_refused(&poll(server, CLI, begun), 400, "expired_token");
        is_refused(&poll(server, CLI, begun), 400, "invalid_grant");
    }
    let older = begin(server, CLI);
    age(&mut door, &older, 61);
    begin(server, CLI);
    assert_eq!(age(&mut door, &older, 0), 0, "the next one sweeps it away");
}

fn codes_are_one_clients(server: &Server) {
    let begun = begin(server, CLI);
    is_refused(&poll(server, "daybook-console", &begun), 400, "invalid_grant");
    is_refused(&poll(server, "unknown", &begun), 401, "invalid_client");
    is_refused(&poll(server, CLI, &begun), 400, "authorization_pending");
    let guess = serde_json::json!({"device_code": "guess"});
    is_refused(&poll(server, CLI, &guess), 400, "invalid_grant");
}

fn a_decision_is_made_once(server: &Server) {
    let email = person();
    let (mut one, mut other) =
        (Browser::signed_in(server, &email), Browser::signed_in(server, &person()));
    let begun = begin(server, CLI);
    is_page(&decide(&mut one, &begun, "allow"), 200);
    is_page(&decide(&mut other, &begun, "deny"), 404);
    is_page(&decide(&mut other, &begun, "allow"), 404);
    let tokens = poll(server, CLI, &begun).ok();
    lets_in(server, text(&tokens, "access_token"), &email);
    let later = begin(server, CLI);
    is_page(&decide(&mut Browser::new(server), &later, "allow"), 200);
    is_refused(&poll(server, CLI, &later), 400, "authorization_pending");
}

fn programs_ask_for_what_there_is(server: &Server) {
    for (fields, status, expected) in [
        (&[("scope", "email")][..], 400, "invalid_request"),
        (&[("client_id", "unknown")], 401, "invalid_client"),
        (&[("client_id", CLI), ("scope", "books")], 400, "invalid_scope"),
        (&[("client_id", CLI), ("client_id", CLI)], 400, "invalid_request"),
    ] {
        is_refused(&ask(server, "/auth/device/code", fields), status, expected);
    }
    assert_eq!(
        text(&ask(server, "/auth/device/code", &[("client_id", CLI)]).ok(), "user_code").len(),
        9
    );
}

/// Tries until it is refused: so many are taken at once, and one more each `seconds`.
#[track_caller]
fn refused_after(most: u64, seconds: u64, mut attempt: impl FnMut() -> Answer) -> Answer {
    let (started, mut taken) = (Instant::now(), 0);
    loop {
        let answer = attempt();
        if answer.status == 429 {
            assert!(taken >= most, "{taken} are taken");
            return answer;
        }
        taken += 1;
        assert!(taken <= most + started.elapsed().as_secs() / seconds, "{taken} are taken");
    }
}

/// At most ten wrong codes a minute, and thirty new ones, of one address; others go on.
fn guesses_are_limited_by_address(server: &Server) {
    let mut browser = Browser::signed_in(server, &person());
    let wrong = [("user_code", "BBBB-BBBB")];
    let refused = refused_after(10, 6, || browser.post("/auth/device", &wrong));
    is_page(&refused, 429);
    // Between a guess that is refused and a right code, the next one may have become free.
    let untold = (0..20).find_map(|_| {
        let begun = begin(server, CLI);
        while browser.post("/auth/device", &wrong).status != 429 {}
        let answer = decide(&mut browser, &begun, "allow");
        is_page(&answer, if answer.status == 429 { 429 } else { 200 });
        (answer.status == 429).then_some(begun)
    });
    let begun = untold.expect("a right code is refused too");
    let mut other = Browser::signed_in(server, &person());
    is_page(&decide(&mut other, &begun, "allow"), 200);

    let address = daybook_tests::unique_address();
    let program = server.anonymous().header("X-Forwarded-For", &address);
    let client = [("client_id", CLI)];
    let refused = refused_after(30, 2, || super::post(&program, "/auth/device/code", &client));
    is_refused(&refused, 429, "temporarily_unavailable");
    assert!(refused.headers["retry-after"].parse::<u64>().is_ok_and(|seconds| seconds > 0));
    begin(server, CLI);
}
