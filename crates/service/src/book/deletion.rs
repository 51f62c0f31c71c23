//! Deleting books, restoring them while they wait, and removing them (behaviour 6.5, 6.22).

use std::sync::Arc;

use daybook_domain::access;
use daybook_domain::book::{Book, Deletion, Refusal};
use daybook_domain::id::BookKey;
use daybook_domain::instant::Instant;
use daybook_domain::name::fold;
use daybook_domain::purpose::{DeleteBook, RestoreBook};
use daybook_storage::Tx;
use daybook_storage::access::BookAccess;

use super::{View, matches, sort};
use crate::access::{find, find_even_deleted, owner_of};
use crate::context::Context;
use crate::error::Result;
use crate::ids::Ids;
use crate::{collection, event_log};

/// Rows of a book that one unit of work removes.
pub(super) const ROWS_REMOVED: i64 = 5_000;

/// deleteBook: from now on the book exists for nobody. It waits for so many days, then the sweep
/// removes it with everything in it, its event log included.
///
/// # Errors
/// What the access step refuses; an unmet precondition.
pub fn delete(tx: &mut Tx<'_>, cx: &Context, book: &str, days: u16) -> Result<View> {
    let cx = &cx.beyond_quotas();
    let found = find(tx, cx, book)?;
    let activity = found.activity;
    let access = found.admit_to(cx.user.id, DeleteBook)?;
    cx.check_precondition(access.book())?;
    tx.books().delete(&access, Deletion::new(cx.now, days))?;
    event_log::append(tx, cx, &access, vec![access.book().deleted_event()])?;
    Ok(View::plain(access.into_access(), activity))
}

/// restoreBook: the deleted book is as it was before, but that collections have dropped it.
///
/// # Errors
/// 404 for everybody but the owner, and when the book is not deleted or does not wait any more; 403
/// for books that the access token does not reach.
pub fn restore(tx: &mut Tx<'_>, cx: &Context, book: &str) -> Result<View> {
    let found = find_even_deleted(tx, cx, book)?;
    let (deletion, mut activity) = (found.deletion, found.activity);
    let access = found.admit_to_deleted(cx.user.id, RestoreBook)?;
    let deletion = deletion.ok_or(access::Refusal::BookNotFound)?;
    if !tx.books().restore(&access)? {
        return Err(access::Refusal::BookNotFound.into());
    }
    event_log::append(tx, cx, &access, vec![access.book().restored_event(&deletion)])?;
    activity.changed_at = cx.now;
    let collection = collection::of_book(tx, cx, &access)?;
    Ok(View { collection, ..View::plain(access.into_access(), activity) })
}

/// What the operator does on the server's machine: the same, in the name of the owner, who need not
/// be able to sign in.
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
    let cx = Context::of_operator(owner, ids, now);
    let key = BookKey::new(book.to_owned());
    match find_even_deleted(tx, &cx, book)?.deletion {
        None => Err(Refusal::NotDeleted(key).into()),
        Some(deletion) if !deletion.waits() => Err(Refusal::BeingRemoved(key).into()),
        Some(_) => restore(tx, &cx, book),
    }
}

/// listBooks of deleted ones: those of the caller's own books that can be restored, by name. `term`
/// is that of [`super::list`].
pub fn list_deleted(tx: &mut Tx<'_>, cx: &Context, term: &str) -> Result<Vec<View>> {
    let term = term.trim();
    let wanted = fold(term);
    let is_wanted = |book: &Book| wanted.is_empty() || matches(book, term, &wanted);
    let found = tx.books().deleted_of_user_and(&cx.user.email, is_wanted)?;
    let mut views = Vec::with_capacity(found.len());
    for (found, is_wanted) in found {
        if !is_wanted || !cx.scope.reaches(&found.book.key) {
            continue;
        }
        let (deletion, activity) = (found.deletion, found.activity);
        // Whoever is not the owner does not see that there was a book.
        let Ok(access) = found.admit_to_deleted(cx.user.id, RestoreBook) else { continue };
        views.push(View { deletion, ..View::plain(access.into_access(), activity) });
    }
    sort(&mut views);
    Ok(views)
}

/// All deleted books, for the operator, the first deleted one first.
pub fn deleted(tx: &mut Tx<'_>) -> Result<Vec<BookAccess>> {
    Ok(tx.books().deleted()?)
}

/// The books whose time to wait is over.
pub fn due(tx: &mut Tx<'_>, now: Instant) -> Result<Vec<BookKey>> {
    Ok(tx.books().due(now)?)
}

/// Begins the removal of a book, after which nobody restores it; answers whether it is still to be
/// removed.
pub fn begin_removal(tx: &mut Tx<'_>, book: &BookKey, now: Instant) -> Result<bool> {
    Ok(tx.books().begin_removal(book, now)?)
}

/// Removes some rows of a book whose removal has begun; answers whether any are left.
pub fn remove_portion(tx: &mut Tx<'_>, book: &BookKey) -> Result<bool> {
    Ok(tx.books().remove_deleted(book, ROWS_REMOVED)?)
}
