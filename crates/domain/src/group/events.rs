//! The events of groups (behaviour 8.1).

use super::{Forest, Group};
use crate::event::{EventType, NewEvent, Previous, snapshot};

impl Group {
    /// Creates GROUP_CREATED.
    pub fn created_event(&self, forest: &Forest) -> NewEvent {
        NewEvent::new(EventType::GroupCreated, self.id.get(), snapshot::group(self, forest))
    }

    /// Creates GROUP_UPDATED with the previous values of the changed fields.
    pub fn updated_event(&self, forest: &Forest, previous: &Previous) -> NewEvent {
        let object = snapshot::group(self, forest);
        NewEvent::update(EventType::GroupUpdated, self.id.get(), object, previous)
    }

    /// Creates GROUP_DELETED.
    pub fn deleted_event(&self, forest: &Forest) -> NewEvent {
        NewEvent::new(EventType::GroupDeleted, self.id.get(), snapshot::group(self, forest))
    }
}
