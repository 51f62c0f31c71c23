//! The events of integrations (behaviour 8.1).

use super::Integration;
use crate::event::{EventType, NewEvent, Previous, snapshot};

impl Integration {
    /// Creates INTEGRATION_CREATED. `added_by` is the username of the installer.
    pub fn created_event(&self, added_by: &str) -> NewEvent {
        self.event(EventType::IntegrationCreated, added_by)
    }

    /// Creates INTEGRATION_UPDATED with the previous values of the changed fields.
    pub fn updated_event(&self, added_by: &str, previous: &Previous) -> NewEvent {
        let object = snapshot::integration(self, added_by);
        NewEvent::update(EventType::IntegrationUpdated, self.id.get(), object, previous)
    }

    /// Creates INTEGRATION_DELETED.
    pub fn deleted_event(&self, added_by: &str) -> NewEvent {
        self.event(EventType::IntegrationDeleted, added_by)
    }

    fn event(&self, kind: EventType, added_by: &str) -> NewEvent {
        NewEvent::new(kind, self.id.get(), snapshot::integration(self, added_by))
    }
}
