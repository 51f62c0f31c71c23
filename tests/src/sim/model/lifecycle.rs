//! The transition table and batches, from behaviour 3.3 - 3.6.

use std::collections::BTreeMap;

use daybook_domain::event::EventType;
use daybook_domain::permission::Permission;
use daybook_domain::transaction::{Standing, Verb};

use super::query::is_own_draft;
use super::{Turn, each, may};
use crate::sim::body::{Id, TransactionBody};
use crate::sim::facts::{Refused, Resource, Transaction};
use crate::sim::label;

/// What to do, and how strictly.
#[derive(Clone, Copy, Debug)]
pub struct Order {
    pub verb: Verb,
    pub batch: bool,
    /// `updateChecked` or `trashChecked`.
    pub checked_too: bool,
}

/// A cell of the table of behaviour 3.4.
enum Cell {
    Performed,
    Kept,
    Refused(Refused),
}

/// What became of an item.
enum Done {
    Something,
    /// It was in the target state already.
    Nothing,
}

/// Why an item was not done.
enum Stop {
    /// A batch leaves the item as it is (3.6.3, 3.6.4).
    Skips(Refused),
    Fails(Refused),
}

impl From<Refused> for Stop {
    fn from(refused: Refused) -> Stop {
        Stop::Fails(refused)
    }
}

impl Order {
    /// What the caller must be allowed before any transaction is looked at (7.3).
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
            "ok" => Cell::Performed,
            "checked" if self.checked_too => Cell::Performed,
            "checked" => Cell::Refused(Refused::checked()),
            "=" => Cell::Kept,
            _ => Cell::Refused(Refused::bad()),
        }
    }

    /// Who may do this to a transaction in this state (7.3).
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

impl Turn {
    pub fn perform(
        &mut self,
        order: Order,
        items: &[TransactionBody],
    ) -> Result<(Vec<Transaction>, usize), Refused> {
        let ids = each(items, |body| body.id.ok_or_else(Refused::bad))?;
        let targets: Option<Vec<label::Transaction>> =
            ids.iter().map(|id| self.visible(*id)).collect();
        let targets = targets.ok_or_else(Refused::missing)?;
        let mut skipped = 0;
        each(items.iter().zip(&targets), |(body, label)| {
            let before = self.book.transactions[label].clone();
            // An item that is skipped leaves nothing, no new files either.
            let done = if body.files.is_some() {
                self.attempt(|turn| turn.perform_one(order, &before, body))
            } else {
                self.perform_one(order, &before, body)
            };
            match done {
                Ok(Done::Something) => Ok(()),
                Ok(Done::Nothing) => {
                    skipped += 1;
                    Ok(())
                }
                Err(Stop::Skips(_)) if order.batch => {
                    skipped += 1;
                    Ok(())
                }
                Err(Stop::Skips(refused) | Stop::Fails(refused)) => Err(refused),
            }
        })?;
        let done = targets.iter().map(|label| self.book.transactions[label].clone()).collect();
        Ok((done, skipped))
    }

    /// 3.3.2: the post of a draft that is known by its remote id.
    pub fn post_known(
        &mut self,
        draft: &Transaction,
        body: &TransactionBody,
    ) -> Result<Transaction, Refused> {
        let order = Order { verb: Verb::Post, batch: false, checked_too: false };
        match self.perform_one(order, draft, body) {
            Ok(Done::Something | Done::Nothing) => Ok(self.book.transactions[&draft.label].clone()),
            Err(Stop::Skips(refused) | Stop::Fails(refused)) => Err(refused),
        }
    }

    /// A RECORDER sees its own drafts.
    fn visible(&self, id: Id<label::Transaction>) -> Option<label::Transaction> {
        let Id::Of(label) = id else { return None };
        let transaction = self.book.transactions.get(&label)?;
        (self.may(may::READ) || is_own_draft(transaction, &self.caller)).then_some(label)
    }

    fn perform_one(
        &mut self,
        order: Order,
        before: &Transaction,
        body: &TransactionBody,
    ) -> Result<Done, Stop> {
        // What a RECORDER of a PUBLIC book sees of others it may not change.
        let restricted = self.permission == Permission::Recorder;
        let others = restricted && before.creator != self.caller.who;
        if others || !self.may(order.may(before)) {
            return Err(Stop::Fails(Refused::forbidden()));
        }
        match order.cell(before) {
            Cell::Kept => return Ok(Done::Nothing),
            Cell::Refused(refused) => return Err(Stop::Skips(refused)),
            Cell::Performed => {}
        }
        let locked = before.date.unwrap_or(self.today);
        let locked = self.is_locked(locked);
        let (after, kind) = match order.verb {
            Verb::Update => {
                return self.update(before, body).map(|()| Done::Something).map_err(|refused| {
                    match refused.reason.as_str() {
                        "lockedDate" => Stop::Skips(refused),
                        _ => Stop::Fails(refused),
                    }
                });
            }
            Verb::Post => {
                let edited = self.edited(before, body)?;
                let checked = body.checked && self.may(may::CHECK);
                (self.posted(edited, checked).map_err(Stop::Skips)?, EventType::TransactionPosted)
            }
            Verb::Check | Verb::Uncheck | Verb::Trash | Verb::Untrash
                if before.is_posted() && locked =>
            {
                return Err(Stop::Skips(Refused::locked()));
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
        self.emit(kind, Resource::Transaction(after.label), BTreeMap::new());
        self.replace_transaction(before, after, false);
        Ok(Done::Something)
    }
}
