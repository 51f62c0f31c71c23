//! Tokens without an email address, which is read from userinfo.

use daybook_tests::Engine;
use daybook_tests::provider::API;
use serde_json::{Value, json};

use super::{IdentityFixture, assert_accepted, assert_refused, assert_unavailable};
use crate::Case;

pub fn tests() -> Vec<Case> {
    crate::isolated![
        rule_11_12_jwt_without_an_email_uses_userinfo,
        rule_11_12_userinfo_response_is_validated,
        rule_11_12_id_token_without_an_email_is_refused,
        rule_11_12_failing_userinfo_is_unavailable,
    ]
}

impl IdentityFixture {
    /// Returns a JWT access token with only `sub` and the scope.
    #[track_caller]
    fn bare(&self, sub: &str, scope: &str) -> String {
        self.provider.sign_in(sub, "web-RS256", scope, &format!("{API}ES256")).access
    }
}

fn fixture(engine: Engine) -> IdentityFixture {
    IdentityFixture::new(engine, |provider| vec![provider.oidc()])
}

fn rule_11_12_jwt_without_an_email_uses_userinfo(engine: Engine) {
    let fixture = fixture(engine);
    let email = fixture.person("uma");
    let token = fixture.bare("uma", "openid email");
    for _ in 0..5 {
        assert_accepted(fixture.ask(&token), &email, "the address of userinfo");
    }
    assert_eq!(fixture.provider.count("/me"), 1, "11.13: remembered");
    let without = fixture.bare("uma", "openid profile");
    assert_refused(fixture.ask(&without), "a scope without the address");
}

fn rule_11_12_userinfo_response_is_validated(engine: Engine) {
    let fixture = fixture(engine);
    let verified = json!({"email": "uma@example.com", "email_verified": true});
    for (what, claims) in [
        ("no address", json!({"name": "Uma"})),
        ("not verified", json!({"email": "uma@example.com", "email_verified": false})),
        ("nothing of verified", json!({"email": "uma@example.com"})),
        // OpenID Connect Core, 5.3.2: `sub` must match.
        (
            "another person",
            json!({"sub": "mallory", "email": "uma@example.com", "email_verified": true}),
        ),
        ("nobody", json!({"sub": null, "email": "uma@example.com", "email_verified": true})),
    ] {
        fixture.provider.user("uma", &verified);
        let token = fixture.bare("uma", "openid email");
        fixture.provider.user("uma", &claims);
        assert_refused(fixture.ask(&token), what);
    }
}

/// oidc-provider accepts only access tokens for userinfo.
fn rule_11_12_id_token_without_an_email_is_refused(engine: Engine) {
    let fixture = fixture(engine);
    fixture.person("uma");
    let tokens = fixture.provider.sign_in("uma", "web-ES256", "openid email", "");
    assert_refused(fixture.ask(&tokens.id), "userinfo refuses it");
    assert_eq!(fixture.provider.count("/me"), 1, "it was asked");
}

fn rule_11_12_failing_userinfo_is_unavailable(engine: Engine) {
    let fixture = fixture(engine);
    let email = fixture.person("uma");
    let known = fixture.signed_with("known", &json!({}));
    assert_accepted(fixture.ask(&known), "known@example.com", "the keys are there");
    let token = fixture.bare("uma", "openid email");
    let elsewhere = format!("{}/jwks", fixture.provider.issuer());
    for failure in [
        json!({"kind": "status", "status": 500}),
        json!({"kind": "status", "status": 200, "body": "<html>"}),
        json!({"kind": "redirect", "location": elsewhere}),
    ] {
        fixture.provider.fail("/me", &failure);
        assert_unavailable(fixture.ask(&token), &failure.to_string());
        assert_accepted(fixture.ask(&known), "known@example.com", "others go on");
    }
    fixture.provider.fail("/me", &Value::Null);
    assert_accepted(fixture.ask(&token), &email, "nothing of the failure is remembered");
}
