//! Deletion of books: hidden at once, restorable for a while, then removed (behaviour 6.5, 6.22).

use std::sync::Arc;

use daybook_domain::access;
use daybook_domain::book::{Book, Deletion, Refusal};
use daybook_domain::id::BookKey;
use daybook_domain::instant::Instant;
use daybook_domain::name::fold;
use daybook_domain::purpose::{DeleteBook, RestoreBook};
use daybook_storage::Tx;
use daybook_storage::access::BookAccess;

use super::summary::sort_by_name;
use super::{View, matches_term};
use crate::access::{find, find_even_deleted, owner_of};
use crate::context::Context;
use crate::error::Result;
use crate::ids::Ids;
use crate::{collection, event_log};

/// Rows of a book that one unit of work removes.
pub(super) const ROWS_REMOVED: i64 = 5_000;

/// deleteBook: hides the book from all users.
///
/// It can be restored for `days` days. Then the sweep removes all its rows, including the event
/// log.
///
/// # Errors
/// An unmet precondition.
pub fn delete(tx: &mut Tx<'_>, cx: &Context, book: &str, days: u16) -> Result<View> {
    let cx = &cx.exempt_from_quotas();
    let found = find(tx, cx, book)?;
    let counters = found.counters;
    let access = found.admit_to(cx.user.id, DeleteBook)?;
    cx.check_precondition(access.book())?;
    tx.books().delete(&access, Deletion::new(cx.now, days))?;
    event_log::append(tx, cx, &access, vec![access.book().deleted_event()])?;
    Ok(View::plain(access.into_access(), counters))
}

/// restoreBook: makes a deleted book available again. Collections do not get it back.
///
/// # Errors
/// 404 for callers other than the owner, and if the book is not deleted or its removal has begun;
/// 403 for books outside the scope of the access token.
pub fn restore(tx: &mut Tx<'_>, cx: &Context, book: &str) -> Result<View> {
    let found = find_even_deleted(tx, cx, book)?;
    let (deletion, mut counters) = (found.deletion, found.counters);
    let access = found.admit_to_deleted(cx.user.id, RestoreBook)?;
    let deletion = deletion.ok_or(access::Refusal::BookNotFound)?;
    if !tx.books().restore(&access)? {
        return Err(access::Refusal::BookNotFound.into());
    }
    event_log::append(tx, cx, &access, vec![access.book().restored_event(&deletion)])?;
    counters.changed_at = cx.now;
    let collection = collection::of_book(tx, cx, &access)?;
    Ok(View { collection, ..View::plain(access.into_access(), counters) })
}

/// Restores a book for the operator, in the name of its owner, who need not be able to sign in.
///
/// # Errors
/// 404 for an unknown book; [`Refusal::NotDeleted`], [`Refusal::BeingRemoved`].
pub fn restore_by_operator(
    tx: &mut Tx<'_>,
    book: &str,
    ids: &Arc<Ids>,
    now: Instant,
) -> Result<View> {
    let owner = owner_of(tx, book)?.ok_or(access::Refusal::BookNotFound)?;
    let cx = Context::for_operator(owner, ids, now);
    let key = BookKey::new(book.to_owned());
    match find_even_deleted(tx, &cx, book)?.deletion {
        None => Err(Refusal::NotDeleted(key).into()),
        Some(deletion) if !deletion.is_restorable() => Err(Refusal::BeingRemoved(key).into()),
        Some(_) => restore(tx, &cx, book),
    }
}

/// listBooks for deleted books: the caller's own books that can be restored, by name.
///
/// `term` filters as in [`super::list`].
pub fn list_deleted(tx: &mut Tx<'_>, cx: &Context, term: &str) -> Result<Vec<View>> {
    let term = term.trim();
    let folded = fold(term);
    let is_match = |book: &Book| folded.is_empty() || matches_term(book, term, &folded);
    let found = tx.books().deleted_of_user_with(&cx.user.email, is_match)?;
    let mut views = Vec::with_capacity(found.len());
    for (found, is_match) in found {
        if !is_match || !cx.scope.includes_book(&found.book.key) {
            continue;
        }
        let (deletion, counters) = (found.deletion, found.counters);
        // To other users the book does not exist.
        let Ok(access) = found.admit_to_deleted(cx.user.id, RestoreBook) else { continue };
        views.push(View { deletion, ..View::plain(access.into_access(), counters) });
    }
    sort_by_name(&mut views, |view| view.access.book());
    Ok(views)
}

/// Lists all deleted books for the operator, in the order of their deletion.
pub fn list_all_deleted(tx: &mut Tx<'_>) -> Result<Vec<BookAccess>> {
    Ok(tx.books().deleted()?)
}

/// Lists the books that are due for removal.
pub fn list_due_for_removal(tx: &mut Tx<'_>, now: Instant) -> Result<Vec<BookKey>> {
    Ok(tx.books().due(now)?)
}

/// Begins the removal of a book, which can then no longer be restored.
///
/// Returns whether the book is still to be removed.
pub fn begin_removal(tx: &mut Tx<'_>, book: &BookKey, now: Instant) -> Result<bool> {
    Ok(tx.books().begin_removal(book, now)?)
}

/// Removes some rows of a book whose removal has begun. Returns whether any are left.
pub fn remove_portion(tx: &mut Tx<'_>, book: &BookKey) -> Result<bool> {
    Ok(tx.books().remove_deleted(book, ROWS_REMOVED)?)
}
