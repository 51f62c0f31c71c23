//! JWTs of a configured issuer, verified with its published keys.

use daybook_tests::Engine;
use daybook_tests::provider::{ALGORITHMS, API};
use serde_json::json;

use super::{IdentityFixture, assert_accepted, assert_refused};
use crate::Case;

pub fn tests() -> Vec<Case> {
    crate::isolated![
        rule_11_12_id_tokens_of_every_algorithm_are_accepted,
        rule_11_12_jwt_access_tokens_are_accepted,
        rule_11_12_email_is_lowercased,
        rule_11_12_issuer_is_trusted_for_its_own_keys_only,
        rule_11_12_own_tokens_stay_valid,
    ]
}

/// Through the pages of the provider.
fn rule_11_12_id_tokens_of_every_algorithm_are_accepted(engine: Engine) {
    let fixture = IdentityFixture::new(engine, |provider| vec![provider.oidc()]);
    fixture.provider.set(&json!({"emailInIdToken": true}));
    for algorithm in ALGORITHMS {
        let sub = format!("id-{algorithm}");
        fixture.person(&sub);
        let tokens =
            fixture.provider.sign_in(&sub, &format!("web-{algorithm}"), "openid email", "");
        let email = format!("id-{}@example.com", algorithm.to_lowercase());
        assert_accepted(fixture.ask(&tokens.id), &email, algorithm);
        // A changed signature is refused.
        let (rest, signature) = tokens.id.rsplit_once('.').expect("three parts");
        let first = if signature.starts_with('A') { "B" } else { "A" };
        let other = format!("{rest}.{first}{}", &signature[1..]);
        assert_refused(fixture.ask(&other), &format!("{algorithm}, another signature"));
    }
    assert_eq!(fixture.provider.count("/jwks"), 1, "the keys are fetched once");
    assert_eq!(fixture.provider.count("/.well-known/openid-configuration"), 1);
}

/// RFC 9068: `typ` is `at+jwt`, `aud` the resource, and the scope is a claim.
fn rule_11_12_jwt_access_tokens_are_accepted(engine: Engine) {
    let fixture = IdentityFixture::new(engine, |provider| vec![provider.oidc()]);
    fixture.provider.set(&json!({"claimsInAccessToken": true}));
    for algorithm in ALGORITHMS {
        let sub = format!("access-{}", algorithm.to_lowercase());
        let email = fixture.person(&sub);
        let resource = format!("{API}{algorithm}");
        let tokens = fixture.provider.sign_in(&sub, "web-RS256", "openid email", &resource);
        assert_accepted(fixture.ask(&tokens.access), &email, algorithm);
    }
    assert_eq!(fixture.provider.count("/me"), 0, "the address is in the token");
}

fn rule_11_12_email_is_lowercased(engine: Engine) {
    let fixture = IdentityFixture::new(engine, |provider| vec![provider.oidc()]);
    let token = fixture.signed_with("carla", &json!({"email": "Carla.Example@EXAMPLE.com"}));
    assert_accepted(fixture.ask(&token), "carla.example@example.com", "admitted in any case");
    let user = fixture.ask(&token).ok();
    let again = fixture.signed_with("carla", &json!({"email": "carla.example@example.com"}));
    assert_eq!(fixture.ask(&again).ok()["id"], user["id"], "the same user");
}

fn rule_11_12_issuer_is_trusted_for_its_own_keys_only(engine: Engine) {
    let other = daybook_tests::provider::Provider::start();
    let fixture = IdentityFixture::new(engine, |provider| vec![provider.oidc(), other.oidc()]);
    let claims = fixture.claims("both");
    let ours = fixture.signed(&claims);
    assert_accepted(fixture.ask(&ours), "both@example.com", "the first");
    let mut theirs = claims.clone();
    theirs["iss"] = json!(other.issuer());
    let es256 = json!({"alg": "ES256"});
    let token = other.sign(&json!({}), &theirs, &es256);
    assert_accepted(
        fixture.ask(&token),
        "both@example.com",
        "the second: the address is who one is",
    );
    // Signed by one issuer in the name of the other, with the `kid` of either.
    for kid in [fixture.provider.keys(), other.keys()].map(|keys| keys["ES256"]["kid"].clone()) {
        let header = json!({"kid": kid});
        assert_refused(
            fixture.ask(&other.sign(&header, &claims, &es256)),
            "in the first one's name",
        );
        let token = fixture.provider.sign(&header, &theirs, &es256);
        assert_refused(fixture.ask(&token), "in the second one's name");
    }
}

fn rule_11_12_own_tokens_stay_valid(engine: Engine) {
    let fixture = IdentityFixture::new(engine, |provider| vec![provider.oidc()]);
    let token = fixture.signed_with("dora", &json!({}));
    let user = fixture.ask(&token).ok();
    let own = fixture.server.client("dora@example.com");
    assert_eq!(own.get("/v5/user").ok()["id"], user["id"], "the address is who one is");
    let issued = fixture.caller(&token).post("/v5/user/tokens", &json!({})).ok();
    let issued = issued["token"].as_str().expect("a token");
    assert_eq!(fixture.ask(issued).ok()["id"], user["id"], "11.8: issued to a visitor");
    assert_eq!(fixture.provider.count("/jwks"), 1, "own tokens need no request");
}
