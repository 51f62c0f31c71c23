//! The events of files (behaviour 8.1).

use super::File;
use crate::event::{EventType, NewEvent, Previous, snapshot};

impl File {
    /// Creates FILE_CREATED.
    pub fn created_event(&self) -> NewEvent {
        NewEvent::new(EventType::FileCreated, self.id.get(), snapshot::file(self))
    }

    /// Creates FILE_UPDATED with the previous values of the changed fields.
    pub fn updated_event(&self, previous: &Previous) -> NewEvent {
        NewEvent::update(EventType::FileUpdated, self.id.get(), snapshot::file(self), previous)
    }

    /// Creates FILE_DELETED.
    pub fn deleted_event(&self) -> NewEvent {
        NewEvent::new(EventType::FileDeleted, self.id.get(), snapshot::file(self))
    }
}
