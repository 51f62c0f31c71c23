//! Opaque tokens, by a tokeninfo endpoint like that of Google.

use daybook_tests::Engine;
use daybook_tests::provider::Provider;
use serde_json::{Value, json};

use super::{IdentityFixture, assert_accepted, assert_refused, changed, now};
use crate::Case;

pub fn tests() -> Vec<Case> {
    crate::isolated![
        rule_11_12_tokeninfo_identifies_the_user,
        rule_11_12_tokeninfo_response_is_validated,
        rule_11_12_tokeninfo_scope_name_is_configurable,
    ]
}

const TOKENINFO: &str = "/tokeninfo";

fn rule_11_12_tokeninfo_identifies_the_user(engine: Engine) {
    let fixture = IdentityFixture::new(engine, |provider| vec![provider.tokeninfo()]);
    let email = fixture.person("tom");
    let token = fixture.opaque("tom", "openid email");
    for _ in 0..5 {
        assert_accepted(fixture.ask(&token), &email, "an opaque token");
    }
    assert_eq!(fixture.provider.count(TOKENINFO), 1, "11.13: remembered");
    assert_refused(fixture.ask("unknown"), "400 invalid_token is an answer");
    assert_refused(fixture.ask(&fixture.opaque("tom", "openid")), "no scope of the address");
    let elsewhere = fixture.provider.sign_in("tom", "web-PS256", "openid email", "").access;
    assert_refused(fixture.ask(&elsewhere), "made for a client that is not configured");
    fixture.provider.user("tom", &json!({"email": email, "email_verified": false}));
    let unverified = fixture.opaque("tom", "openid email");
    assert_refused(fixture.ask(&unverified), "not verified");
}

fn rule_11_12_tokeninfo_response_is_validated(engine: Engine) {
    let fixture = IdentityFixture::new(engine, |provider| vec![provider.tokeninfo()]);
    let good = json!({
        "azp": "web-ES256",
        "aud": "web-ES256",
        "sub": "110169484474386276334",
        "scope": "openid email",
        "exp": (now() + 300).to_string(),
        "expires_in": "300",
        "email": "tom@example.com",
        "email_verified": "true",
        "access_type": "online",
    });
    let answered = |name: &str, changes: Value| {
        let body = changed(good.clone(), &changes).to_string();
        let failure = json!({"kind": "status", "status": 200, "body": body});
        fixture.provider.fail(TOKENINFO, &failure);
        fixture.ask(&name.replace(' ', "-"))
    };
    for (what, changes) in [
        ("a good answer", json!({})),
        ("no azp", json!({"azp": null})),
        ("numbers as numbers", json!({"exp": now() + 300, "expires_in": 300})),
        ("a truth as a truth", json!({"email_verified": true})),
    ] {
        assert_accepted(answered(what, changes), "tom@example.com", what);
    }
    for (what, changes) in [
        ("another aud", json!({"aud": "elsewhere", "azp": "elsewhere"})),
        ("no aud", json!({"aud": null, "azp": null})),
        ("not verified", json!({"email_verified": "false"})),
        ("verified in other words", json!({"email_verified": "yes"})),
        ("nothing of verified", json!({"email_verified": null})),
        ("no address", json!({"email": null})),
        ("no scope", json!({"scope": null})),
        ("a scope without it", json!({"scope": "openid profile"})),
        ("at its end", json!({"exp": (now() - 90).to_string(), "expires_in": "-90"})),
        ("no exp", json!({"exp": null})),
        ("an exp of no number", json!({"exp": "soon"})),
        ("an error in a good answer", json!({"error": "invalid_token", "aud": null})),
    ] {
        assert_refused(answered(what, changes), what);
    }
}

/// Google names the scope by a URL and also `email`.
fn rule_11_12_tokeninfo_scope_name_is_configurable(engine: Engine) {
    let name = "https://www.googleapis.com/auth/userinfo.email";
    let named =
        |provider: &Provider| vec![changed(provider.tokeninfo(), &json!({"emailScope": name}))];
    let fixture = IdentityFixture::new(engine, named);
    let email = fixture.person("tom");
    let before = fixture.opaque("tom", "openid email");
    assert_accepted(fixture.ask(&before), &email, "as all call it");
    fixture.provider.set(&json!({"scopeNames": {"email": name}}));
    assert_accepted(
        fixture.ask(&fixture.opaque("tom", "openid email")),
        &email,
        "as Google calls it",
    );
    let other = json!({"email": "https://www.googleapis.com/auth/userinfo.profile"});
    fixture.provider.set(&json!({"scopeNames": other}));
    assert_refused(fixture.ask(&fixture.opaque("tom", "openid email")), "another scope");
}
