//! Groups of accounts (behaviour 4.12-4.15).
//!
//! The groups of a book form a [`Forest`] of any depth. The flags of a group derive from the
//! accounts below it. Only the owner changes locked groups and the accounts in them. When a group
//! is deleted, its child groups move up and its accounts lose the membership.

mod events;
mod forest;
mod limits;
mod refusal;
mod removal;

pub use forest::{Forest, GroupFlags};
pub use limits::MAX_VISITED;
pub use refusal::Refusal;
pub use removal::{Removal, RemovalEffects};

use crate::chart::{self, Noun};
use crate::event::Previous;
use crate::field::Field;
use crate::id::GroupId;
use crate::instant::{Instant, Stamp};
use crate::name::Name;
use crate::property::{Edits, FieldTexts, Properties, previous_values};
use crate::reference::Reference;
use crate::version::Tag;

/// A group of accounts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Group {
    /// Unique across all books.
    pub id: GroupId,
    /// The name, unique among the groups of the book in its normalized form.
    pub name: Name,
    /// The parent; `None` for a root.
    pub parent: Option<GroupId>,
    /// Whether user interfaces hide it; no effect on the API.
    pub hidden: bool,
    /// Whether only the owner may change it, its membership and its accounts.
    pub locked: bool,
    /// Custom properties.
    pub properties: Properties,
    /// The creator, the app and the times.
    pub stamp: Stamp,
}

/// A reference to a group by id or name (behaviour 4.9, 4.13).
pub type GroupRef = Reference;

/// The fields of the body of a create or update.
#[derive(Debug, Clone, Default)]
pub struct Changes {
    /// The id of the group to change.
    pub id: Option<String>,
    /// The new name; without an id, the name of the group to change.
    pub name: Option<String>,
    /// The parent, already resolved to an id.
    pub parent: Field<GroupId>,
    /// Whether user interfaces hide it.
    pub hidden: Option<bool>,
    /// Whether it is locked.
    pub locked: Option<bool>,
    /// Properties to merge.
    pub properties: Edits,
}

impl Changes {
    /// Checks that only the owner changes the lock. `is_locked` is the current state (behaviour
    /// 4.15).
    ///
    /// # Errors
    /// [`Refusal::OwnerLocks`].
    pub fn check_lock(&self, is_locked: bool, is_owner: bool) -> Result<(), Refusal> {
        if self.locked.is_some_and(|new| new != is_locked) && !is_owner {
            Err(Refusal::OwnerLocks)
        } else {
            Ok(())
        }
    }
}

impl Group {
    /// Creates a group. The caller must have called [`Changes::check_lock`].
    ///
    /// # Errors
    /// The refusal of a name or property.
    pub fn create(id: GroupId, changes: Changes, stamp: Stamp) -> Result<Self, crate::Refusal> {
        let name = Name::normalizable(&changes.name.unwrap_or_default())?;
        let locked = changes.locked.unwrap_or(false);
        let properties = Properties::default().merge(&changes.properties)?;
        Ok(Self {
            id,
            name,
            parent: changes.parent.value(),
            hidden: changes.hidden.unwrap_or(false),
            locked,
            properties,
            stamp,
        })
    }

    /// Applies an update and returns the previous values of the changed fields.
    ///
    /// The caller must have called [`Forest::check_parent`] and [`Changes::check_lock`], and calls
    /// [`Group::check_writable`] if anything changed.
    ///
    /// # Errors
    /// The refusal of a name or property.
    pub fn update(
        self,
        changes: Changes,
        now: Instant,
    ) -> Result<(Self, Previous), crate::Refusal> {
        let before = self.clone();
        let mut after = self;
        if let Some(name) = changes.name {
            after.name = Name::normalizable(&name)?;
        }
        after.parent = changes.parent.apply(after.parent);
        after.hidden = changes.hidden.unwrap_or(after.hidden);
        after.locked = changes.locked.unwrap_or(after.locked);
        after.properties = after.properties.merge(&changes.properties)?;
        let previous = before.previous(&after);
        if !previous.is_empty() {
            after.stamp = after.stamp.touch(now);
        }
        Ok((after, previous))
    }

    /// Returns the size of its texts in bytes.
    pub fn text_bytes(&self) -> usize {
        self.name.as_str().len().saturating_add(self.properties.bytes())
    }

    /// Sets the parent after the deletion of the previous one (behaviour 4.14).
    #[must_use]
    pub fn move_to(self, parent: Option<GroupId>, now: Instant) -> (Self, Previous) {
        let before = self.clone();
        let after = Self { parent, stamp: self.stamp.clone().touch(now), ..self };
        let previous = before.previous(&after);
        (after, previous)
    }

    /// Checks that the caller may change the group, its membership and its accounts (behaviour
    /// 4.15).
    ///
    /// # Errors
    /// [`Refusal::Locked`].
    pub fn check_writable(&self, is_owner: bool) -> Result<(), Refusal> {
        if self.locked && !is_owner {
            Err(Refusal::Locked(self.name.as_str().to_owned()))
        } else {
            Ok(())
        }
    }

    fn previous(&self, after: &Self) -> Previous {
        let properties = [&self.properties, &after.properties];
        previous_values([self.texts(), after.texts()], properties)
    }

    fn texts(&self) -> FieldTexts<4> {
        [
            ("name", self.name.as_str().to_owned()),
            ("parent", self.parent.map(|id| id.to_string()).unwrap_or_default()),
            ("hidden", self.hidden.to_string()),
            ("locked", self.locked.to_string()),
        ]
    }
}

impl chart::Item for Group {
    type Id = GroupId;
    const NOUN: Noun = Noun::GROUP;

    fn id(&self) -> GroupId {
        self.id
    }

    fn name(&self) -> &Name {
        &self.name
    }

    fn properties(&self) -> &Properties {
        &self.properties
    }
}

impl From<&Group> for Tag {
    fn from(group: &Group) -> Self {
        Self::new("group", group.id, group.stamp.version)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_owner_changes_locked_groups() {
        let group = crate::fixture::group(1, None);
        assert!(group.check_writable(false).is_ok());
        let locked = Group { locked: true, ..group };
        assert_eq!(locked.check_writable(false), Err(Refusal::Locked("Group 1".to_owned())));
        assert!(locked.check_writable(true).is_ok());
        for (new, was, owner, allowed) in [
            (None, true, false, true),
            (Some(true), true, false, true),
            (Some(true), false, false, false),
            (Some(false), true, false, false),
            (Some(false), true, true, true),
        ] {
            let changes = Changes { locked: new, ..Changes::default() };
            let checked = changes.check_lock(was, owner);
            assert_eq!(checked.is_ok(), allowed, "{new:?} from {was} by {owner}");
        }
    }
}
