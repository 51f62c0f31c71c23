//! Access tokens (behaviour 11.7 - 11.10). A token belongs to a user, so the access step is a
//! lookup among the caller's own tokens. No event is recorded.

use daybook_domain::email::Email;
use daybook_domain::id::TokenId;
use daybook_domain::instant::Instant;
use daybook_domain::token::{AccessToken, MAX_ENDED, Refusal, TokenRequest, listing_cutoff};
use daybook_storage::user::User;
use daybook_storage::{ShardKey, Tx};

use crate::book;
use crate::context::Context;
use crate::error::Result;
use crate::ids::Ids;
use crate::target::Target;
use crate::user;

/// The target of requests that change tokens.
pub const TARGET: Target = Target::Caller;
/// The shard key of [`revoke_any`].
pub const SHARD_KEY: ShardKey = ShardKey::NO_BOOK;

/// Lists the caller's tokens, newest first: active ones, and those that ended in the last 30 days.
///
/// # Errors
/// [`Refusal::InsufficientScope`].
pub fn list(tx: &mut Tx<'_>, cx: &Context) -> Result<Vec<AccessToken>> {
    cx.scope.check_outside_books()?;
    of_user(tx, &cx.user, cx.now)
}

/// Finds a token of the caller.
///
/// # Errors
/// [`Refusal::InsufficientScope`]; [`Refusal::Unknown`], also for another user's token.
pub fn get(tx: &mut Tx<'_>, cx: &Context, id: &str) -> Result<AccessToken> {
    cx.scope.check_outside_books()?;
    find(tx, cx, id)
}

/// Issues a token to the caller.
///
/// # Errors
/// Refusals of the rules of tokens; [`Refusal::UnknownBooks`].
pub fn issue(tx: &mut Tx<'_>, cx: &Context, request: TokenRequest) -> Result<AccessToken> {
    let cx = &cx.lock_caller(tx)?;
    check_books(tx, &cx.user, &request)?;
    let token = AccessToken::issue(TokenId::new(cx.mint()), cx.user.id, request, cx.now)?;
    AccessToken::check_count(tx.tokens().count_active(cx.user.id, cx.now)?)?;
    insert(tx, token, cx.now)
}

/// Issues a token for the operator, to the user with this address. A new user is created.
///
/// # Errors
/// Refusals of the rules of tokens; [`Refusal::UnknownBooks`].
pub fn issue_to(
    tx: &mut Tx<'_>,
    email: &Email,
    request: TokenRequest,
    ids: &Ids,
    now: Instant,
) -> Result<AccessToken> {
    let user = user::sign_in(tx, email, ids, now)?;
    check_books(tx, &user, &request)?;
    let token = AccessToken::issue(TokenId::new(ids.next(now)), user.id, request, now)?;
    insert(tx, token, now)
}

/// Revokes a token of the caller. A token that ended before stays unchanged.
///
/// # Errors
/// [`Refusal::Unknown`], also for another user's token.
pub fn revoke(tx: &mut Tx<'_>, cx: &Context, id: &str) -> Result<AccessToken> {
    let token = find(tx, cx, id)?;
    end(tx, token, cx.now)
}

/// Revokes a token of any user, for the operator.
///
/// # Errors
/// [`Refusal::Unknown`].
pub fn revoke_any(tx: &mut Tx<'_>, id: &str, now: Instant) -> Result<AccessToken> {
    let token = find_any(tx, id)?.ok_or_else(|| unknown(id))?;
    end(tx, token, now)
}

/// Lists a user's tokens, newest first: active ones, and stored ones that ended in the last 30
/// days.
pub fn of_user(tx: &mut Tx<'_>, user: &User, now: Instant) -> Result<Vec<AccessToken>> {
    let mut all = tx.tokens().list(user.id)?;
    all.retain(|token| token.is_listed(now));
    all.reverse();
    Ok(all)
}

/// Authenticates the token with this id. Returns `None` if it is unknown, expired or revoked.
pub fn authenticate(
    tx: &mut Tx<'_>,
    id: TokenId,
    now: Instant,
) -> Result<Option<(User, AccessToken)>> {
    let Some(token) = tx.tokens().find(id)?.filter(|token| token.is_active(now)) else {
        return Ok(None);
    };
    let user = tx.users().by_ids(&[token.user])?.into_iter().next();
    Ok(user.map(|user| (user, token)))
}

fn insert(tx: &mut Tx<'_>, token: AccessToken, now: Instant) -> Result<AccessToken> {
    tx.tokens().remove_ended(token.user, now, listing_cutoff(now), MAX_ENDED)?;
    tx.tokens().insert(&token)?;
    Ok(token)
}

fn end(tx: &mut Tx<'_>, token: AccessToken, now: Instant) -> Result<AccessToken> {
    if !token.is_active(now) {
        return Ok(token);
    }
    let revoked = token.revoke(now);
    tx.tokens().revoke(&revoked)?;
    tx.identity_changes().increment();
    Ok(revoked)
}

/// Finds a token of any user.
fn find_any(tx: &mut Tx<'_>, text: &str) -> Result<Option<AccessToken>> {
    let Ok(id) = text.parse() else { return Ok(None) };
    Ok(tx.tokens().find(id)?)
}

fn find(tx: &mut Tx<'_>, cx: &Context, text: &str) -> Result<AccessToken> {
    let found = find_any(tx, text)?;
    let is_own = |token: &AccessToken| token.user == cx.user.id && token.is_listed(cx.now);
    Ok(found.filter(is_own).ok_or_else(|| unknown(text))?)
}

fn unknown(id: &str) -> Refusal {
    Refusal::Unknown(id.chars().take(60).collect())
}

/// Refuses a scope with books that the user cannot read.
fn check_books(tx: &mut Tx<'_>, user: &User, request: &TokenRequest) -> Result<()> {
    request.scope.check()?;
    let Some(books) = &request.scope.books else { return Ok(()) };
    let keys: Vec<String> = books.iter().map(ToString::to_string).collect();
    let readable = book::find_readable(tx, user, &keys)?;
    let missing: Vec<String> = keys.into_iter().filter(|key| !readable.contains_key(key)).collect();
    if missing.is_empty() { Ok(()) } else { Err(Refusal::UnknownBooks(missing).into()) }
}
