//! Storage quotas (behaviour 10.14): limits on what books may store.
//!
//! Every unit of work that stores data in a book appends an event. So [`check`] runs where events
//! are appended, after all other refusals. Changes that free storage or withdraw access run in a
//! context without quotas ([`Context::exempt_from_quotas`]).

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
use crate::user_lock::find_locked;

/// The storage that the caller's books use, and their quotas.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct View {
    /// The storage that is used.
    pub stored: StorageUsage,
    /// The quotas of the caller.
    pub quotas: StorageQuotas,
}

/// Refuses what this unit of work has stored in an entered book if it exceeds a quota.
///
/// # Errors
/// Refusals of the rules of storage quotas.
pub(crate) fn check(tx: &mut Tx<'_>, cx: &Context, access: &Access) -> Result<()> {
    let (used, added) = tx.storage_usage().of_book(access)?;
    check_added(tx, cx, access, used, added)
}

/// Refuses `bytes` bytes that are about to be stored if they would exceed a quota.
///
/// # Errors
/// Refusals of the rules of storage quotas.
pub(crate) fn check_bytes(
    tx: &mut Tx<'_>,
    cx: &Context,
    access: &Access,
    bytes: i64,
) -> Result<()> {
    let (used, added) = tx.storage_usage().of_book(access)?;
    let more = StorageUsage { transactions: 0, bytes };
    check_added(tx, cx, access, used + added, more)
}

/// Returns how many bytes of file contents the caller may upload before files name them.
///
/// It equals the byte quota of their own books, if there is one.
pub(crate) fn max_upload(tx: &mut Tx<'_>, cx: &Context) -> Result<Option<i64>> {
    let Some(usual) = cx.storage_quotas else { return Ok(None) };
    Ok(usual.with_allowance(&tx.storage_usage().allowance(cx.user.id)?).user.bytes)
}

fn check_added(
    tx: &mut Tx<'_>,
    cx: &Context,
    access: &Access,
    used: StorageUsage,
    added: StorageUsage,
) -> Result<()> {
    let Some(usual) = cx.storage_quotas.filter(|_| added.grows()) else { return Ok(()) };
    let (owner, allowance) = tx.storage_usage().owner(access)?;
    let quotas = usual.with_allowance(&allowance);
    quotas.check_book(used, added)?;
    if quotas.user.is_limited() {
        let used = used_by(tx, owner, cx.now)?;
        quotas.check_owner(used, added, owner == cx.user.id)?;
    }
    Ok(())
}

/// Refuses the transfer of a book to a user whose books would then exceed their quotas.
///
/// # Errors
/// Refusals of the rules of storage quotas.
pub(crate) fn check_transfer(
    tx: &mut Tx<'_>,
    cx: &Context,
    access: &Access,
    owner: UserId,
) -> Result<()> {
    let Some(usual) = cx.storage_quotas else { return Ok(()) };
    let quotas = usual.with_allowance(&tx.storage_usage().allowance(owner)?);
    if quotas.user.is_limited() {
        let (used, added) = tx.storage_usage().of_book(access)?;
        quotas.check_transfer(used_by(tx, owner, cx.now)?, used + added)?;
    }
    Ok(())
}

/// Returns the storage that the caller's books use, and their quotas.
pub(crate) fn of_caller(tx: &mut Tx<'_>, cx: &Context) -> Result<View> {
    let allowance = tx.storage_usage().allowance(cx.user.id)?;
    let quotas = cx.storage_quotas.unwrap_or_default().with_allowance(&allowance);
    Ok(View { stored: used_by(tx, cx.user.id, cx.now)?, quotas })
}

/// Returns the storage that counts for a user: their books, and the responses under their
/// idempotency keys.
pub(crate) fn used_by(tx: &mut Tx<'_>, user: UserId, now: Instant) -> Result<StorageUsage> {
    let responses = tx.keys().stored_bytes(user, now)?;
    Ok(tx.storage_usage().usage_of_owner(user)?
        + StorageUsage { transactions: 0, bytes: responses })
}

/// Returns whether a response of `bytes` bytes may be stored whole under a key of the caller.
pub(crate) fn may_store_response(tx: &mut Tx<'_>, cx: &Context, bytes: i64) -> Result<bool> {
    let Some(usual) = cx.storage_quotas else { return Ok(true) };
    let quotas = usual.with_allowance(&tx.storage_usage().allowance(cx.user.id)?);
    if !quotas.user.is_limited() {
        return Ok(true);
    }
    let own = tx.storage_usage().added_by(cx.user.id)?;
    let used = used_by(tx, cx.user.id, cx.now)? + own;
    Ok(quotas.check_owner(used, StorageUsage { transactions: 0, bytes }, true).is_ok())
}

/// Returns whether an app's response of `bytes` bytes may be stored whole in an entered book.
pub(crate) fn may_respond(
    tx: &mut Tx<'_>,
    book: BookId,
    bytes: i64,
    usual: StorageQuotas,
    now: Instant,
) -> Result<bool> {
    let (used, added) = tx.storage_usage().of_entered(book)?;
    let (owner, allowance) = tx.storage_usage().owner_of_entered(book)?;
    let quotas = usual.with_allowance(&allowance);
    let response = StorageUsage { transactions: 0, bytes };
    let fits = quotas.check_book(used + added, response).is_ok();
    if !fits || !quotas.user.is_limited() {
        return Ok(fits);
    }
    let used = used_by(tx, owner, now)? + added;
    Ok(quotas.check_owner(used, response, false).is_ok())
}

/// Lists the users who own books, with the storage of these books, for the operator.
pub fn list_usage(tx: &mut Tx<'_>) -> Result<Vec<UserStorageUsage>> {
    Ok(tx.storage_usage().usage_by_owner()?)
}

/// Lists the books of a user with the storage of each, for the operator.
///
/// # Errors
/// 404 for an unknown address.
pub fn list_books(tx: &mut Tx<'_>, email: &Email) -> Result<Vec<StoredBook>> {
    let user = tx.users().find(email)?.ok_or(Error::NotFound("user"))?;
    Ok(tx.storage_usage().books_of(user.id)?)
}

/// Changes of a user's allowance. A cleared number falls back to the usual quota.
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
    let user = find_locked(tx, email)?.ok_or(Error::NotFound("user"))?;
    let before = tx.storage_usage().allowance(user.id)?;
    let Input { transactions, bytes, book_transactions, book_bytes } = input;
    let allowance = Allowance {
        transactions: changed(transactions, before.transactions),
        bytes: changed(bytes, before.bytes),
        book_transactions: changed(book_transactions, before.book_transactions),
        book_bytes: changed(book_bytes, before.book_bytes),
    };
    tx.storage_usage().set_allowance(user.id, &allowance)?;
    Ok(user)
}

fn changed(field: &Field<i64>, before: Option<i64>) -> Option<i64> {
    match field {
        Field::Keep => before,
        Field::Clear => None,
        Field::Set(number) => Some(*number),
    }
}
