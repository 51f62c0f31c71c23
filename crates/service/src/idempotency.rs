//! Requests that are done once, however often they are sent (behaviour 0.16).

use daybook_domain::idempotency::{Claim, StoredAnswer};
use daybook_storage::Tx;

use crate::context::Context;
use crate::error::{Error, Result};

/// What a request with a key is answered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyedAnswer {
    /// The answer.
    pub answer: StoredAnswer,
    /// Whether it is the answer of an earlier request, and nothing was done now.
    pub replayed: bool,
}

/// What a request writes: its lock is taken before the key. The units of work of one lane come in
/// any order, so two processes that took the keys of several without it could each hold what the
/// other waits for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum KeyScope {
    /// In this book.
    Book(String),
    /// What the caller keeps across books.
    Caller,
    /// Neither: its lane is that of the key itself.
    Installation,
}

/// Does `work` and records its answer in the same unit of work, or answers what is recorded. A
/// refusal of `work` undoes the claim with everything else, so the request may be corrected and
/// sent again.
///
/// # Errors
/// Whatever `work` refuses; 422 when the key stands for another request.
pub fn once<E: From<Error>>(
    tx: &mut Tx<'_>,
    cx: &Context,
    scope: &KeyScope,
    claim: &Claim,
    work: impl FnOnce(&mut Tx<'_>) -> std::result::Result<StoredAnswer, E>,
) -> std::result::Result<KeyedAnswer, E> {
    if let Some(answer) = recorded(tx, cx, scope, claim)? {
        return Ok(KeyedAnswer { answer, replayed: true });
    }
    let answer = work(tx)?;
    record(tx, cx, claim, &answer)?;
    Ok(KeyedAnswer { answer, replayed: false })
}

/// Takes the key, or finds what is recorded under it.
fn recorded(
    tx: &mut Tx<'_>,
    cx: &Context,
    scope: &KeyScope,
    claim: &Claim,
) -> Result<Option<StoredAnswer>> {
    match scope {
        KeyScope::Book(book) => tx.books().lock(book)?,
        KeyScope::Caller => tx.collections().lock(cx.user.id)?,
        KeyScope::Installation => {}
    }
    let known = tx.keys().take(claim, cx.now)?;
    Ok(known.map(|record| record.replay(claim)).transpose()?)
}

fn record(tx: &mut Tx<'_>, cx: &Context, claim: &Claim, answer: &StoredAnswer) -> Result<()> {
    tx.keys().record(claim, answer)?;
    // One request in eight clears away what up to 32 left behind, so that forgetting keeps ahead of
    // recording.
    if claim.fingerprint.as_bytes().iter().take(1).all(|byte| byte % 8 == 0) {
        tx.keys().sweep(cx.now)?;
    }
    Ok(())
}
