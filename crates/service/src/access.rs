//! The access step of every use case: the door of a book.

use daybook_domain::access::{Access, Refusal};
use daybook_domain::permission::Action;
use daybook_storage::Tx;
use daybook_storage::book::BookAccess;
use daybook_storage::book_state::Activity;

use crate::context::Context;
use crate::error::Result;

/// Lets the caller into a book to do `action`; in a unit of work that writes, it takes the book's
/// lock first.
///
/// # Errors
/// 404 for strangers and unknown books, 403 for too little permission (behaviour 7.4).
pub fn enter(tx: &mut Tx<'_>, cx: &Context, book: &str, action: Action) -> Result<Access> {
    load_access(tx, cx, book, action).map(|(access, _)| access)
}

/// As [`enter`], with how busy the book is.
///
/// # Errors
/// As [`enter`].
pub fn load_access(
    tx: &mut Tx<'_>,
    cx: &Context,
    book: &str,
    action: Action,
) -> Result<(Access, Activity)> {
    let entrance = tx.books().enter(book, &cx.user.email)?.ok_or(Refusal::BookNotFound)?;
    let BookAccess { book, granted, activity } = entrance;
    let access = Access::admit(book, granted, cx.user.id, action)?;
    Ok((access, activity))
}
