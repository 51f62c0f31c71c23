//! What the operator does with a user (behaviour 7.11).

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

use super::held;
use crate::access::{find_even_deleted, owner_of};
use crate::context::Context;
use crate::error::{Error, Result};
use crate::ids::Ids;
use crate::{collaborator, event_log, storage_quota, token};

/// A user, with what they have.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UserReport {
    /// The user.
    pub user: User,
    /// How many books they own.
    pub owned: i64,
    /// How many books they see as collaborators, their own included.
    pub shared: usize,
    /// How many of their deleted books wait to be removed.
    pub deleted: usize,
    /// How many of their access tokens are active.
    pub tokens: usize,
    /// What their books hold together.
    pub stored: StorageUsage,
    /// How much the operator allows them to store.
    pub allowance: Allowance,
}

/// A user, with what they have.
///
/// # Errors
/// 404 for an unknown address.
pub fn report(tx: &mut Tx<'_>, email: &Email, now: Instant) -> Result<UserReport> {
    let user = known(tx, email)?;
    let owned = tx.users().count_owned(user.id)?;
    let (waiting, shared): (Vec<_>, Vec<_>) =
        tx.books().kept_of_user(email)?.into_iter().partition(|found| found.deletion.is_some());
    let own = |found: &&BookAccess| found.granted == Some(Permission::Owner);
    let (shared, deleted) = (shared.len(), waiting.iter().filter(own).count());
    let tokens = token::of_user(tx, &user, now)?;
    let tokens = tokens.iter().filter(|token| token.is_active(now)).count();
    let stored = storage_quota::held_by(tx, user.id, now)?;
    let allowance = tx.stored().allowance(user.id)?;
    Ok(UserReport { user, owned, shared, deleted, tokens, stored, allowance })
}

/// Gives a user another address, by which they sign in from then on and which all their books show,
/// deleted ones too once they are restored.
///
/// # Errors
/// 404 for an unknown address; [`Refusal::AddressTaken`], [`Refusal::AddressShared`].
pub fn readdress(
    tx: &mut Tx<'_>,
    (from, to): (&Email, &Email),
    ids: &Arc<Ids>,
    now: Instant,
) -> Result<User> {
    let user = taken(tx, from)?;
    if from == to {
        return Ok(user);
    }
    if tx.users().find(to)?.is_some() {
        return Err(Refusal::AddressTaken(to.clone()).into());
    }
    let shared = books(tx, from)?;
    let renamed = User { email: to.clone(), ..user.clone() };
    // Before the books, because nobody waits for what is a user's while holding a book.
    tx.users().save_names(&renamed)?;
    tx.users().readdress(from, to)?;
    for book in shared {
        readdress_in(tx, &book, (&user, to), ids, now)?;
    }
    tx.identity_changes().record();
    Ok(renamed)
}

/// Gives a user their new address in one book, in the name of the book's owner. What others have
/// done to the book since it was found stands: it may be removed, given away or shared no more.
fn readdress_in(
    tx: &mut Tx<'_>,
    book: &BookKey,
    (user, to): (&User, &Email),
    ids: &Arc<Ids>,
    now: Instant,
) -> Result<()> {
    let Some(owner) = owner_of(tx, book.as_str())? else { return Ok(()) };
    // An owner who is renamed enters by the address that the book knows.
    let owner = if owner.id == user.id { user.clone() } else { owner };
    let cx = Context::of_operator(owner, ids, now);
    let Some(access) = enter_kept(tx, &cx, book)? else { return Ok(()) };
    let Some(row) = tx.collaborators().find(&access, &user.email)? else { return Ok(()) };
    if tx.collaborators().find(&access, to)?.is_some() {
        return Err(Refusal::AddressShared(book.clone()).into());
    }
    let (row, previous) = row.with_email(to.clone(), now);
    tx.collaborators().update(&access, &row)?;
    event_log::append(tx, &cx, &access, vec![row.updated_event(&previous)])
}

/// Deletes a user. They leave all books; what they recorded stays, under a name that tells nobody.
/// Their deleted books wait no longer.
///
/// # Errors
/// 404 for an unknown address; [`Refusal::OwnsBooks`].
pub fn delete(tx: &mut Tx<'_>, email: &Email, ids: &Arc<Ids>, now: Instant) -> Result<User> {
    let user = taken(tx, email)?;
    let owned = tx.users().count_owned(user.id)?;
    if owned > 0 {
        return Err(Refusal::OwnsBooks(owned).into());
    }
    let cx = Context::of_operator(user.clone(), ids, now);
    let books = books(tx, email)?;
    // Before the books, because nobody waits for what is a user's while holding a book.
    tx.users().erase(&user)?;
    for book in books {
        leave(tx, &cx, &book)?;
    }
    // Once more: what was being written into these books then is committed now. Whoever holds a row
    // of it still is not waited for long.
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
    tx.identity_changes().record();
    Ok(deleted)
}

fn known(tx: &mut Tx<'_>, email: &Email) -> Result<User> {
    tx.users().find(email)?.ok_or(Error::NotFound("user"))
}

/// The user with that address, whom nobody else changes any more.
///
/// # Errors
/// 404 for an unknown address.
fn taken(tx: &mut Tx<'_>, email: &Email) -> Result<User> {
    held(tx, email, |tx, id| tx.users().take(id))?.ok_or(Error::NotFound("user"))
}

/// The books that are shared with an address, deleted ones that wait included, in the order in
/// which all processes lock books.
fn books(tx: &mut Tx<'_>, email: &Email) -> Result<Vec<BookKey>> {
    let found = tx.books().kept_of_user(email)?.into_iter();
    let mut keys: Vec<BookKey> = found.map(|access| access.book.key).collect();
    keys.sort_by_key(|key| ShardKey::of_book(key.as_str()));
    Ok(keys)
}

/// Enters a book to change its list of collaborators, also one that is deleted; none of one that
/// is being removed.
fn enter_kept(
    tx: &mut Tx<'_>,
    cx: &Context,
    book: &BookKey,
) -> Result<Option<AccessTo<ManageCollaborators>>> {
    let found = find_even_deleted(tx, cx, book.as_str())?;
    Ok(match found.deletion {
        None => Some(found.admit_to(cx.user.id, ManageCollaborators)?),
        Some(deletion) if deletion.waits() => {
            Some(found.admit_to_deleted(cx.user.id, ManageCollaborators)?)
        }
        Some(_) => None,
    })
}

/// Takes a user who is deleted off a book, also of one that is deleted. A deleted book of their own
/// waits no longer: nobody is left who could ask for it. From a book that is removed or shared with
/// them no more since it was found, nobody is to be taken off.
fn leave(tx: &mut Tx<'_>, cx: &Context, book: &BookKey) -> Result<()> {
    let (user, email) = (cx.user.id, cx.user.email.as_str());
    let found = tx.books().load_even_deleted(book.as_str(), &cx.user.email)?;
    let Some(found) = found.filter(|found| found.granted.is_some()) else { return Ok(()) };
    let owns = found.granted == Some(Permission::Owner);
    match found.deletion {
        Some(deletion) if !deletion.waits() => {}
        // Restored since their books were counted.
        None if owns => return Err(Refusal::OwnsBooks(tx.users().count_owned(user)?).into()),
        Some(_) if owns => {
            tx.books().end_wait(&found.admit_to_deleted(user, DeleteBook)?)?;
        }
        None => {
            let access = found.admit_to(user, RemoveCollaborator::Oneself)?;
            collaborator::take_off(tx, cx, access, email)?;
        }
        Some(_) => {
            let access = found.admit_to_deleted(user, RemoveCollaborator::Oneself)?;
            collaborator::take_off(tx, cx, access, email)?;
        }
    }
    Ok(())
}
