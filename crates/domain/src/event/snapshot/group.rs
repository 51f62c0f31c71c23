//! Snapshots of groups.

use super::fields::{Unreadable, parse_text, read_text, with_stamp};
use crate::group::{Forest, Group};
use crate::id::GroupId;
use crate::json::{Json, Object};

/// Creates the snapshot of a group with the id and name of its parent.
pub fn group(group: &Group, forest: &Forest) -> Object {
    with_stamp(
        Object::new()
            .with("id", Json::text(group.id.to_string()))
            .with("name", Json::text(group.name.as_str()))
            .with_some("parent", group.parent.and_then(|id| forest.get(id)).map(id_and_name))
            .with_flag("hidden", group.hidden)
            .with_flag("locked", group.locked)
            .with_map("properties", group.properties.iter()),
        &group.stamp,
    )
}

/// Creates the entry of a group in another snapshot.
pub(super) fn id_and_name(group: &Group) -> Json {
    Json::Object(
        Object::new()
            .with("id", Json::text(group.id.to_string()))
            .with("name", Json::text(group.name.as_str())),
    )
}

/// The group of an event: complete in its own events, id and name in those of an account.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GroupSnapshot {
    /// The id.
    pub id: GroupId,
    /// The name.
    pub name: String,
    /// The whole snapshot.
    pub object: Object,
}

impl GroupSnapshot {
    /// Parses a snapshot of [`group`], or the group in the snapshot of an account.
    pub(super) fn read(object: Object) -> Result<Self, Unreadable> {
        Ok(Self {
            id: parse_text(&object, "id")?.ok_or(Unreadable("id"))?,
            name: read_text(&object, "name")?.ok_or(Unreadable("name"))?.to_owned(),
            object,
        })
    }

    /// Adds the fields that only a later snapshot of the same group has.
    #[must_use]
    pub fn complete_with(self, later: Self) -> Self {
        Self { object: later.object.extend(self.object), ..self }
    }
}
