//! Caching of provider responses: per token, in memory, and never beyond its expiry.

use std::time::Duration;

use daybook_tests::provider::Provider;
use daybook_tests::{Engine, pause, unique};
use serde_json::{Value, json};

use super::opaque::INTROSPECTION;
use super::{CLIENT, IdentityFixture, assert_accepted, assert_refused, now};
use crate::Case;

pub fn tests() -> Vec<Case> {
    crate::isolated![
        rule_11_13_provider_response_is_cached,
        rule_11_13_revoked_token_is_cached_until_restart,
    ]
}

/// Waits until a token of [`BRIEF`] seconds has expired.
pub fn nightly() -> Vec<Case> {
    crate::isolated![rule_11_13_cached_response_expires_with_the_token]
}

/// The lifetime in seconds of access tokens of `web-brief`.
const BRIEF: i64 = 30;

fn rule_11_13_provider_response_is_cached(engine: Engine) {
    let fixture = IdentityFixture::new(engine, |provider| {
        vec![provider.oidc(), provider.introspection(), provider.tokeninfo()]
    });
    let email = fixture.person("rita");
    let token = fixture.opaque("rita", "openid email");
    let asked = || {
        let paths = [INTROSPECTION, "/me", "/tokeninfo"];
        paths.map(|path| fixture.provider.count(path))
    };
    for _ in 0..10 {
        assert_accepted(fixture.ask(&token), &email, "remembered");
        // Other users and tokens change meanwhile.
        let other = fixture.server.client(&format!("{}@example.com", unique("meanwhile")));
        other.post("/v5/user/tokens", &json!({})).ok();
    }
    assert_eq!(asked(), [1, 1, 0]);
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| assert_accepted(fixture.ask(&token), &email, "at once"));
        }
    });
    assert_eq!(asked(), [1, 1, 0]);
    // The key of the cache is the whole token.
    assert_refused(fixture.ask(&format!("{token}x")), "another token");
}

/// Then the provider is asked again.
fn rule_11_13_cached_response_expires_with_the_token(engine: Engine) {
    let second = Provider::start();
    let fixture = IdentityFixture::new(engine, |provider| {
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
    let email = fixture.person("rita");
    let token = fixture.provider.sign_in("rita", "web-brief", "openid email", "").access;
    let end = now() + BRIEF;
    // With the leeway of a minute this one expires then, too.
    let signed = fixture.signed_with("signed", &json!({"exp": end - 60}));
    answer(end);
    for _ in 0..2 {
        assert_accepted(fixture.ask(&token), &email, "while it lives");
        assert_accepted(fixture.ask("renewed"), "renewed@example.com", "the first answer");
        assert_accepted(fixture.ask(&signed), "signed@example.com", "within the leeway");
    }
    assert_eq!((fixture.provider.count(INTROSPECTION), second.count(INTROSPECTION)), (2, 1));
    answer(now() + 300);
    while now() <= end {
        pause(Duration::from_millis(100));
    }
    assert_refused(fixture.ask(&signed), "a JWT at its end");
    assert_accepted(fixture.ask("renewed"), "renewed@example.com", "the second answer");
    assert_eq!(second.count(INTROSPECTION), 2, "asked again at the end of the first");
    second.fail(INTROSPECTION, &Value::Null);
    assert_refused(fixture.ask(&token), "an opaque one at its end");
}

/// The cache is in the memory of one process.
fn rule_11_13_revoked_token_is_cached_until_restart(engine: Engine) {
    let mut fixture = IdentityFixture::new(engine, |provider| vec![provider.introspection()]);
    let email = fixture.person("rita");
    let token = fixture.opaque("rita", "openid email");
    assert_accepted(fixture.ask(&token), &email, "before");
    fixture.provider.revoke(CLIENT, &token);
    assert_accepted(fixture.ask(&token), &email, "11.13: for at most five minutes");
    fixture.server.restart();
    assert_refused(fixture.ask(&token), "revoked");
}
