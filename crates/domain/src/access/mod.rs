//! The proof of access: who entered which book, and what they may do in it (behaviour 7.3, 7.4).

mod refusal;

pub use refusal::Refusal;

use crate::book::{Book, Visibility};
use crate::id::UserId;
use crate::permission::{Action, Permission, Verdict, verdict};

/// Proof that a user may do something in a book; repositories ask for it.
#[derive(Debug, Clone)]
pub struct Access {
    book: Book,
    permission: Permission,
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

    /// The founder of a new book, its owner.
    #[must_use]
    pub const fn founder(book: Book, user: UserId) -> Self {
        Self { book, permission: Permission::Owner, user }
    }

    /// Who asked for an audit and might then: it runs when its turn comes, whatever became of the
    /// permission meanwhile (behaviour 6.7).
    #[must_use]
    pub const fn auditor(book: Book, user: UserId) -> Self {
        Self { book, permission: Permission::Editor, user }
    }

    fn identify(book: Book, granted: Option<Permission>, user: UserId) -> Self {
        let public = match book.settings.visibility {
            Visibility::Public => Permission::Viewer,
            Visibility::Private => Permission::None,
        };
        Self { book, permission: granted.unwrap_or(public), user }
    }

    /// Refuses what the permission does not allow at all.
    ///
    /// # Errors
    /// As [`Access::admit`].
    pub const fn require(&self, action: Action) -> Result<(), Refusal> {
        match verdict(action, self.permission) {
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

    /// The same caller of the book as it is after a change.
    #[must_use]
    pub fn with_book(self, book: Book) -> Self {
        Self { book, ..self }
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

    /// Whether the matrix lets the caller do it outright.
    #[must_use]
    pub const fn may(&self, action: Action) -> bool {
        self.permission.may(action)
    }

    /// Whether the matrix lets the caller do it to something `creator` made.
    #[must_use]
    pub fn may_touch(&self, action: Action, creator: UserId) -> bool {
        match verdict(action, self.permission) {
            Verdict::Yes => true,
            Verdict::Own => creator == self.user,
            Verdict::No | Verdict::Hidden => false,
        }
    }

    /// Whether the caller sees a transaction that `creator` made: a recorder sees its own drafts only, also in the
    /// trash (behaviour 7.3). What it does not see does not exist for it.
    #[must_use]
    pub fn sees(&self, creator: UserId, posted: bool) -> bool {
        match verdict(Action::ReadTransactions, self.permission) {
            Verdict::Yes => true,
            Verdict::Own => creator == self.user && !posted,
            Verdict::No | Verdict::Hidden => false,
        }
    }
}
