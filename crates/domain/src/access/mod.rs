//! Access of a user to a book (behaviour 7.3, 7.4).
//!
//! [`Access::admit`] takes a book and the stored permission of a user in it, and looks up the
//! requested action in the permission matrix ([`crate::permission`]). The result is a proof that
//! the user may read the book. Writes need a proof that names their purpose, which the storage
//! crate makes. A user without any permission gets the same refusal as for an unknown book, so a
//! response does not reveal whether the book exists.

mod refusal;

pub use refusal::Refusal;

use crate::book::{Book, Visibility};
use crate::id::UserId;
use crate::permission::{Action, Permission, Verdict, verdict};
use crate::view_rights::{COLLABORATE, VIEW, ViewRights};

/// Proof that a user may enter a book, with the user's permission.
///
/// Every use case of a book starts with it. It is enough to read. Repository methods that write
/// also require the proof of a [`crate::purpose`].
#[derive(Debug, Clone)]
pub struct Access {
    book: Book,
    permission: Permission,
    /// Whether the user is a collaborator. Otherwise the book is PUBLIC.
    is_collaborator: bool,
    user: UserId,
}

impl Access {
    /// Admits a user to a book for `action`.
    ///
    /// `granted` is the user's permission as a collaborator. A PUBLIC book admits all other users
    /// as viewers (behaviour 6.9).
    ///
    /// # Errors
    /// [`Refusal::BookNotFound`] when the book is hidden from the user; [`Refusal::NotEnough`] when
    /// the permission does not allow the action.
    pub fn admit(
        book: Book,
        granted: Option<Permission>,
        user: UserId,
        action: Action,
    ) -> Result<Self, Refusal> {
        let access = Self::identify(book, granted, user);
        access.require(action)?;
        Ok(access)
    }

    fn identify(book: Book, granted: Option<Permission>, user: UserId) -> Self {
        let public = match book.settings.visibility {
            Visibility::Public => Permission::Viewer,
            Visibility::Private => Permission::None,
        };
        Self {
            book,
            permission: granted.unwrap_or(public),
            is_collaborator: granted.is_some(),
            user,
        }
    }

    /// Looks up the permission matrix for this user and book (behaviour 7.3).
    ///
    /// The public of a PUBLIC book has the column of a viewer, but sees neither collaborators nor
    /// comments. A collaborator of a PUBLIC book reads at least what the public reads.
    const fn verdict(&self, action: Action) -> Verdict {
        match self.book.settings.visibility {
            Visibility::Public if !self.is_collaborator && action.is_for_collaborators() => {
                Verdict::No
            }
            Visibility::Public if action.is_read() => {
                verdict(action, self.permission.in_public_book())
            }
            Visibility::Public | Visibility::Private => verdict(action, self.permission),
        }
    }

    /// Checks that the permission allows the action, at least on the user's own objects.
    ///
    /// # Errors
    /// See [`Access::admit`].
    pub const fn require(&self, action: Action) -> Result<(), Refusal> {
        match self.verdict(action) {
            Verdict::Yes | Verdict::Own => Ok(()),
            Verdict::No => Err(Refusal::NotEnough(self.permission.as_str())),
            Verdict::Hidden => Err(Refusal::BookNotFound),
        }
    }

    /// Returns the book.
    pub const fn book(&self) -> &Book {
        &self.book
    }

    /// Replaces the book after a change. The id and the key stay.
    #[must_use]
    pub fn with_book(self, book: Book) -> Self {
        let Book { id, key, .. } = self.book;
        Self { book: Book { id, key, ..book }, ..self }
    }

    /// Returns the user's permission.
    pub const fn permission(&self) -> Permission {
        self.permission
    }

    /// Returns the user.
    pub const fn user(&self) -> UserId {
        self.user
    }

    /// Returns the set of the user's current rights in the book.
    pub const fn view_rights(&self) -> ViewRights {
        let public = match self.book.settings.visibility {
            Visibility::Public => VIEW,
            Visibility::Private => 0,
        };
        let collaborator = if self.is_collaborator { COLLABORATE } else { 0 };
        ViewRights(self.permission.bits() | public | collaborator)
    }

    /// Checks that the user still has all of these rights.
    ///
    /// # Errors
    /// [`Refusal::NotEnough`].
    pub const fn require_rights(&self, rights: ViewRights) -> Result<(), Refusal> {
        if self.view_rights().covers(rights) {
            Ok(())
        } else {
            Err(Refusal::NotEnough(self.permission.as_str()))
        }
    }

    /// Returns whether the matrix allows the action on everything in the book.
    pub const fn may(&self, action: Action) -> bool {
        matches!(self.verdict(action), Verdict::Yes)
    }

    /// Returns whether the matrix allows the action on an object of `creator`.
    pub fn may_touch(&self, action: Action, creator: UserId) -> bool {
        match self.verdict(action) {
            Verdict::Yes => true,
            Verdict::Own => creator == self.user,
            Verdict::No | Verdict::Hidden => false,
        }
    }

    /// Returns the user if the action is restricted to the user's own objects (behaviour 7.3).
    pub const fn restricted_to(&self, action: Action) -> Option<UserId> {
        if self.may(action) { None } else { Some(self.user) }
    }

    /// Returns whether the user sees the comments on the transactions that it sees (behaviour
    /// 3.14.2).
    pub const fn shows_comments(&self) -> bool {
        self.require(Action::Comment).is_ok()
    }

    /// Returns whether the user sees a transaction of `creator`.
    ///
    /// A recorder sees only its own drafts, also in the trash, unless the book is PUBLIC (behaviour
    /// 7.3). Other transactions do not exist for it.
    pub fn sees(&self, creator: UserId, is_posted: bool) -> bool {
        match self.verdict(Action::ReadTransactions) {
            Verdict::Yes => true,
            Verdict::Own => creator == self.user && !is_posted,
            Verdict::No | Verdict::Hidden => false,
        }
    }
}

#[cfg(test)]
mod tests;
