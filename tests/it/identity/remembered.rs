//! How long the answers of providers are remembered.

use std::time::Duration;

use daybook_tests::provider::Provider;
use daybook_tests::{Engine, pause, unique};
use serde_json::{Value, json};

use super::opaque::INTROSPECTION;
use super::{CLIENT, Stage, lets_in, not_trusted, now};
use crate::Case;

pub fn tests() -> Vec<Case> {
    crate::isolated![rule_11_13_one_question_for_many_requests, rule_11_13_revoked_tokens,]
}

/// It waits until a token of [`BRIEF`] seconds has expired.
pub fn nightly() -> Vec<Case> {
    crate::isolated![rule_11_13_what_is_remembered_ends_with_the_token]
}

/// How long, in seconds, the access tokens of `web-brief` live at most.
const BRIEF: i64 = 30;

fn rule_11_13_one_question_for_many_requests(engine: Engine) {
    let stage = Stage::new(engine, |provider| {
        vec![provider.oidc(), provider.introspection(), provider.tokeninfo()]
    });
    let email = stage.person("rita");
    let token = stage.opaque("rita", "openid email");
    let asked = || {
        let paths = [INTROSPECTION, "/me", "/tokeninfo"];
        paths.map(|path| stage.provider.count(path))
    };
    for _ in 0..10 {
        lets_in(stage.ask(&token), &email, "remembered");
        // Users and tokens change meanwhile: that is no reason to ask the provider again.
        let other = stage.server.client(&format!("{}@example.com", unique("meanwhile")));
        other.post("/v5/user/tokens", &json!({})).ok();
    }
    assert_eq!(asked(), [1, 1, 0]);
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| lets_in(stage.ask(&token), &email, "at once"));
        }
    });
    assert_eq!(asked(), [1, 1, 0]);
    // It is remembered by the whole token.
    not_trusted(stage.ask(&format!("{token}x")), "another token");
}

/// Never beyond `exp`; then the provider is asked again, whatever it says now.
fn rule_11_13_what_is_remembered_ends_with_the_token(engine: Engine) {
    let second = Provider::start();
    let stage = Stage::new(engine, |provider| {
        vec![provider.oidc(), provider.introspection(), second.introspection()]
    });
    let answer = |exp: i64| {
        let body = json!({
            "active": true, "sub": "rita", "exp": exp, "scope": "email",
            "email": "renewed@example.com", "email_verified": true,
        });
        let failure = json!({"kind": "status", "status": 200, "body": body.to_string()});
        second.fail(INTROSPECTION, &failure);
    };
    let email = stage.person("rita");
    let token = stage.provider.sign_in("rita", "web-brief", "openid email", "").access;
    let end = now() + BRIEF;
    // With the leeway of a minute this one ends then, too.
    let signed = stage.signed_with("signed", &json!({"exp": end - 60}));
    answer(end);
    for _ in 0..2 {
        lets_in(stage.ask(&token), &email, "while it lives");
        lets_in(stage.ask("renewed"), "renewed@example.com", "the first answer");
        lets_in(stage.ask(&signed), "signed@example.com", "within the leeway");
    }
    assert_eq!((stage.provider.count(INTROSPECTION), second.count(INTROSPECTION)), (2, 1));
    answer(now() + 300);
    while now() <= end {
        pause(Duration::from_millis(100));
    }
    not_trusted(stage.ask(&signed), "a JWT at its end");
    lets_in(stage.ask("renewed"), "renewed@example.com", "the second answer");
    assert_eq!(second.count(INTROSPECTION), 2, "asked again at the end of the first");
    second.fail(INTROSPECTION, &Value::Null);
    not_trusted(stage.ask(&token), "an opaque one at its end");
}

/// What is remembered stands in the memory of one process; nothing of it is kept.
fn rule_11_13_revoked_tokens(engine: Engine) {
    let mut stage = Stage::new(engine, |provider| vec![provider.introspection()]);
    let email = stage.person("rita");
    let token = stage.opaque("rita", "openid email");
    lets_in(stage.ask(&token), &email, "before");
    stage.provider.revoke(CLIENT, &token);
    lets_in(stage.ask(&token), &email, "11.13: for at most five minutes");
    stage.server.restart();
    not_trusted(stage.ask(&token), "revoked");
}
