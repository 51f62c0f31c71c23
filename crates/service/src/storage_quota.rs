//! Storage quotas (behaviour 10.14): how much may be stored, and what is.
//!
//! Whatever a unit of work stores in a book leaves an event, so [`check`] stands where events are
//! appended, behind all other refusals. What makes room or takes something from somebody is carried
//! out in a context that no quota holds for ([`Context::beyond_quotas`]).

use daybook_domain::access::Access;
use daybook_domain::email::Email;
use daybook_domain::field::Field;
use daybook_domain::id::{BookId, UserId};
use daybook_domain::instant::Instant;
use daybook_domain::storage_quota::{Allowance, StorageQuotas, StorageUsage};
use daybook_storage::Tx;
use daybook_storage::storage_quota::{StoredBook, UserStorageUsage};
use daybook_storage::user::User;

use crate::context::Context;
use crate::error::{Error, Result};
use crate::user;

/// What the caller's books hold together, and how much they may.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct View {
    /// What they hold.
    pub stored: StorageUsage,
    /// The quotas that hold for them.
    pub quotas: StorageQuotas,
}

/// Refuses what this unit of work has stored in an entered book, when it is more than may be.
///
/// # Errors
/// What the rules of storage quotas refuse.
pub(crate) fn check(tx: &mut Tx<'_>, cx: &Context, access: &Access) -> Result<()> {
    let (held, added) = tx.stored().of_book(access)?;
    check_added(tx, cx, access, (held, added))
}

/// Refuses to go on when so many bytes would be too many: before they are stored.
///
/// # Errors
/// What the rules of storage quotas refuse.
pub(crate) fn check_bytes(
    tx: &mut Tx<'_>,
    cx: &Context,
    access: &Access,
    bytes: i64,
) -> Result<()> {
    let (held, added) = tx.stored().of_book(access)?;
    check_added(tx, cx, access, (held + added, StorageUsage { transactions: 0, bytes }))
}

/// How many bytes of contents the caller may send in the time for which bytes stay that no file
/// names: as many as their own books may hold, if that is limited.
///
/// # Errors
/// What storage fails with.
pub(crate) fn most_sent(tx: &mut Tx<'_>, cx: &Context) -> Result<Option<i64>> {
    let Some(usual) = cx.storage_quotas else { return Ok(None) };
    Ok(usual.with(&tx.stored().allowance(cx.user.id)?).user.bytes)
}

fn check_added(
    tx: &mut Tx<'_>,
    cx: &Context,
    access: &Access,
    (held, added): (StorageUsage, StorageUsage),
) -> Result<()> {
    let Some(usual) = cx.storage_quotas.filter(|_| added.grows()) else { return Ok(()) };
    let (owner, allowance) = tx.stored().owner(access)?;
    let quotas = usual.with(&allowance);
    quotas.check_book(held, added)?;
    if quotas.user.is_on() {
        let held = held_by(tx, owner, cx.now)?;
        quotas.check_owner(held, added, owner == cx.user.id)?;
    }
    Ok(())
}

/// Refuses to make a book one of a user's whose books would hold too much with it.
///
/// # Errors
/// What the rules of storage quotas refuse.
pub(crate) fn check_transfer(
    tx: &mut Tx<'_>,
    cx: &Context,
    access: &Access,
    owner: UserId,
) -> Result<()> {
    let Some(usual) = cx.storage_quotas else { return Ok(()) };
    let quotas = usual.with(&tx.stored().allowance(owner)?);
    if quotas.user.is_on() {
        let (held, added) = tx.stored().of_book(access)?;
        quotas.check_transfer(held_by(tx, owner, cx.now)?, held + added)?;
    }
    Ok(())
}

/// What the caller's books hold together, and how much they may.
pub(crate) fn of_caller(tx: &mut Tx<'_>, cx: &Context) -> Result<View> {
    let allowance = tx.stored().allowance(cx.user.id)?;
    let quotas = cx.storage_quotas.unwrap_or_default().with(&allowance);
    Ok(View { stored: held_by(tx, cx.user.id, cx.now)?, quotas })
}

/// What counts for a user: what their books hold, and the answers that are kept under their keys.
pub(crate) fn held_by(tx: &mut Tx<'_>, user: UserId, now: Instant) -> Result<StorageUsage> {
    let kept = tx.keys().kept_bytes(user, now)?;
    Ok(tx.stored().held_by(user)? + StorageUsage { transactions: 0, bytes: kept })
}

/// Whether an answer of so many bytes may be kept whole under a key of the caller.
///
/// # Errors
/// When the database fails.
pub(crate) fn may_keep(tx: &mut Tx<'_>, cx: &Context, bytes: i64) -> Result<bool> {
    let Some(usual) = cx.storage_quotas else { return Ok(true) };
    let quotas = usual.with(&tx.stored().allowance(cx.user.id)?);
    if !quotas.user.is_on() {
        return Ok(true);
    }
    let own = tx.stored().added_by(cx.user.id)?;
    let held = held_by(tx, cx.user.id, cx.now)? + own;
    Ok(quotas.check_owner(held, StorageUsage { transactions: 0, bytes }, true).is_ok())
}

/// Whether a response of an app of so many bytes may be kept whole in an entered book.
///
/// # Errors
/// When the database fails.
pub(crate) fn may_respond(
    tx: &mut Tx<'_>,
    book: BookId,
    bytes: i64,
    (usual, now): (StorageQuotas, Instant),
) -> Result<bool> {
    let (held, added) = tx.stored().of_entered(book)?;
    let (owner, allowance) = tx.stored().owner_of_entered(book)?;
    let quotas = usual.with(&allowance);
    let response = StorageUsage { transactions: 0, bytes };
    let fits = quotas.check_book(held + added, response).is_ok();
    if !fits || !quotas.user.is_on() {
        return Ok(fits);
    }
    let held = held_by(tx, owner, now)? + added;
    Ok(quotas.check_owner(held, response, false).is_ok())
}

/// The users who own books, with what these hold together, for the operator.
pub fn holdings(tx: &mut Tx<'_>) -> Result<Vec<UserStorageUsage>> {
    Ok(tx.stored().holdings()?)
}

/// The books of a user with what each holds, for the operator.
///
/// # Errors
/// 404 for an unknown address.
pub fn books(tx: &mut Tx<'_>, email: &Email) -> Result<Vec<StoredBook>> {
    let user = tx.users().find(email)?.ok_or(Error::NotFound("user"))?;
    Ok(tx.stored().books_of(user.id)?)
}

/// What the operator changes of the allowance of a user. A cleared number is the usual one again.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Input {
    /// Transactions of all their books.
    pub transactions: Field<i64>,
    /// Bytes of all their books.
    pub bytes: Field<i64>,
    /// Transactions of each of their books.
    pub book_transactions: Field<i64>,
    /// Bytes of each of their books.
    pub book_bytes: Field<i64>,
}

/// Changes the allowance of a user.
///
/// # Errors
/// 404 for an unknown address.
pub fn allow(tx: &mut Tx<'_>, email: &Email, input: &Input) -> Result<User> {
    let user = user::locked(tx, email)?.ok_or(Error::NotFound("user"))?;
    let now = tx.stored().allowance(user.id)?;
    let Input { transactions, bytes, book_transactions, book_bytes } = input;
    let allowance = Allowance {
        transactions: changed(transactions, now.transactions),
        bytes: changed(bytes, now.bytes),
        book_transactions: changed(book_transactions, now.book_transactions),
        book_bytes: changed(book_bytes, now.book_bytes),
    };
    tx.stored().allow(user.id, &allowance)?;
    Ok(user)
}

fn changed(field: &Field<i64>, now: Option<i64>) -> Option<i64> {
    match field {
        Field::Keep => now,
        Field::Clear => None,
        Field::Set(number) => Some(*number),
    }
}
