//! The proof of access that names its purpose. Only this crate makes one, from what the database
//! says of the caller; every repository that writes rows of a book asks for it.

use std::marker::PhantomData;
use std::ops::Deref;

use daybook_domain::access::{Access, Refusal};
use daybook_domain::book::{Book, Deletion};
use daybook_domain::id::UserId;
use daybook_domain::permission::{Action, Permission};
use daybook_domain::purpose::Purpose;

use crate::book_state::BookCounters;

/// A book as a user finds it: what the database says, before anything is allowed. It comes from
/// [`crate::book::Books::load_for_user`], from lists of books, and from founding one.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct BookAccess {
    /// The book.
    pub book: Book,
    /// What the list of collaborators says of the user.
    pub granted: Option<Permission>,
    /// How busy it is.
    pub activity: BookCounters,
    /// When it was deleted, if it was. Then it exists for nobody (behaviour 6.22).
    pub deletion: Option<Deletion>,
}

impl BookAccess {
    /// Lets the user in to read.
    ///
    /// # Errors
    /// As [`Access::admit`]; [`Refusal::BookNotFound`] when it is deleted.
    pub fn admit(self, user: UserId, action: Action) -> Result<Access, Refusal> {
        if self.deletion.is_some() {
            return Err(Refusal::BookNotFound);
        }
        Access::admit(self.book, self.granted, user, action)
    }

    /// Lets the user in to write.
    ///
    /// # Errors
    /// As [`Access::admit`].
    pub fn admit_to<P: Purpose>(self, user: UserId, purpose: P) -> Result<AccessTo<P>, Refusal> {
        Ok(AccessTo::proven(self.admit(user, purpose.action())?))
    }

    /// Lets the user in to read what is delivered of the book, deleted or not (behaviour 8.1).
    ///
    /// # Errors
    /// As [`Access::admit`].
    pub fn admit_even_deleted(self, user: UserId, action: Action) -> Result<Access, Refusal> {
        Access::admit(self.book, self.granted, user, action)
    }

    /// Lets the user in to write in a deleted book that waits: to bring it back, or to keep its
    /// list of collaborators true meanwhile.
    ///
    /// # Errors
    /// As [`Access::admit`]; [`Refusal::BookNotFound`] when it is not deleted, or is being removed.
    pub fn admit_to_deleted<P: Purpose>(
        self,
        user: UserId,
        purpose: P,
    ) -> Result<AccessTo<P>, Refusal> {
        if !self.deletion.is_some_and(|deletion| deletion.waits()) {
            return Err(Refusal::BookNotFound);
        }
        Ok(AccessTo::proven(Access::admit(self.book, self.granted, user, purpose.action())?))
    }
}

/// Proof that the permission matrix lets a caller write in a book for the purpose `P`. It serves
/// for reading as well, as an [`Access`].
#[derive(Debug, Clone)]
pub struct AccessTo<P> {
    access: Access,
    purpose: PhantomData<P>,
}

impl<P: Purpose> AccessTo<P> {
    fn proven(access: Access) -> Self {
        Self { access, purpose: PhantomData }
    }

    /// The proof of another purpose, for a use case that has two: the matrix is asked again.
    ///
    /// # Errors
    /// As [`Access::require`].
    pub fn with_purpose<Q: Purpose>(&self, purpose: Q) -> Result<AccessTo<Q>, Refusal> {
        self.access.require(purpose.action())?;
        Ok(AccessTo::proven(self.access.clone()))
    }

    /// The same proof in the book as a change leaves it.
    #[must_use]
    pub fn with_book(self, book: Book) -> Self {
        Self::proven(self.access.with_book(book))
    }

    /// What remains when all is written.
    #[must_use]
    pub fn into_access(self) -> Access {
        self.access
    }
}

/// A proof for writing serves for reading too.
impl<P> Deref for AccessTo<P> {
    type Target = Access;

    fn deref(&self) -> &Access {
        &self.access
    }
}
