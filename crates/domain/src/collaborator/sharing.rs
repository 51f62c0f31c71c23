//! Sharing a book: what giving somebody a permission does.

use super::{Collaborator, Permission, Refusal};

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
    use crate::id::CollaboratorId;
    use crate::instant::{Instant, Stamp};

    #[test]
    fn sharing_by_what_is_there_and_what_is_given() {
        use Permission::{Editor, None as Nothing, Owner, Viewer};
        let row = |permission| Collaborator {
            id: CollaboratorId::new(1),
            email: "a@example.com".to_owned(),
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
