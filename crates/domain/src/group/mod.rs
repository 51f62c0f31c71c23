//! Groups of accounts: a forest of any depth, with flags derived from the accounts below each group
//! (behaviour 4.12-4.15).

mod events;
mod forest;
mod limits;
mod refusal;
mod removal;

pub use forest::{Forest, GroupFlags};
pub use limits::MAX_PASSED;
pub use refusal::Refusal;
pub use removal::{Removal, Removed};

use crate::event::Previous;
use crate::field::Field;
use crate::id::GroupId;
use crate::instant::{Instant, Stamp};
use crate::name::Name;
use crate::property::{Edits, Properties};
use crate::reference::Reference;
use crate::version::Tag;

/// A group of accounts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Group {
    /// Unique across all books.
    pub id: GroupId,
    /// The name, unique among the groups of the book in its normalized form.
    pub name: Name,
    /// The group above it; `None` for a root.
    pub parent: Option<GroupId>,
    /// Whether user interfaces hide it; no effect on the API.
    pub hidden: bool,
    /// Whether only the owner may change it, its membership and its accounts.
    pub locked: bool,
    /// Custom properties.
    pub properties: Properties,
    /// Who made it through which app, and when.
    pub stamp: Stamp,
}

/// A reference to a group by id or name (behaviour 4.9, 4.13).
pub type GroupRef = Reference;

/// The fields of the body of a create or update.
#[derive(Debug, Clone, Default)]
pub struct Changes {
    /// The id of the group to change.
    pub id: Option<String>,
    /// The name to give; without id, the one to find by.
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
    /// The reference to the group an update is for: the id, or without one the name (behaviour
    /// 9.13). The name is then removed, because a name that only finds the group must not change
    /// its spelling (behaviour 4.21).
    pub fn take_target(&mut self) -> GroupRef {
        Reference::of_target(self.id.as_deref(), &mut self.name)
    }

    /// Checks that the caller may lock or unlock the group, if the body does. `locked` is its
    /// present state, `owner` whether the caller is the owner (behaviour 4.15).
    ///
    /// # Errors
    /// [`Refusal::LockIsOwners`].
    pub fn check_lock(&self, locked: bool, owner: bool) -> Result<(), Refusal> {
        if self.locked.is_some_and(|new| new != locked) && !owner {
            Err(Refusal::LockIsOwners)
        } else {
            Ok(())
        }
    }
}

impl Group {
    /// Makes a new group. The caller must have checked [`Changes::check_lock`].
    ///
    /// # Errors
    /// A refused name or property.
    pub fn create(id: GroupId, changes: Changes, stamp: Stamp) -> Result<Self, crate::Refusal> {
        let name = Name::normalizable(&changes.name.unwrap_or_default())?;
        let locked = changes.locked.unwrap_or(false);
        let properties = Properties::default().merged(&changes.properties)?;
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

    /// The group after an update, with the previous values of the fields that changed. The caller
    /// must have checked [`Forest::check_parent`], [`Changes::check_lock`] and, where anything
    /// changes, [`Group::check_writable`].
    ///
    /// # Errors
    /// A refused name or property.
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
        after.properties = after.properties.merged(&changes.properties)?;
        let previous = before.differences(&after);
        if !previous.is_empty() {
            after.stamp = after.stamp.touched(now);
        }
        Ok((after, previous))
    }

    /// Bytes of its texts.
    #[must_use]
    pub fn texts(&self) -> usize {
        self.name.as_str().len().saturating_add(self.properties.bytes())
    }

    /// The group with another parent, after the deletion of its own (behaviour 4.14).
    #[must_use]
    pub fn moved(self, parent: Option<GroupId>, now: Instant) -> (Self, Previous) {
        let before = self.clone();
        let after = Self { parent, stamp: self.stamp.clone().touched(now), ..self };
        let previous = before.differences(&after);
        (after, previous)
    }

    /// Checks that the caller may change the group, its membership and its accounts (behaviour
    /// 4.15).
    ///
    /// # Errors
    /// [`Refusal::Locked`].
    pub fn check_writable(&self, owner: bool) -> Result<(), Refusal> {
        if self.locked && !owner {
            Err(Refusal::Locked(self.name.as_str().to_owned()))
        } else {
            Ok(())
        }
    }

    fn differences(&self, after: &Self) -> Previous {
        let mut previous = Previous::new();
        if self.name != after.name {
            previous.insert("name".to_owned(), self.name.as_str().to_owned());
        }
        if self.parent != after.parent {
            previous.insert(
                "parent".to_owned(),
                self.parent.map(|id| id.to_string()).unwrap_or_default(),
            );
        }
        if self.hidden != after.hidden {
            previous.insert("hidden".to_owned(), self.hidden.to_string());
        }
        if self.locked != after.locked {
            previous.insert("locked".to_owned(), self.locked.to_string());
        }
        self.properties.note_changes(&after.properties, &mut previous);
        previous
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
    fn locked_groups_are_the_owners() {
        let named = Changes { name: Some("G".to_owned()), ..Changes::default() };
        let group =
            Group::create(GroupId::new(1), named, Stamp::new(None, Instant::new(0))).unwrap();
        assert!(group.check_writable(false).is_ok());
        let locked = Group { locked: true, ..group };
        assert_eq!(locked.check_writable(false), Err(Refusal::Locked("G".to_owned())));
        assert!(locked.check_writable(true).is_ok());
        for (new, was, owner, allowed) in [
            (None, true, false, true),
            (Some(true), true, false, true),
            (Some(true), false, false, false),
            (Some(false), true, false, false),
            (Some(false), true, true, true),
        ] {
            let changes = Changes { locked: new, ..Changes::default() };
            assert_eq!(
                changes.check_lock(was, owner).is_ok(),
                allowed,
                "{new:?} from {was} by {owner}"
            );
        }
    }

    #[test]
    fn a_name_that_finds_is_not_given() {
        let named = |id: Option<&str>| Changes {
            id: id.map(str::to_owned),
            name: Some("G".to_owned()),
            ..Changes::default()
        };
        let (mut found, mut renamed) = (named(None), named(Some("1")));
        assert_eq!((found.take_target().name.as_deref(), found.name), (Some("G"), None));
        assert_eq!((renamed.take_target().name, renamed.name.as_deref()), (None, Some("G")));
    }
}
