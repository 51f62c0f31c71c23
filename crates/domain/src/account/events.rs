//! The events of accounts (behaviour 8.1).

use super::Account;
use crate::event::{EventType, NewEvent, Previous, snapshot};
use crate::group::Forest;

impl Account {
    /// Creates ACCOUNT_CREATED.
    pub fn created_event(&self, groups: &Forest) -> NewEvent {
        NewEvent::new(EventType::AccountCreated, self.id.get(), snapshot::account(self, groups))
    }

    /// Creates ACCOUNT_UPDATED with the previous values of the changed fields.
    pub fn updated_event(&self, groups: &Forest, previous: &Previous) -> NewEvent {
        let object = snapshot::account(self, groups);
        NewEvent::update(EventType::AccountUpdated, self.id.get(), object, previous)
    }

    /// Creates ACCOUNT_DELETED.
    pub fn deleted_event(&self, groups: &Forest) -> NewEvent {
        NewEvent::new(EventType::AccountDeleted, self.id.get(), snapshot::account(self, groups))
    }
}
