//! Opaque tokens, by introspection (RFC 7662) and userinfo.

use daybook_tests::Engine;
use daybook_tests::provider::{ASKING_SECRET, Provider};
use serde_json::{Value, json};

use super::{
    CLIENT, IdentityFixture, assert_accepted, assert_refused, assert_unavailable, changed, now,
};
use crate::Case;

pub fn tests() -> Vec<Case> {
    crate::isolated![
        rule_11_12_opaque_token_is_introspected,
        rule_11_12_introspection_with_an_email_needs_no_userinfo,
        rule_11_12_introspection_response_is_validated,
        rule_11_13_scope_must_include_the_email,
        rule_11_12_providers_are_asked_in_order,
        rule_11_12_untrusted_jwts_are_introspected,
        rule_11_12_refused_introspection_client_is_unavailable,
    ]
}

/// Of the fixture's issuer.
pub const INTROSPECTION: &str = "/token/introspection";

/// 11.1: as existing command-line clients send them.
fn rule_11_12_opaque_token_is_introspected(engine: Engine) {
    let fixture = IdentityFixture::new(engine, |provider| vec![provider.introspection()]);
    let email = fixture.person("ina");
    let token = fixture.opaque("ina", "openid email");
    assert!(!token.contains('.'), "it is opaque: {token}");
    assert_accepted(fixture.ask(&token), &email, "an opaque token");
    assert_eq!((fixture.provider.count(INTROSPECTION), fixture.provider.count("/me")), (1, 1));
    for unknown in ["unknown", &token[1..], &token.to_lowercase()] {
        assert_refused(fixture.ask(unknown), unknown);
    }
    let again = fixture.opaque("ina", "openid email");
    assert_eq!(fixture.ask(&again).ok()["id"], fixture.ask(&token).ok()["id"], "the same user");
}

fn rule_11_12_introspection_with_an_email_needs_no_userinfo(engine: Engine) {
    let alone = |provider: &Provider| {
        vec![changed(provider.introspection(), &json!({"userinfoUrl": null}))]
    };
    let fixture = IdentityFixture::new(engine, alone);
    let email = fixture.person("ina");
    let token = fixture.opaque("ina", "openid email");
    assert_refused(fixture.ask(&token), "no address, and no userinfo to ask");
    fixture.provider.set(&json!({"claimsInAccessToken": true}));
    let token = fixture.opaque("ina", "openid email");
    assert_accepted(fixture.ask(&token), &email, "an address in the answer");
    assert_eq!(fixture.provider.count("/me"), 0);
}

fn rule_11_12_introspection_response_is_validated(engine: Engine) {
    let fixture = IdentityFixture::new(engine, |provider| vec![provider.introspection()]);
    let good = json!({
        "active": true,
        "sub": "ina",
        "exp": now() + 300,
        "scope": "openid email",
        "email": "ina@example.com",
        "email_verified": true,
    });
    // A new token for each response, because responses are cached.
    let answered = |name: &str, changes: Value| {
        let body = changed(good.clone(), &changes).to_string();
        let failure = json!({"kind": "status", "status": 200, "body": body});
        fixture.provider.fail(INTROSPECTION, &failure);
        fixture.ask(&name.replace(' ', "-"))
    };
    assert_accepted(answered("a good answer", json!({})), "ina@example.com", "a good answer");
    let unlimited = answered("without an end", json!({"exp": null}));
    assert_accepted(unlimited, "ina@example.com", "`exp` is optional");
    for (what, changes) in [
        ("not active", json!({"active": false})),
        ("at its end", json!({"exp": now() - 90})),
        ("not yet", json!({"nbf": now() + 90})),
        ("not verified", json!({"email_verified": false})),
        ("a scope without the address", json!({"scope": "openid profile"})),
        ("no scope", json!({"scope": null})),
    ] {
        assert_refused(answered(what, changes), what);
    }
    for (what, changes) in [
        ("active in words", json!({"active": "true"})),
        ("nothing of active", json!({"active": null})),
    ] {
        assert_unavailable(answered(what, changes), what);
    }
}

fn rule_11_13_scope_must_include_the_email(engine: Engine) {
    let own_name = "https://provider.example/auth/email";
    let named = |provider: &Provider| {
        vec![changed(provider.introspection(), &json!({"emailScope": own_name}))]
    };
    let fixture = IdentityFixture::new(engine, named);
    let email = fixture.person("ina");
    for scope in ["openid", "openid profile"] {
        let token = fixture.opaque("ina", scope);
        assert_refused(fixture.ask(&token), scope);
    }
    assert_accepted(fixture.ask(&fixture.opaque("ina", "openid email")), &email, "as all call it");
    let scope = |scope: &str| {
        let body = json!({
            "active": true, "sub": "ina", "exp": now() + 300, "scope": scope,
            "email": email, "email_verified": true,
        });
        let failure = json!({"kind": "status", "status": 200, "body": body.to_string()});
        fixture.provider.fail(INTROSPECTION, &failure);
    };
    scope(&format!("openid {own_name}"));
    assert_accepted(fixture.ask("named"), &email, "as this provider calls it");
    scope(&format!("openid {own_name}.readonly"));
    assert_refused(fixture.ask("longer"), "a longer name");
}

/// The first provider that knows the token decides.
fn rule_11_12_providers_are_asked_in_order(engine: Engine) {
    let second = Provider::start();
    let fixture =
        IdentityFixture::new(engine, |first| vec![first.introspection(), second.introspection()]);
    fixture.person("ina");
    let token = fixture.opaque("ina", "openid email");
    assert_accepted(fixture.ask(&token), "ina@example.com", "the first");
    assert_eq!(second.requests(), 0, "the first knew it");
    second.user("ivo", &json!({"email": "ivo@example.com", "email_verified": true}));
    let token = second.sign_in("ivo", CLIENT, "openid email", "").access;
    assert_accepted(fixture.ask(&token), "ivo@example.com", "the second");
    assert_eq!((fixture.provider.count(INTROSPECTION), second.count(INTROSPECTION)), (2, 1));
    // Known to the first without an email: the second is not asked.
    let token = fixture.opaque("ina", "openid");
    assert_refused(fixture.ask(&token), "decided by the first");
    assert_eq!(second.count(INTROSPECTION), 1, "not asked again");
    fixture.provider.pause();
    let token = second.sign_in("ivo", CLIENT, "openid email", "").access;
    assert_accepted(fixture.ask(&token), "ivo@example.com", "the second knows it");
    assert_unavailable(fixture.ask("unknown"), "perhaps the first knows it");
}

/// oidc-provider refuses JWTs with 400, which counts as a response.
fn rule_11_12_untrusted_jwts_are_introspected(engine: Engine) {
    let fixture = IdentityFixture::new(engine, |provider| vec![provider.introspection()]);
    let token = fixture.signed_with("ina", &json!({}));
    assert_refused(fixture.ask(&token), "a JWT of an untrusted issuer");
    assert_eq!(fixture.provider.count("/jwks"), 0, "no keys are asked for");
}

/// The configured secret is wrong, so the response is 503, not 401.
fn rule_11_12_refused_introspection_client_is_unavailable(engine: Engine) {
    let misread = ASKING_SECRET.replace('+', " ");
    let wrong = |provider: &Provider| {
        vec![changed(provider.introspection(), &json!({"clientSecret": misread}))]
    };
    let fixture = IdentityFixture::new(engine, wrong);
    fixture.person("ina");
    let token = fixture.opaque("ina", "openid email");
    assert_unavailable(fixture.ask(&token), "the provider refuses to answer");
}
