//! Collaborators of a book: the e-mail addresses it is shared with (behaviour 7.5).
//!
//! A [`Collaborator`] is an address with a permission. The address need not have a user yet; its
//! first sign-in finds the book. The owner is a collaborator who cannot be changed or removed here,
//! because ownership is transferred by an offer. All others may remove themselves.

mod events;

use crate::email::Email;
use crate::event::Previous;
use crate::id::CollaboratorId;
use crate::instant::{Instant, Stamp};
use crate::permission::Permission;
use crate::reason::Reason;

/// Maximum length of an invitation message, in characters (behaviour 7.5).
pub const MAX_MESSAGE: usize = 2_000;

/// Limit of books of one owner that are shared with one address (behaviour 7.12).
pub const MAX_SHARED: usize = 10_000;

/// Why a change of collaborators was refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// The collaborator does not exist.
    #[error("collaborator not found")]
    Unknown,
    /// The change concerns the owner, who is fixed (behaviour 7.5).
    #[error("a book has exactly one OWNER, who cannot be added, changed or removed")]
    OwnerIsFixed,
    /// A required field is missing.
    #[error("{0} is required")]
    Required(&'static str),
    /// [`MAX_SHARED`] is reached (behaviour 7.12).
    #[error("{MAX_SHARED} books of the owner are already shared with {0}")]
    TooManyShared(Email),
    /// The message is longer than [`MAX_MESSAGE`].
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

/// Trims an invitation message. A blank one becomes `None`.
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

/// A collaborator of a book.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Collaborator {
    /// The id within the book.
    pub id: CollaboratorId,
    /// The address. Its user may not have signed in yet.
    pub email: Email,
    /// The permission in the book.
    pub permission: Permission,
    /// The creator, the app and the times.
    pub stamp: Stamp,
}

impl Collaborator {
    /// Sets the permission and returns the previous one for the event.
    #[must_use]
    pub fn with_permission(self, permission: Permission, now: Instant) -> (Self, Previous) {
        let name = self.permission.as_str().to_owned();
        let previous = Previous::from([("permission".to_owned(), name)]);
        (Self { permission, stamp: self.stamp.touch(now), ..self }, previous)
    }

    /// Sets the address and returns the previous one for the event.
    #[must_use]
    pub fn with_email(self, email: Email, now: Instant) -> (Self, Previous) {
        let previous = Previous::from([("email".to_owned(), self.email.to_string())]);
        (Self { email, stamp: self.stamp.touch(now), ..self }, previous)
    }

    /// Makes the former owner an EDITOR after a transfer (behaviour 6.21).
    #[must_use]
    pub fn demote_to_editor(self, now: Instant) -> (Self, Previous) {
        self.with_permission(Permission::Editor, now)
    }

    /// Makes the collaborator the owner in a transfer (behaviour 6.21).
    #[must_use]
    pub fn promote_to_owner(self, now: Instant) -> (Self, Previous) {
        self.with_permission(Permission::Owner, now)
    }

    /// Refuses to change or remove the owner.
    ///
    /// # Errors
    /// [`Refusal::OwnerIsFixed`].
    pub fn check_replaceable(&self) -> Result<(), Refusal> {
        let is_owner = self.permission == Permission::Owner;
        if is_owner { Err(Refusal::OwnerIsFixed) } else { Ok(()) }
    }
}

/// The effect of sharing a book on its list of collaborators (behaviour 7.5).
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Sharing {
    /// The address becomes a collaborator.
    Add,
    /// The collaborator gets another permission.
    Change(Collaborator),
    /// The collaborator already has the permission.
    Keep(Collaborator),
    /// The collaborator is removed.
    Remove(Collaborator),
}

impl Sharing {
    /// Returns whether an invitation is mailed: to new collaborators, and with a message also to
    /// existing ones (behaviour 7.5).
    pub const fn invites(&self, has_message: bool) -> bool {
        match self {
            Self::Add => true,
            Self::Change(_) | Self::Keep(_) => has_message,
            Self::Remove(_) => false,
        }
    }

    /// Decides what sharing with `permission` does to `existing`, the collaborator of the address.
    ///
    /// # Errors
    /// [`Refusal::OwnerIsFixed`] for the permission OWNER and for the owner; [`Refusal::Unknown`]
    /// for NONE without an existing collaborator.
    pub fn of(existing: Option<Collaborator>, permission: Permission) -> Result<Self, Refusal> {
        if permission == Permission::Owner {
            return Err(Refusal::OwnerIsFixed);
        }
        let is_removal = permission == Permission::None;
        let Some(existing) = existing else {
            return if is_removal { Err(Refusal::Unknown) } else { Ok(Self::Add) };
        };
        existing.check_replaceable()?;
        Ok(if is_removal {
            Self::Remove(existing)
        } else if existing.permission == permission {
            Self::Keep(existing)
        } else {
            Self::Change(existing)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(permission: Permission) -> Collaborator {
        Collaborator {
            id: CollaboratorId::new(1),
            email: Email::stored("a@example.com".to_owned()),
            permission,
            stamp: Stamp::new(None, Instant::new(0)),
        }
    }

    #[test]
    fn former_owner_becomes_an_editor() {
        let before = |name: &str| Previous::from([("permission".to_owned(), name.to_owned())]);
        let (editor, previous) = row(Permission::Owner).demote_to_editor(Instant::new(3));
        assert_eq!((editor.permission, previous), (Permission::Editor, before("OWNER")));
        let (owner, previous) = row(Permission::Viewer).promote_to_owner(Instant::new(3));
        assert_eq!((owner.permission, previous), (Permission::Owner, before("VIEWER")));
        assert_eq!((owner.stamp.version, owner.stamp.updated_at), (2, Instant::new(3)));
    }

    #[test]
    fn new_collaborators_are_invited_and_others_with_a_message() {
        for (sharing, without, with) in [
            (Sharing::Add, true, true),
            (Sharing::Change(row(Permission::Viewer)), false, true),
            (Sharing::Keep(row(Permission::Viewer)), false, true),
            (Sharing::Remove(row(Permission::Viewer)), false, false),
        ] {
            assert_eq!((sharing.invites(false), sharing.invites(true)), (without, with));
        }
    }

    #[test]
    fn message_is_trimmed_and_limited() {
        let longest = "\u{e9}".repeat(MAX_MESSAGE);
        assert_eq!(read_message(Some(&format!(" {longest}\n"))), Ok(Some(longest.clone())));
        assert_eq!(read_message(Some(&format!("{longest}!"))), Err(Refusal::MessageTooLong));
        assert_eq!(read_message(Some(" \t")), Ok(None));
        assert_eq!(read_message(None), Ok(None));
    }

    #[test]
    fn sharing_depends_on_existing_and_given_permission() {
        use Permission::{Editor, None as Nothing, Owner, Viewer};
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
            let sharing = Sharing::of(existing.map(row), given);
            assert_eq!(sharing, expected, "{existing:?} is given {given:?}");
        }
    }
}
