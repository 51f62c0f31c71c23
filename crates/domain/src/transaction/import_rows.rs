//! Imported rows with the remote id of another row or of a transaction (behaviour 3.7).

use std::collections::HashMap;

use super::rules::read_date;
use super::{Changes, Refusal, Transaction, TransactionRules};
use crate::account::AccountRef;
use crate::amount;
use crate::field::Field;

/// Refuses two rows of one request with a common remote id and different content, because one of
/// them would be lost. The error has the index of the second row.
///
/// # Errors
/// [`Refusal::ConflictingRow`].
///
/// ```
/// use daybook_domain::field::Field;
/// use daybook_domain::transaction::{Changes, check_rows};
/// let row = |amount: &str| Changes {
///     amount: Field::Set(amount.to_owned()),
///     remote_ids: Some(vec!["bank-1".to_owned()]),
///     ..Changes::default()
/// };
/// assert!(check_rows(&[row("1.00"), row("1.00")]).is_ok());
/// assert_eq!(check_rows(&[row("1.00"), row("2.00")]).unwrap_err().0, 1);
/// ```
pub fn check_rows(items: &[Changes]) -> Result<(), (usize, Refusal)> {
    let mut first: HashMap<&str, usize> = HashMap::new();
    for (index, item) in items.iter().enumerate() {
        let ids = item.remote_ids.iter().flatten().map(|id| id.trim());
        for id in ids.filter(|id| !id.is_empty()) {
            let before = *first.entry(id).or_insert(index);
            if items.get(before).is_some_and(|other| !is_same_row(other, item)) {
                let id = id.chars().take(40).collect();
                return Err((index, Refusal::ConflictingRow(id, before)));
            }
        }
    }
    Ok(())
}

fn is_same_row(one: &Changes, other: &Changes) -> bool {
    [(&one.date, &other.date), (&one.amount, &other.amount), (&one.description, &other.description)]
        .into_iter()
        .all(|(one, other)| text(one) == text(other))
        && account(&one.credit) == account(&other.credit)
        && account(&one.debit) == account(&other.debit)
}

fn text(field: &Field<String>) -> Option<&str> {
    field.as_ref().value().map(|text| text.trim()).filter(|text| !text.is_empty())
}

fn account(field: &Field<AccountRef>) -> Option<&AccountRef> {
    field.as_ref().value().filter(|reference| !reference.is_blank())
}

impl TransactionRules<'_> {
    /// Returns the fields in which a row differs from the transaction with its remote id: date,
    /// amount and accounts, by their names in a body. A blank field does not count as different; an
    /// unreadable field does.
    pub fn differences(&self, stored: &Transaction, row: &Changes) -> Vec<&'static str> {
        let date = read_date(&row.date).map(|date| date.value());
        let amount = text(&row.amount).map(|text| {
            let read = amount::read(text, self.book().settings.decimal_separator);
            let read = read.ok().flatten();
            read.and_then(|parsed| parsed.round(self.book().precision()).ok())
        });
        let side = |field: &Field<AccountRef>| {
            account(field).map(|reference| self.accounts.find(reference).map(|found| found.id))
        };
        let differs_in_date = match date {
            Ok(date) => date.is_some() && date != stored.date,
            Err(_) => true,
        };
        [
            ("date", differs_in_date),
            ("amount", amount.is_some_and(|amount| amount != stored.amount)),
            ("creditAccount", side(&row.credit).is_some_and(|side| side != stored.credit)),
            ("debitAccount", side(&row.debit).is_some_and(|side| side != stored.debit)),
        ]
        .into_iter()
        .filter_map(|(name, differs)| differs.then_some(name))
        .collect()
    }
}
