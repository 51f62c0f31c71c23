//! The events of collaborators (behaviour 8.1).

use super::Collaborator;
use crate::event::{EventType, NewEvent, Previous, snapshot};

impl Collaborator {
    /// Creates COLLABORATOR_ADDED.
    pub fn added_event(&self) -> NewEvent {
        NewEvent::new(EventType::CollaboratorAdded, self.id.get(), snapshot::collaborator(self))
    }

    /// Creates COLLABORATOR_UPDATED with the previous values.
    pub fn updated_event(&self, previous: &Previous) -> NewEvent {
        let object = snapshot::collaborator(self);
        NewEvent::update(EventType::CollaboratorUpdated, self.id.get(), object, previous)
    }

    /// Creates COLLABORATOR_REMOVED.
    pub fn removed_event(&self) -> NewEvent {
        NewEvent::new(EventType::CollaboratorRemoved, self.id.get(), snapshot::collaborator(self))
    }
}
