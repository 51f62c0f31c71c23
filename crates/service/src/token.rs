//! Use cases of access tokens (behaviour 11.7 - 11.10). A token belongs to a user: the access step
//! is to look among the caller's own, and no event is recorded.

use daybook_domain::email::Email;
use daybook_domain::id::TokenId;
use daybook_domain::instant::Instant;
use daybook_domain::token::{AccessToken, MAX_ENDED, Refusal, TokenRequest, listed_since};
use daybook_storage::Tx;
use daybook_storage::user::User;

use crate::book;
use crate::context::Context;
use crate::error::Result;
use crate::ids::Ids;
use crate::user;

/// Lists the caller's tokens, the newest first: those in force, and those that ended in the last 30
/// days.
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
/// What the rules of tokens refuse; [`Refusal::UnknownBooks`].
pub fn issue(tx: &mut Tx<'_>, cx: &Context, request: TokenRequest) -> Result<AccessToken> {
    let cx = &cx.locked(tx)?;
    check_books(tx, &cx.user, &request)?;
    let token = AccessToken::issue(TokenId::new(cx.mint()), cx.user.id, request, cx.now)?;
    AccessToken::check_count(tx.tokens().count_active(cx.user.id, cx.now)?)?;
    add(tx, token, cx.now)
}

/// Issues a token to the user with that address, who is created at the first one: what the operator
/// does on the server's machine.
///
/// # Errors
/// What the rules of tokens refuse; [`Refusal::UnknownBooks`].
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
    add(tx, token, now)
}

/// Revokes a token of the caller. One that ended before stays as it is.
///
/// # Errors
/// [`Refusal::Unknown`], also for another user's token.
pub fn revoke(tx: &mut Tx<'_>, cx: &Context, id: &str) -> Result<AccessToken> {
    let token = find(tx, cx, id)?;
    end(tx, token, cx.now)
}

/// Revokes a token of any user: what the operator does on the server's machine.
///
/// # Errors
/// [`Refusal::Unknown`].
pub fn revoke_any(tx: &mut Tx<'_>, id: &str, now: Instant) -> Result<AccessToken> {
    let token = find_any(tx, id)?.ok_or_else(|| unknown(id))?;
    end(tx, token, now)
}

/// A user's tokens, the newest first: those in force, and those that ended in the last 30 days, as
/// far as they are kept.
pub fn of_user(tx: &mut Tx<'_>, user: &User, now: Instant) -> Result<Vec<AccessToken>> {
    let mut all = tx.tokens().list(user.id)?;
    all.retain(|token| token.is_listed(now));
    all.reverse();
    Ok(all)
}

/// Whom a token with that id lets in; nobody when it is unknown, expired or revoked.
pub fn bearer(tx: &mut Tx<'_>, id: TokenId, now: Instant) -> Result<Option<(User, AccessToken)>> {
    let Some(token) = tx.tokens().find(id)?.filter(|token| token.is_active(now)) else {
        return Ok(None);
    };
    let user = tx.users().by_ids(&[token.user])?.into_iter().next();
    Ok(user.map(|user| (user, token)))
}

fn add(tx: &mut Tx<'_>, token: AccessToken, now: Instant) -> Result<AccessToken> {
    tx.tokens().remove_ended(token.user, (now, listed_since(now)), MAX_ENDED)?;
    tx.tokens().insert(&token)?;
    Ok(token)
}

fn end(tx: &mut Tx<'_>, token: AccessToken, now: Instant) -> Result<AccessToken> {
    if !token.is_active(now) {
        return Ok(token);
    }
    let revoked = token.revoke(now);
    tx.tokens().revoke(&revoked)?;
    tx.identity_changes().record();
    Ok(revoked)
}

/// A token of any user.
fn find_any(tx: &mut Tx<'_>, text: &str) -> Result<Option<AccessToken>> {
    let Ok(id) = text.parse() else { return Ok(None) };
    Ok(tx.tokens().find(id)?)
}

fn find(tx: &mut Tx<'_>, cx: &Context, text: &str) -> Result<AccessToken> {
    let found = find_any(tx, text)?;
    let shown = |token: &AccessToken| token.user == cx.user.id && token.is_listed(cx.now);
    Ok(found.filter(shown).ok_or_else(|| unknown(text))?)
}

fn unknown(id: &str) -> Refusal {
    Refusal::Unknown(id.chars().take(60).collect())
}

/// Refuses to name books that the user cannot read.
fn check_books(tx: &mut Tx<'_>, user: &User, request: &TokenRequest) -> Result<()> {
    request.scope.check()?;
    let Some(books) = &request.scope.books else { return Ok(()) };
    let keys: Vec<String> = books.iter().map(ToString::to_string).collect();
    let readable = book::readable(tx, user, &keys)?;
    let missing: Vec<String> = keys.into_iter().filter(|key| !readable.contains_key(key)).collect();
    if missing.is_empty() { Ok(()) } else { Err(Refusal::UnknownBooks(missing).into()) }
}
