//! Operator commands for users (behaviour 7.11).

use std::sync::Arc;

use daybook_domain::email::Email;
use daybook_domain::id::BookKey;
use daybook_domain::instant::Instant;
use daybook_domain::permission::Permission;
use daybook_domain::purpose::{DeleteBook, ManageCollaborators, RemoveCollaborator};
use daybook_domain::storage_quota::{Allowance, StorageUsage};
use daybook_domain::user::{Profile, Refusal, deleted_email, deleted_username};
use daybook_storage::access::{AccessTo, BookAccess};
use daybook_storage::user::User;
use daybook_storage::{ShardKey, Tx};

use crate::access::{find_even_deleted, owner_of};
use crate::context::Context;
use crate::error::{Error, Result};
use crate::ids::Ids;
use crate::user_lock::find_with_lock;
use crate::{collaborator, event_log, storage_quota, token};

/// A user with a summary of their data.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UserReport {
    /// The user.
    pub user: User,
    /// The number of books they own.
    pub owned: i64,
    /// The number of books they have access to, their own included.
    pub shared: usize,
    /// The number of their deleted books that can still be restored.
    pub deleted: usize,
    /// The number of their active access tokens.
    pub tokens: usize,
    /// The storage that their books use.
    pub stored: StorageUsage,
    /// The storage that the operator allows them.
    pub allowance: Allowance,
}

/// Returns a user with a summary of their data.
///
/// # Errors
/// 404 for an unknown address.
pub fn report(tx: &mut Tx<'_>, email: &Email, now: Instant) -> Result<UserReport> {
    let user = find_user(tx, email)?;
    let owned = tx.users().count_owned(user.id)?;
    let (waiting, shared): (Vec<_>, Vec<_>) =
        tx.books().existing_of_user(email)?.into_iter().partition(|found| found.deletion.is_some());
    let own = |found: &&BookAccess| found.granted == Some(Permission::Owner);
    let (shared, deleted) = (shared.len(), waiting.iter().filter(own).count());
    let tokens = token::of_user(tx, &user, now)?;
    let tokens = tokens.iter().filter(|token| token.is_active(now)).count();
    let stored = storage_quota::used_by(tx, user.id, now)?;
    let allowance = tx.storage_usage().allowance(user.id)?;
    Ok(UserReport { user, owned, shared, deleted, tokens, stored, allowance })
}

/// Changes the address of a user, by which they sign in and which their books show.
///
/// Deleted books show the new address once they are restored.
///
/// # Errors
/// 404 for an unknown address; [`Refusal::AddressTaken`], [`Refusal::AddressShared`].
pub fn change_address(
    tx: &mut Tx<'_>,
    from: &Email,
    to: &Email,
    ids: &Arc<Ids>,
    now: Instant,
) -> Result<User> {
    let user = lock_for_change(tx, from)?;
    if from == to {
        return Ok(user);
    }
    if tx.users().find(to)?.is_some() {
        return Err(Refusal::AddressTaken(to.clone()).into());
    }
    let books = shared_books(tx, from)?;
    let renamed = User { email: to.clone(), ..user.clone() };
    // Rows of the user come before the books: no unit of work waits for them while it locks a book.
    tx.users().save_names(&renamed)?;
    tx.users().readdress(from, to)?;
    for book in books {
        change_address_in(tx, &book, &user, to, ids, now)?;
    }
    tx.identity_changes().increment();
    Ok(renamed)
}

/// Changes the address of a user in one book, in the name of the book's owner.
///
/// The book may have been removed, transferred or unshared since it was listed.
fn change_address_in(
    tx: &mut Tx<'_>,
    book: &BookKey,
    user: &User,
    to: &Email,
    ids: &Arc<Ids>,
    now: Instant,
) -> Result<()> {
    let Some(owner) = owner_of(tx, book.as_str())? else { return Ok(()) };
    // The book still has the old address of an owner who is being renamed.
    let owner = if owner.id == user.id { user.clone() } else { owner };
    let cx = Context::for_operator(owner, ids, now);
    let Some(access) = enter_even_deleted(tx, &cx, book)? else { return Ok(()) };
    let Some(row) = tx.collaborators().find(&access, &user.email)? else { return Ok(()) };
    if tx.collaborators().find(&access, to)?.is_some() {
        return Err(Refusal::AddressShared(book.clone()).into());
    }
    let (row, previous) = row.with_email(to.clone(), now);
    tx.collaborators().update(&access, &row)?;
    event_log::append(tx, &cx, &access, vec![row.updated_event(&previous)])
}

/// Deletes a user.
///
/// They leave all books. Their records stay, under a name that does not identify them. Their own
/// deleted books become due for removal.
///
/// # Errors
/// 404 for an unknown address; [`Refusal::OwnsBooks`].
pub fn delete(tx: &mut Tx<'_>, email: &Email, ids: &Arc<Ids>, now: Instant) -> Result<User> {
    let user = lock_for_change(tx, email)?;
    let owned = tx.users().count_owned(user.id)?;
    if owned > 0 {
        return Err(Refusal::OwnsBooks(owned).into());
    }
    let cx = Context::for_operator(user.clone(), ids, now);
    let books = shared_books(tx, email)?;
    // Rows of the user come before the books: no unit of work waits for them while it locks a book.
    tx.users().erase(&user)?;
    for book in books {
        leave(tx, &cx, &book)?;
    }
    // Once more, for rows that were being written into these books and are committed by now. The
    // wait for a row that is still locked is short.
    tx.users().erase(&user)?;
    let deleted = User {
        email: deleted_email(user.id),
        username: deleted_username(user.id),
        disabled_at: user.disabled_at.or(Some(now)),
        profile: Profile::default(),
        ..user
    };
    tx.users().save_names(&deleted)?;
    tx.users().save_profile(&deleted)?;
    tx.users().save_disabled(&deleted)?;
    tx.identity_changes().increment();
    Ok(deleted)
}

fn find_user(tx: &mut Tx<'_>, email: &Email) -> Result<User> {
    tx.users().find(email)?.ok_or(Error::NotFound("user"))
}

/// Locks the user with this address against every other change.
///
/// # Errors
/// 404 for an unknown address.
fn lock_for_change(tx: &mut Tx<'_>, email: &Email) -> Result<User> {
    find_with_lock(tx, email, |tx, id| tx.users().lock_to_rename(id))?
        .ok_or(Error::NotFound("user"))
}

/// Lists the books shared with an address, including deleted ones that can still be restored.
///
/// They are in the order in which all processes lock books.
fn shared_books(tx: &mut Tx<'_>, email: &Email) -> Result<Vec<BookKey>> {
    let found = tx.books().existing_of_user(email)?.into_iter();
    let mut keys: Vec<BookKey> = found.map(|access| access.book.key).collect();
    keys.sort_by_key(|key| ShardKey::of_book(key.as_str()));
    Ok(keys)
}

/// Enters a book to change its collaborators, even if the book is deleted. Returns `None` for a
/// book whose removal has begun.
fn enter_even_deleted(
    tx: &mut Tx<'_>,
    cx: &Context,
    book: &BookKey,
) -> Result<Option<AccessTo<ManageCollaborators>>> {
    let found = find_even_deleted(tx, cx, book.as_str())?;
    Ok(match found.deletion {
        None => Some(found.admit_to(cx.user.id, ManageCollaborators)?),
        Some(deletion) if deletion.is_restorable() => {
            Some(found.admit_to_deleted(cx.user.id, ManageCollaborators)?)
        }
        Some(_) => None,
    })
}

/// Removes the user from the collaborators of a book, even if the book is deleted.
///
/// A deleted book of their own becomes due for removal, because only its owner could restore it. A
/// book that was removed or unshared since it was listed is skipped.
fn leave(tx: &mut Tx<'_>, cx: &Context, book: &BookKey) -> Result<()> {
    let (user, email) = (cx.user.id, cx.user.email.as_str());
    let found = tx.books().load_even_deleted(book.as_str(), &cx.user.email)?;
    let Some(found) = found.filter(|found| found.granted.is_some()) else { return Ok(()) };
    let owns = found.granted == Some(Permission::Owner);
    match found.deletion {
        Some(deletion) if !deletion.is_restorable() => {}
        // The book was restored after the owned books were counted.
        None if owns => return Err(Refusal::OwnsBooks(tx.users().count_owned(user)?).into()),
        Some(_) if owns => {
            tx.books().end_retention(&found.admit_to_deleted(user, DeleteBook)?)?;
        }
        None => {
            let access = found.admit_to(user, RemoveCollaborator::Oneself)?;
            collaborator::remove_from(tx, cx, access, email)?;
        }
        Some(_) => {
            let access = found.admit_to_deleted(user, RemoveCollaborator::Oneself)?;
            collaborator::remove_from(tx, cx, access, email)?;
        }
    }
    Ok(())
}
