//! Key rotation of an issuer, and how often its keys are fetched.

use daybook_tests::Engine;
use serde_json::json;

use super::{IdentityFixture, assert_accepted, assert_refused, assert_unavailable};
use crate::Case;

pub fn tests() -> Vec<Case> {
    crate::isolated![
        rule_11_13_new_keys_are_fetched,
        rule_11_13_published_old_keys_stay_valid,
        rule_11_13_unknown_keys_are_fetched_once_a_minute,
        rule_11_13_unknown_key_is_unavailable_while_the_provider_is_down,
        rule_11_13_concurrent_callers_share_a_fetch,
    ]
}

fn fixture(engine: Engine) -> IdentityFixture {
    IdentityFixture::new(engine, |provider| vec![provider.oidc()])
}

/// At once and without a restart.
fn rule_11_13_new_keys_are_fetched(engine: Engine) {
    let fixture = fixture(engine);
    let before = fixture.signed_with("kim", &json!({}));
    assert_accepted(fixture.ask(&before), "kim@example.com", "the first key");
    fixture.provider.rotate(false);
    let after = fixture.signed_with("kim", &json!({}));
    assert_accepted(fixture.ask(&after), "kim@example.com", "the next key");
    assert_eq!(fixture.provider.count("/jwks"), 2, "fetched when it was needed");
    let withdrawn = json!({"alg": "ES256", "set": "withdrawn"});
    let kid = json!({"kid": fixture.provider.keys()["ES256"]["kid"]});
    let token = fixture.provider.sign(&kid, &fixture.claims("kim"), &withdrawn);
    assert_refused(fixture.ask(&token), "another key under the name of the next");
}

fn rule_11_13_published_old_keys_stay_valid(engine: Engine) {
    let fixture = fixture(engine);
    let kid = fixture.provider.keys()["ES256"]["kid"].clone();
    let before = fixture.signed_with("kim", &json!({}));
    assert_accepted(fixture.ask(&before), "kim@example.com", "the first key");
    fixture.provider.rotate(true);
    let after = fixture.signed_with("kim", &json!({}));
    assert_accepted(fixture.ask(&after), "kim@example.com", "the next key");
    assert_ne!(fixture.provider.keys()["ES256"]["kid"], kid);
    assert_accepted(fixture.ask(&before), "kim@example.com", "what the first one signed");
    assert_eq!(fixture.provider.count("/jwks"), 2);
}

/// Unknown key ids must not cause a request each.
fn rule_11_13_unknown_keys_are_fetched_once_a_minute(engine: Engine) {
    let fixture = fixture(engine);
    let good = fixture.signed_with("kim", &json!({}));
    assert_accepted(fixture.ask(&good), "kim@example.com", "a known key");
    for number in 0..12 {
        let header = json!({"kid": format!("unknown-{number}")});
        let key = json!({"alg": "ES256", "set": "stranger"});
        let token = fixture.provider.sign(&header, &fixture.claims("kim"), &key);
        assert_refused(fixture.ask(&token), "an unknown key");
    }
    let count = fixture.provider.count("/jwks");
    assert_eq!(count, 2, "11.13: at most once a minute for unknown keys");
    assert_accepted(
        fixture.ask(&fixture.signed_with("kim", &json!({}))),
        "kim@example.com",
        "a known key",
    );
}

/// Known keys stay valid.
fn rule_11_13_unknown_key_is_unavailable_while_the_provider_is_down(engine: Engine) {
    let fixture = fixture(engine);
    assert_accepted(
        fixture.ask(&fixture.signed_with("kim", &json!({}))),
        "kim@example.com",
        "a known key",
    );
    fixture.provider.pause();
    assert_accepted(
        fixture.ask(&fixture.signed_with("leo", &json!({}))),
        "leo@example.com",
        "a known key",
    );
    let known = fixture.signed_with("ned", &json!({}));
    fixture.provider.rotate(true);
    let next = fixture.signed_with("kim", &json!({}));
    assert_unavailable(fixture.ask(&next), "an unknown key while the provider is down");
    assert_accepted(fixture.ask(&known), "ned@example.com", "a known key, after that");
}

fn rule_11_13_concurrent_callers_share_a_fetch(engine: Engine) {
    let fixture = fixture(engine);
    let tokens: Vec<String> =
        (0..12).map(|number| fixture.signed_with(&format!("many-{number}"), &json!({}))).collect();
    std::thread::scope(|scope| {
        for token in &tokens {
            scope.spawn(|| fixture.ask(token).ok());
        }
    });
    let count = fixture.provider.count("/jwks");
    assert!(count <= 2, "12 callers at once fetched the keys {count} times");
}
