//! JWTs of an issuer that is trusted through discovery and its keys.

use daybook_tests::Engine;
use daybook_tests::provider::{ALGORITHMS, API};
use serde_json::json;

use super::{Stage, lets_in, not_trusted};
use crate::Case;

pub fn tests() -> Vec<Case> {
    crate::isolated![
        rule_11_12_id_tokens_of_every_algorithm,
        rule_11_12_access_tokens_that_are_jwts,
        rule_11_12_audiences,
        rule_11_12_the_address_in_lower_case,
        rule_11_12_issuers_beside_each_other,
        rule_11_12_own_tokens_go_on,
    ]
}

/// As the provider makes them, by the whole way through its pages.
fn rule_11_12_id_tokens_of_every_algorithm(engine: Engine) {
    let stage = Stage::new(engine, |provider| vec![provider.oidc()]);
    stage.provider.set(&json!({"emailInIdToken": true}));
    for algorithm in ALGORITHMS {
        let sub = format!("id-{algorithm}");
        stage.person(&sub);
        let tokens = stage.provider.sign_in(&sub, &format!("web-{algorithm}"), "openid email", "");
        let email = format!("id-{}@example.com", algorithm.to_lowercase());
        lets_in(stage.ask(&tokens.id), &email, algorithm);
        // The token is for those who know all of it: another last byte is another signature.
        let (rest, signature) = tokens.id.rsplit_once('.').expect("three parts");
        let first = if signature.starts_with('A') { "B" } else { "A" };
        let other = format!("{rest}.{first}{}", &signature[1..]);
        not_trusted(stage.ask(&other), &format!("{algorithm}, another signature"));
    }
    assert_eq!(stage.provider.count("/jwks"), 1, "the keys are fetched once");
    assert_eq!(stage.provider.count("/.well-known/openid-configuration"), 1);
}

/// RFC 9068: `typ` is `at+jwt`, `aud` the resource, and the scope is a claim.
fn rule_11_12_access_tokens_that_are_jwts(engine: Engine) {
    let stage = Stage::new(engine, |provider| vec![provider.oidc()]);
    stage.provider.set(&json!({"claimsInAccessToken": true}));
    for algorithm in ALGORITHMS {
        let sub = format!("access-{}", algorithm.to_lowercase());
        let email = stage.person(&sub);
        let resource = format!("{API}{algorithm}");
        let tokens = stage.provider.sign_in(&sub, "web-RS256", "openid email", &resource);
        lets_in(stage.ask(&tokens.access), &email, algorithm);
    }
    assert_eq!(stage.provider.count("/me"), 0, "the address is in the token");
}

fn rule_11_12_audiences(engine: Engine) {
    let stage = Stage::new(engine, |provider| vec![provider.oidc()]);
    for (what, audience) in [
        ("one", json!("web-ES256")),
        ("another", json!("web-RS256")),
        ("a list", json!(["web-ES256"])),
        ("a list with others", json!(["elsewhere", "web-ES256", "https://other.example"])),
    ] {
        let token = stage.signed_with("aud", &json!({"aud": audience}));
        lets_in(stage.ask(&token), "aud@example.com", what);
    }
    for (what, audience) in [
        ("another", json!("elsewhere")),
        ("others", json!(["elsewhere", "web-es256"])),
        ("part of one", json!("web-ES25")),
        ("more than one", json!("web-ES256 ")),
        ("two in a text", json!("web-ES256 web-RS256")),
        ("the issuer", json!(stage.provider.issuer())),
        ("none in the list", json!([])),
        ("none", json!(null)),
        ("an empty text", json!("")),
        ("a number", json!(5)),
        ("an object", json!({"web-ES256": true})),
    ] {
        let token = stage.signed_with("aud", &json!({"aud": audience}));
        not_trusted(stage.ask(&token), what);
    }
}

fn rule_11_12_the_address_in_lower_case(engine: Engine) {
    let stage = Stage::new(engine, |provider| vec![provider.oidc()]);
    let token = stage.signed_with("carla", &json!({"email": "Carla.Example@EXAMPLE.com"}));
    lets_in(stage.ask(&token), "carla.example@example.com", "admitted in any case");
    let user = stage.ask(&token).ok();
    let again = stage.signed_with("carla", &json!({"email": "carla.example@example.com"}));
    assert_eq!(stage.ask(&again).ok()["id"], user["id"], "the same user");
}

/// Each issuer is trusted for its own keys only, whatever the token says.
fn rule_11_12_issuers_beside_each_other(engine: Engine) {
    let other = daybook_tests::provider::Provider::start();
    let stage = Stage::new(engine, |provider| vec![provider.oidc(), other.oidc()]);
    let claims = stage.claims("both");
    let ours = stage.signed(&claims);
    lets_in(stage.ask(&ours), "both@example.com", "the first");
    let mut theirs = claims.clone();
    theirs["iss"] = json!(other.issuer());
    let es256 = json!({"alg": "ES256"});
    let token = other.sign(&json!({}), &theirs, &es256);
    lets_in(stage.ask(&token), "both@example.com", "the second: the address is who one is");
    // Signed by one in the name of the other, with the `kid` of either.
    for kid in [stage.provider.keys(), other.keys()].map(|keys| keys["ES256"]["kid"].clone()) {
        let header = json!({"kid": kid});
        not_trusted(stage.ask(&other.sign(&header, &claims, &es256)), "in the first one's name");
        let token = stage.provider.sign(&header, &theirs, &es256);
        not_trusted(stage.ask(&token), "in the second one's name");
    }
}

fn rule_11_12_own_tokens_go_on(engine: Engine) {
    let stage = Stage::new(engine, |provider| vec![provider.oidc()]);
    let token = stage.signed_with("dora", &json!({}));
    let user = stage.ask(&token).ok();
    let own = stage.server.client("dora@example.com");
    assert_eq!(own.get("/v5/user").ok()["id"], user["id"], "the address is who one is");
    let issued = stage.caller(&token).post("/v5/user/tokens", &json!({})).ok();
    let issued = issued["token"].as_str().expect("a token");
    assert_eq!(stage.ask(issued).ok()["id"], user["id"], "11.8: issued to a visitor");
    assert_eq!(stage.provider.count("/jwks"), 1, "nobody is asked about own tokens");
}
