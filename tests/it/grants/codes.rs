//! Authorization codes with PKCE (RFC 6749, 4.1; RFC 7636) and rotating refresh tokens. Reuse of a
//! code or an old refresh token revokes the grant.

use std::thread;

use daybook_tests::browser::{Browser, is_page};
use daybook_tests::{RawSql, Server};
use serde_json::json;

use crate::book_transfers::set_disabled;

use super::{
    APP, APP_URI, ASKED, CHALLENGE, OF_APP, OLD, SECRET, VERIFIER, WAITING, allow, ask, asked_with,
    code, is_refused, lets_in, path_of, person, post, redeem, redemption, refresh, sent, text,
    with_clients, with_secret,
};

pub fn tests() -> Vec<crate::Case> {
    crate::cases![
        public_client_gets_and_refreshes_tokens,
        confidential_client_gets_tokens,
        app_cannot_manage_access,
        code_is_bound_to_its_request,
        reused_code_revokes_its_tokens,
        concurrent_use_of_a_code_succeeds_once,
        reused_refresh_token_revokes_its_grant,
        older_refresh_token_revokes_its_grant,
        concurrent_refreshes_get_the_same_token,
        expired_codes_and_tokens_are_refused,
        disabled_user_gets_no_tokens,
        codes_and_tokens_are_not_interchangeable,
    ]
}

fn public_client_gets_and_refreshes_tokens(server: &Server) {
    let email = person();
    let mut browser = Browser::signed_in(server, &email);
    let page = browser.get(&path_of(&ASKED));
    is_page(&page, 200);
    for shown in ["Daybook command line", "127.0.0.1", email.as_str()] {
        assert!(page.text.contains(shown), "{shown}: {}", page.text);
    }
    let policy = &page.headers["content-security-policy"];
    assert!(policy.contains("form-action 'self' http://127.0.0.1:51234"), "{policy}");
    let answer = allow(&mut browser, &ASKED);
    assert!(answer.headers["location"].starts_with(&format!("{WAITING}?code=")));
    assert_eq!(sent(&answer, "state").as_deref(), Some("st&te"));
    assert_eq!(sent(&answer, "iss").as_deref(), Some(server.base()));
    let answer = ask(server, "/auth/token", &redemption(&sent(&answer, "code").expect("a code")));
    assert_eq!(answer.headers["cache-control"], "no-store");
    assert_eq!(answer.headers["access-control-allow-origin"], "*", "apps in browsers ask too");
    let first = answer.ok();
    assert_eq!((text(&first, "token_type"), text(&first, "scope")), ("Bearer", "email"));
    assert_eq!(first["expires_in"], 3_600);
    lets_in(server, text(&first, "access_token"), &email);
    let second = refresh(server, text(&first, "refresh_token")).ok();
    lets_in(server, text(&second, "access_token"), &email);
    lets_in(server, text(&first, "access_token"), &email);
    let third = refresh(server, text(&second, "refresh_token")).ok();
    lets_in(server, text(&third, "access_token"), &email);
    // Any program may listen at a loopback address, so consent is requested each time.
    is_page(&browser.get(&path_of(&ASKED)), 200);
}

fn confidential_client_gets_tokens(server: &Server) {
    let (server, email) = (with_clients(server), person());
    let mut browser = Browser::signed_in(&server, &email);
    let asked = asked_with(&OF_APP);
    let page = browser.get(&path_of(&asked));
    assert!(page.text.contains("The &lt;App&gt;"), "{}", page.text);
    let answer = allow(&mut browser, &asked);
    assert!(answer.headers["location"].starts_with(&format!("{APP_URI}&code=")));
    let code = sent(&answer, "code").expect("a code");
    let fields = |code| {
        let mut fields = redemption(code);
        fields[1] = ("client_id", APP);
        fields[2] = ("redirect_uri", APP_URI);
        fields
    };
    is_refused(&ask(&server, "/auth/token", &fields(&code)), 401, "invalid_client");
    let wrong = with_secret(&server, APP, "secret");
    let refused = post(&wrong, "/auth/token", &fields(&code));
    is_refused(&refused, 401, "invalid_client");
    assert!(refused.headers["www-authenticate"].starts_with("Basic"));
    let app = with_secret(&server, APP, SECRET);
    let tokens = post(&app, "/auth/token", &fields(&code)[2..]);
    is_refused(&tokens, 400, "invalid_request");
    let tokens = post(&app, "/auth/token", &fields(&code)).ok();
    lets_in(&server, text(&tokens, "access_token"), &email);
    let token = text(&tokens, "refresh_token");
    is_refused(&refresh(&server, token), 400, "invalid_grant");
    let fields = [("grant_type", "refresh_token"), ("client_secret", SECRET), ("client_id", APP)];
    let fields = [&fields[..], &[("refresh_token", token)]].concat();
    let tokens = ask(&server, "/auth/token", &fields).ok();
    lets_in(&server, text(&tokens, "access_token"), &email);
    let again = browser.get(&path_of(&asked));
    assert!(sent(&again, "code").is_some(), "consent is not requested again");
}

/// 11.16: tokens would outlive the consent.
fn app_cannot_manage_access(server: &Server) {
    let email = person();
    let mut browser = Browser::signed_in(server, &email);
    let tokens = redeem(server, &code(&mut browser, &ASKED));
    let app = server.client_with_token(text(&tokens, "access_token"));
    let user = server.client(&email);
    for kind in ["tokens", "keys"] {
        let path = format!("/v5/user/{kind}");
        app.post(&path, &json!({})).refused(403, "insufficientScope");
        app.header("Idempotency-Key", "k1")
            .post(&path, &json!({}))
            .refused(403, "insufficientScope");
        let own = user.header("Idempotency-Key", "k1").post(&path, &json!({})).ok();
        app.header("Idempotency-Key", "k1")
            .post(&path, &json!({}))
            .refused(403, "insufficientScope");
        let one = format!("{path}/{}", text(&own, "id"));
        app.delete(&one).refused(403, "insufficientScope");
        user.delete(&one).ok();
    }
    for kind in ["sessions", "consents"] {
        let path = format!("/v5/user/{kind}");
        let one = user.get(&path).ok()["items"][0].clone();
        app.get(&path).refused(403, "insufficientScope");
        app.delete(&format!("{path}/{}", text(&one, "id"))).refused(403, "insufficientScope");
    }
    app.get("/v5/books").ok();
}

fn code_is_bound_to_its_request(server: &Server) {
    let server = &with_clients(server);
    let mut browser = Browser::signed_in(server, &person());
    let code = code(&mut browser, &ASKED);
    let fields = redemption(&code);
    for (name, value, expected) in [
        ("code", "guess", "invalid_grant"),
        ("code", &code[..code.len() - 4], "invalid_grant"),
        ("code", "", "invalid_request"),
        ("code_verifier", CHALLENGE, "invalid_grant"),
        ("code_verifier", "", "invalid_request"),
        ("redirect_uri", "http://127.0.0.1:51235/callback", "invalid_grant"),
        ("redirect_uri", "", "invalid_request"),
        ("client_id", OLD, "invalid_grant"),
        ("grant_type", "password", "unsupported_grant_type"),
        ("grant_type", "", "invalid_request"),
    ] {
        let other = fields.map(|(own, old)| (own, if own == name { value } else { old }));
        is_refused(&ask(server, "/auth/token", &other), 400, expected);
    }
    let unknown = fields.map(|(name, old)| (name, if name == "client_id" { "x" } else { old }));
    is_refused(&ask(server, "/auth/token", &unknown), 401, "invalid_client");
    let twice = [&fields[..], &[("code_verifier", VERIFIER)]].concat();
    is_refused(&ask(server, "/auth/token", &twice), 400, "invalid_request");
    redeem(server, &code);
}

fn reused_code_revokes_its_tokens(server: &Server) {
    let email = person();
    let mut browser = Browser::signed_in(server, &email);
    let code = code(&mut browser, &ASKED);
    let tokens = redeem(server, &code);
    lets_in(server, text(&tokens, "access_token"), &email);
    is_refused(&ask(server, "/auth/token", &redemption(&code)), 400, "invalid_grant");
    server
        .client_with_token(text(&tokens, "access_token"))
        .get("/v5/user")
        .refused(401, "required");
    is_refused(&refresh(server, text(&tokens, "refresh_token")), 400, "invalid_grant");
}

/// One of two processes gets tokens, which are then revoked.
fn concurrent_use_of_a_code_succeeds_once(server: &Server) {
    let other = server.beside(&[]);
    let mut browser = Browser::signed_in(server, &person());
    let code = code(&mut browser, &ASKED);
    let answers = thread::scope(|scope| {
        let redeem = |server| ask(server, "/auth/token", &redemption(&code));
        let both = [server, &other].map(|server| scope.spawn(move || redeem(server)));
        both.map(|one| one.join().expect("an answer"))
    });
    let mut statuses = answers.each_ref().map(|answer| answer.status);
    statuses.sort_unstable();
    assert_eq!(statuses, [200, 400]);
    let given = answers.iter().find(|answer| answer.status == 200).expect("one");
    is_refused(&refresh(server, text(&given.body, "refresh_token")), 400, "invalid_grant");
}

fn reused_refresh_token_revokes_its_grant(server: &Server) {
    let email = person();
    let mut browser = Browser::signed_in(server, &email);
    let first = redeem(server, &code(&mut browser, &ASKED));
    let other = redeem(server, &code(&mut browser, &ASKED));
    let second = refresh(server, text(&first, "refresh_token")).ok();
    // 11.18: the last token can be repeated, because its response may have been lost.
    let again = refresh(server, text(&first, "refresh_token")).ok();
    assert_eq!(again["refresh_token"], second["refresh_token"]);
    lets_in(server, text(&again, "access_token"), &email);
    age_rotations(server, &email);
    is_refused(&refresh(server, text(&first, "refresh_token")), 400, "invalid_grant");
    is_refused(&refresh(server, text(&second, "refresh_token")), 400, "invalid_grant");
    for tokens in [&first, &second] {
        let client = server.client_with_token(text(tokens, "access_token"));
        client.get("/v5/user").refused(401, "required");
    }
    lets_in(server, text(&other, "access_token"), &email);
    refresh(server, text(&other, "refresh_token")).ok();
}

/// Makes the grants of a user one minute older.
fn age_rotations(server: &Server, email: &str) {
    RawSql::open(server).execute(&format!(
        "UPDATE grants SET expires_at = expires_at - 60000 WHERE user_id = \
         (SELECT id FROM users WHERE email = '{email}')"
    ));
}

/// 11.18: using the successor ends the grace period of a token.
fn older_refresh_token_revokes_its_grant(server: &Server) {
    let mut browser = Browser::signed_in(server, &person());
    let first = redeem(server, &code(&mut browser, &ASKED));
    let second = refresh(server, text(&first, "refresh_token")).ok();
    let third = refresh(server, text(&second, "refresh_token")).ok();
    is_refused(&refresh(server, text(&first, "refresh_token")), 400, "invalid_grant");
    is_refused(&refresh(server, text(&third, "refresh_token")), 400, "invalid_grant");
}

/// 11.18: for example by two tabs of a client.
fn concurrent_refreshes_get_the_same_token(server: &Server) {
    let (other, email) = (server.beside(&[]), person());
    let mut browser = Browser::signed_in(server, &email);
    let first = redeem(server, &code(&mut browser, &ASKED));
    let token = text(&first, "refresh_token");
    let answers = thread::scope(|scope| {
        let all = [server, &other, server, &other]
            .map(|server| scope.spawn(move || refresh(server, token)));
        all.map(|one| one.join().expect("an answer").ok())
    });
    for answer in &answers {
        assert_eq!(answer["refresh_token"], answers[0]["refresh_token"], "11.18");
        lets_in(server, text(answer, "access_token"), &email);
    }
    refresh(server, text(&answers[0], "refresh_token")).ok();
}

fn expired_codes_and_tokens_are_refused(server: &Server) {
    let mut raw_sql = RawSql::open(server);
    let email = person();
    let mut browser = Browser::signed_in(server, &email);
    let expire = |raw_sql: &mut RawSql| {
        raw_sql.execute(&format!(
            "UPDATE grants SET expires_at = 1 WHERE user_id = \
             (SELECT id FROM users WHERE email = '{email}')"
        ));
    };
    let old = code(&mut browser, &ASKED);
    expire(&mut raw_sql);
    is_refused(&ask(server, "/auth/token", &redemption(&old)), 400, "invalid_grant");
    let tokens = redeem(server, &code(&mut browser, &ASKED));
    expire(&mut raw_sql);
    is_refused(&refresh(server, text(&tokens, "refresh_token")), 400, "invalid_grant");
    // The next grant removes expired ones.
    redeem(server, &code(&mut browser, &ASKED));
    let left = raw_sql.execute(&format!(
        "UPDATE grants SET expires_at = 1 WHERE user_id = \
         (SELECT id FROM users WHERE email = '{email}')"
    ));
    assert_eq!(left, 1);
}

fn disabled_user_gets_no_tokens(server: &Server) {
    let email = person();
    let mut browser = Browser::signed_in(server, &email);
    let tokens = redeem(server, &code(&mut browser, &ASKED));
    let next = code(&mut browser, &ASKED);
    set_disabled(server, &email, "disable");
    is_refused(&ask(server, "/auth/token", &redemption(&next)), 400, "invalid_grant");
    is_refused(&refresh(server, text(&tokens, "refresh_token")), 400, "invalid_grant");
    is_page(&browser.get(&path_of(&ASKED)), 200);
    set_disabled(server, &email, "enable");
    refresh(server, text(&tokens, "refresh_token")).ok();
}

fn codes_and_tokens_are_not_interchangeable(server: &Server) {
    let mut browser = Browser::signed_in(server, &person());
    let code = code(&mut browser, &ASKED);
    let tokens = redeem(server, &code);
    let (access, again) = (text(&tokens, "access_token"), text(&tokens, "refresh_token"));
    for other in [&code, again] {
        server.client_with_token(other).get("/v5/user").refused(401, "required");
    }
    for other in [&code, access] {
        is_refused(&refresh(server, other), 400, "invalid_grant");
    }
    for other in [access, again] {
        is_refused(&ask(server, "/auth/token", &redemption(other)), 400, "invalid_grant");
    }
}
