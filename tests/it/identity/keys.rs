//! The keys of an issuer: how they change, and how often they are fetched.

use daybook_tests::Engine;
use serde_json::json;

use super::{Stage, lets_in, not_known_now, not_trusted};
use crate::Case;

pub fn tests() -> Vec<Case> {
    crate::isolated![
        rule_11_13_new_keys_are_found,
        rule_11_13_kept_keys_go_on,
        rule_11_13_unknown_keys_fetch_once_a_minute,
        rule_11_13_unknown_keys_while_it_is_down,
        rule_11_13_many_callers_fetch_once,
    ]
}

fn stage(engine: Engine) -> Stage {
    Stage::new(engine, |provider| vec![provider.oidc()])
}

/// Without a restart, and at once.
fn rule_11_13_new_keys_are_found(engine: Engine) {
    let stage = stage(engine);
    let before = stage.signed_with("kim", &json!({}));
    lets_in(stage.ask(&before), "kim@example.com", "the first key");
    stage.provider.rotate(false);
    let after = stage.signed_with("kim", &json!({}));
    lets_in(stage.ask(&after), "kim@example.com", "the next key");
    assert_eq!(stage.provider.count("/jwks"), 2, "fetched when it was needed");
    let withdrawn = json!({"alg": "ES256", "set": "withdrawn"});
    let kid = json!({"kid": stage.provider.keys()["ES256"]["kid"]});
    let token = stage.provider.sign(&kid, &stage.claims("kim"), &withdrawn);
    not_trusted(stage.ask(&token), "another key under the name of the next");
}

fn rule_11_13_kept_keys_go_on(engine: Engine) {
    let stage = stage(engine);
    let kid = stage.provider.keys()["ES256"]["kid"].clone();
    let before = stage.signed_with("kim", &json!({}));
    lets_in(stage.ask(&before), "kim@example.com", "the first key");
    stage.provider.rotate(true);
    let after = stage.signed_with("kim", &json!({}));
    lets_in(stage.ask(&after), "kim@example.com", "the next key");
    assert_ne!(stage.provider.keys()["ES256"]["kid"], kid);
    lets_in(stage.ask(&before), "kim@example.com", "what the first one signed");
    assert_eq!(stage.provider.count("/jwks"), 2);
}

/// Nobody makes a server ask its provider over and over.
fn rule_11_13_unknown_keys_fetch_once_a_minute(engine: Engine) {
    let stage = stage(engine);
    let good = stage.signed_with("kim", &json!({}));
    lets_in(stage.ask(&good), "kim@example.com", "a known key");
    for number in 0..12 {
        let header = json!({"kid": format!("unknown-{number}")});
        let key = json!({"alg": "ES256", "set": "stranger"});
        let token = stage.provider.sign(&header, &stage.claims("kim"), &key);
        not_trusted(stage.ask(&token), "an unknown key");
    }
    let count = stage.provider.count("/jwks");
    assert_eq!(count, 2, "11.13: at most once a minute for unknown keys");
    lets_in(stage.ask(&stage.signed_with("kim", &json!({}))), "kim@example.com", "a known key");
}

/// Known keys keep working, and nobody can tell whether there is a new one.
fn rule_11_13_unknown_keys_while_it_is_down(engine: Engine) {
    let stage = stage(engine);
    lets_in(stage.ask(&stage.signed_with("kim", &json!({}))), "kim@example.com", "a known key");
    stage.provider.pause();
    lets_in(stage.ask(&stage.signed_with("leo", &json!({}))), "leo@example.com", "a known key");
    let known = stage.signed_with("ned", &json!({}));
    stage.provider.rotate(true);
    let next = stage.signed_with("kim", &json!({}));
    not_known_now(stage.ask(&next), "an unknown key while the provider is down");
    lets_in(stage.ask(&known), "ned@example.com", "a known key, after that");
}

fn rule_11_13_many_callers_fetch_once(engine: Engine) {
    let stage = stage(engine);
    let tokens: Vec<String> =
        (0..12).map(|number| stage.signed_with(&format!("many-{number}"), &json!({}))).collect();
    std::thread::scope(|scope| {
        for token in &tokens {
            scope.spawn(|| stage.ask(token).ok());
        }
    });
    let count = stage.provider.count("/jwks");
    assert!(count <= 2, "12 callers at once fetched the keys {count} times");
}
