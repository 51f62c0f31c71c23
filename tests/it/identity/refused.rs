//! JWTs that are refused for their signature or header.

use daybook_tests::Engine;
use daybook_tests::provider::Provider;
use serde_json::{Value, json};

use super::{CLIENT, IdentityFixture, assert_accepted, assert_refused, now};
use crate::Case;

pub fn tests() -> Vec<Case> {
    crate::isolated![
        rule_11_12_unsigned_tokens_are_refused,
        rule_11_12_public_key_is_not_an_hmac_secret,
        rule_11_12_algorithm_must_be_that_of_the_key,
        rule_11_12_keys_in_the_token_are_ignored,
        rule_11_12_critical_headers_are_refused,
        rule_11_12_malformed_tokens_are_refused,
    ]
}

fn fixture(engine: Engine) -> IdentityFixture {
    IdentityFixture::new(engine, |provider| vec![provider.oidc()])
}

fn rule_11_12_unsigned_tokens_are_refused(engine: Engine) {
    let fixture = fixture(engine);
    let claims = fixture.claims("eve");
    let kid = fixture.provider.keys()["ES256"]["kid"].clone();
    for name in ["none", "None", "NONE", "nOnE", ""] {
        for kid in [&kid, &json!(null)] {
            let header = json!({"alg": name, "kid": kid});
            let token = fixture.provider.sign(&header, &claims, &json!({"alg": "none"}));
            assert_refused(fixture.ask(&token), &format!("alg {name:?}"));
            assert_refused(fixture.ask(token.trim_end_matches('.')), "without the last part");
        }
    }
    let without = json!({"alg": null});
    let token = fixture.provider.sign(&without, &claims, &json!({"alg": "ES256"}));
    assert_refused(fixture.ask(&token), "no alg at all");
    // The algorithm of the key with an empty signature.
    let token = fixture.provider.sign(
        &json!({"alg": "ES256", "kid": kid}),
        &claims,
        &json!({
            "alg": "none"
        }),
    );
    assert_refused(fixture.ask(&token), "an empty signature");
}

/// Algorithm confusion: the public key used as the secret of an HMAC.
fn rule_11_12_public_key_is_not_an_hmac_secret(engine: Engine) {
    let fixture = fixture(engine);
    let claims = fixture.claims("mallory");
    let keys = fixture.provider.keys();
    let rsa = &keys["RS256"];
    let text = |value: &Value| value.as_str().expect("text").to_owned();
    let pem = text(&rsa["pem"]);
    for (what, secret) in [
        ("the key as PEM", pem.clone()),
        ("the same without the line at its end", pem.trim_end().to_owned()),
        ("the modulus", text(&rsa["jwk"]["n"])),
        ("the key as JWK", rsa["jwk"].to_string()),
        ("the key id", text(&rsa["kid"])),
        ("the client id", CLIENT.to_owned()),
        ("nothing", String::new()),
    ] {
        for kid in [&rsa["kid"], &keys["ES256"]["kid"], &json!(null)] {
            let header = json!({"alg": "HS256", "kid": kid});
            let token = fixture.provider.sign(&header, &claims, &json!({"secret": secret}));
            assert_refused(fixture.ask(&token), &format!("HS256 with {what}"));
        }
    }
}

fn rule_11_12_algorithm_must_be_that_of_the_key(engine: Engine) {
    let fixture = fixture(engine);
    let claims = fixture.claims("mallory");
    let keys = fixture.provider.keys();
    for (signed, named) in [
        ("RS256", "PS256"),
        ("PS256", "RS256"),
        ("RS256", "ES256"),
        ("ES256", "EdDSA"),
        ("EdDSA", "ES256"),
        ("RS256", "RS512"),
        ("ES256", "ES384"),
    ] {
        // A valid signature under another algorithm name, and that algorithm with another key.
        let key = json!({"alg": signed});
        let header = json!({"alg": named, "kid": keys[signed]["kid"]});
        assert_refused(fixture.ask(&fixture.provider.sign(&header, &claims, &key)), named);
        let Some(kid) = keys[named]["kid"].as_str() else { continue };
        let token = fixture.provider.sign(&json!({"kid": kid}), &claims, &key);
        assert_refused(fixture.ask(&token), &format!("{signed} with the kid of {named}"));
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

/// RFC 7515, 4.1.11.
fn rule_11_12_critical_headers_are_refused(engine: Engine) {
    let fixture = fixture(engine);
    let claims = fixture.claims("ed");
    let es256 = json!({"alg": "ES256"});
    let sign = |header: &Value| fixture.provider.sign(header, &claims, &es256);
    for header in [
        json!({"crit": ["exp"], "exp": now()}),
        json!({"crit": ["b64"], "b64": false}),
        json!({"crit": ["unheard-of"], "unheard-of": true}),
        json!({"crit": []}),
    ] {
        assert_refused(fixture.ask(&sign(&header)), &header.to_string());
    }
    assert_accepted(
        fixture.ask(&sign(&json!({"unheard-of": true}))),
        "ed@example.com",
        "may be ignored",
    );
}

fn rule_11_12_malformed_tokens_are_refused(engine: Engine) {
    let fixture = fixture(engine);
    let good = fixture.signed_with("ed", &json!({}));
    let parts: Vec<&str> = good.split('.').collect();
    let [header, claims, signature] = parts[..] else { panic!("three parts: {good}") };
    for text in [
        format!("{header}.{claims}"),
        format!("{header}.{claims}.{signature}.{signature}"),
        format!("{header}.{claims}.{signature}="),
        format!("{header}.{claims}. {signature}"),
        format!("{header}..{signature}"),
        format!(".{claims}.{signature}"),
        format!("{claims}.{header}.{signature}"),
        "..".to_owned(),
        "...".to_owned(),
        "eyJ".to_owned(),
        "x".repeat(6_000),
        format!("{}.{claims}.{signature}", "A".repeat(3_000)),
    ] {
        assert_refused(fixture.ask(&text), &text);
    }
    assert_accepted(fixture.ask(&good), "ed@example.com", "the good one");
}
