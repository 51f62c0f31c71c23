//! The events of saved queries (behaviour 8.1).

use super::SavedQuery;
use crate::event::{EventType, NewEvent, Previous, snapshot};

impl SavedQuery {
    /// Creates QUERY_CREATED.
    #[must_use]
    pub fn created_event(&self) -> NewEvent {
        NewEvent::new(EventType::QueryCreated, self.id.get(), snapshot::saved_query(self))
    }

    /// Creates QUERY_UPDATED with the previous values of the changed fields.
    #[must_use]
    pub fn updated_event(&self, previous: &Previous) -> NewEvent {
        NewEvent::update(
            EventType::QueryUpdated,
            self.id.get(),
            snapshot::saved_query(self),
            previous,
        )
    }

    /// Creates QUERY_DELETED.
    #[must_use]
    pub fn deleted_event(&self) -> NewEvent {
        NewEvent::new(EventType::QueryDeleted, self.id.get(), snapshot::saved_query(self))
    }
}
