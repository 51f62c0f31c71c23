//! What the operator does with a user (behaviour 7.11).

use std::sync::Arc;

use daybook_domain::email::Email;
use daybook_domain::id::BookKey;
use daybook_domain::instant::Instant;
use daybook_domain::permission::Permission;
use daybook_domain::purpose::{DeleteBook, ManageCollaborators, RemoveCollaborator};
use daybook_domain::storage_quota::{Allowance, Stored};
use daybook_domain::user::{Profile, Refusal, deleted_email, deleted_username};
use daybook_storage::access::AccessTo;
use daybook_storage::user::User;
use daybook_storage::{Lane, Tx};

use crate::access::{find_even_deleted, owner_of};
use crate::context::Context;
use crate::error::{Error, Result};
use crate::ids::Ids;
use crate::{collaborator, event_log, token};

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
    pub stored: Stored,
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
    let shared = tx.books().of_user(email)?.len();
    let waiting = tx.books().deleted_of_user(email)?.into_iter();
    let deleted = waiting.filter(|found| found.granted == Some(Permission::Owner)).count();
    let tokens = token::of_user(tx, &user, now)?;
    let tokens = tokens.iter().filter(|token| token.is_active(now)).count();
    let stored = tx.stored().held_by(user.id)?;
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
    let mut shared = Vec::new();
    for book in books(tx, from)? {
        if let Some(cx) = in_the_name_of_the_owner(tx, &book, ids, now)? {
            shared.push((book, cx));
        }
    }
    // Before the books, because nobody waits for what is a user's while holding a book.
    let user = User { email: to.clone(), ..user };
    tx.users().save_names(&user, now)?;
    tx.users().readdress(from, to)?;
    for (book, cx) in shared {
        let Some(access) = enter_kept(tx, &cx, &book)? else { continue };
        if tx.collaborators().find(&access, to)?.is_some() {
            return Err(Refusal::AddressShared(book).into());
        }
        let Some(row) = tx.collaborators().find(&access, from)? else { continue };
        let (row, previous) = row.with_email(to.clone(), now);
        tx.collaborators().update(&access, &row)?;
        event_log::append(tx, &cx, &access, vec![row.updated_event(&previous)])?;
    }
    tx.identity_changes().record();
    Ok(user)
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
    let deleted = User {
        email: deleted_email(user.id),
        username: deleted_username(user.id),
        disabled_at: user.disabled_at.or(Some(now)),
        profile: Profile::default(),
        ..user
    };
    tx.users().save_names(&deleted, now)?;
    tx.users().save_profile(&deleted)?;
    tx.users().save_disabled(&deleted)?;
    tx.identity_changes().record();
    Ok(deleted)
}

fn known(tx: &mut Tx<'_>, email: &Email) -> Result<User> {
    tx.users().find(email)?.ok_or(Error::NotFound("user"))
}

/// The user with that address, whom nobody else changes any more.
fn taken(tx: &mut Tx<'_>, email: &Email) -> Result<User> {
    let user = known(tx, email)?;
    let user = tx.users().take(user.id)?.filter(|user| user.email == *email);
    user.ok_or(Error::NotFound("user"))
}

/// The books that are shared with an address, deleted ones that wait included, in the order in
/// which all processes lock books.
fn books(tx: &mut Tx<'_>, email: &Email) -> Result<Vec<BookKey>> {
    let mut found = tx.books().of_user(email)?;
    found.extend(tx.books().deleted_of_user(email)?);
    let mut keys: Vec<BookKey> = found.into_iter().map(|access| access.book.key).collect();
    keys.sort_by_key(|key| Lane::of_book(key.as_str()));
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
/// waits no longer: nobody is left who could ask for it.
fn leave(tx: &mut Tx<'_>, cx: &Context, book: &BookKey) -> Result<()> {
    let (user, email) = (cx.user.id, cx.user.email.as_str());
    let found = find_even_deleted(tx, cx, book.as_str())?;
    match found.deletion {
        None => {
            let access = found.admit_to(user, RemoveCollaborator::Oneself)?;
            collaborator::take_off(tx, cx, access, email)?;
        }
        Some(deletion) if !deletion.waits() => {}
        Some(_) if found.granted == Some(Permission::Owner) => {
            tx.books().end_wait(&found.admit_to_deleted(user, DeleteBook)?)?;
        }
        Some(_) => {
            let access = found.admit_to_deleted(user, RemoveCollaborator::Oneself)?;
            collaborator::take_off(tx, cx, access, email)?;
        }
    }
    Ok(())
}

fn in_the_name_of_the_owner(
    tx: &mut Tx<'_>,
    book: &BookKey,
    ids: &Arc<Ids>,
    now: Instant,
) -> Result<Option<Context>> {
    let owner = owner_of(tx, book.as_str())?;
    Ok(owner.map(|owner| Context::of_operator(owner, ids, now)))
}
