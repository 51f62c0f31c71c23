//! JWTs that are refused. The unit tests of `auth` have more signatures, headers and claims.

use daybook_tests::Engine;
use daybook_tests::provider::Provider;
use serde_json::json;

use super::{IdentityFixture, assert_accepted, assert_refused, now};
use crate::Case;

pub fn tests() -> Vec<Case> {
    crate::isolated![
        rule_11_12_untrusted_tokens_are_refused,
        rule_11_12_keys_in_the_token_are_ignored,
        rule_11_13_unverified_email_is_refused,
        rule_11_12_malformed_claims_cause_no_fault,
    ]
}

fn fixture(engine: Engine) -> IdentityFixture {
    IdentityFixture::new(engine, |provider| vec![provider.oidc()])
}

/// One of each kind.
fn rule_11_12_untrusted_tokens_are_refused(engine: Engine) {
    let fixture = fixture(engine);
    for claims in [
        json!({"exp": now() - 90}),
        json!({"nbf": now() + 90}),
        json!({"aud": "elsewhere"}),
        json!({"iss": "https://accounts.example"}),
    ] {
        assert_refused(fixture.ask(&fixture.signed_with("ed", &claims)), &claims.to_string());
    }
    let (claims, rsa) = (fixture.claims("ed"), fixture.provider.keys()["RS256"].clone());
    for (header, key) in [
        // Without a signature.
        (json!({"alg": "none"}), json!({"alg": "none"})),
        // A valid signature under the name of another algorithm.
        (json!({"alg": "PS256", "kid": rsa["kid"]}), json!({"alg": "RS256"})),
        // Algorithm confusion: the public key as the secret of an HMAC.
        (json!({"alg": "HS256", "kid": rsa["kid"]}), json!({"secret": rsa["pem"]})),
        (json!({"crit": ["exp"], "exp": now()}), json!({"alg": "ES256"})),
    ] {
        let token = fixture.provider.sign(&header, &claims, &key);
        assert_refused(fixture.ask(&token), &header.to_string());
    }
}

/// `jwk`, `jku` and `x5u` are under the control of the sender.
fn rule_11_12_keys_in_the_token_are_ignored(engine: Engine) {
    let fixture = fixture(engine);
    let other = Provider::start();
    let claims = fixture.claims("mallory");
    let es256 = json!({"alg": "ES256"});
    let kid = &fixture.provider.keys()["ES256"]["kid"];
    let theirs = &other.keys()["ES256"];
    let jku = format!("{}/jwks", other.issuer());
    for header in [
        json!({}),
        json!({"jwk": theirs["jwk"]}),
        json!({"jku": jku}),
        json!({"x5u": jku}),
        json!({"kid": jku}),
        json!({"kid": "../../../../etc/passwd"}),
        json!({"kid": ""}),
        json!({"kid": null}),
        json!({"kid": kid}),
        json!({"kid": kid, "jwk": theirs["jwk"], "jku": jku}),
    ] {
        assert_refused(fixture.ask(&other.sign(&header, &claims, &es256)), &header.to_string());
    }
    assert_eq!(other.requests(), 0, "no key is fetched from a URL of the token");
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
