//! The profile of a user (9.11), from the claims of each sign-in.

use daybook_tests::provider::API;
use daybook_tests::{Engine, shows};
use serde_json::{Value, json};

use super::{IdentityFixture, changed};
use crate::Case;
use crate::file_sweep::eventually;

pub fn tests() -> Vec<Case> {
    crate::isolated![
        rule_11_13_profile_is_read_from_claims,
        rule_11_13_profile_follows_the_claims,
        rule_11_13_profile_is_read_from_userinfo,
    ]
}

fn profile() -> Value {
    json!({
        "name": "Paula Prime",
        "given_name": "Paula",
        "family_name": "Prime",
        "picture": "https://pictures.example/paula.png",
        "hd": "example.com",
    })
}

fn shown() -> Value {
    json!({
        "name": "Paula Prime",
        "fullName": "Paula Prime",
        "givenName": "Paula",
        "familyName": "Prime",
        "avatarUrl": "https://pictures.example/paula.png",
        "hostedDomain": "example.com",
    })
}

/// Through the pages of the provider.
fn rule_11_13_profile_is_read_from_claims(engine: Engine) {
    let fixture = IdentityFixture::new(engine, |provider| vec![provider.oidc()]);
    fixture.provider.set(&json!({"emailInIdToken": true}));
    let claims = json!({"email": "paula@example.com", "email_verified": true});
    fixture.provider.user("paula", &changed(claims, &profile()));
    let tokens = fixture.provider.sign_in("paula", "web-EdDSA", "openid email profile", "");
    let user = fixture.ask(&tokens.id).ok();
    shows(&user, &shown());
    assert!(user["username"].as_str().is_some_and(|name| name.starts_with("paula")), "{user}");
}

fn rule_11_13_profile_follows_the_claims(engine: Engine) {
    let fixture = IdentityFixture::new(engine, |provider| vec![provider.oidc()]);
    let first = fixture.ask(&fixture.signed_with("paula", &profile())).ok();
    shows(&first, &shown());
    let own = fixture.server.client("paula@example.com");
    shows(&own.get("/v5/user").ok(), &shown());
    let wed = json!({"name": "Paula Second", "family_name": "Second", "iat": 1_700_000_000});
    let claims = changed(profile(), &wed);
    let named = json!({
        "name": "Paula Second", "fullName": "Paula Second", "familyName": "Second",
    });
    let second = fixture.ask(&fixture.signed_with("paula", &claims)).ok();
    shows(&second, &changed(shown(), &named));
    assert_eq!(second["username"], first["username"], "11.13: the username never changes");
    assert_eq!(second["id"], first["id"]);
    eventually("for every token of the user", || own.get("/v5/user").ok() == second);
    // A token without profile claims changes nothing.
    let third = fixture.ask(&fixture.signed_with("paula", &json!({"iat": 1_700_000_001}))).ok();
    shows(&third, &changed(shown(), &named));
}

fn rule_11_13_profile_is_read_from_userinfo(engine: Engine) {
    let fixture =
        IdentityFixture::new(engine, |provider| vec![provider.oidc(), provider.introspection()]);
    let claims = json!({"email": "paula@example.com", "email_verified": true});
    fixture.provider.user("paula", &changed(claims.clone(), &profile()));
    let resource = format!("{API}PS256");
    let tokens = fixture.provider.sign_in("paula", "web-RS256", "openid email profile", &resource);
    shows(&fixture.ask(&tokens.access).ok(), &shown());
    let claims = changed(claims, &changed(profile(), &json!({"given_name": "Pauline"})));
    fixture.provider.user("paula", &claims);
    let token = fixture.opaque("paula", "openid email profile");
    shows(&fixture.ask(&token).ok(), &changed(shown(), &json!({"givenName": "Pauline"})));
}
