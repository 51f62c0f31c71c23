//! Idempotency keys: a request with a key is carried out once, however often it is sent (behaviour
//! 0.16).

use std::collections::HashMap;

use daybook_domain::access::Refusal;
use daybook_domain::idempotency::{Claim, KeyRecord, MAX_SMALL_BYTES, StoredAnswer, has_room};
use daybook_domain::permission::Action;
use daybook_domain::rights::{Need, Shown};
use daybook_storage::Tx;
use daybook_storage::access::BookAccess;

use crate::context::Context;
use crate::error::{Error, Result};
use crate::{access, app, storage_quota};

/// What becomes of a request with a key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Once<A> {
    /// It was carried out now.
    Done(A),
    /// An earlier request got this answer, and nothing was done now.
    Answered(StoredAnswer),
}

/// What a request writes to. Its lock is taken before the key: the units of work of a lane come in
/// any order, so two processes that took several keys first could deadlock.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum KeyScope {
    /// This book.
    Book(String),
    /// The caller's own data across books.
    Caller,
    /// Neither; the lane is that of the key itself.
    Installation,
}

/// Runs `work` and stores the answer that it gives beside its result, in the same unit of work; or
/// returns the stored answer. A refusal of `work` undoes the claim too, so the request may be
/// corrected and sent again.
///
/// # Errors
/// Whatever `work` refuses; 422 when the key stands for another request; what access says now when
/// the caller has lost some since the stored answer.
pub fn once<A, E: From<Error>>(
    tx: &mut Tx<'_>,
    cx: &Context,
    (scope, claim): (&KeyScope, &Claim),
    work: impl FnOnce(&mut Tx<'_>) -> std::result::Result<(A, StoredAnswer), E>,
) -> std::result::Result<Once<A>, E> {
    if let Some(answer) = recorded(tx, cx, scope, claim)? {
        return Ok(Once::Answered(answer));
    }
    let (done, answer) = work(tx)?;
    let needs = needs(tx, cx, scope, &answer.shows)?;
    record(tx, cx, claim, (&answer, &needs))?;
    Ok(Once::Done(done))
}

/// The answer that is stored under the key, for work that is begun before its key is claimed.
///
/// # Errors
/// As [`once`].
pub fn answered(tx: &mut Tx<'_>, cx: &Context, claim: &Claim) -> Result<Option<StoredAnswer>> {
    let Some(record) = tx.keys().find(claim, cx.now)? else { return Ok(None) };
    replay(tx, cx, claim, record).map(Some)
}

/// Whether a body of so many bytes, as it is stored, is kept whole for a user, beside what is kept
/// already (behaviour 0.38), and beside what their books hold (behaviour 10.14).
///
/// # Errors
/// When the database fails.
pub fn is_kept_whole(tx: &mut Tx<'_>, cx: &Context, body: usize) -> Result<bool> {
    let bytes = i64::try_from(body).unwrap_or(i64::MAX);
    if bytes > MAX_SMALL_BYTES && !has_room(tx.keys().large_bytes(cx.user.id, cx.now)?, bytes) {
        return Ok(false);
    }
    storage_quota::may_keep(tx, cx, bytes)
}

/// Claims the key, or finds the answer stored under it.
fn recorded(
    tx: &mut Tx<'_>,
    cx: &Context,
    scope: &KeyScope,
    claim: &Claim,
) -> Result<Option<StoredAnswer>> {
    match scope {
        KeyScope::Book(book) => tx.books().lock(book)?,
        KeyScope::Caller => tx.users().lock(cx.user.id).map(drop)?,
        KeyScope::Installation => {}
    }
    let Some(record) = tx.keys().take(claim, cx.now)? else { return Ok(None) };
    if let KeyScope::Book(book) = scope {
        access::check_reach(cx, book)?;
    }
    replay(tx, cx, claim, record).map(Some)
}

/// The answer for a repetition of the request. Who may no longer do or see what they could when it
/// was given is told what access says now (behaviour 0.27).
fn replay(tx: &mut Tx<'_>, cx: &Context, claim: &Claim, record: KeyRecord) -> Result<StoredAnswer> {
    let books = record.needs.iter().filter_map(|need| match need {
        Need::Book(key, _) => Some(key.as_str().to_owned()),
        Need::App(_) => None,
    });
    let mut found = found(tx, cx, books.collect())?;
    for need in &record.needs {
        match need {
            Need::Book(key, rights) => {
                access::check_reach(cx, key.as_str())?;
                let access = found.remove(key.as_str()).ok_or(Refusal::BookNotFound)?;
                access.admit(cx.user.id, Action::ReadBook)?.require_rights(*rights)?;
            }
            Need::App(id) => app::check_developer(tx, cx, id)?,
        }
    }
    Ok(record.replay(claim)?)
}

/// What the caller needs in order to be given the answer again: what they may do and see now, when
/// all is done, in the book of the request and in what else is shown. So an answer about a book
/// that the request has deleted, or left, needs nothing there.
fn needs(tx: &mut Tx<'_>, cx: &Context, scope: &KeyScope, shows: &[Shown]) -> Result<Vec<Need>> {
    let (mut needs, mut others) = (Vec::new(), Vec::new());
    let own = if let KeyScope::Book(book) = scope { Some(book.as_str()) } else { None };
    for shown in shows {
        match shown {
            Shown::Book(key) if own == Some(key.as_str()) => {}
            Shown::Book(key) => others.push(key.as_str().to_owned()),
            Shown::App(id) => needs.push(Need::App(id.clone())),
            Shown::Nothing => return Ok(Vec::new()),
        }
    }
    let mut inside = found(tx, cx, others)?;
    if let Some(book) = own
        && let Some(access) = tx.books().load_for_user(book, &cx.user.email)?
    {
        inside.insert(book.to_owned(), access);
    }
    needs.extend(inside.into_values().filter_map(|access| {
        let access = access.admit(cx.user.id, Action::ReadBook).ok()?;
        Some(Need::Book(access.book().key.clone(), access.rights()))
    }));
    Ok(needs)
}

/// Books as the caller enters them, by public id.
fn found(tx: &mut Tx<'_>, cx: &Context, books: Vec<String>) -> Result<HashMap<String, BookAccess>> {
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
    (answer, needs): (&StoredAnswer, &[Need]),
) -> Result<()> {
    tx.keys().record(claim, answer, needs)?;
    // One request in eight deletes up to 32 expired keys, so that more are deleted than stored.
    if claim.fingerprint.as_bytes().iter().take(1).all(|byte| byte % 8 == 0) {
        tx.keys().sweep(cx.user.id, cx.now)?;
    }
    Ok(())
}
