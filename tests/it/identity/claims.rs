//! Signed JWTs that do not let in, or not now, for what they say.

use daybook_tests::Engine;
use serde_json::json;

use super::{Stage, lets_in, not_trusted, now};
use crate::Case;

pub fn tests() -> Vec<Case> {
    crate::isolated![
        rule_11_12_times,
        rule_11_12_other_issuers,
        rule_11_13_the_address_is_verified,
        rule_11_12_claims_of_any_shape,
    ]
}

fn stage(engine: Engine) -> Stage {
    Stage::new(engine, |provider| vec![provider.oidc()])
}

/// With 60 seconds of leeway on both sides.
fn rule_11_12_times(engine: Engine) {
    let stage = stage(engine);
    for (what, times) in [
        ("just expired", json!({"exp": now() - 30})),
        ("valid in a moment", json!({"nbf": now() + 30})),
        ("valid since a while", json!({"nbf": now() - 3600})),
        ("parts of a second", json!({"exp": (now() + 60) as f64 + 0.5})),
    ] {
        lets_in(stage.ask(&stage.signed_with("ed", &times)), "ed@example.com", what);
    }
    for (what, times) in [
        ("expired", json!({"exp": now() - 90})),
        ("long expired", json!({"exp": 1_000_000_000})),
        ("never ends", json!({"exp": null})),
        ("not yet valid", json!({"nbf": now() + 90})),
        ("ends before 1970", json!({"exp": -1})),
        ("not yet valid, in parts of a second", json!({"nbf": (now() + 90) as f64 + 0.5})),
        ("its start cannot be read", json!({"nbf": "soon"})),
        ("it starts in the far future", json!({"nbf": 1.5e20})),
    ] {
        not_trusted(stage.ask(&stage.signed_with("ed", &times)), what);
    }
}

fn rule_11_12_other_issuers(engine: Engine) {
    let stage = stage(engine);
    let issuer = stage.provider.issuer();
    for other in [
        json!("https://accounts.example"),
        json!(format!("{issuer}/")),
        json!(format!("{issuer}/other")),
        json!(issuer.to_uppercase()),
        json!([issuer]),
        json!(7),
        json!(null),
    ] {
        let token = stage.signed_with("mallory", &json!({"iss": other}));
        not_trusted(stage.ask(&token), &other.to_string());
    }
}

fn rule_11_13_the_address_is_verified(engine: Engine) {
    let stage = stage(engine);
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
        not_trusted(stage.ask(&stage.signed_with("ed", &claims)), what);
    }
    let token = stage.signed_with("ed", &json!({"scope": "openid email"}));
    lets_in(stage.ask(&token), "ed@example.com", "a scope with it");
}

/// A fault of a claim is the caller's: it never takes the server down.
fn rule_11_12_claims_of_any_shape(engine: Engine) {
    let stage = stage(engine);
    let deep = (0..1_000).fold(json!(1), |inner, _| json!([inner]));
    for claims in [
        json!({"exp": 1e300}),
        json!({"exp": i64::MAX}),
        json!({"nbf": i64::MIN}),
        // The most seconds that are milliseconds, too; the leeway takes them beyond.
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
        let answer = stage.ask(&stage.signed_with("ed", &claims));
        assert!(matches!(answer.status, 200 | 401), "{claims}: {}", answer.text);
    }
    for claims in [json!([]), json!("claims"), json!(null), json!(5)] {
        not_trusted(stage.ask(&stage.signed(&claims)), &claims.to_string());
    }
    let good = stage.signed_with("ed", &json!({}));
    lets_in(stage.ask(&good), "ed@example.com", "still there");
}
