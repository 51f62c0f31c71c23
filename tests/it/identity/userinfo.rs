//! Tokens without an address: userinfo is asked for it.

use daybook_tests::Engine;
use daybook_tests::provider::API;
use serde_json::{Value, json};

use super::{Stage, lets_in, not_known_now, not_trusted};
use crate::Case;

pub fn tests() -> Vec<Case> {
    crate::isolated![
        rule_11_12_userinfo_of_a_jwt,
        rule_11_12_answers_of_userinfo,
        rule_11_12_id_tokens_without_an_address,
        rule_11_12_userinfo_that_fails,
    ]
}

impl Stage {
    /// An access token that is a JWT with `sub` and the scope alone.
    #[track_caller]
    fn bare(&self, sub: &str, scope: &str) -> String {
        self.provider.sign_in(sub, "web-RS256", scope, &format!("{API}ES256")).access
    }
}

fn stage(engine: Engine) -> Stage {
    Stage::new(engine, |provider| vec![provider.oidc()])
}

fn rule_11_12_userinfo_of_a_jwt(engine: Engine) {
    let stage = stage(engine);
    let email = stage.person("uma");
    let token = stage.bare("uma", "openid email");
    for _ in 0..5 {
        lets_in(stage.ask(&token), &email, "the address of userinfo");
    }
    assert_eq!(stage.provider.count("/me"), 1, "11.13: remembered");
    let without = stage.bare("uma", "openid profile");
    not_trusted(stage.ask(&without), "a scope without the address");
}

fn rule_11_12_answers_of_userinfo(engine: Engine) {
    let stage = stage(engine);
    let verified = json!({"email": "uma@example.com", "email_verified": true});
    for (what, claims) in [
        ("no address", json!({"name": "Uma"})),
        ("not verified", json!({"email": "uma@example.com", "email_verified": false})),
        ("nothing of verified", json!({"email": "uma@example.com"})),
        // OpenID Connect Core, 5.3.2: another `sub` is another person's answer.
        (
            "another person",
            json!({"sub": "mallory", "email": "uma@example.com", "email_verified": true}),
        ),
        ("nobody", json!({"sub": null, "email": "uma@example.com", "email_verified": true})),
    ] {
        stage.provider.user("uma", &verified);
        let token = stage.bare("uma", "openid email");
        stage.provider.user("uma", &claims);
        not_trusted(stage.ask(&token), what);
    }
}

/// oidc-provider answers userinfo to access tokens only, as it should.
fn rule_11_12_id_tokens_without_an_address(engine: Engine) {
    let stage = stage(engine);
    stage.person("uma");
    let tokens = stage.provider.sign_in("uma", "web-ES256", "openid email", "");
    not_trusted(stage.ask(&tokens.id), "userinfo refuses it");
    assert_eq!(stage.provider.count("/me"), 1, "it was asked");
}

fn rule_11_12_userinfo_that_fails(engine: Engine) {
    let stage = stage(engine);
    let email = stage.person("uma");
    let known = stage.signed_with("known", &json!({}));
    lets_in(stage.ask(&known), "known@example.com", "the keys are there");
    let token = stage.bare("uma", "openid email");
    let elsewhere = format!("{}/jwks", stage.provider.issuer());
    for failure in [
        json!({"kind": "status", "status": 500}),
        json!({"kind": "status", "status": 200, "body": "<html>"}),
        json!({"kind": "redirect", "location": elsewhere}),
    ] {
        stage.provider.fail("/me", &failure);
        not_known_now(stage.ask(&token), &failure.to_string());
        lets_in(stage.ask(&known), "known@example.com", "others go on");
    }
    stage.provider.fail("/me", &Value::Null);
    lets_in(stage.ask(&token), &email, "nothing of the failure is remembered");
}
