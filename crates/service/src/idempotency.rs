//! Idempotency keys: a request with a key is executed once, even if it is sent several times.
//!
//! The unit of work of the request claims the key, does the work and stores the response (behaviour
//! 0.16). A repetition gets the stored response.

use std::collections::HashMap;

use daybook_domain::access::Refusal;
use daybook_domain::idempotency::{
    Claim, KeyRecord, MAX_SMALL_BYTES, StoredResponse, fits_large_body,
};
use daybook_domain::permission::Action;
use daybook_domain::view_rights::{RequiredRights, Shown};
use daybook_storage::Tx;
use daybook_storage::access::BookAccess;

use crate::context::Context;
use crate::error::{Error, Result};
use crate::target::Target;
use crate::{access, app, storage_quota};

/// The result of a request with an idempotency key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Once<A> {
    /// The request was executed now.
    Done(A),
    /// An earlier request with the same key got this response; nothing was done now.
    Replayed(StoredResponse),
}

/// Runs `work` once per key and stores its response in the same unit of work.
///
/// If the key is known, it returns the stored response instead. A refusal of `work` also undoes the
/// claim, so the client may correct the request and send it again.
///
/// # Errors
/// Every refusal of `work`; 422 if the key belongs to another request; 403 or 404 if the caller has
/// since lost access to what the stored response shows.
pub fn run_once<A, E: From<Error>>(
    tx: &mut Tx<'_>,
    cx: &Context,
    target: &Target,
    claim: &Claim,
    work: impl FnOnce(&mut Tx<'_>) -> std::result::Result<(A, StoredResponse), E>,
) -> std::result::Result<Once<A>, E> {
    if let Some(response) = claim_or_replay(tx, cx, target, claim)? {
        return Ok(Once::Replayed(response));
    }
    let (done, response) = work(tx)?;
    let required = required_rights(tx, cx, target, &response.shows)?;
    record(tx, cx, claim, &response, &required)?;
    Ok(Once::Done(done))
}

/// Returns the response stored under a key, for work that starts before its key is claimed.
///
/// # Errors
/// Those of [`run_once`].
pub fn find_response(
    tx: &mut Tx<'_>,
    cx: &Context,
    claim: &Claim,
) -> Result<Option<StoredResponse>> {
    let Some(record) = tx.keys().find(claim, cx.now)? else { return Ok(None) };
    replay(tx, cx, claim, record).map(Some)
}

/// Returns whether a response body of `body` bytes may be stored whole under a key of the caller.
///
/// It must fit beside the bodies stored already (behaviour 0.38) and into the caller's storage
/// quota (behaviour 10.14).
pub fn may_store_whole(tx: &mut Tx<'_>, cx: &Context, body: usize) -> Result<bool> {
    let bytes = i64::try_from(body).unwrap_or(i64::MAX);
    if bytes > MAX_SMALL_BYTES
        && !fits_large_body(tx.keys().large_bytes(cx.user.id, cx.now)?, bytes)
    {
        return Ok(false);
    }
    storage_quota::may_store_response(tx, cx, bytes)
}

/// Claims the key, or returns the response stored under it.
///
/// The target is locked first. Units of work of a shard run in any order, so processes that claimed
/// several keys before the lock could deadlock.
fn claim_or_replay(
    tx: &mut Tx<'_>,
    cx: &Context,
    target: &Target,
    claim: &Claim,
) -> Result<Option<StoredResponse>> {
    match target {
        Target::Book(book) => tx.books().lock(book)?,
        Target::Caller | Target::Connections => tx.users().lock(cx.user.id).map(drop)?,
        // The shard is derived from the key.
        Target::NewBook => {}
    }
    let Some(record) = tx.keys().claim(claim, cx.now)? else { return Ok(None) };
    if let Target::Book(book) = target {
        access::check_scope(cx, book)?;
    }
    replay(tx, cx, claim, record).map(Some)
}

/// Returns the stored response for a repetition of the request.
///
/// The caller must still have the access they had when the response was made (behaviour 0.27).
fn replay(
    tx: &mut Tx<'_>,
    cx: &Context,
    claim: &Claim,
    record: KeyRecord,
) -> Result<StoredResponse> {
    let books = record.needs.iter().filter_map(|need| match need {
        RequiredRights::Book(key, _) => Some(key.as_str().to_owned()),
        RequiredRights::App(_) => None,
    });
    let mut books = load_books(tx, cx, books.collect())?;
    for need in &record.needs {
        match need {
            RequiredRights::Book(key, rights) => {
                access::check_scope(cx, key.as_str())?;
                let access = books.remove(key.as_str()).ok_or(Refusal::BookNotFound)?;
                access.admit(cx.user.id, Action::ReadBook)?.require_rights(*rights)?;
            }
            RequiredRights::App(id) => app::check_developer(tx, cx, id)?,
        }
    }
    Ok(record.replay(claim)?)
}

/// Returns the access that the caller must still have to get the response again.
///
/// It is the access after the work, to the book of the request and to everything the response
/// shows. So a response about a book that the request deleted, or that the caller left, requires
/// none there.
fn required_rights(
    tx: &mut Tx<'_>,
    cx: &Context,
    target: &Target,
    shows: &[Shown],
) -> Result<Vec<RequiredRights>> {
    let (mut required, mut others) = (Vec::new(), Vec::new());
    let own = if let Target::Book(book) = target { Some(book.as_str()) } else { None };
    for shown in shows {
        match shown {
            Shown::Book(key) if own == Some(key.as_str()) => {}
            Shown::Book(key) => others.push(key.as_str().to_owned()),
            Shown::App(id) => required.push(RequiredRights::App(id.clone())),
            Shown::Nothing => return Ok(Vec::new()),
        }
    }
    let mut inside = load_books(tx, cx, others)?;
    if let Some(book) = own
        && let Some(access) = tx.books().load_for_user(book, &cx.user.email)?
    {
        inside.insert(book.to_owned(), access);
    }
    required.extend(inside.into_values().filter_map(|access| {
        let access = access.admit(cx.user.id, Action::ReadBook).ok()?;
        Some(RequiredRights::Book(access.book().key.clone(), access.view_rights()))
    }));
    Ok(required)
}

/// Loads books with the caller's access, by public id.
fn load_books(
    tx: &mut Tx<'_>,
    cx: &Context,
    books: Vec<String>,
) -> Result<HashMap<String, BookAccess>> {
    if books.is_empty() {
        return Ok(HashMap::new());
    }
    let found = tx.books().by_public_ids(&books, &cx.user.email)?.into_iter();
    Ok(found.map(|access| (access.book.key.as_str().to_owned(), access)).collect())
}

fn record(
    tx: &mut Tx<'_>,
    cx: &Context,
    claim: &Claim,
    response: &StoredResponse,
    required: &[RequiredRights],
) -> Result<()> {
    tx.keys().store_response(claim, response, required)?;
    // One request in eight deletes up to 32 expired keys, so that more are deleted than stored.
    if claim.fingerprint.as_bytes().iter().take(1).all(|byte| byte % 8 == 0) {
        tx.keys().sweep(cx.user.id, cx.now)?;
    }
    Ok(())
}
