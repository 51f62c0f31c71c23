//! Changes of the data of a transaction (behaviour 3.10).

use crate::account::Account;
use crate::amount::{self, Amount};
use crate::event::Previous;
use crate::field::Field;
use crate::json::text_list;

use super::changes::{description, files_of_update, urls};
use super::rules::read_date;
use super::{Changes, Refusal, Standing, Transaction, TransactionRules, check_sides, remote_ids};

/// The outcome of an update.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Edited {
    /// The transaction after the update.
    pub transaction: Transaction,
    /// The previous values of the fields that changed; empty when none did.
    pub previous: Previous,
    /// Whether `checked: true` checked it (behaviour 3.4.2).
    pub checked: bool,
}

impl Edited {
    /// Whether the update changed anything.
    #[must_use]
    pub fn is_change(&self) -> bool {
        self.checked || !self.previous.is_empty()
    }
}

impl TransactionRules<'_> {
    /// Applies an update; the transition table must allow it.
    ///
    /// # Errors
    /// Values that cannot be read, unresolved references, a posted transaction that would lose what
    /// it needs, a locked date before or after, an archived account that a posted one was not on.
    pub(super) fn edited(
        &self,
        before: Transaction,
        changes: &Changes,
    ) -> Result<Edited, crate::Refusal> {
        let checked = changes.checked && before.standing == Standing::Unchecked;
        let mut after = self.changed(before.clone(), changes)?;
        let previous = differences(&before, &after, self.book().settings.fraction_digits);
        if previous.is_empty() && !checked {
            return Ok(Edited { transaction: before, previous, checked });
        }
        if before.is_posted() {
            self.check_open(before.list_day)?;
            self.check_open(after.list_day)?;
            // Accounts it was posted on before may be archived (behaviour 4.8).
            let new = after.account_ids().filter(|id| before.account_ids().all(|old| old != *id));
            new.filter_map(|id| self.accounts.get(id)).try_for_each(Account::check_postable)?;
        }
        if checked {
            after.standing = Standing::Checked;
        }
        after.stamp = after.stamp.touched(self.now);
        Ok(Edited { transaction: after, previous, checked })
    }

    /// The transaction with the fields of the body, before any check of dates and accounts.
    pub(super) fn changed(
        &self,
        before: Transaction,
        changes: &Changes,
    ) -> Result<Transaction, crate::Refusal> {
        // In a draft that is sent back as a whole, absent fields were cleared (behaviour 3.10.2).
        let clears = changes.round_trip && before.standing == Standing::Draft;
        let sides = changes.sides_of_update(self.accounts)?;
        let date = read_date(&changes.date)?.absent_clears(clears).apply(before.date);
        let after = Transaction {
            date,
            list_day: date.unwrap_or(if before.date.is_some() {
                self.created_on
            } else {
                before.list_day
            }),
            amount: self.amount(&before, changes.amount.clone().absent_clears(clears))?,
            description: description(
                changes
                    .description
                    .clone()
                    .absent_clears(clears)
                    .apply(Some(before.description))
                    .unwrap_or_default(),
            )?,
            credit: sides.credit.absent_clears(clears).apply(before.credit),
            debit: sides.debit.absent_clears(clears).apply(before.debit),
            urls: changes.urls.clone().map_or(Ok(before.urls), urls)?,
            remote_ids: changes.remote_ids.as_deref().map_or(Ok(before.remote_ids), remote_ids)?,
            files: changes.files.as_deref().map_or(Ok(before.files), files_of_update)?,
            properties: before.properties.merged(&changes.properties)?,
            ..before
        };
        check_sides(after.credit, after.debit)?;
        let missing = after.missing();
        if after.is_posted() && !missing.is_empty() {
            return Err(Refusal::MustStayComplete(missing).into());
        }
        Ok(after)
    }

    fn amount(
        &self,
        before: &Transaction,
        field: Field<String>,
    ) -> Result<Option<Amount>, crate::Refusal> {
        let text = match field {
            Field::Keep => return Ok(before.amount),
            Field::Clear => return Ok(None),
            Field::Set(text) => text,
        };
        self.amount_of(&text, before.amount)
    }

    /// An amount of a body for a transaction with this amount; `None` when it is none.
    ///
    /// # Errors
    /// What [`amount::read`] and [`ParsedAmount::record`](amount::ParsedAmount::record) refuse.
    pub(super) fn amount_of(
        &self,
        text: &str,
        stored: Option<Amount>,
    ) -> Result<Option<Amount>, crate::Refusal> {
        match (amount::read(text, self.book().settings.decimal_separator)?, stored) {
            (None, _) => Ok(None),
            // Equal to the stored amount: no change, and not rounded again (behaviour 3.10.5).
            (Some(reading), Some(stored)) if reading.equals(stored) => Ok(Some(stored)),
            (Some(reading), _) => Ok(Some(reading.record(self.book().precision())?)),
        }
    }
}

/// The previous values of the fields that differ, under the names of behaviour 8.3.
fn differences(before: &Transaction, after: &Transaction, fraction_digits: u32) -> Previous {
    let mut previous = Previous::new();
    let mut note = |key: &str, changed: bool, old: String| {
        if changed {
            previous.insert(key.to_owned(), old);
        }
    };
    let id = |id: Option<crate::id::AccountId>| id.map(|id| id.to_string()).unwrap_or_default();
    note("creditAccId", before.credit != after.credit, id(before.credit));
    note("debitAccId", before.debit != after.debit, id(before.debit));
    note(
        "dateValue",
        before.date != after.date,
        before.date_value().map(|day| day.to_string()).unwrap_or_default(),
    );
    let amount = |amount: Amount| amount::write(amount.value(), fraction_digits);
    note("amount", before.amount != after.amount, before.amount.map(amount).unwrap_or_default());
    note("description", before.description != after.description, before.description.clone());
    note("urls", before.urls != after.urls, text_list(before.urls.iter().cloned()));
    note(
        "remoteIds",
        before.remote_ids != after.remote_ids,
        text_list(before.remote_ids.iter().cloned()),
    );
    note(
        "files",
        before.files != after.files,
        text_list(before.files.iter().map(|id| id.to_string())),
    );
    before.properties.note_changes(&after.properties, &mut previous);
    previous
}
