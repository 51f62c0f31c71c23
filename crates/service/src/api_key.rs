//! API keys (behaviour 10.13). A key belongs to a user, so the access step is a lookup among the
//! caller's own keys. No event is recorded.

use std::collections::HashMap;

use daybook_domain::api_key::{
    ApiKey, ApiKeyUsage, KeyDigest, KeyRequest, Refusal, first_counted_day,
};
use daybook_domain::email::Email;
use daybook_domain::id::{ApiKeyId, UserId};
use daybook_domain::instant::Instant;
use daybook_storage::user::User;
use daybook_storage::{ShardKey, Tx};
use time::Date;

use crate::context::Context;
use crate::error::{Error, Result};
use crate::ids::Ids;
use crate::target::Target;
use crate::{user, zone};

/// The target of requests that change API keys.
pub const TARGET: Target = Target::Caller;
/// The shard key of [`revoke_any`] and [`add_calls`].
pub const SHARD_KEY: ShardKey = ShardKey::NO_BOOK;

/// A key with its calls per day, the latest day first.
#[derive(Debug, Clone)]
pub struct View {
    /// The key.
    pub key: ApiKey,
    /// The days with calls.
    pub usage: Vec<ApiKeyUsage>,
}

/// Lists the caller's keys, newest first: active ones, and those revoked in the last 30 days.
///
/// # Errors
/// A token that is limited to books.
pub fn list(tx: &mut Tx<'_>, cx: &Context) -> Result<Vec<View>> {
    cx.scope.check_outside_books()?;
    of_user(tx, &cx.user, cx.now)
}

/// Finds a key of the caller.
///
/// # Errors
/// [`Refusal::Unknown`], also for another user's key; a token that is limited to books.
pub fn get(tx: &mut Tx<'_>, cx: &Context, id: &str) -> Result<View> {
    cx.scope.check_outside_books()?;
    let key = find(tx, cx, id)?;
    view(tx, key, cx.now)
}

/// Creates a key of the caller. `digest` computes the digest of the key from its id.
///
/// # Errors
/// Refusals of the rules of API keys.
pub fn create(
    tx: &mut Tx<'_>,
    cx: &Context,
    digest: impl FnOnce(ApiKeyId) -> KeyDigest,
    request: KeyRequest,
) -> Result<View> {
    let cx = &cx.lock_caller(tx)?;
    let id = ApiKeyId::new(cx.mint());
    let key = ApiKey::create(id, cx.user.id, digest(id), request, cx.now)?;
    let mut listed = tx.api_keys().list(cx.user.id)?;
    listed.retain(|key| key.is_listed(cx.now));
    ApiKey::check_count(&listed)?;
    insert(tx, key, cx.now)
}

/// Creates a key for the operator, of the user with this address. A new user is created.
///
/// # Errors
/// Refusals of the rules of API keys.
pub fn create_for(
    tx: &mut Tx<'_>,
    email: &Email,
    digest: impl FnOnce(ApiKeyId) -> KeyDigest,
    request: KeyRequest,
    ids: &Ids,
    now: Instant,
) -> Result<View> {
    let user = user::sign_in(tx, email, ids, now)?;
    let id = ApiKeyId::new(ids.next(now));
    let key = ApiKey::create(id, user.id, digest(id), request, now)?;
    insert(tx, key, now)
}

/// Revokes a key of the caller. A key that was revoked before stays unchanged.
///
/// # Errors
/// [`Refusal::Unknown`], also for another user's key.
pub fn revoke(tx: &mut Tx<'_>, cx: &Context, id: &str) -> Result<View> {
    let key = find(tx, cx, id)?;
    revoke_key(tx, key, cx.now)
}

/// Revokes a key of any user, for the operator. Returns the user's address too.
///
/// # Errors
/// [`Refusal::Unknown`].
pub fn revoke_any(tx: &mut Tx<'_>, id: &str, now: Instant) -> Result<(Email, View)> {
    let key = find_any(tx, id)?.ok_or_else(|| unknown(id))?;
    let owner = tx.users().by_ids(&[key.user])?.into_iter().next();
    let email = owner.ok_or(Error::NotFound("user"))?.email;
    Ok((email, revoke_key(tx, key, now)?))
}

/// Lists a user's keys as [`list`] does.
pub fn of_user(tx: &mut Tx<'_>, user: &User, now: Instant) -> Result<Vec<View>> {
    let mut all = tx.api_keys().list(user.id)?;
    all.retain(|key| key.is_listed(now));
    all.reverse();
    views(tx, all, now)
}

/// Lists the keys of all users with their addresses, newest first, as [`list`] does.
pub fn list_all(tx: &mut Tx<'_>, now: Instant) -> Result<Vec<(Email, View)>> {
    let mut all = tx.api_keys().list_all()?;
    all.retain(|key| key.is_listed(now));
    all.reverse();
    let ids: Vec<UserId> = all.iter().map(|key| key.user).collect();
    let mut owners: HashMap<UserId, Email> = HashMap::new();
    for chunk in ids.chunks(1_000) {
        owners.extend(tx.users().by_ids(chunk)?.into_iter().map(|user| (user.id, user.email)));
    }
    let views = views(tx, all, now)?.into_iter();
    Ok(views.filter_map(|view| Some((owners.get(&view.key.user)?.clone(), view))).collect())
}

/// Finds the key with this digest, unless it was revoked.
pub fn find_active(tx: &mut Tx<'_>, digest: &KeyDigest) -> Result<Option<ApiKey>> {
    Ok(tx.api_keys().by_digest(digest)?.filter(ApiKey::is_active))
}

/// Adds counted calls to their keys, and removes counts of these keys that are too old to be shown.
///
/// Calls of keys that no longer exist are dropped.
pub fn add_calls(tx: &mut Tx<'_>, counted: &[(ApiKeyId, ApiKeyUsage)], now: Instant) -> Result<()> {
    if counted.is_empty() {
        return Ok(());
    }
    let mut keys: Vec<ApiKeyId> = counted.iter().map(|(key, _)| *key).collect();
    keys.sort_unstable();
    keys.dedup();
    let known = tx.api_keys().share_lock(&keys)?;
    let counted: Vec<_> = counted.iter().filter(|(key, _)| known.contains(key)).copied().collect();
    tx.api_keys().add_calls(&counted)?;
    Ok(tx.api_keys().remove_calls_before(&keys, first_counted_day(day(now)))?)
}

/// Returns the day in UTC, by which calls are counted.
#[must_use]
pub fn day(now: Instant) -> Date {
    zone::day(now, "UTC")
}

fn insert(tx: &mut Tx<'_>, key: ApiKey, now: Instant) -> Result<View> {
    let mut expired = tx.api_keys().list(key.user)?;
    expired.retain(|key| !key.is_listed(now));
    let expired: Vec<ApiKeyId> = expired.iter().map(|key| key.id).collect();
    tx.api_keys().remove(&expired)?;
    tx.api_keys().insert(&key)?;
    Ok(View { key, usage: Vec::new() })
}

fn revoke_key(tx: &mut Tx<'_>, key: ApiKey, now: Instant) -> Result<View> {
    if !key.is_active() {
        return view(tx, key, now);
    }
    let revoked = key.revoke(now);
    tx.api_keys().revoke(&revoked)?;
    tx.identity_changes().increment();
    view(tx, revoked, now)
}

fn view(tx: &mut Tx<'_>, key: ApiKey, now: Instant) -> Result<View> {
    let counted = tx.api_keys().calls(&[key.id], first_counted_day(day(now)))?;
    Ok(View { key, usage: counted.into_iter().map(|(_, usage)| usage).collect() })
}

fn views(tx: &mut Tx<'_>, keys: Vec<ApiKey>, now: Instant) -> Result<Vec<View>> {
    let ids: Vec<ApiKeyId> = keys.iter().map(|key| key.id).collect();
    let mut counted: HashMap<ApiKeyId, Vec<ApiKeyUsage>> = HashMap::new();
    for (key, usage) in tx.api_keys().calls(&ids, first_counted_day(day(now)))? {
        counted.entry(key).or_default().push(usage);
    }
    let to_view = |key: ApiKey| View { usage: counted.remove(&key.id).unwrap_or_default(), key };
    Ok(keys.into_iter().map(to_view).collect())
}

/// Finds a key of any user.
fn find_any(tx: &mut Tx<'_>, text: &str) -> Result<Option<ApiKey>> {
    let Ok(id) = text.parse() else { return Ok(None) };
    Ok(tx.api_keys().find(id)?)
}

fn find(tx: &mut Tx<'_>, cx: &Context, text: &str) -> Result<ApiKey> {
    let found = find_any(tx, text)?;
    let is_own = |key: &ApiKey| key.user == cx.user.id && key.is_listed(cx.now);
    Ok(found.filter(is_own).ok_or_else(|| unknown(text))?)
}

fn unknown(id: &str) -> Refusal {
    Refusal::Unknown(id.chars().take(60).collect())
}
