//! The events of groups (behaviour 8.1).

use super::{Forest, Group};
use crate::event::{EventType, NewEvent, Previous, snapshot};

impl Group {
    /// Creates GROUP_CREATED.
    #[must_use]
    pub fn created_event(&self, forest: &Forest) -> NewEvent {
        NewEvent::new(EventType::GroupCreated, self.id.get(), snapshot::group(self, forest))
    }

    /// Creates GROUP_UPDATED with the previous values of the changed fields.
    #[must_use]
    pub fn updated_event(&self, forest: &Forest, previous: &Previous) -> NewEvent {
        NewEvent::update(
            EventType::GroupUpdated,
            self.id.get(),
            snapshot::group(self, forest),
            previous,
        )
    }

    /// Creates GROUP_DELETED.
    #[must_use]
    pub fn deleted_event(&self, forest: &Forest) -> NewEvent {
        NewEvent::new(EventType::GroupDeleted, self.id.get(), snapshot::group(self, forest))
    }
}
