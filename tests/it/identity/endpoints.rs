//! Endpoints that answer what no server should read, or send it elsewhere.

use std::time::{Duration, Instant};

use daybook_tests::Engine;
use daybook_tests::provider::Provider;
use serde_json::{Value, json};

use super::opaque::INTROSPECTION;
use super::{Stage, changed, lets_in, not_known_now};
use crate::Case;

pub fn tests() -> Vec<Case> {
    crate::isolated![
        rule_11_13_redirects_are_not_followed,
        rule_11_13_answers_of_any_size,
        rule_11_13_answers_that_are_no_answers,
        rule_11_13_discovery_of_another_issuer,
        rule_11_13_keys_at_places_that_are_not_safe,
    ]
}

const DISCOVERY: &str = "/.well-known/openid-configuration";

/// How long the longest answer may keep a caller waiting; one without an end would for ever.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(30);

/// Asks a server of several issuers about a JWT of each. Nothing was asked of them before, and one
/// endpoint of each fails.
fn failing_issuers(engine: Engine, failures: &[(&str, Value)]) -> Stage {
    let issuers: Vec<Provider> = failures.iter().map(|_| Provider::start()).collect();
    let stage = Stage::new(engine, |provider| {
        let first = [provider.oidc(), provider.introspection()];
        first.into_iter().chain(issuers.iter().map(Provider::oidc)).collect()
    });
    for (issuer, (path, failure)) in issuers.iter().zip(failures) {
        issuer.fail(path, failure);
        let claims = changed(stage.claims("olga"), &json!({"iss": issuer.issuer()}));
        let token = issuer.sign(&json!({}), &claims, &json!({"alg": "ES256"}));
        let what = format!("{path}: {failure}");
        let started = Instant::now();
        not_known_now(stage.ask(&token), &what);
        assert!(started.elapsed() < ANSWER_TIMEOUT, "{what}: {:?}", started.elapsed());
        assert_eq!(issuer.count(path), 1, "{what}: it was not asked");
    }
    let token = stage.signed_with("olga", &json!({}));
    lets_in(stage.ask(&token), "olga@example.com", "the issuer that does not fail");
    stage
}

/// An answer of introspection that says nothing of the token.
#[track_caller]
fn failing_introspection(stage: &Stage, failure: &Value) {
    stage.provider.fail(INTROSPECTION, failure);
    let before = stage.provider.count(INTROSPECTION);
    not_known_now(stage.ask("opaque"), &format!("{INTROSPECTION}: {failure}"));
    assert_eq!(stage.provider.count(INTROSPECTION), before + 1, "{failure}: it was not asked");
}

/// Whoever can make a provider redirect would choose where this server asks, and with what secret.
fn rule_11_13_redirects_are_not_followed(engine: Engine) {
    let other = Provider::start();
    let redirect = |status: u16, path: &str| {
        let location = format!("{}{path}", other.issuer());
        json!({"kind": "redirect", "status": status, "location": location})
    };
    let stage = failing_issuers(
        engine,
        &[
            (DISCOVERY, redirect(301, DISCOVERY)),
            (DISCOVERY, redirect(307, DISCOVERY)),
            ("/jwks", redirect(302, "/jwks")),
            ("/jwks", redirect(308, "/jwks")),
        ],
    );
    for status in [301, 302, 303, 307, 308] {
        failing_introspection(&stage, &redirect(status, INTROSPECTION));
    }
    assert_eq!(other.requests(), 0, "nobody followed");
}

/// They are given up before they fill the memory.
fn rule_11_13_answers_of_any_size(engine: Engine) {
    let huge = json!({"kind": "huge", "megabytes": 200});
    let endless = json!({"kind": "endless"});
    let stage = failing_issuers(
        engine,
        &[
            (DISCOVERY, endless.clone()),
            ("/jwks", endless.clone()),
            (DISCOVERY, huge.clone()),
            ("/jwks", huge.clone()),
        ],
    );
    failing_introspection(&stage, &endless);
    failing_introspection(&stage, &huge);
    let status = std::fs::read_to_string(format!("/proc/{}/status", stage.server.pid()));
    let status = status.expect("the process");
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).expect("its peak");
    let kilobytes: u64 = peak.trim().trim_end_matches(" kB").parse().expect("a number");
    assert!(kilobytes < 200_000, "the server took {kilobytes} kB");
}

fn rule_11_13_answers_that_are_no_answers(engine: Engine) {
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
    let stage = failing_issuers(engine, &both.collect::<Vec<_>>());
    for failure in &failures {
        failing_introspection(&stage, failure);
    }
    stage.provider.fail(INTROSPECTION, &Value::Null);
    stage.person("olga");
    let token = stage.opaque("olga", "openid email");
    lets_in(stage.ask(&token), "olga@example.com", "nothing of a failure is remembered");
}

/// OpenID Connect Discovery, 4.3: the issuer of the document is the one that was asked.
fn rule_11_13_discovery_of_another_issuer(engine: Engine) {
    // The documents name an issuer that is there, with keys that it could well have.
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
    assert_eq!(other.requests(), 0, "nobody asks where such a document leads");
}

/// Keys come from where nobody else can put them.
fn rule_11_13_keys_at_places_that_are_not_safe(engine: Engine) {
    let not_encrypted = "jwks_uri starts with https://";
    for (place, why) in [
        ("http://192.0.2.1/jwks", not_encrypted),
        ("file:///etc/passwd", not_encrypted),
        ("/jwks", "jwks_uri is no URL"),
        ("", "jwks_uri is no URL"),
    ] {
        let stage = Stage::new(engine, |provider| vec![provider.oidc()]);
        let document = json!({"issuer": stage.provider.issuer(), "jwks_uri": place});
        let body = document.to_string();
        let answer = json!({"kind": "status", "status": 200, "body": body});
        stage.provider.fail(DISCOVERY, &answer);
        not_known_now(stage.ask(&stage.signed_with("olga", &json!({}))), place);
        // It was not tried: that would end in another failure.
        assert!(stage.server.log().contains(why), "{place}: {}", stage.server.log());
        assert_eq!(stage.provider.count("/jwks"), 0, "{place}");
    }
}
