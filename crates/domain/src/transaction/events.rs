//! The events of transactions (behaviour 8.1).

use super::{ChangedTransaction, Transaction, TransactionRules, Verb};
use crate::event::{EventType, NewEvent, snapshot};
use crate::file::FilesById;
use crate::json::Object;

impl TransactionRules<'_> {
    /// Makes the event of a new transaction: TRANSACTION_POSTED if it is posted, otherwise
    /// TRANSACTION_CREATED.
    #[must_use]
    pub fn created_event(&self, transaction: &Transaction, files: &FilesById) -> NewEvent {
        let kind = if transaction.is_posted() {
            EventType::TransactionPosted
        } else {
            EventType::TransactionCreated
        };
        NewEvent::new(kind, transaction.id.get(), self.snapshot(transaction, files))
    }

    /// Makes the event TRANSACTION_DELETED of a trashed transaction.
    #[must_use]
    pub fn deleted_event(&self, transaction: &Transaction, files: &FilesById) -> NewEvent {
        NewEvent::new(
            EventType::TransactionDeleted,
            transaction.id.get(),
            self.snapshot(transaction, files),
        )
    }

    /// Makes the events of a verb that was performed, in order. An update has TRANSACTION_UPDATED
    /// if fields changed, and TRANSACTION_CHECKED if it also checked the transaction.
    #[must_use]
    pub fn events(
        &self,
        verb: Verb,
        changed: &ChangedTransaction,
        files: &FilesById,
    ) -> Vec<NewEvent> {
        let ChangedTransaction { transaction, previous, checked } = changed;
        let id = transaction.id.get();
        let event = |kind| NewEvent::new(kind, id, self.snapshot(transaction, files));
        match verb {
            Verb::Update => {
                let updated = (!previous.is_empty()).then(|| {
                    NewEvent::update(
                        EventType::TransactionUpdated,
                        id,
                        self.snapshot(transaction, files),
                        previous,
                    )
                });
                let checked = checked.then(|| event(EventType::TransactionChecked));
                updated.into_iter().chain(checked).collect()
            }
            Verb::Post => vec![event(EventType::TransactionPosted)],
            Verb::Check => vec![event(EventType::TransactionChecked)],
            Verb::Uncheck => vec![event(EventType::TransactionUnchecked)],
            Verb::Trash => vec![self.deleted_event(transaction, files)],
            Verb::Untrash => vec![event(EventType::TransactionRestored)],
        }
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
