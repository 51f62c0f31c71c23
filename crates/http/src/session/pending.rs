//! The cookie of a sign-in through a provider that has begun: what the answer must fit to. It is
//! sealed, so that a browser can neither read it nor make it last longer.

use actix_web::HttpRequest;
use actix_web::cookie::Cookie;
use actix_web::cookie::time::Duration;
use base64::Engine;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use daybook_domain::instant::Instant;
use serde::{Deserialize, Serialize};

use super::cookie;
use crate::error::RequestError;
use crate::identity::own_token::LocalKey;
use crate::identity::provider::sign_in::PendingSignIn;
use crate::state::AppState;

/// The cookie.
const SIGN_IN: &str = "daybook_sign_in";
/// Minutes that a person has at the provider.
const SIGN_IN_MINUTES: i64 = 10;

#[derive(Serialize, Deserialize)]
struct Limited {
    /// In milliseconds since the epoch.
    until: i64,
    pending: PendingSignIn,
}

/// Makes a browser keep what the answer of the provider must fit to.
///
/// # Errors
/// 500 when it cannot be sealed.
pub(super) fn keep(
    request: &HttpRequest,
    state: &AppState,
    pending: PendingSignIn,
) -> Result<Cookie<'static>, RequestError> {
    let value = sealed(state.identity.key(), pending, (state.clock)())
        .ok_or_else(|| RequestError::Failed("a cookie could not be sealed".to_owned()))?;
    let age = Duration::minutes(SIGN_IN_MINUTES);
    Ok(cookie::made(request, state, (SIGN_IN, value), age))
}

/// What the answer must fit to: `None` where this browser has begun no sign-in, or too long ago.
pub(super) fn find(request: &HttpRequest, state: &AppState) -> Option<PendingSignIn> {
    opened(state.identity.key(), request.cookie(SIGN_IN)?.value(), (state.clock)())
}

/// Makes a browser forget it.
pub(super) fn forget(request: &HttpRequest, state: &AppState) -> Cookie<'static> {
    cookie::made(request, state, (SIGN_IN, String::new()), Duration::ZERO)
}

fn sealed(key: &LocalKey, pending: PendingSignIn, now: Instant) -> Option<String> {
    let until = now.milliseconds().saturating_add(SIGN_IN_MINUTES * 60_000);
    let text = serde_json::to_vec(&Limited { until, pending }).ok()?;
    Some(BASE64_URL_SAFE_NO_PAD.encode(key.sealer().seal(&[SIGN_IN], &text).ok()?))
}

fn opened(key: &LocalKey, value: &str, now: Instant) -> Option<PendingSignIn> {
    let sealed = BASE64_URL_SAFE_NO_PAD.decode(value).ok()?;
    let text = key.sealer().open(&[SIGN_IN], &sealed).ok()?;
    let Limited { until, pending } = serde_json::from_slice(&text).ok()?;
    (now.milliseconds() < until).then_some(pending)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sign_in_waits_for_ten_minutes() {
        let key = LocalKey::new(&[1; 32]);
        let pending: PendingSignIn = serde_json::from_value(serde_json::json!({
            "provider": "Example", "state": "s", "nonce": "n", "verifier": "v",
        }))
        .unwrap();
        let value = sealed(&key, pending, Instant::new(1_000)).unwrap();
        let found = |key: &LocalKey, value: &str, now| opened(key, value, Instant::new(now));
        assert_eq!(found(&key, &value, 600_999).unwrap().state, "s");
        assert!(found(&key, &value, 601_000).is_none());
        assert!(found(&LocalKey::new(&[2; 32]), &value, 1_000).is_none());
        for value in ["", "?", "AAAA", &value[1..], &value[..value.len() - 2]] {
            assert!(found(&key, value, 1_000).is_none(), "{value}");
        }
    }
}
