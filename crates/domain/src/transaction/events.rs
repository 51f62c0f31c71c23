//! The events of transactions (behaviour 8.1).

use super::{ChangedTransaction, Transaction, TransactionRules, Verb};
use crate::event::{EventType, NewEvent, snapshot};
use crate::file::FilesById;
use crate::json::Object;

impl TransactionRules<'_> {
    /// Makes the event of a new transaction: TRANSACTION_POSTED if it is posted, otherwise
    /// TRANSACTION_CREATED.
    pub fn created_event(&self, transaction: &Transaction, files: &FilesById) -> NewEvent {
        let posted = transaction.is_posted();
        let kind =
            if posted { EventType::TransactionPosted } else { EventType::TransactionCreated };
        self.event(kind, transaction, files)
    }

    /// Makes the event TRANSACTION_DELETED of a trashed transaction.
    pub fn deleted_event(&self, transaction: &Transaction, files: &FilesById) -> NewEvent {
        self.event(EventType::TransactionDeleted, transaction, files)
    }

    /// Makes the events of a verb that was performed, in order. An update has TRANSACTION_UPDATED
    /// if fields changed, and TRANSACTION_CHECKED if it also checked the transaction.
    pub fn events(
        &self,
        verb: Verb,
        changed: &ChangedTransaction,
        files: &FilesById,
    ) -> Vec<NewEvent> {
        let ChangedTransaction { transaction, previous, checked } = changed;
        let event = |kind| self.event(kind, transaction, files);
        let kind = match verb {
            Verb::Update => {
                let updated = (!previous.is_empty()).then(|| {
                    let snapshot = self.snapshot(transaction, files);
                    let id = transaction.id.get();
                    NewEvent::update(EventType::TransactionUpdated, id, snapshot, previous)
                });
                let checked = checked.then(|| event(EventType::TransactionChecked));
                return updated.into_iter().chain(checked).collect();
            }
            Verb::Post => EventType::TransactionPosted,
            Verb::Check => EventType::TransactionChecked,
            Verb::Uncheck => EventType::TransactionUnchecked,
            Verb::Trash => EventType::TransactionDeleted,
            Verb::Untrash => EventType::TransactionRestored,
        };
        vec![event(kind)]
    }

    fn event(&self, kind: EventType, transaction: &Transaction, files: &FilesById) -> NewEvent {
        NewEvent::new(kind, transaction.id.get(), self.snapshot(transaction, files))
    }

    fn snapshot(&self, transaction: &Transaction, files: &FilesById) -> Object {
        snapshot::transaction(
            transaction,
            self.accounts,
            files,
            self.book().settings.fraction_digits,
            self.access.user(),
        )
    }
}
