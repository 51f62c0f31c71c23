//! Idempotency keys: a request with a key is carried out once, however often it is sent (behaviour
//! 0.16).

use daybook_domain::idempotency::{Claim, StoredAnswer};
use daybook_storage::Tx;

use crate::context::Context;
use crate::error::{Error, Result};

/// The answer to a request with a key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyedAnswer {
    /// The result.
    pub answer: StoredAnswer,
    /// Whether an earlier request got this answer and nothing was done now.
    pub replayed: bool,
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

/// Runs `work` and stores its answer in the same unit of work, or returns the stored answer. A
/// refusal of `work` undoes the claim too, so the request may be corrected and sent again.
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

/// The answer that is stored under the key, for work that is begun before its key is claimed.
///
/// # Errors
/// 422 when the key stands for another request.
pub fn answered(tx: &mut Tx<'_>, cx: &Context, claim: &Claim) -> Result<Option<KeyedAnswer>> {
    let known = tx.keys().find(claim, cx.now)?;
    let answer = known.map(|record| record.replay(claim)).transpose()?;
    Ok(answer.map(|answer| KeyedAnswer { answer, replayed: true }))
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
        KeyScope::Caller => tx.collections().lock(cx.user.id)?,
        KeyScope::Installation => {}
    }
    let known = tx.keys().take(claim, cx.now)?;
    Ok(known.map(|record| record.replay(claim)).transpose()?)
}

fn record(tx: &mut Tx<'_>, cx: &Context, claim: &Claim, answer: &StoredAnswer) -> Result<()> {
    tx.keys().record(claim, answer)?;
    // One request in eight deletes up to 32 expired keys, so that more are deleted than stored.
    if claim.fingerprint.as_bytes().iter().take(1).all(|byte| byte % 8 == 0) {
        tx.keys().sweep(cx.now)?;
    }
    Ok(())
}
