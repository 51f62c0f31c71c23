//! Access to a book: the first step of every use case.

use daybook_domain::access::{Access, Refusal};
use daybook_domain::id::BookKey;
use daybook_domain::permission::Action;
use daybook_domain::purpose::Purpose;
use daybook_storage::Tx;
use daybook_storage::access::{AccessTo, BookAccess};
use daybook_storage::user::User;

use crate::context::Context;
use crate::error::Result;

/// Admits the caller to a book to read, or to check a write in advance.
///
/// # Errors
/// 404 without access and for unknown books; 403 for too little permission (behaviour 7.4).
pub fn enter(tx: &mut Tx<'_>, cx: &Context, book: &str, action: Action) -> Result<Access> {
    Ok(find(tx, cx, book)?.admit(cx.user.id, action)?)
}

/// Admits the caller to a book to write for a purpose.
///
/// In a unit of work that writes, it locks the book first.
///
/// The result names the purpose in its type, and a repository that writes accepts no other purpose:
///
/// ```
/// use daybook_domain::account::Account;
/// use daybook_domain::purpose::WriteChart;
/// use daybook_service::{Context, Result, access};
/// use daybook_storage::Tx;
///
/// fn add(tx: &mut Tx<'_>, cx: &Context, book: &str, accounts: &[Account]) -> Result<()> {
///     let access = access::enter_to(tx, cx, book, WriteChart)?;
///     Ok(tx.accounts().insert(&access, accounts)?)
/// }
/// ```
///
/// Access to read does not suffice, nor does access to record
/// (`access::enter_to(tx, cx, book, Record::Draft)`):
///
/// ```compile_fail,E0308
/// use daybook_domain::account::Account;
/// use daybook_domain::permission::Action;
/// use daybook_service::{Context, Result, access};
/// use daybook_storage::Tx;
///
/// fn add(tx: &mut Tx<'_>, cx: &Context, book: &str, accounts: &[Account]) -> Result<()> {
///     let access = access::enter(tx, cx, book, Action::ReadChart)?;
///     Ok(tx.accounts().insert(&access, accounts)?)
///     //                      ^^^^^^^ expected `&AccessTo<WriteChart>`, found `&Access`
/// }
/// ```
///
/// ```compile_fail,E0308
/// use daybook_domain::account::Account;
/// use daybook_domain::purpose::Record;
/// use daybook_service::{Context, Result, access};
/// use daybook_storage::Tx;
///
/// fn add(tx: &mut Tx<'_>, cx: &Context, book: &str, accounts: &[Account]) -> Result<()> {
///     let access = access::enter_to(tx, cx, book, Record::Draft)?;
///     Ok(tx.accounts().insert(&access, accounts)?)
///     //                      ^^^^^^^ expected `&AccessTo<WriteChart>`, found `&AccessTo<Record>`
/// }
/// ```
///
/// # Errors
/// Those of [`enter`].
pub fn enter_to<P: Purpose>(
    tx: &mut Tx<'_>,
    cx: &Context,
    book: &str,
    purpose: P,
) -> Result<AccessTo<P>> {
    Ok(find(tx, cx, book)?.admit_to(cx.user.id, purpose)?)
}

/// Returns the owner of the book with this public id, even if the book is deleted.
///
/// In a unit of work that writes, it locks the book first, so the owner stays the same until the
/// end of the unit of work.
pub(crate) fn owner_of(tx: &mut Tx<'_>, book: &str) -> Result<Option<User>> {
    tx.books().lock(book)?;
    let Some(owner) = tx.books().owner(book)? else { return Ok(None) };
    Ok(tx.users().by_ids(&[owner])?.into_iter().next())
}

/// Loads a book with its counters and the caller's permission, without checking any action.
///
/// # Errors
/// 404 for unknown books. 403 for books outside the scope of the access token, even unknown ones.
pub(crate) fn find(tx: &mut Tx<'_>, cx: &Context, book: &str) -> Result<BookAccess> {
    Ok(find_known(tx, cx, book)?.ok_or(Refusal::BookNotFound)?)
}

/// Loads a book like [`find`], or returns `None` if it is unknown.
///
/// # Errors
/// 403 for books outside the scope of the access token, even unknown ones.
pub(crate) fn find_known(tx: &mut Tx<'_>, cx: &Context, book: &str) -> Result<Option<BookAccess>> {
    check_scope(cx, book)?;
    Ok(tx.books().load_for_user(book, &cx.user.email)?)
}

/// Loads a book like [`find`], even if it is deleted.
///
/// # Errors
/// Those of [`find`].
pub(crate) fn find_even_deleted(tx: &mut Tx<'_>, cx: &Context, book: &str) -> Result<BookAccess> {
    check_scope(cx, book)?;
    let found = tx.books().load_even_deleted(book, &cx.user.email)?;
    Ok(found.ok_or(Refusal::BookNotFound)?)
}

/// Refuses a book outside the scope of the access token.
///
/// # Errors
/// 403.
pub(crate) fn check_scope(cx: &Context, book: &str) -> Result<()> {
    if cx.scope.is_limited() {
        cx.scope.check_book(&BookKey::new(book.to_owned()))?;
    }
    Ok(())
}
