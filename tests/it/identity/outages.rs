//! Unreachable and slow providers: their tokens get 503, never 401, and other requests are not
//! delayed.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use daybook_tests::provider::Provider;
use daybook_tests::{Engine, pause};
use serde_json::json;

use super::opaque::INTROSPECTION;
use super::{IdentityFixture, assert_accepted, assert_refused, assert_unavailable, changed};
use crate::Case;
use crate::file_sweep::eventually;

pub fn tests() -> Vec<Case> {
    crate::isolated![
        rule_11_13_provider_down_at_start_is_unavailable,
        rule_11_13_provider_down_keeps_cached_tokens,
        rule_11_13_slow_provider_does_not_delay_others,
    ]
}

/// Waits until the token is accepted.
#[track_caller]
fn wait_until_accepted(fixture: &IdentityFixture, token: &str, email: &str) {
    eventually("the provider is back", || {
        let answer = fixture.ask(token);
        if answer.status != 200 {
            assert_unavailable(answer, "until it is there again");
            return false;
        }
        assert_accepted(answer, email, "there again");
        true
    });
}

fn rule_11_13_provider_down_at_start_is_unavailable(engine: Engine) {
    let fixture = IdentityFixture::new(engine, |provider| {
        provider.pause();
        vec![provider.oidc()]
    });
    let token = fixture.signed_with("otto", &json!({}));
    assert_unavailable(fixture.ask(&token), "it was never there");
    let elsewhere = fixture.signed_with("otto", &json!({"iss": "https://accounts.example"}));
    assert_refused(fixture.ask(&elsewhere), "an untrusted issuer");
    fixture.server.client("otto@example.com").get("/v5/user").ok();
    fixture.provider.resume();
    wait_until_accepted(&fixture, &token, "otto@example.com");
}

fn rule_11_13_provider_down_keeps_cached_tokens(engine: Engine) {
    let fixture = IdentityFixture::new(engine, |provider| vec![provider.introspection()]);
    let email = fixture.person("otto");
    let [known, fresh] = [(), ()].map(|()| fixture.opaque("otto", "openid email"));
    assert_accepted(fixture.ask(&known), &email, "before");
    fixture.provider.pause();
    assert_accepted(fixture.ask(&known), &email, "11.13: remembered");
    assert_unavailable(fixture.ask(&fresh), "not asked yet");
    assert_unavailable(fixture.ask("unknown"), "the provider is down");
    fixture.provider.resume();
    wait_until_accepted(&fixture, &fresh, &email);
    assert_refused(fixture.ask("unknown"), "the provider is back");
}

/// The time limit for a caller; slow providers take a minute and longer.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(30);

/// More callers than allowed at once wait for a slow provider. Callers with own, cached or other
/// tokens are not delayed.
fn rule_11_13_slow_provider_does_not_delay_others(engine: Engine) {
    let [slow, unseen] = [(), ()].map(|()| Provider::start());
    let fixture = IdentityFixture::new(engine, |provider| {
        vec![provider.oidc(), slow.oidc(), unseen.oidc(), provider.introspection()]
    });
    slow.fail("/jwks", &json!({"kind": "slow", "seconds": 60}));
    fixture.provider.fail(INTROSPECTION, &json!({"kind": "dripping"}));
    let known = fixture.signed_with("otto", &json!({}));
    assert_accepted(fixture.ask(&known), "otto@example.com", "a provider that answers");
    let of = |provider: &Provider| {
        let claims = changed(fixture.claims("otto"), &json!({"iss": provider.issuer()}));
        provider.sign(&json!({}), &claims, &json!({"alg": "ES256"}))
    };
    let (waiting, first) = (of(&slow), of(&unseen));
    let fresh = fixture.signed_with("fresh", &json!({}));
    let own = fixture.server.client("own@example.com");
    own.get("/v5/user").ok();
    let measured = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let waits = |token: String| {
            let (fixture, measured) = (&fixture, &measured);
            scope.spawn(move || {
                // Repeat, so that the crowd outlasts the measurement.
                for _ in 0..6 {
                    let asked = Instant::now();
                    assert_unavailable(fixture.ask(&token), "slow");
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
            fixture.provider.count(INTROSPECTION) >= 64 && slow.count("/jwks") > 0
        });
        let asked = Instant::now();
        for _ in 0..10 {
            own.get("/v5/user").ok();
            assert_accepted(fixture.ask(&known), "otto@example.com", "known");
        }
        assert_accepted(fixture.ask(&fresh), "fresh@example.com", "another token");
        assert_accepted(fixture.ask(&first), "otto@example.com", "another provider, asked now");
        let took = asked.elapsed();
        assert!(many.iter().any(|wait| !wait.is_finished()), "some callers still wait");
        measured.store(true, Ordering::SeqCst);
        // The timeout for a provider is 5 s.
        assert!(took < Duration::from_secs(4), "others waited too: {took:?}");
    });
}
