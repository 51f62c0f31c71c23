//! Updates of a transaction (behaviour 3.10).

use crate::account::Account;
use crate::amount::{self, Amount};
use crate::event::Previous;
use crate::field::Field;
use crate::json::text_list;

use super::changes::{description, files_of_update, urls};
use super::rules::read_date;
use super::{Changes, Refusal, Standing, Transaction, TransactionRules, check_sides, remote_ids};

/// The outcome of a verb on a transaction.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChangedTransaction {
    /// The transaction after the verb.
    pub transaction: Transaction,
    /// The previous values of the fields that changed; empty if none changed.
    pub previous: Previous,
    /// Whether an update with `checked: true` checked it (behaviour 3.4.2).
    pub checked: bool,
}

impl ChangedTransaction {
    /// Returns whether the update changed anything.
    pub fn is_change(&self) -> bool {
        self.checked || !self.previous.is_empty()
    }
}

impl TransactionRules<'_> {
    /// Applies an update that the transition table allows.
    ///
    /// # Errors
    /// Unreadable values, unknown references; for a posted transaction also a required field that
    /// is cleared, a locked date before or after the update, and a change to an archived account.
    pub(super) fn update(
        &self,
        before: Transaction,
        changes: &Changes,
    ) -> Result<ChangedTransaction, crate::Refusal> {
        let checked = changes.checked && before.standing == Standing::Unchecked;
        let mut after = self.with_fields(before.clone(), changes)?;
        let previous = differences(&before, &after, self.book().settings.fraction_digits);
        if previous.is_empty() && !checked {
            return Ok(ChangedTransaction { transaction: before, previous, checked });
        }
        if before.is_posted() {
            self.check_unlocked(before.list_day)?;
            self.check_unlocked(after.list_day)?;
            // It may keep accounts that were archived since (behaviour 4.8).
            let new = after.account_ids().filter(|id| before.account_ids().all(|old| old != *id));
            new.filter_map(|id| self.accounts.get(id)).try_for_each(Account::check_postable)?;
        }
        if checked {
            after.standing = Standing::Checked;
        }
        after.stamp = after.stamp.touch(self.now);
        Ok(ChangedTransaction { transaction: after, previous, checked })
    }

    /// Applies the fields of the body to a transaction. Locked dates and archived accounts are not
    /// checked.
    pub(super) fn with_fields(
        &self,
        before: Transaction,
        changes: &Changes,
    ) -> Result<Transaction, crate::Refusal> {
        // An absent field of a draft that is sent back as a whole is cleared (behaviour 3.10.2).
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
            properties: before.properties.merge(&changes.properties)?,
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
        self.read_amount(&text, before.amount)
    }

    /// Reads the amount of a body. `stored` is the present amount of the transaction; `None` means
    /// no amount.
    pub(super) fn read_amount(
        &self,
        text: &str,
        stored: Option<Amount>,
    ) -> Result<Option<Amount>, crate::Refusal> {
        match (amount::read(text, self.book().settings.decimal_separator)?, stored) {
            (None, _) => Ok(None),
            // The same value: no change, and it is not rounded again (behaviour 3.10.5).
            (Some(parsed), Some(stored)) if parsed.equals(stored) => Ok(Some(stored)),
            (Some(parsed), _) => Ok(Some(parsed.round(self.book().precision())?)),
        }
    }
}

/// Returns the previous values of the fields that differ, under the names of behaviour 8.3.
fn differences(before: &Transaction, after: &Transaction, fraction_digits: u32) -> Previous {
    let mut previous = Previous::new();
    let mut add = |key: &str, changed: bool, old: String| {
        if changed {
            previous.insert(key.to_owned(), old);
        }
    };
    let id = |id: Option<crate::id::AccountId>| id.map(|id| id.to_string()).unwrap_or_default();
    add("creditAccId", before.credit != after.credit, id(before.credit));
    add("debitAccId", before.debit != after.debit, id(before.debit));
    add(
        "dateValue",
        before.date != after.date,
        before.date_value().map(|day| day.to_string()).unwrap_or_default(),
    );
    let amount = |amount: Amount| amount::write(amount.value(), fraction_digits);
    add("amount", before.amount != after.amount, before.amount.map(amount).unwrap_or_default());
    add("description", before.description != after.description, before.description.clone());
    add("urls", before.urls != after.urls, text_list(before.urls.iter().cloned()));
    add(
        "remoteIds",
        before.remote_ids != after.remote_ids,
        text_list(before.remote_ids.iter().cloned()),
    );
    add(
        "files",
        before.files != after.files,
        text_list(before.files.iter().map(|id| id.to_string())),
    );
    before.properties.note_changes(&after.properties, &mut previous);
    previous
}
