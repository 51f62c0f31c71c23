//! Access to a book: who entered it, and what they may do in it (behaviour 7.3, 7.4).

mod refusal;

pub use refusal::Refusal;

use crate::book::{Book, Visibility};
use crate::id::UserId;
use crate::permission::{Action, Permission, Verdict, verdict};
use crate::rights::{COLLABORATE, Rights, VIEW};

/// Who entered which book, and with which permission. Every use case begins with it, and it is
/// enough to read; to write, a repository asks for the proof of a [`crate::purpose`] too.
#[derive(Debug, Clone)]
pub struct Access {
    book: Book,
    permission: Permission,
    /// Whether the list of collaborators names them; else the book is PUBLIC.
    collaborates: bool,
    user: UserId,
}

impl Access {
    /// Lets a user into a book to do `action`, or refuses. `granted` is what the book's
    /// collaborators say of them; a PUBLIC book lets everybody else in as a viewer (behaviour 6.9).
    ///
    /// # Errors
    /// [`Refusal::BookNotFound`] for strangers, [`Refusal::NotEnough`] for collaborators.
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
        let collaborates = granted.is_some();
        Self { book, permission: granted.unwrap_or(public), collaborates, user }
    }

    /// What the matrix says of the caller in this book. The public of a PUBLIC book has the column
    /// of a viewer, but does not see who collaborates; and a recorder of a PUBLIC book sees what a
    /// viewer sees, because what a collaborator may see is never less than what the public may
    /// (behaviour 7.3).
    const fn verdict(&self, action: Action) -> Verdict {
        match self.book.settings.visibility {
            Visibility::Public if action.is_sight() => {
                if !self.collaborates && matches!(action, Action::ListCollaborators) {
                    return Verdict::No;
                }
                verdict(action, self.permission.at_least_viewing())
            }
            Visibility::Public | Visibility::Private => verdict(action, self.permission),
        }
    }

    /// Refuses what the permission does not allow at all.
    ///
    /// # Errors
    /// As [`Access::admit`].
    pub const fn require(&self, action: Action) -> Result<(), Refusal> {
        match self.verdict(action) {
            Verdict::Yes | Verdict::Own => Ok(()),
            Verdict::No => Err(Refusal::NotEnough(self.permission.as_str())),
            Verdict::Hidden => Err(Refusal::BookNotFound),
        }
    }

    /// The book.
    #[must_use]
    pub const fn book(&self) -> &Book {
        &self.book
    }

    /// The same caller in the book as a change leaves it; it stays the book that was entered.
    #[must_use]
    pub fn with_book(self, book: Book) -> Self {
        let Book { id, key, .. } = self.book;
        Self { book: Book { id, key, ..book }, ..self }
    }

    /// What the user may do.
    #[must_use]
    pub const fn permission(&self) -> Permission {
        self.permission
    }

    /// Who it is.
    #[must_use]
    pub const fn user(&self) -> UserId {
        self.user
    }

    /// What the user may do and see in the book.
    #[must_use]
    pub const fn rights(&self) -> Rights {
        let public = match self.book.settings.visibility {
            Visibility::Public => VIEW,
            Visibility::Private => 0,
        };
        let collaborates = if self.collaborates { COLLABORATE } else { 0 };
        Rights(self.permission.parts() | public | collaborates)
    }

    /// Refuses somebody who has lost any of these rights.
    ///
    /// # Errors
    /// [`Refusal::NotEnough`].
    pub const fn require_rights(&self, rights: Rights) -> Result<(), Refusal> {
        if self.rights().covers(rights) {
            Ok(())
        } else {
            Err(Refusal::NotEnough(self.permission.as_str()))
        }
    }

    /// Whether the matrix lets the caller do it outright.
    #[must_use]
    pub const fn may(&self, action: Action) -> bool {
        matches!(self.verdict(action), Verdict::Yes)
    }

    /// Whether the matrix lets the caller do it to something `creator` made.
    #[must_use]
    pub fn may_touch(&self, action: Action, creator: UserId) -> bool {
        match self.verdict(action) {
            Verdict::Yes => true,
            Verdict::Own => creator == self.user,
            Verdict::No | Verdict::Hidden => false,
        }
    }

    /// The user to whose own things an action is restricted; none when the matrix allows it for
    /// everything in the book (behaviour 7.3).
    #[must_use]
    pub const fn only_own(&self, action: Action) -> Option<UserId> {
        if self.may(action) { None } else { Some(self.user) }
    }

    /// Whether the caller sees a transaction that `creator` made: a recorder sees its own drafts
    /// only, also in the trash, unless the book is PUBLIC (behaviour 7.3). What it does not see
    /// does not exist for it.
    #[must_use]
    pub fn sees(&self, creator: UserId, posted: bool) -> bool {
        match self.verdict(Action::ReadTransactions) {
            Verdict::Yes => true,
            Verdict::Own => creator == self.user && !posted,
            Verdict::No | Verdict::Hidden => false,
        }
    }
}

#[cfg(test)]
mod tests;
