//! Changing transactions, from behaviour 3.10.

use daybook_domain::event::EventType;
use daybook_domain::field::Field;
use daybook_domain::transaction::Standing;

use super::chart::is_blank;
use super::text::{merged, tags};
use super::transaction::{check_sides, read_date, remote_ids};
use super::{Tx, amount, dates, may};
use crate::sim::body::{Named, TransactionBody};
use crate::sim::facts::{Refusal, Resource, Transaction};
use crate::sim::label;

impl Tx {
    /// Applies the body to a transaction (3.4.2, 3.4.3, 3.5.2, 3.10).
    pub fn update(&mut self, before: &Transaction, body: &TransactionBody) -> Result<(), Refusal> {
        let checks = body.checked && before.standing == Standing::Unchecked;
        if checks && !self.may(may::CHECK) {
            return Err(Refusal::forbidden());
        }
        let mut after = self.edited(before, body)?;
        let changed = after != *before;
        if !changed && !checks {
            return Ok(());
        }
        let locked = |one: &Transaction| one.date.is_some_and(|date| self.is_locked(date));
        if before.is_posted() && (locked(before) || locked(&after)) {
            return Err(Refusal::locked());
        }
        // 4.8: an archived account accepts only the transactions already posted on it.
        let old = [before.credit, before.debit];
        let new =
            [after.credit, after.debit].into_iter().filter(|side| !old.contains(side)).flatten();
        if before.is_posted() && new.into_iter().any(|side| self.book.accounts[&side].archived) {
            return Err(Refusal::bad());
        }
        if checks {
            after.standing = Standing::Checked;
        }
        let label = after.label;
        self.replace_transaction(after, changed);
        if checks {
            self.emit(EventType::TransactionChecked, Resource::Transaction(label));
        }
        Ok(())
    }

    /// Returns the transaction with the body's fields.
    pub fn edited(
        &mut self,
        before: &Transaction,
        body: &TransactionBody,
    ) -> Result<Transaction, Refusal> {
        // In a round trip of a draft an absent field clears (3.10.2).
        let clears = body.round_trip && before.standing == Standing::Draft;
        let side = |side: &Field<Named<label::Account>>, old| match side {
            Field::Keep => Ok(if clears { None } else { old }),
            Field::Clear => Ok(None),
            Field::Set(named) if is_blank(named) => Ok(None),
            Field::Set(named) => self
                .book
                .find_account(named)
                .map(|account| Some(account.label))
                .ok_or_else(Refusal::bad),
        };
        let mut after = before.clone();
        after.credit = side(&body.credit, before.credit)?;
        after.debit = side(&body.debit, before.debit)?;
        after.date = match read_date(&body.date)? {
            Field::Keep if clears => None,
            field => field.apply(before.date),
        };
        // 2.6: a transaction without a date is listed under the day it was recorded.
        let recorded = dates::day(before.stamp.created, &self.book.settings.zone);
        after.day = after.date.unwrap_or(if before.date.is_some() { recorded } else { before.day });
        after.amount = self.edited_amount(before, &body.amount, clears)?;
        after.description = match &body.description {
            Field::Keep if !clears => before.description.clone(),
            Field::Set(text) => text.clone(),
            Field::Keep | Field::Clear => String::new(),
        };
        after.tags = tags(&after.description);
        after.urls = body.urls.clone().unwrap_or_else(|| before.urls.clone());
        if let Some(ids) = &body.remote_ids {
            after.remote_ids = remote_ids(ids)?;
        }
        if let Some(entries) = &body.files {
            after.files = self.attached(entries, Some(before))?;
        }
        after.properties = merged(&before.properties, &body.properties)?;
        check_sides(after.credit, after.debit)?;
        if before.is_posted() && !after.is_complete() { Err(Refusal::bad()) } else { Ok(after) }
    }

    fn edited_amount(
        &self,
        before: &Transaction,
        field: &Field<String>,
        clears: bool,
    ) -> Result<Option<i128>, Refusal> {
        let text = match field {
            Field::Keep => return Ok(before.amount.filter(|_| !clears)),
            Field::Clear => return Ok(None),
            Field::Set(text) => text,
        };
        match (amount::read(text, &self.book.settings.separator)?, before.amount) {
            (None, _) => Ok(None),
            (Some(reading), Some(stored)) if reading == stored => Ok(Some(stored)),
            (Some(reading), _) => {
                amount::record(reading, &self.book.settings, self.book.scale).map(Some)
            }
        }
    }

    /// Stores a changed transaction, with an event if more than its state changed (8.3).
    pub fn replace_transaction(&mut self, mut after: Transaction, updated: bool) {
        after.stamp.updated = self.caller.now;
        if updated {
            self.emit(EventType::TransactionUpdated, Resource::Transaction(after.label));
        }
        self.book.put(after);
    }
}
