//! Who may do what: permissions, the matrix of behaviour 7.3, collaborators.

mod sharing;

pub use sharing::Sharing;

use crate::book::{Book, Visibility};
use crate::id::{CollaboratorId, UserId};
use crate::instant::Stamp;
use crate::refusal::Reason;
use crate::transaction::Transaction;

/// A user's permission in a book: NONE < VIEWER and RECORDER (siblings) < POSTER < EDITOR < OWNER
/// (behaviour 7.1).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Permission {
    /// Everything, and the only one who unlocks, deletes and publishes.
    Owner,
    /// Writes accounts and groups, checks, shares.
    Editor,
    /// Records and views.
    Poster,
    /// Only records drafts, and sees only its own.
    Recorder,
    /// Only views.
    Viewer,
    /// Nothing; to such a user the book does not exist.
    None,
}

impl Permission {
    /// All permissions, highest first.
    pub const ALL: [Self; 6] =
        [Self::Owner, Self::Editor, Self::Poster, Self::Recorder, Self::Viewer, Self::None];

    /// The permission as the API names it.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Owner => "OWNER",
            Self::Editor => "EDITOR",
            Self::Poster => "POSTER",
            Self::Recorder => "RECORDER",
            Self::Viewer => "VIEWER",
            Self::None => "NONE",
        }
    }

    /// Finds the permission with that name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|permission| permission.as_str() == name)
    }

    /// Whether the matrix lets this permission do it outright (not merely to one's own things).
    #[must_use]
    pub const fn may(self, action: Action) -> bool {
        matches!(verdict(action, self), Verdict::Yes)
    }
}

/// The rows of the permission matrix.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Action {
    /// getBook.
    ReadBook,
    /// listTransactions, getTransaction, countTransactions.
    ReadTransactions,
    /// getFile, listFiles.
    ReadFiles,
    /// getBalances, countTransactionsPosted, read accounts, groups and saved queries.
    ReadChart,
    /// listEvents.
    ReadEvents,
    /// Create a draft or a file.
    RecordDraft,
    /// Update, trash, untrash a draft; update or delete a file.
    EditDraft,
    /// Post, create as posted, update unchecked, trash and untrash posted.
    Post,
    /// Check, uncheck, updateChecked, trashChecked, untrash to checked.
    Check,
    /// Write accounts and groups.
    WriteChart,
    /// Update settings and properties of the book; audit it.
    UpdateBook,
    /// Set or advance the lock and closing date.
    AdvanceDates,
    /// Move these dates back or clear them.
    ReopenDates,
    /// Change locked groups and what is in them.
    WriteLockedGroups,
    /// Delete the book.
    DeleteBook,
    /// Change who may see the book.
    ChangeVisibility,
    /// listCollaborators.
    ListCollaborators,
    /// Add and remove collaborators.
    ManageCollaborators,
    /// Write saved queries.
    WriteSavedQueries,
    /// Copy the book's structure.
    CopyBook,
    /// Copy the book with its transactions.
    CopyTransactions,
}

/// A cell of the permission matrix.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// Allowed.
    Yes,
    /// Allowed on what the caller created; another user's object does not exist for them.
    Own,
    /// Refused with 403.
    No,
    /// Refused with 404: the book does not exist for them.
    Hidden,
}

/// The permission matrix (behaviour 7.3), row by row.
#[must_use]
pub const fn verdict(action: Action, permission: Permission) -> Verdict {
    use Verdict::{Hidden, No, Own, Yes};
    let [owner, editor, poster, recorder, viewer] = match action {
        Action::ReadBook => [Yes, Yes, Yes, Yes, Yes],
        Action::ReadTransactions => [Yes, Yes, Yes, Own, Yes],
        Action::ReadFiles => [Yes, Yes, Yes, Own, Yes],
        Action::ReadChart => [Yes, Yes, Yes, No, Yes],
        Action::ReadEvents => [Yes, Yes, Yes, No, Yes],
        Action::RecordDraft => [Yes, Yes, Yes, Yes, No],
        Action::EditDraft => [Yes, Yes, Yes, Own, No],
        Action::Post => [Yes, Yes, Yes, No, No],
        Action::Check => [Yes, Yes, No, No, No],
        Action::WriteChart => [Yes, Yes, No, No, No],
        Action::UpdateBook => [Yes, Yes, No, No, No],
        Action::AdvanceDates => [Yes, Yes, No, No, No],
        Action::ReopenDates => [Yes, No, No, No, No],
        Action::WriteLockedGroups => [Yes, No, No, No, No],
        Action::DeleteBook => [Yes, No, No, No, No],
        Action::ChangeVisibility => [Yes, No, No, No, No],
        Action::ListCollaborators => [Yes, Yes, Yes, No, Yes],
        Action::ManageCollaborators => [Yes, Yes, No, No, No],
        Action::WriteSavedQueries => [Yes, Yes, No, No, No],
        Action::CopyBook => [Yes, Yes, Yes, No, Yes],
        Action::CopyTransactions => [Yes, No, No, No, No],
    };
    match permission {
        Permission::Owner => owner,
        Permission::Editor => editor,
        Permission::Poster => poster,
        Permission::Recorder => recorder,
        Permission::Viewer => viewer,
        Permission::None => Hidden,
    }
}

/// Why access or a change of collaborators was refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// The book is unknown, or exists only for others (behaviour 7.4).
    #[error("book not found")]
    BookNotFound,
    /// The permission is too little.
    #[error("permission {0} is not enough for this")]
    NotEnough(&'static str),
    /// No such collaborator.
    #[error("collaborator not found")]
    Unknown,
    /// Not an e-mail address.
    #[error("email {0:?} is not an e-mail address")]
    InvalidEmail(String),
    /// There is exactly one owner, who is never added, changed or removed (behaviour 7.5).
    #[error("a book has exactly one OWNER, who cannot be added, changed or removed")]
    OwnerIsFixed,
    /// A required field is missing.
    #[error("{0} is required")]
    Required(&'static str),
}

impl Refusal {
    pub(crate) const fn reason(&self) -> Reason {
        match self {
            Self::BookNotFound | Self::Unknown => Reason::NotFound,
            Self::NotEnough(_) => Reason::Forbidden,
            Self::InvalidEmail(_) | Self::OwnerIsFixed | Self::Required(_) => Reason::BadRequest,
        }
    }
}

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

    /// Whether the caller sees a transaction: a recorder sees its own drafts only, also in the
    /// trash (behaviour 7.3). What it does not see does not exist for it.
    #[must_use]
    pub fn sees(&self, transaction: &Transaction) -> bool {
        match verdict(Action::ReadTransactions, self.permission) {
            Verdict::Yes => true,
            Verdict::Own => transaction.created_by == self.user && !transaction.is_posted(),
            Verdict::No | Verdict::Hidden => false,
        }
    }
}

/// A row of a book's list of collaborators.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Collaborator {
    /// Stable per book.
    pub id: CollaboratorId,
    /// Who, in lower case; possibly somebody who never signed in yet.
    pub email: String,
    /// What they may do.
    pub permission: Permission,
    /// Who added them through which app, and when.
    pub stamp: Stamp,
}

impl Collaborator {
    /// Refuses a change of the owner's row.
    ///
    /// # Errors
    /// [`Refusal::OwnerIsFixed`].
    pub const fn check_replaceable(&self) -> Result<(), Refusal> {
        match self.permission {
            Permission::Owner => Err(Refusal::OwnerIsFixed),
            Permission::Editor
            | Permission::Poster
            | Permission::Recorder
            | Permission::Viewer
            | Permission::None => Ok(()),
        }
    }
}

/// Checks an e-mail address for its shape, and lower-cases it: it is how users are told apart
/// (behaviour 7.5, 11.2).
///
/// # Errors
/// [`Refusal::InvalidEmail`].
pub fn email(text: &str) -> Result<String, Refusal> {
    let trimmed = text.trim();
    let plain = |part: &str| {
        !part.is_empty()
            && !part.chars().any(|c| {
                c.is_whitespace()
                    || c.is_control()
                    || matches!(c, '@' | '/' | ',' | ';' | '<' | '>' | '"')
            })
    };
    match trimmed.split_once('@') {
        Some((local, domain))
            if trimmed.len() <= 254
                && plain(local)
                && plain(domain)
                && !domain.starts_with('.')
                && !domain.ends_with('.') =>
        {
            Ok(trimmed.to_lowercase())
        }
        _ => Err(Refusal::InvalidEmail(trimmed.chars().take(254).collect())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn emails_are_checked_and_lower_cased() {
        assert_eq!(email(" Alice@Example.COM "), Ok("alice@example.com".to_owned()));
        for bad in [
            "",
            "alice",
            "@example.com",
            "alice@",
            "a b@example.com",
            "a@b@c",
            "a@.com",
            "a,b@c.de",
        ] {
            assert!(email(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn nobody_without_permission_gets_anything() {
        for action in [Action::ReadBook, Action::Post, Action::DeleteBook, Action::ReadEvents] {
            assert_eq!(verdict(action, Permission::None), Verdict::Hidden);
        }
    }
}
