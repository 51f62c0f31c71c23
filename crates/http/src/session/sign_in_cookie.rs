//! The cookies of sign-ins through a provider that have begun: what the answer must fit to, and
//! where the browser returns after it. Each sign-in has one of its own, so that two tabs may sign
//! in at the same time. They are sealed, so that a browser can neither read them nor make them last
//! longer.

use actix_web::HttpRequest;
use actix_web::cookie::Cookie;
use actix_web::cookie::time::Duration;
use base64::Engine;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use daybook_domain::instant::Instant;
use serde::{Deserialize, Serialize};

use super::cookie;
use super::return_to::ReturnTo;
use super::secret::digest;
use crate::error::RequestError;
use crate::identity::own_token::LocalKey;
use crate::identity::provider::sign_in::PendingSignIn;
use crate::state::AppState;

/// What the names of the cookies begin with; behind it stands a hash of the `state`.
const SIGN_IN: &str = "daybook_sign_in_";
/// Minutes that a person has at the provider.
const SIGN_IN_MINUTES: i64 = 10;
/// Bytes of all these cookies of a browser at most, unless the last one alone is longer: proxies
/// take lines of 8 KB.
const MAX_BYTES: usize = 4_096;

#[derive(Serialize, Deserialize)]
struct Limited {
    /// In milliseconds since the epoch.
    until: i64,
    pending: PendingSignIn,
    /// Where the browser returns, as a cookie holds it.
    back: Option<String>,
}

/// The name of the cookie of a sign-in.
fn name(state: &str) -> String {
    let digest = digest(state);
    let (start, _) = digest.split_at(12);
    format!("{SIGN_IN}{}", BASE64_URL_SAFE_NO_PAD.encode(start))
}

/// Makes a browser keep what the answer of the provider must fit to, and forget what it has begun
/// before when that is too much.
///
/// # Errors
/// 500 when it cannot be sealed.
pub(super) fn keep(
    request: &HttpRequest,
    state: &AppState,
    pending: PendingSignIn,
    back: Option<&ReturnTo>,
) -> Result<Vec<Cookie<'static>>, RequestError> {
    let now = (state.clock)();
    let name = name(&pending.state);
    let until = now.milliseconds().saturating_add(SIGN_IN_MINUTES * 60_000);
    let back = back.map(|back| back.as_str().to_owned());
    let value = sealed(state.identity.key(), &name, &Limited { until, pending, back })
        .ok_or_else(|| RequestError::Failed("a cookie could not be sealed".to_owned()))?;
    let others = begun(request, state, now);
    let others = superfluous(others, value.len()).into_iter();
    let forgotten =
        others.map(|name| cookie::made(request, state, (name, String::new()), Duration::ZERO));
    let kept = cookie::made(request, state, (name, value), Duration::minutes(SIGN_IN_MINUTES));
    Ok(std::iter::once(kept).chain(forgotten).collect())
}

/// What the answer with this `state` must fit to, and where the browser returns: `None` where this
/// browser has begun no such sign-in, or too long ago.
pub(super) fn find(
    request: &HttpRequest,
    state: &AppState,
    parameter: &str,
) -> Option<(PendingSignIn, Option<ReturnTo>)> {
    let name = name(parameter);
    let value = request.cookie(&name)?;
    let found = opened(state.identity.key(), &name, value.value(), (state.clock)())?;
    Some((found.pending, found.back.and_then(|back| ReturnTo::read(&back, state))))
}

/// Makes a browser forget the sign-in with this `state`.
pub(super) fn forget(
    request: &HttpRequest,
    state: &AppState,
    parameter: &str,
) -> Option<Cookie<'static>> {
    let name = name(parameter);
    request.cookie(&name)?;
    Some(cookie::made(request, state, (name, String::new()), Duration::ZERO))
}

/// A sign-in that a browser has begun: the name of its cookie, how many bytes it takes, and until
/// when it may end; that is `None` for one that is over.
struct Begun {
    name: String,
    bytes: usize,
    until: Option<i64>,
}

fn begun(request: &HttpRequest, state: &AppState, now: Instant) -> Vec<Begun> {
    let Ok(cookies) = request.cookies() else { return Vec::new() };
    let ours = cookies.iter().filter(|cookie| cookie.name().starts_with(SIGN_IN));
    ours.map(|cookie| {
        let (name, value) = (cookie.name().to_owned(), cookie.value());
        let found = opened(state.identity.key(), &name, value, now);
        Begun { bytes: value.len(), until: found.map(|found| found.until), name }
    })
    .collect()
}

/// The names of those that a browser forgets when one of so many bytes begins: what is over, and
/// the oldest.
fn superfluous(mut begun: Vec<Begun>, mut bytes: usize) -> Vec<String> {
    begun.sort_by_key(|one| std::cmp::Reverse(one.until));
    let fits = |one: &Begun| {
        bytes = bytes.saturating_add(one.bytes);
        one.until.is_some() && bytes <= MAX_BYTES
    };
    let (_, others): (Vec<_>, Vec<_>) = begun.into_iter().partition(fits);
    others.into_iter().map(|one| one.name).collect()
}

fn sealed(key: &LocalKey, name: &str, limited: &Limited) -> Option<String> {
    let text = serde_json::to_vec(limited).ok()?;
    Some(BASE64_URL_SAFE_NO_PAD.encode(key.sealer().seal(&[name], &text).ok()?))
}

fn opened(key: &LocalKey, name: &str, value: &str, now: Instant) -> Option<Limited> {
    let sealed = BASE64_URL_SAFE_NO_PAD.decode(value).ok()?;
    let text = key.sealer().open(&[name], &sealed).ok()?;
    let limited: Limited = serde_json::from_slice(&text).ok()?;
    (now.milliseconds() < limited.until).then_some(limited)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sign_in_opens_under_its_name_until_it_is_over() {
        let key = LocalKey::new(&[1; 32]);
        let pending = serde_json::from_value(serde_json::json!({
            "provider": "Example", "state": "s", "nonce": "n", "verifier": "v",
        }))
        .unwrap();
        let name = name("s");
        let value = sealed(&key, &name, &Limited { until: 601_000, pending, back: None }).unwrap();
        let found = |key: &LocalKey, name: &str, value: &str, now| {
            opened(key, name, value, Instant::new(now)).map(|found| found.pending.state)
        };
        assert_eq!(found(&key, &name, &value, 600_999).as_deref(), Some("s"));
        assert!(found(&key, &name, &value, 601_000).is_none());
        assert!(found(&LocalKey::new(&[2; 32]), &name, &value, 1_000).is_none());
        assert!(found(&key, &super::name("t"), &value, 1_000).is_none());
        for value in ["", "?", "AAAA", &value[1..], &value[..value.len() - 2]] {
            assert!(found(&key, &name, value, 1_000).is_none(), "{value}");
        }
    }

    #[test]
    fn a_browser_keeps_what_it_has_begun_last() {
        let one = |name: &str, bytes, until| Begun { name: name.to_owned(), bytes, until };
        let some =
            || vec![one("old", 1_000, Some(1)), one("over", 10, None), one("new", 1_000, Some(2))];
        assert_eq!(superfluous(some(), 2_096), ["over"]);
        assert_eq!(superfluous(some(), 2_097), ["old", "over"]);
        assert_eq!(superfluous(some(), 3_096), ["old", "over"]);
        assert_eq!(superfluous(some(), 5_000), ["new", "old", "over"]);
    }
}
