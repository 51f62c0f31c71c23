//! The transition table and batches, from behaviour 3.3 - 3.6.

use daybook_domain::event::EventType;
use daybook_domain::permission::Permission;
use daybook_domain::transaction::{Standing, Verb};

use super::query::is_own_draft;
use super::{Tx, each, may};
use crate::sim::body::{Id, TransactionBody};
use crate::sim::facts::{Refusal, Resource, Transaction};
use crate::sim::label;

/// A verb and its options.
#[derive(Clone, Copy, Debug)]
pub struct Order {
    pub verb: Verb,
    pub batch: bool,
    /// Skipped items refuse the batch (3.6.7).
    pub all: bool,
    /// `updateChecked` or `trashChecked`.
    pub checked_too: bool,
}

/// A cell of the table of behaviour 3.4.
enum Cell {
    Apply,
    Unchanged,
    Refuse(Refusal),
}

/// The result for an item.
enum ItemResult {
    Changed,
    /// The item already had the target state.
    Unchanged,
}

/// The reason why an item was not changed.
enum ItemError {
    /// A batch skips the item (3.6.3, 3.6.4).
    Skipped(Refusal),
    Refused(Refusal),
}

impl From<Refusal> for ItemError {
    fn from(refused: Refusal) -> ItemError {
        ItemError::Refused(refused)
    }
}

impl Order {
    /// The permission required before any transaction is loaded (7.3).
    pub fn required(self) -> &'static str {
        match self.verb {
            Verb::Check | Verb::Uncheck => may::CHECK,
            Verb::Post => may::POST,
            Verb::Update | Verb::Trash | Verb::Untrash if self.checked_too => may::CHECK,
            Verb::Update | Verb::Trash | Verb::Untrash => may::RECORD,
        }
    }

    /// The table of behaviour 3.4, row by row.
    fn cell(self, transaction: &Transaction) -> Cell {
        let row = match (transaction.trashed, transaction.standing) {
            (true, _) => 3,
            (false, Standing::Draft) => 0,
            (false, Standing::Unchecked) => 1,
            (false, Standing::Checked) => 2,
        };
        //                     draft, unchecked, checked, trashed
        let columns: [&str; 4] = match self.verb {
            Verb::Post => ["ok", "=", "=", "E"],
            Verb::Update => ["ok", "ok", "checked", "E"],
            Verb::Check => ["E", "ok", "=", "E"],
            Verb::Uncheck => ["=", "=", "ok", "E"],
            Verb::Trash => ["ok", "ok", "checked", "="],
            Verb::Untrash => ["=", "=", "=", "ok"],
        };
        match columns[row] {
            "ok" => Cell::Apply,
            "checked" if self.checked_too => Cell::Apply,
            "checked" => Cell::Refuse(Refusal::checked()),
            "=" => Cell::Unchanged,
            _ => Cell::Refuse(Refusal::bad()),
        }
    }

    /// The permissions that may do this to a transaction in this state (7.3).
    fn may(self, transaction: &Transaction) -> &'static str {
        match self.verb {
            Verb::Check | Verb::Uncheck => may::CHECK,
            Verb::Post => may::POST,
            Verb::Untrash if transaction.trashed && transaction.standing == Standing::Checked => {
                may::CHECK
            }
            Verb::Update | Verb::Trash | Verb::Untrash if transaction.is_posted() => may::POST,
            Verb::Update | Verb::Trash | Verb::Untrash => may::RECORD,
        }
    }
}

impl Tx {
    pub fn perform(
        &mut self,
        order: Order,
        items: &[TransactionBody],
    ) -> Result<(Vec<Transaction>, usize), Refusal> {
        let ids = each(items, |body| body.id.ok_or_else(Refusal::bad))?;
        let targets: Option<Vec<label::Transaction>> =
            ids.iter().map(|id| self.visible(*id)).collect();
        let targets = targets.ok_or_else(Refusal::missing)?;
        let mut skipped = 0;
        each(items.iter().zip(&targets), |(body, label)| {
            let before = self.book.transactions[label].clone();
            // A skipped item leaves nothing, including new files.
            let done = if body.files.is_some() {
                self.attempt(|tx| tx.perform_one(order, &before, body))
            } else {
                self.perform_one(order, &before, body)
            };
            match done {
                Ok(ItemResult::Changed) => Ok(()),
                Ok(ItemResult::Unchanged) if order.all => Err(Refusal::bad()),
                Ok(ItemResult::Unchanged) => {
                    skipped += 1;
                    Ok(())
                }
                Err(ItemError::Skipped(_)) if order.batch && !order.all => {
                    skipped += 1;
                    Ok(())
                }
                Err(ItemError::Skipped(refused) | ItemError::Refused(refused)) => Err(refused),
            }
        })?;
        let done = targets.iter().map(|label| self.book.transactions[label].clone()).collect();
        Ok((done, skipped))
    }

    /// Posts a draft that is known by its remote id (3.3.2).
    pub fn post_known(
        &mut self,
        draft: &Transaction,
        body: &TransactionBody,
    ) -> Result<Transaction, Refusal> {
        let order = Order { verb: Verb::Post, batch: false, all: false, checked_too: false };
        match self.perform_one(order, draft, body) {
            Ok(ItemResult::Changed | ItemResult::Unchanged) => {
                Ok(self.book.transactions[&draft.label].clone())
            }
            Err(ItemError::Skipped(refused) | ItemError::Refused(refused)) => Err(refused),
        }
    }

    /// The transaction, if visible; a RECORDER sees only its own drafts.
    pub(super) fn visible(&self, id: Id<label::Transaction>) -> Option<label::Transaction> {
        let transaction = self.book.transactions.get(&id.known()?)?;
        (self.may(may::READ) || is_own_draft(transaction, &self.caller))
            .then_some(transaction.label)
    }

    fn perform_one(
        &mut self,
        order: Order,
        before: &Transaction,
        body: &TransactionBody,
    ) -> Result<ItemResult, ItemError> {
        // A RECORDER of a PUBLIC book sees transactions of other users but may not change them.
        let restricted = self.permission == Permission::Recorder;
        let others = restricted && before.creator != self.caller.who;
        if others || !self.may(order.may(before)) {
            return Err(ItemError::Refused(Refusal::forbidden()));
        }
        match order.cell(before) {
            Cell::Unchanged => return Ok(ItemResult::Unchanged),
            Cell::Refuse(refused) => return Err(ItemError::Skipped(refused)),
            Cell::Apply => {}
        }
        let locked = before.date.unwrap_or(self.today);
        let locked = self.is_locked(locked);
        let (after, kind) = match order.verb {
            Verb::Update => {
                return self.update(before, body).map(|()| ItemResult::Changed).map_err(
                    |refused| match refused.reason.as_str() {
                        "lockedDate" => ItemError::Skipped(refused),
                        _ => ItemError::Refused(refused),
                    },
                );
            }
            Verb::Post => {
                let edited = self.edited(before, body)?;
                let checked = body.checked && self.may(may::CHECK);
                (
                    self.posted(edited, checked).map_err(ItemError::Skipped)?,
                    EventType::TransactionPosted,
                )
            }
            Verb::Check | Verb::Uncheck | Verb::Trash | Verb::Untrash
                if before.is_posted() && locked =>
            {
                return Err(ItemError::Skipped(Refusal::locked()));
            }
            Verb::Check => (
                Transaction { standing: Standing::Checked, ..before.clone() },
                EventType::TransactionChecked,
            ),
            Verb::Uncheck => (
                Transaction { standing: Standing::Unchecked, ..before.clone() },
                EventType::TransactionUnchecked,
            ),
            Verb::Trash => {
                (Transaction { trashed: true, ..before.clone() }, EventType::TransactionDeleted)
            }
            Verb::Untrash => {
                (Transaction { trashed: false, ..before.clone() }, EventType::TransactionRestored)
            }
        };
        self.emit(kind, Resource::Transaction(after.label));
        self.replace_transaction(after, false);
        Ok(ItemResult::Changed)
    }
}
