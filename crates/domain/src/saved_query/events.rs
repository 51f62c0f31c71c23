//! The events of saved queries (behaviour 8.1).

use super::SavedQuery;
use crate::event::{EventType, NewEvent, Previous, snapshot};

impl SavedQuery {
    /// Creates QUERY_CREATED.
    pub fn created_event(&self) -> NewEvent {
        NewEvent::new(EventType::QueryCreated, self.id.get(), snapshot::saved_query(self))
    }

    /// Creates QUERY_UPDATED with the previous values of the changed fields.
    pub fn updated_event(&self, previous: &Previous) -> NewEvent {
        let object = snapshot::saved_query(self);
        NewEvent::update(EventType::QueryUpdated, self.id.get(), object, previous)
    }

    /// Creates QUERY_DELETED.
    pub fn deleted_event(&self) -> NewEvent {
        NewEvent::new(EventType::QueryDeleted, self.id.get(), snapshot::saved_query(self))
    }
}
