//! Opaque tokens, by introspection (RFC 7662) and userinfo.

use daybook_tests::Engine;
use daybook_tests::provider::{ASKING_SECRET, Provider};
use serde_json::{Value, json};

use super::{CLIENT, Stage, changed, lets_in, not_known_now, not_trusted, now};
use crate::Case;

pub fn tests() -> Vec<Case> {
    crate::isolated![
        rule_11_12_introspection_and_userinfo,
        rule_11_12_introspection_that_has_the_address,
        rule_11_12_answers_of_introspection,
        rule_11_13_the_scope_holds_the_address,
        rule_11_12_providers_in_the_order_of_the_file,
        rule_11_12_jwts_of_others_are_opaque,
        rule_11_12_a_client_that_may_not_ask,
    ]
}

/// Of the stage's issuer.
pub const INTROSPECTION: &str = "/token/introspection";

/// As existing command-line clients send them (11.1), by the whole way through the pages.
fn rule_11_12_introspection_and_userinfo(engine: Engine) {
    let stage = Stage::new(engine, |provider| vec![provider.introspection()]);
    let email = stage.person("ina");
    let token = stage.opaque("ina", "openid email");
    assert!(!token.contains('.'), "it is opaque: {token}");
    lets_in(stage.ask(&token), &email, "an opaque token");
    assert_eq!((stage.provider.count(INTROSPECTION), stage.provider.count("/me")), (1, 1));
    for unknown in ["unknown", &token[1..], &token.to_lowercase()] {
        not_trusted(stage.ask(unknown), unknown);
    }
    let again = stage.opaque("ina", "openid email");
    assert_eq!(stage.ask(&again).ok()["id"], stage.ask(&token).ok()["id"], "the same user");
}

/// Then nobody asks userinfo.
fn rule_11_12_introspection_that_has_the_address(engine: Engine) {
    let alone = |provider: &Provider| {
        vec![changed(provider.introspection(), &json!({"userinfoUrl": null}))]
    };
    let stage = Stage::new(engine, alone);
    let email = stage.person("ina");
    let token = stage.opaque("ina", "openid email");
    not_trusted(stage.ask(&token), "no address, and no userinfo to ask");
    stage.provider.set(&json!({"claimsInAccessToken": true}));
    let token = stage.opaque("ina", "openid email");
    lets_in(stage.ask(&token), &email, "an address in the answer");
    assert_eq!(stage.provider.count("/me"), 0);
}

/// Whatever the provider says of a token, it says `active` first.
fn rule_11_12_answers_of_introspection(engine: Engine) {
    let stage = Stage::new(engine, |provider| vec![provider.introspection()]);
    let good = json!({
        "active": true,
        "sub": "ina",
        "exp": now() + 300,
        "scope": "openid email",
        "email": "ina@example.com",
        "email_verified": true,
    });
    // Each answer for a token of its own, because answers are remembered.
    let answered = |name: &str, changes: Value| {
        let body = changed(good.clone(), &changes).to_string();
        let failure = json!({"kind": "status", "status": 200, "body": body});
        stage.provider.fail(INTROSPECTION, &failure);
        stage.ask(&name.replace(' ', "-"))
    };
    lets_in(answered("a good answer", json!({})), "ina@example.com", "a good answer");
    let unlimited = answered("without an end", json!({"exp": null}));
    lets_in(unlimited, "ina@example.com", "`exp` is optional");
    for (what, changes) in [
        ("not active", json!({"active": false})),
        ("at its end", json!({"exp": now() - 90})),
        ("not yet", json!({"nbf": now() + 90})),
        ("not verified", json!({"email_verified": false})),
        ("a scope without the address", json!({"scope": "openid profile"})),
        ("no scope", json!({"scope": null})),
    ] {
        not_trusted(answered(what, changes), what);
    }
    for (what, changes) in [
        ("active in words", json!({"active": "true"})),
        ("nothing of active", json!({"active": null})),
    ] {
        not_known_now(answered(what, changes), what);
    }
}

fn rule_11_13_the_scope_holds_the_address(engine: Engine) {
    let own_name = "https://provider.example/auth/email";
    let named = |provider: &Provider| {
        vec![changed(provider.introspection(), &json!({"emailScope": own_name}))]
    };
    let stage = Stage::new(engine, named);
    let email = stage.person("ina");
    for scope in ["openid", "openid profile"] {
        let token = stage.opaque("ina", scope);
        not_trusted(stage.ask(&token), scope);
    }
    lets_in(stage.ask(&stage.opaque("ina", "openid email")), &email, "as all call it");
    let scope = |scope: &str| {
        let body = json!({
            "active": true, "sub": "ina", "exp": now() + 300, "scope": scope,
            "email": email, "email_verified": true,
        });
        let failure = json!({"kind": "status", "status": 200, "body": body.to_string()});
        stage.provider.fail(INTROSPECTION, &failure);
    };
    scope(&format!("openid {own_name}"));
    lets_in(stage.ask("named"), &email, "as this provider calls it");
    scope(&format!("openid {own_name}.readonly"));
    not_trusted(stage.ask("longer"), "a longer name");
}

/// The first that knows the token decides, and the others are not asked.
fn rule_11_12_providers_in_the_order_of_the_file(engine: Engine) {
    let second = Provider::start();
    let stage = Stage::new(engine, |first| vec![first.introspection(), second.introspection()]);
    stage.person("ina");
    let token = stage.opaque("ina", "openid email");
    lets_in(stage.ask(&token), "ina@example.com", "the first");
    assert_eq!(second.requests(), 0, "the first knew it");
    second.user("ivo", &json!({"email": "ivo@example.com", "email_verified": true}));
    let token = second.sign_in("ivo", CLIENT, "openid email", "").access;
    lets_in(stage.ask(&token), "ivo@example.com", "the second");
    assert_eq!((stage.provider.count(INTROSPECTION), second.count(INTROSPECTION)), (2, 1));
    // Known to the first and without an address there: the second is not a second chance.
    let token = stage.opaque("ina", "openid");
    not_trusted(stage.ask(&token), "decided by the first");
    assert_eq!(second.count(INTROSPECTION), 1, "not asked again");
    stage.provider.pause();
    let token = second.sign_in("ivo", CLIENT, "openid email", "").access;
    lets_in(stage.ask(&token), "ivo@example.com", "the second knows it");
    not_known_now(stage.ask("unknown"), "perhaps the first knows it");
}

/// oidc-provider refuses to look at JWTs with 400; that is an answer.
fn rule_11_12_jwts_of_others_are_opaque(engine: Engine) {
    let stage = Stage::new(engine, |provider| vec![provider.introspection()]);
    let token = stage.signed_with("ina", &json!({}));
    not_trusted(stage.ask(&token), "a JWT that nobody trusts");
    assert_eq!(stage.provider.count("/jwks"), 0, "no keys are asked for");
}

/// The server's own secret is wrong: that is no fault of the caller.
fn rule_11_12_a_client_that_may_not_ask(engine: Engine) {
    let misread = ASKING_SECRET.replace('+', " ");
    let wrong = |provider: &Provider| {
        vec![changed(provider.introspection(), &json!({"clientSecret": misread}))]
    };
    let stage = Stage::new(engine, wrong);
    stage.person("ina");
    let token = stage.opaque("ina", "openid email");
    not_known_now(stage.ask(&token), "the provider refuses to answer");
}
