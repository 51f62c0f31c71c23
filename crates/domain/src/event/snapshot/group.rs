//! Snapshots of groups, which accounts' snapshots name too.

use super::fields::{Unreadable, parsed, stamped, text};
use crate::group::{Forest, Group};
use crate::id::GroupId;
use crate::json::{Json, Object};

/// A group with its own data and the id and name of its parent.
#[must_use]
pub fn group(group: &Group, forest: &Forest) -> Object {
    stamped(
        Object::new()
            .with("id", Json::text(group.id.to_string()))
            .with("name", Json::text(group.name.as_str()))
            .with_some("parent", group.parent.and_then(|id| forest.get(id)).map(named))
            .with_flag("hidden", group.hidden)
            .with_flag("locked", group.locked)
            .with_map("properties", group.properties.iter()),
        &group.stamp,
    )
}

/// A group by id and name.
pub(super) fn named(group: &Group) -> Json {
    Json::Object(
        Object::new()
            .with("id", Json::text(group.id.to_string()))
            .with("name", Json::text(group.name.as_str())),
    )
}

/// A group as an event shows it: in full in an event of its own, by id and name among the groups
/// of an account.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GroupSnapshot {
    /// Its id.
    pub id: GroupId,
    /// Its name.
    pub name: String,
    /// All of it.
    pub object: Object,
}

impl GroupSnapshot {
    /// Reads what [`group`] wrote, or what the snapshot of an account says of a group.
    ///
    /// # Errors
    /// [`Unreadable`] names the key that cannot have been written so.
    pub(super) fn read(object: Object) -> Result<Self, Unreadable> {
        Ok(Self {
            id: parsed(&object, "id")?.ok_or(Unreadable("id"))?,
            name: text(&object, "name")?.ok_or(Unreadable("name"))?.to_owned(),
            object,
        })
    }

    /// The snapshot with what only a later one of the same group says.
    #[must_use]
    pub fn completed(self, later: Self) -> Self {
        Self { object: later.object.updated(self.object), ..self }
    }
}
