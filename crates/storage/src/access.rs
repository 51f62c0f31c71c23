//! Proofs of access that name their purpose.
//!
//! Only this crate creates them, from what the database says about the caller. Every repository
//! method that writes rows of a book requires one.

use std::marker::PhantomData;
use std::ops::Deref;

use daybook_domain::access::{Access, Refusal};
use daybook_domain::book::{Book, Deletion};
use daybook_domain::id::UserId;
use daybook_domain::permission::{Action, Permission};
use daybook_domain::purpose::Purpose;

use crate::rows::book_state::BookCounters;

/// A book and a user's permission in it, before the permission is checked.
///
/// [`crate::book::Books::load_for_user`], lists of books and the creation of a book return it.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct BookAccess {
    /// The book.
    pub book: Book,
    /// The permission of the user as a collaborator.
    pub granted: Option<Permission>,
    /// The posting counters.
    pub counters: BookCounters,
    /// The deletion, after which the book exists for no user (behaviour 6.22).
    pub deletion: Option<Deletion>,
}

impl BookAccess {
    /// Checks the permission for an action; returns the proof for reading.
    ///
    /// # Errors
    /// The refusals of [`Access::admit`], and [`Refusal::BookNotFound`] if the book is deleted.
    pub fn admit(self, user: UserId, action: Action) -> Result<Access, Refusal> {
        if self.deletion.is_some() {
            return Err(Refusal::BookNotFound);
        }
        Access::admit(self.book, self.granted, user, action)
    }

    /// Checks the permission for a purpose; returns the proof for writing.
    ///
    /// # Errors
    /// The refusals of [`Self::admit`].
    pub fn admit_to<P: Purpose>(self, user: UserId, purpose: P) -> Result<AccessTo<P>, Refusal> {
        Ok(AccessTo::proven(self.admit(user, purpose.action())?))
    }

    /// Checks the permission for an action in a book that may be deleted, to read its deliveries
    /// (behaviour 8.1).
    ///
    /// # Errors
    /// The refusals of [`Access::admit`].
    pub fn admit_even_deleted(self, user: UserId, action: Action) -> Result<Access, Refusal> {
        Access::admit(self.book, self.granted, user, action)
    }

    /// Checks the permission for a purpose in a deleted book that can be restored: to restore it,
    /// or to update its collaborators meanwhile.
    ///
    /// # Errors
    /// The refusals of [`Access::admit`], and [`Refusal::BookNotFound`] if the book is not deleted
    /// or its removal has begun.
    pub fn admit_to_deleted<P: Purpose>(
        self,
        user: UserId,
        purpose: P,
    ) -> Result<AccessTo<P>, Refusal> {
        if !self.deletion.is_some_and(|deletion| deletion.is_restorable()) {
            return Err(Refusal::BookNotFound);
        }
        Ok(AccessTo::proven(Access::admit(self.book, self.granted, user, purpose.action())?))
    }
}

/// Proof that the permission matrix allows a caller to write in a book for the purpose `P`.
///
/// It dereferences to [`Access`], the proof for reading.
#[derive(Debug, Clone)]
pub struct AccessTo<P> {
    access: Access,
    purpose: PhantomData<P>,
}

impl<P: Purpose> AccessTo<P> {
    fn proven(access: Access) -> Self {
        Self { access, purpose: PhantomData }
    }

    /// Checks the permission for another purpose, for use cases with two.
    ///
    /// # Errors
    /// The refusals of [`Access::require`].
    pub fn with_purpose<Q: Purpose>(&self, purpose: Q) -> Result<AccessTo<Q>, Refusal> {
        self.access.require(purpose.action())?;
        Ok(AccessTo::proven(self.access.clone()))
    }

    /// Returns the same proof with the changed book.
    #[must_use]
    pub fn with_book(self, book: Book) -> Self {
        Self::proven(self.access.with_book(book))
    }

    /// Converts the proof to one for reading.
    #[must_use]
    pub fn into_access(self) -> Access {
        self.access
    }
}

impl<P> Deref for AccessTo<P> {
    type Target = Access;

    fn deref(&self) -> &Access {
        &self.access
    }
}
