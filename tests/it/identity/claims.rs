//! Signed JWTs that are refused for their claims.

use daybook_tests::Engine;
use serde_json::json;

use super::{IdentityFixture, assert_accepted, assert_refused, now};
use crate::Case;

pub fn tests() -> Vec<Case> {
    crate::isolated![
        rule_11_12_expired_and_early_tokens_are_refused,
        rule_11_12_other_issuers_are_refused,
        rule_11_13_unverified_email_is_refused,
        rule_11_12_malformed_claims_cause_no_fault,
    ]
}

fn fixture(engine: Engine) -> IdentityFixture {
    IdentityFixture::new(engine, |provider| vec![provider.oidc()])
}

/// With 60 seconds of leeway on both sides.
fn rule_11_12_expired_and_early_tokens_are_refused(engine: Engine) {
    let fixture = fixture(engine);
    for (what, times) in [
        ("just expired", json!({"exp": now() - 30})),
        ("valid in a moment", json!({"nbf": now() + 30})),
        ("parts of a second", json!({"exp": (now() + 60) as f64 + 0.5})),
    ] {
        assert_accepted(fixture.ask(&fixture.signed_with("ed", &times)), "ed@example.com", what);
    }
    for (what, times) in [
        ("expired", json!({"exp": now() - 90})),
        ("never ends", json!({"exp": null})),
        ("not yet valid", json!({"nbf": now() + 90})),
        ("not yet valid, in parts of a second", json!({"nbf": (now() + 90) as f64 + 0.5})),
        ("it starts in the far future", json!({"nbf": 1.5e20})),
    ] {
        assert_refused(fixture.ask(&fixture.signed_with("ed", &times)), what);
    }
}

fn rule_11_12_other_issuers_are_refused(engine: Engine) {
    let fixture = fixture(engine);
    let issuer = fixture.provider.issuer();
    for other in [
        json!("https://accounts.example"),
        json!(format!("{issuer}/")),
        json!(issuer.to_uppercase()),
        json!(null),
    ] {
        let token = fixture.signed_with("mallory", &json!({"iss": other}));
        assert_refused(fixture.ask(&token), &other.to_string());
    }
}

fn rule_11_13_unverified_email_is_refused(engine: Engine) {
    let fixture = fixture(engine);
    for (what, claims) in [
        ("not verified", json!({"email_verified": false})),
        ("a text that is not true", json!({"email_verified": "no"})),
        ("a number", json!({"email_verified": 1})),
        ("an empty address", json!({"email": ""})),
        ("no address", json!({"email": "nobody"})),
        ("two addresses", json!({"email": "a@example.com, b@example.com"})),
        ("a line break", json!({"email": "a@example.com\nb@example.com"})),
        ("a list", json!({"email": ["a@example.com"]})),
        ("too long", json!({"email": format!("{}@example.com", "a".repeat(300))})),
        ("a scope without it", json!({"scope": "openid profile"})),
        ("an empty scope", json!({"scope": ""})),
        ("a longer word in the scope", json!({"scope": "openid emails"})),
    ] {
        assert_refused(fixture.ask(&fixture.signed_with("ed", &claims)), what);
    }
    let token = fixture.signed_with("ed", &json!({"scope": "openid email"}));
    assert_accepted(fixture.ask(&token), "ed@example.com", "a scope with it");
}

fn rule_11_12_malformed_claims_cause_no_fault(engine: Engine) {
    let fixture = fixture(engine);
    let deep = (0..1_000).fold(json!(1), |inner, _| json!([inner]));
    for claims in [
        json!({"exp": 1e300}),
        json!({"exp": i64::MAX}),
        json!({"nbf": i64::MIN}),
        // The largest seconds that fit milliseconds; the leeway would overflow.
        json!({"exp": 9_223_372_036_854_774_i64}),
        json!({"nbf": -9_223_372_036_854_774_i64}),
        json!({"iat": "yesterday"}),
        json!({"sub": 5}),
        json!({"sub": null}),
        json!({"sub": ""}),
        json!({"name": 5, "given_name": [], "picture": {}, "hd": true}),
        json!({"name": "n".repeat(10_000)}),
        json!({"name": "\u{0}\u{7}\n"}),
        json!({"padding": deep}),
    ] {
        let answer = fixture.ask(&fixture.signed_with("ed", &claims));
        assert!(matches!(answer.status, 200 | 401), "{claims}: {}", answer.text);
    }
    for claims in [json!([]), json!("claims"), json!(null), json!(5)] {
        assert_refused(fixture.ask(&fixture.signed(&claims)), &claims.to_string());
    }
    let good = fixture.signed_with("ed", &json!({}));
    assert_accepted(fixture.ask(&good), "ed@example.com", "still there");
}
