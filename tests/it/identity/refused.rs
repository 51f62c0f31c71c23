//! JWTs that nobody should trust, for their signature or their header.

use daybook_tests::Engine;
use daybook_tests::provider::Provider;
use serde_json::{Value, json};

use super::{CLIENT, Stage, lets_in, not_trusted, now};
use crate::Case;

pub fn tests() -> Vec<Case> {
    crate::isolated![
        rule_11_12_no_signature,
        rule_11_12_public_keys_are_no_secrets,
        rule_11_12_the_algorithm_of_the_key,
        rule_11_12_keys_of_the_token_itself,
        rule_11_12_headers_that_must_be_understood,
        rule_11_12_texts_that_are_no_tokens,
    ]
}

fn stage(engine: Engine) -> Stage {
    Stage::new(engine, |provider| vec![provider.oidc()])
}

fn rule_11_12_no_signature(engine: Engine) {
    let stage = stage(engine);
    let claims = stage.claims("eve");
    let kid = stage.provider.keys()["ES256"]["kid"].clone();
    for name in ["none", "None", "NONE", "nOnE", ""] {
        for kid in [&kid, &json!(null)] {
            let header = json!({"alg": name, "kid": kid});
            let token = stage.provider.sign(&header, &claims, &json!({"alg": "none"}));
            not_trusted(stage.ask(&token), &format!("alg {name:?}"));
            not_trusted(stage.ask(token.trim_end_matches('.')), "without the last part");
        }
    }
    let without = json!({"alg": null});
    let token = stage.provider.sign(&without, &claims, &json!({"alg": "ES256"}));
    not_trusted(stage.ask(&token), "no alg at all");
    // The algorithm of the key, and no signature.
    let token = stage.provider.sign(
        &json!({"alg": "ES256", "kid": kid}),
        &claims,
        &json!({
            "alg": "none"
        }),
    );
    not_trusted(stage.ask(&token), "an empty signature");
}

/// Whoever can read the published key could sign, were it taken for the secret of an HMAC.
fn rule_11_12_public_keys_are_no_secrets(engine: Engine) {
    let stage = stage(engine);
    let claims = stage.claims("mallory");
    let keys = stage.provider.keys();
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
            let token = stage.provider.sign(&header, &claims, &json!({"secret": secret}));
            not_trusted(stage.ask(&token), &format!("HS256 with {what}"));
        }
    }
}

fn rule_11_12_the_algorithm_of_the_key(engine: Engine) {
    let stage = stage(engine);
    let claims = stage.claims("mallory");
    let keys = stage.provider.keys();
    for (signed, named) in [
        ("RS256", "PS256"),
        ("PS256", "RS256"),
        ("RS256", "ES256"),
        ("ES256", "EdDSA"),
        ("EdDSA", "ES256"),
        ("RS256", "RS512"),
        ("ES256", "ES384"),
    ] {
        // What the key really did, under another name; and what the name says, with another key.
        let key = json!({"alg": signed});
        let header = json!({"alg": named, "kid": keys[signed]["kid"]});
        not_trusted(stage.ask(&stage.provider.sign(&header, &claims, &key)), named);
        let Some(kid) = keys[named]["kid"].as_str() else { continue };
        let token = stage.provider.sign(&json!({"kid": kid}), &claims, &key);
        not_trusted(stage.ask(&token), &format!("{signed} with the kid of {named}"));
    }
}

/// Keys, and places of keys, that come with the token are the sender's own.
fn rule_11_12_keys_of_the_token_itself(engine: Engine) {
    let stage = stage(engine);
    let other = Provider::start();
    let claims = stage.claims("mallory");
    let es256 = json!({"alg": "ES256"});
    let kid = &stage.provider.keys()["ES256"]["kid"];
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
        not_trusted(stage.ask(&other.sign(&header, &claims, &es256)), &header.to_string());
    }
    assert_eq!(other.requests(), 0, "nobody asks where a token says");
}

/// RFC 7515, 4.1.11.
fn rule_11_12_headers_that_must_be_understood(engine: Engine) {
    let stage = stage(engine);
    let claims = stage.claims("ed");
    let es256 = json!({"alg": "ES256"});
    let sign = |header: &Value| stage.provider.sign(header, &claims, &es256);
    for header in [
        json!({"crit": ["exp"], "exp": now()}),
        json!({"crit": ["b64"], "b64": false}),
        json!({"crit": ["unheard-of"], "unheard-of": true}),
        json!({"crit": []}),
    ] {
        not_trusted(stage.ask(&sign(&header)), &header.to_string());
    }
    lets_in(stage.ask(&sign(&json!({"unheard-of": true}))), "ed@example.com", "may be ignored");
}

fn rule_11_12_texts_that_are_no_tokens(engine: Engine) {
    let stage = stage(engine);
    let good = stage.signed_with("ed", &json!({}));
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
        not_trusted(stage.ask(&text), &text);
    }
    lets_in(stage.ask(&good), "ed@example.com", "the good one");
}
