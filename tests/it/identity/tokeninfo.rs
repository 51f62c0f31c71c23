//! Opaque tokens, by tokeninfo as Google answers it.

use daybook_tests::Engine;
use daybook_tests::provider::Provider;
use serde_json::{Value, json};

use super::{Stage, changed, lets_in, not_trusted, now};
use crate::Case;

pub fn tests() -> Vec<Case> {
    crate::isolated![
        rule_11_12_tokeninfo,
        rule_11_12_answers_of_tokeninfo,
        rule_11_12_tokeninfo_names_its_scopes,
    ]
}

const TOKENINFO: &str = "/tokeninfo";

fn rule_11_12_tokeninfo(engine: Engine) {
    let stage = Stage::new(engine, |provider| vec![provider.tokeninfo()]);
    let email = stage.person("tom");
    let token = stage.opaque("tom", "openid email");
    for _ in 0..5 {
        lets_in(stage.ask(&token), &email, "an opaque token");
    }
    assert_eq!(stage.provider.count(TOKENINFO), 1, "11.13: remembered");
    not_trusted(stage.ask("unknown"), "400 invalid_token is an answer");
    not_trusted(stage.ask(&stage.opaque("tom", "openid")), "no scope of the address");
    let elsewhere = stage.provider.sign_in("tom", "web-PS256", "openid email", "").access;
    not_trusted(stage.ask(&elsewhere), "made for a client that is not configured");
    stage.provider.user("tom", &json!({"email": email, "email_verified": false}));
    let unverified = stage.opaque("tom", "openid email");
    not_trusted(stage.ask(&unverified), "not verified");
}

fn rule_11_12_answers_of_tokeninfo(engine: Engine) {
    let stage = Stage::new(engine, |provider| vec![provider.tokeninfo()]);
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
        stage.provider.fail(TOKENINFO, &failure);
        stage.ask(&name.replace(' ', "-"))
    };
    for (what, changes) in [
        ("a good answer", json!({})),
        ("no azp", json!({"azp": null})),
        ("numbers as numbers", json!({"exp": now() + 300, "expires_in": 300})),
        ("a truth as a truth", json!({"email_verified": true})),
    ] {
        lets_in(answered(what, changes), "tom@example.com", what);
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
        not_trusted(answered(what, changes), what);
    }
}

/// Google calls the scope by an address, and `email` too.
fn rule_11_12_tokeninfo_names_its_scopes(engine: Engine) {
    let name = "https://www.googleapis.com/auth/userinfo.email";
    let named =
        |provider: &Provider| vec![changed(provider.tokeninfo(), &json!({"emailScope": name}))];
    let stage = Stage::new(engine, named);
    let email = stage.person("tom");
    let before = stage.opaque("tom", "openid email");
    lets_in(stage.ask(&before), &email, "as all call it");
    stage.provider.set(&json!({"scopeNames": {"email": name}}));
    lets_in(stage.ask(&stage.opaque("tom", "openid email")), &email, "as Google calls it");
    let other = json!({"email": "https://www.googleapis.com/auth/userinfo.profile"});
    stage.provider.set(&json!({"scopeNames": other}));
    not_trusted(stage.ask(&stage.opaque("tom", "openid email")), "another scope");
}
