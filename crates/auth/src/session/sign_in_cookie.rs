//! Sealed cookies of pending sign-ins through identity providers.
//!
//! Each sign-in has its own cookie, so that two tabs can sign in at the same time. A cookie stores
//! what the response of the provider must match, and where the browser returns. The browser can
//! neither read it nor extend its lifetime.

use actix_web::HttpRequest;
use actix_web::cookie::Cookie;
use actix_web::cookie::time::Duration;
use base64::Engine;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use daybook_domain::instant::Instant;
use daybook_edge::error::RequestError;
use serde::{Deserialize, Serialize};

use super::cookie;
use super::return_to::ReturnTo;
use super::secret::digest;
use crate::identity::own_token::LocalKey;
use crate::identity::provider::sign_in::PendingSignIn;
use crate::state::Auth;

/// The prefix of the cookie names; a hash of the `state` follows.
const NAME_PREFIX: &str = "daybook_sign_in_";
/// The lifetime of a pending sign-in in minutes.
const SIGN_IN_MINUTES: i64 = 10;
/// The maximum size of all these cookies of a browser; the newest may exceed it alone. Many proxies
/// limit a header line to 8 KB.
const MAX_BYTES: usize = 4_096;

/// The sealed value of a cookie.
#[derive(Serialize, Deserialize)]
struct CookieValue {
    /// The expiry in milliseconds since the epoch.
    until: i64,
    pending: PendingSignIn,
    /// The text of the [`ReturnTo`].
    back: Option<String>,
}

/// Returns the name of the cookie of a sign-in.
fn cookie_name(state: &str) -> String {
    let digest = digest(state);
    let (start, _) = digest.split_at(12);
    format!("{NAME_PREFIX}{}", BASE64_URL_SAFE_NO_PAD.encode(start))
}

/// Returns the cookie of a new sign-in, and those that remove expired or excess ones.
///
/// # Errors
/// 500 when the value cannot be sealed.
pub(super) fn store(
    request: &HttpRequest,
    state: &Auth,
    pending: PendingSignIn,
    return_to: Option<&ReturnTo>,
) -> Result<Vec<Cookie<'static>>, RequestError> {
    let now = (state.edge.clock)();
    let name = cookie_name(&pending.state);
    let until = now.milliseconds().saturating_add(SIGN_IN_MINUTES * 60_000);
    let back = return_to.map(|return_to| return_to.as_str().to_owned());
    let value = seal(state.identity.key(), &name, &CookieValue { until, pending, back })
        .ok_or_else(|| RequestError::Failed("sealing a cookie failed".to_owned()))?;
    let excess = excess_cookies(stored_cookies(request, state, now), value.len());
    let lifetime = Duration::minutes(SIGN_IN_MINUTES);
    let mut cookies = vec![cookie::build(request, state, name, value, lifetime)];
    for name in excess {
        cookies.push(cookie::build(request, state, name, String::new(), Duration::ZERO));
    }
    Ok(cookies)
}

/// Returns the pending sign-in with this `state`, and where the browser returns.
///
/// `None` if this browser did not start the sign-in, or if it has expired.
pub(super) fn find(
    request: &HttpRequest,
    state: &Auth,
    state_parameter: &str,
) -> Option<(PendingSignIn, Option<ReturnTo>)> {
    let name = cookie_name(state_parameter);
    let cookie = request.cookie(&name)?;
    let value = open(state.identity.key(), &name, cookie.value(), (state.edge.clock)())?;
    Some((value.pending, value.back.and_then(|back| ReturnTo::read(&back, state))))
}

/// Returns the cookie that removes the sign-in with this `state`.
pub(super) fn remove(
    request: &HttpRequest,
    state: &Auth,
    state_parameter: &str,
) -> Option<Cookie<'static>> {
    let name = cookie_name(state_parameter);
    request.cookie(&name)?;
    Some(cookie::build(request, state, name, String::new(), Duration::ZERO))
}

/// A sign-in cookie of a request.
struct StoredCookie {
    name: String,
    bytes: usize,
    /// `None` if it has expired or cannot be opened.
    until: Option<i64>,
}

fn stored_cookies(request: &HttpRequest, state: &Auth, now: Instant) -> Vec<StoredCookie> {
    let Ok(cookies) = request.cookies() else { return Vec::new() };
    let ours = cookies.iter().filter(|cookie| cookie.name().starts_with(NAME_PREFIX));
    ours.map(|cookie| {
        let (name, value) = (cookie.name().to_owned(), cookie.value());
        let until = open(state.identity.key(), &name, value, now).map(|opened| opened.until);
        StoredCookie { bytes: value.len(), until, name }
    })
    .collect()
}

/// Returns the names of the cookies to remove when one of `bytes` is added.
///
/// These are the expired ones, and the oldest ones beyond [`MAX_BYTES`].
fn excess_cookies(mut stored: Vec<StoredCookie>, mut bytes: usize) -> Vec<String> {
    stored.sort_by_key(|cookie| std::cmp::Reverse(cookie.until));
    stored.retain(|cookie| {
        bytes = bytes.saturating_add(cookie.bytes);
        cookie.until.is_none() || bytes > MAX_BYTES
    });
    stored.into_iter().map(|cookie| cookie.name).collect()
}

fn seal(key: &LocalKey, name: &str, value: &CookieValue) -> Option<String> {
    let text = serde_json::to_vec(value).ok()?;
    Some(BASE64_URL_SAFE_NO_PAD.encode(key.sealer().seal(&[name], &text).ok()?))
}

fn open(key: &LocalKey, name: &str, value: &str, now: Instant) -> Option<CookieValue> {
    let sealed = BASE64_URL_SAFE_NO_PAD.decode(value).ok()?;
    let text = key.sealer().open(&[name], &sealed).ok()?;
    let value: CookieValue = serde_json::from_slice(&text).ok()?;
    (now.milliseconds() < value.until).then_some(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cookie_opens_under_its_name_until_it_expires() {
        let key = LocalKey::new(&[1; 32]);
        let pending = serde_json::from_value(serde_json::json!({
            "provider": "Example", "state": "s", "nonce": "n", "verifier": "v",
        }))
        .unwrap();
        let name = cookie_name("s");
        let value = CookieValue { until: 601_000, pending, back: None };
        let value = seal(&key, &name, &value).unwrap();
        let found = |key: &LocalKey, name: &str, value: &str, now| {
            open(key, name, value, Instant::new(now)).map(|opened| opened.pending.state)
        };
        assert_eq!(found(&key, &name, &value, 600_999).as_deref(), Some("s"));
        assert!(found(&key, &name, &value, 601_000).is_none());
        assert!(found(&LocalKey::new(&[2; 32]), &name, &value, 1_000).is_none());
        assert!(found(&key, &cookie_name("t"), &value, 1_000).is_none());
        for value in ["", "?", "AAAA", &value[1..], &value[..value.len() - 2]] {
            assert!(found(&key, &name, value, 1_000).is_none(), "{value}");
        }
    }

    #[test]
    fn expired_and_oldest_cookies_are_removed() {
        let cookie =
            |name: &str, bytes, until| StoredCookie { name: name.to_owned(), bytes, until };
        let stored = || {
            vec![
                cookie("old", 1_000, Some(1)),
                cookie("expired", 10, None),
                cookie("new", 1_000, Some(2)),
            ]
        };
        assert_eq!(excess_cookies(stored(), 2_096), ["expired"]);
        assert_eq!(excess_cookies(stored(), 2_097), ["old", "expired"]);
        assert_eq!(excess_cookies(stored(), 3_096), ["old", "expired"]);
        assert_eq!(excess_cookies(stored(), 5_000), ["new", "old", "expired"]);
    }
}
