//! Provider endpoints with redirects, oversized or invalid responses: the token is unavailable
//! (503), and the server does not follow or read on.

use std::time::{Duration, Instant};

use daybook_tests::provider::Provider;
use daybook_tests::{Engine, peak_memory};
use serde_json::{Value, json};

use super::opaque::INTROSPECTION;
use super::{IdentityFixture, assert_accepted, assert_unavailable, changed};
use crate::Case;

pub fn tests() -> Vec<Case> {
    crate::isolated![
        rule_11_13_redirects_are_not_followed,
        rule_11_13_oversized_responses_are_aborted,
        rule_11_13_invalid_responses_are_failures,
        rule_11_13_discovery_document_must_name_the_issuer,
        rule_11_13_unsafe_jwks_uri_is_not_fetched,
    ]
}

const DISCOVERY: &str = "/.well-known/openid-configuration";

/// The time limit for a caller while an endless response is read.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(30);

/// Sends a JWT of each of several issuers, with one failing endpoint each.
fn failing_issuers(engine: Engine, failures: &[(&str, Value)]) -> IdentityFixture {
    let issuers: Vec<Provider> = failures.iter().map(|_| Provider::start()).collect();
    let fixture = IdentityFixture::new(engine, |provider| {
        let first = [provider.oidc(), provider.introspection()];
        first.into_iter().chain(issuers.iter().map(Provider::oidc)).collect()
    });
    for (issuer, (path, failure)) in issuers.iter().zip(failures) {
        issuer.fail(path, failure);
        let claims = changed(fixture.claims("olga"), &json!({"iss": issuer.issuer()}));
        let token = issuer.sign(&json!({}), &claims, &json!({"alg": "ES256"}));
        let what = format!("{path}: {failure}");
        let started = Instant::now();
        assert_unavailable(fixture.ask(&token), &what);
        assert!(started.elapsed() < ANSWER_TIMEOUT, "{what}: {:?}", started.elapsed());
        assert_eq!(issuer.count(path), 1, "{what}: it was not asked");
    }
    let token = fixture.signed_with("olga", &json!({}));
    assert_accepted(fixture.ask(&token), "olga@example.com", "the issuer that does not fail");
    fixture
}

/// Checks that a failing introspection makes the token unavailable.
#[track_caller]
fn failing_introspection(fixture: &IdentityFixture, failure: &Value) {
    fixture.provider.fail(INTROSPECTION, failure);
    let before = fixture.provider.count(INTROSPECTION);
    assert_unavailable(fixture.ask("opaque"), &format!("{INTROSPECTION}: {failure}"));
    assert_eq!(fixture.provider.count(INTROSPECTION), before + 1, "{failure}: it was not asked");
}

/// A redirect could send secrets to another host.
fn rule_11_13_redirects_are_not_followed(engine: Engine) {
    let other = Provider::start();
    let redirect = |status: u16, path: &str| {
        let location = format!("{}{path}", other.issuer());
        json!({"kind": "redirect", "status": status, "location": location})
    };
    let fixture = failing_issuers(
        engine,
        &[
            (DISCOVERY, redirect(301, DISCOVERY)),
            (DISCOVERY, redirect(307, DISCOVERY)),
            ("/jwks", redirect(302, "/jwks")),
            ("/jwks", redirect(308, "/jwks")),
        ],
    );
    for status in [301, 302, 303, 307, 308] {
        failing_introspection(&fixture, &redirect(status, INTROSPECTION));
    }
    assert_eq!(other.requests(), 0, "no redirect was followed");
}

/// The read stops before it fills the memory.
fn rule_11_13_oversized_responses_are_aborted(engine: Engine) {
    let huge = json!({"kind": "huge", "megabytes": 200});
    let endless = json!({"kind": "endless"});
    let fixture = failing_issuers(
        engine,
        &[
            (DISCOVERY, endless.clone()),
            ("/jwks", endless.clone()),
            (DISCOVERY, huge.clone()),
            ("/jwks", huge.clone()),
        ],
    );
    failing_introspection(&fixture, &endless);
    failing_introspection(&fixture, &huge);
    let peak = peak_memory(fixture.server.pid());
    assert!(peak < 200_000.0 / 1024.0, "the server took {peak:.0} MiB");
}

fn rule_11_13_invalid_responses_are_failures(engine: Engine) {
    let answers = [
        (500, "{}"),
        (502, "<html>Bad Gateway</html>"),
        (503, ""),
        (429, "{\"error\":\"slow_down\"}"),
        (404, "not here"),
        (200, ""),
        (200, "<html>Sign in</html>"),
        (200, "[]"),
        (200, "null"),
        (200, "{\"active\":true"),
        (200, "{\"keys\":5,\"jwks_uri\":[]}"),
    ];
    let failures: Vec<Value> = answers
        .iter()
        .map(|(status, body)| json!({"kind": "status", "status": status, "body": body}))
        .collect();
    let both = failures
        .iter()
        .flat_map(|failure| [DISCOVERY, "/jwks"].map(|path| (path, failure.clone())));
    let fixture = failing_issuers(engine, &both.collect::<Vec<_>>());
    for failure in &failures {
        failing_introspection(&fixture, failure);
    }
    fixture.provider.fail(INTROSPECTION, &Value::Null);
    fixture.person("olga");
    let token = fixture.opaque("olga", "openid email");
    assert_accepted(fixture.ask(&token), "olga@example.com", "nothing of a failure is remembered");
}

/// OpenID Connect Discovery, 4.3.
fn rule_11_13_discovery_document_must_name_the_issuer(engine: Engine) {
    // The documents name another running issuer.
    let other = Provider::start();
    let (theirs, keys) = (other.issuer(), format!("{}/jwks", other.issuer()));
    let documents = [
        json!({"issuer": theirs, "jwks_uri": keys}),
        json!({"issuer": "https://accounts.example", "jwks_uri": keys}),
        json!({"jwks_uri": keys}),
        json!({"issuer": 5, "jwks_uri": keys}),
    ];
    let failures = documents.map(|document| {
        let body = document.to_string();
        (DISCOVERY, json!({"kind": "status", "status": 200, "body": body}))
    });
    failing_issuers(engine, &failures);
    assert_eq!(other.requests(), 0, "the named issuer gets no request");
}

/// Keys are fetched over HTTPS only.
fn rule_11_13_unsafe_jwks_uri_is_not_fetched(engine: Engine) {
    let not_encrypted = "jwks_uri must use https://, or http:// with a loopback address";
    for (place, why) in [
        ("http://192.0.2.1/jwks", not_encrypted),
        ("file:///etc/passwd", not_encrypted),
        ("/jwks", r#"jwks_uri "/jwks" is not a URL: relative URL without a base"#),
        ("", r#"jwks_uri "" is not a URL: relative URL without a base"#),
    ] {
        let fixture = IdentityFixture::new(engine, |provider| vec![provider.oidc()]);
        let document = json!({"issuer": fixture.provider.issuer(), "jwks_uri": place});
        let body = document.to_string();
        let answer = json!({"kind": "status", "status": 200, "body": body});
        fixture.provider.fail(DISCOVERY, &answer);
        assert_unavailable(fixture.ask(&fixture.signed_with("olga", &json!({}))), place);
        // The log shows that no request was tried.
        assert!(fixture.server.log().contains(why), "{place}: {}", fixture.server.log());
        assert_eq!(fixture.provider.count("/jwks"), 0, "{place}");
    }
}
