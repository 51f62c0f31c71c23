//! Providers that are down: 503, never 401, and a server that goes on.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use daybook_tests::provider::Provider;
use daybook_tests::{Engine, pause};
use serde_json::json;

use super::opaque::INTROSPECTION;
use super::{Stage, changed, lets_in, not_known_now, not_trusted};
use crate::Case;
use crate::file_sweep::eventually;

pub fn tests() -> Vec<Case> {
    crate::isolated![
        rule_11_13_down_at_the_start,
        rule_11_13_down_for_opaque_tokens,
        rule_11_13_slow_providers_delay_nobody_else,
    ]
}

/// How soon a server notices that a provider is there again.
const NOTICED: Duration = Duration::from_secs(60);

/// Asks until the token lets in.
#[track_caller]
fn lets_in_soon(stage: &Stage, token: &str, email: &str) {
    let started = Instant::now();
    loop {
        let answer = stage.ask(token);
        if answer.status == 200 {
            lets_in(answer, email, "there again");
            return;
        }
        not_known_now(answer, "until it is there again");
        assert!(started.elapsed() < NOTICED, "there again, and not asked");
        pause(Duration::from_millis(200));
    }
}

fn rule_11_13_down_at_the_start(engine: Engine) {
    let stage = Stage::new(engine, |provider| {
        provider.pause();
        vec![provider.oidc()]
    });
    let token = stage.signed_with("otto", &json!({}));
    not_known_now(stage.ask(&token), "it was never there");
    let elsewhere = stage.signed_with("otto", &json!({"iss": "https://accounts.example"}));
    not_trusted(stage.ask(&elsewhere), "of nobody that is trusted");
    stage.server.client("otto@example.com").get("/v5/user").ok();
    stage.provider.resume();
    lets_in_soon(&stage, &token, "otto@example.com");
}

fn rule_11_13_down_for_opaque_tokens(engine: Engine) {
    let stage = Stage::new(engine, |provider| vec![provider.introspection()]);
    let email = stage.person("otto");
    let [known, fresh] = [(), ()].map(|()| stage.opaque("otto", "openid email"));
    lets_in(stage.ask(&known), &email, "before");
    stage.provider.pause();
    lets_in(stage.ask(&known), &email, "11.13: remembered");
    not_known_now(stage.ask(&fresh), "not asked yet");
    not_known_now(stage.ask("unknown"), "nobody can tell");
    stage.provider.resume();
    lets_in_soon(&stage, &fresh, &email);
    not_trusted(stage.ask("unknown"), "now somebody can tell");
}

/// How long a provider may take at most before a caller is answered; the slow ones take a minute
/// and longer.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(30);

/// As many callers as are let in at once, and more, wait for a slow provider; others do not notice:
/// neither those whom nobody needs to ask about, nor those of another provider.
fn rule_11_13_slow_providers_delay_nobody_else(engine: Engine) {
    let [slow, unseen] = [(), ()].map(|()| Provider::start());
    let stage = Stage::new(engine, |provider| {
        vec![provider.oidc(), slow.oidc(), unseen.oidc(), provider.introspection()]
    });
    slow.fail("/jwks", &json!({"kind": "slow", "seconds": 60}));
    stage.provider.fail(INTROSPECTION, &json!({"kind": "dripping"}));
    let known = stage.signed_with("otto", &json!({}));
    lets_in(stage.ask(&known), "otto@example.com", "a provider that answers");
    let of = |provider: &Provider| {
        let claims = changed(stage.claims("otto"), &json!({"iss": provider.issuer()}));
        provider.sign(&json!({}), &claims, &json!({"alg": "ES256"}))
    };
    let (waiting, first) = (of(&slow), of(&unseen));
    let fresh = stage.signed_with("fresh", &json!({}));
    let own = stage.server.client("own@example.com");
    own.get("/v5/user").ok();
    let measured = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let waits = |token: String| {
            let (stage, measured) = (&stage, &measured);
            scope.spawn(move || {
                // More than once, so that the crowd outlasts what is measured.
                for _ in 0..6 {
                    let asked = Instant::now();
                    not_known_now(stage.ask(&token), "slow");
                    let took = asked.elapsed();
                    assert!(took < ANSWER_TIMEOUT, "answered after {took:?}");
                    if measured.load(Ordering::SeqCst) {
                        return;
                    }
                    pause(Duration::from_secs(1));
                }
            })
        };
        let many = (0..100).map(|number| waits(format!("opaque-{number}")));
        let many: Vec<_> = many.chain((0..20).map(|_| waits(waiting.clone()))).collect();
        eventually("the crowd waits", || {
            stage.provider.count(INTROSPECTION) >= 64 && slow.count("/jwks") > 0
        });
        let asked = Instant::now();
        for _ in 0..10 {
            own.get("/v5/user").ok();
            lets_in(stage.ask(&known), "otto@example.com", "known");
        }
        lets_in(stage.ask(&fresh), "fresh@example.com", "another token");
        lets_in(stage.ask(&first), "otto@example.com", "another provider, asked now");
        let took = asked.elapsed();
        assert!(many.iter().any(|wait| !wait.is_finished()), "somebody still waits");
        measured.store(true, Ordering::SeqCst);
        // A provider is given 5 s.
        assert!(took < Duration::from_secs(4), "others waited too: {took:?}");
    });
}
