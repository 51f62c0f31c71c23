//! Whom a book is shared with: the rows of its list of collaborators (behaviour 7.5).

mod events;

use crate::email::Email;
use crate::event::Previous;
use crate::id::CollaboratorId;
use crate::instant::{Instant, Stamp};
use crate::permission::Permission;
use crate::reason::Reason;

/// Longest message of an invitation, in characters (behaviour 7.5).
pub const MAX_MESSAGE: usize = 2_000;

/// Books of one owner that an address may be a collaborator of (behaviour 7.12).
pub const MAX_SHARED: usize = 10_000;

/// Why a change of collaborators was refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// No such collaborator.
    #[error("collaborator not found")]
    Unknown,
    /// There is exactly one owner, who is never added, changed or removed (behaviour 7.5).
    #[error("a book has exactly one OWNER, who cannot be added, changed or removed")]
    OwnerIsFixed,
    /// A required field is missing.
    #[error("{0} is required")]
    Required(&'static str),
    /// So many books of the owner are shared with the address already (behaviour 7.12).
    #[error("{MAX_SHARED} books of the owner are shared with {0} already")]
    TooManyShared(Email),
    /// The message is too long.
    #[error("the message has more than {MAX_MESSAGE} characters")]
    MessageTooLong,
}

impl Refusal {
    pub(crate) const fn reason(&self) -> Reason {
        match self {
            Self::Unknown => Reason::NotFound,
            Self::OwnerIsFixed
            | Self::Required(_)
            | Self::TooManyShared(_)
            | Self::MessageTooLong => Reason::BadRequest,
        }
    }
}

/// What an invitation says. White space around it is cut off; a blank message is none.
///
/// # Errors
/// [`Refusal::MessageTooLong`].
pub fn read_message(message: Option<&str>) -> Result<Option<String>, Refusal> {
    let message = message.map(str::trim).filter(|message| !message.is_empty());
    if message.is_some_and(|message| message.chars().count() > MAX_MESSAGE) {
        return Err(Refusal::MessageTooLong);
    }
    Ok(message.map(str::to_owned))
}

/// A row of a book's list of collaborators.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Collaborator {
    /// Stable per book.
    pub id: CollaboratorId,
    /// Who; possibly somebody who never signed in yet.
    pub email: Email,
    /// What they may do.
    pub permission: Permission,
    /// Who added them through which app, and when.
    pub stamp: Stamp,
}

impl Collaborator {
    /// The same collaborator with another permission, and the previous one.
    #[must_use]
    pub fn with_permission(self, permission: Permission, now: Instant) -> (Self, Previous) {
        let before = self.permission.as_str().to_owned();
        let previous = Previous::from([("permission".to_owned(), before)]);
        (Self { permission, stamp: self.stamp.touched(now), ..self }, previous)
    }

    /// The same collaborator with another address, and the previous one.
    #[must_use]
    pub fn with_email(self, email: Email, now: Instant) -> (Self, Previous) {
        let previous = Previous::from([("email".to_owned(), self.email.to_string())]);
        (Self { email, stamp: self.stamp.touched(now), ..self }, previous)
    }

    /// The row of an owner after somebody else became the owner: an EDITOR (behaviour 6.21).
    #[must_use]
    pub fn retired(self, now: Instant) -> (Self, Previous) {
        self.with_permission(Permission::Editor, now)
    }

    /// The row of who becomes the owner (behaviour 6.21).
    #[must_use]
    pub fn promoted(self, now: Instant) -> (Self, Previous) {
        self.with_permission(Permission::Owner, now)
    }

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

/// What giving somebody a permission does to the list of collaborators (behaviour 7.5).
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Sharing {
    /// They are new.
    Add,
    /// They get another permission.
    Change(Collaborator),
    /// They have it already.
    Keep(Collaborator),
    /// They are taken off.
    Remove(Collaborator),
}

impl Sharing {
    /// Whether the one that it is about is sent an invitation: those that are new, and with a
    /// message everybody who has access then (behaviour 7.5).
    #[must_use]
    pub const fn invites(&self, has_message: bool) -> bool {
        match self {
            Self::Add => true,
            Self::Change(_) | Self::Keep(_) => has_message,
            Self::Remove(_) => false,
        }
    }

    /// What becomes of `existing`, the row of that address, when `permission` is given.
    ///
    /// # Errors
    /// [`Refusal::OwnerIsFixed`] for OWNER and for the owner's own row; [`Refusal::Unknown`] when
    /// there is nobody to take off.
    pub fn of(existing: Option<Collaborator>, permission: Permission) -> Result<Self, Refusal> {
        if permission == Permission::Owner {
            return Err(Refusal::OwnerIsFixed);
        }
        match existing {
            None if permission == Permission::None => Err(Refusal::Unknown),
            None => Ok(Self::Add),
            Some(existing) => {
                existing.check_replaceable()?;
                Ok(match permission {
                    Permission::None => Self::Remove(existing),
                    same if existing.permission == same => Self::Keep(existing),
                    Permission::Owner
                    | Permission::Editor
                    | Permission::Poster
                    | Permission::Recorder
                    | Permission::Viewer => Self::Change(existing),
                })
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::instant::Instant;

    #[test]
    fn who_was_the_owner_stays_as_an_editor() {
        let row = |permission| Collaborator {
            id: CollaboratorId::new(1),
            email: Email::stored("a@example.com".to_owned()),
            permission,
            stamp: Stamp::new(None, Instant::new(0)),
        };
        let was = |name: &str| Previous::from([("permission".to_owned(), name.to_owned())]);
        let (editor, previous) = row(Permission::Owner).retired(Instant::new(3));
        assert_eq!((editor.permission, previous), (Permission::Editor, was("OWNER")));
        let (owner, previous) = row(Permission::Viewer).promoted(Instant::new(3));
        assert_eq!((owner.permission, previous), (Permission::Owner, was("VIEWER")));
        assert_eq!((owner.stamp.version, owner.stamp.updated_at), (2, Instant::new(3)));
    }

    #[test]
    fn who_is_invited() {
        let row = || Collaborator {
            id: CollaboratorId::new(1),
            email: Email::stored("a@example.com".to_owned()),
            permission: Permission::Viewer,
            stamp: Stamp::new(None, Instant::new(0)),
        };
        for (sharing, without, with) in [
            (Sharing::Add, true, true),
            (Sharing::Change(row()), false, true),
            (Sharing::Keep(row()), false, true),
            (Sharing::Remove(row()), false, false),
        ] {
            assert_eq!((sharing.invites(false), sharing.invites(true)), (without, with));
        }
        let longest = "\u{e9}".repeat(MAX_MESSAGE);
        assert_eq!(read_message(Some(&format!(" {longest}\n"))), Ok(Some(longest.clone())));
        assert_eq!(read_message(Some(&format!("{longest}!"))), Err(Refusal::MessageTooLong));
        assert_eq!(read_message(Some(" \t")), Ok(None));
        assert_eq!(read_message(None), Ok(None));
    }

    #[test]
    fn sharing_by_what_is_there_and_what_is_given() {
        use Permission::{Editor, None as Nothing, Owner, Viewer};
        let row = |permission| Collaborator {
            id: CollaboratorId::new(1),
            email: Email::stored("a@example.com".to_owned()),
            permission,
            stamp: Stamp::new(None, Instant::new(0)),
        };
        let table = [
            (None, Viewer, Ok(Sharing::Add)),
            (None, Nothing, Err(Refusal::Unknown)),
            (None, Owner, Err(Refusal::OwnerIsFixed)),
            (Some(Viewer), Viewer, Ok(Sharing::Keep(row(Viewer)))),
            (Some(Viewer), Editor, Ok(Sharing::Change(row(Viewer)))),
            (Some(Viewer), Nothing, Ok(Sharing::Remove(row(Viewer)))),
            (Some(Viewer), Owner, Err(Refusal::OwnerIsFixed)),
            (Some(Owner), Viewer, Err(Refusal::OwnerIsFixed)),
            (Some(Owner), Nothing, Err(Refusal::OwnerIsFixed)),
        ];
        for (existing, given, expected) in table {
            assert_eq!(
                Sharing::of(existing.map(row), given),
                expected,
                "{existing:?} is given {given:?}"
            );
        }
    }
}
