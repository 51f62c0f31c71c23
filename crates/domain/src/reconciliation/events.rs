//! The events of reconciliations (behaviour 14.7).

use super::{EntryDelta, Reconciliation};
use crate::account::Account;
use crate::amount::Precision;
use crate::event::{EventType, NewEvent, Previous, snapshot};

impl Reconciliation {
    /// Creates RECONCILIATION_CREATED.
    pub fn created_event(
        &self,
        account: &Account,
        precision: Precision,
        delta: &EntryDelta,
    ) -> NewEvent {
        let object = snapshot::reconciliation(self, account, precision, delta);
        NewEvent::new(EventType::ReconciliationCreated, self.id.get(), object)
    }

    /// Creates RECONCILIATION_UPDATED with the previous values of the changed fields.
    pub fn updated_event(
        &self,
        account: &Account,
        precision: Precision,
        delta: &EntryDelta,
        previous: &Previous,
    ) -> NewEvent {
        let object = snapshot::reconciliation(self, account, precision, delta);
        NewEvent::update(EventType::ReconciliationUpdated, self.id.get(), object, previous)
    }

    /// Creates RECONCILIATION_DELETED.
    pub fn deleted_event(
        &self,
        account: &Account,
        precision: Precision,
        delta: &EntryDelta,
    ) -> NewEvent {
        let object = snapshot::reconciliation(self, account, precision, delta);
        NewEvent::new(EventType::ReconciliationDeleted, self.id.get(), object)
    }
}
