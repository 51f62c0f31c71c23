//! Request bodies whose description is read as a quick entry (behaviour 3.8.1).

use super::{QuickEntry, distinct};
use crate::account::AccountRef;
use crate::amount::{self, DecimalSeparator, Precision};
use crate::calendar::format_iso;
use crate::field::Field;
use crate::id::AccountId;
use crate::transaction::{Changes, MAX_DESCRIPTION};

/// The parts that are searched for in the description of a body (behaviour 3.8.1).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FieldsToParse {
    /// All parts: the body has no amount, no date and no account.
    Everything,
    /// The names of two accounts: the body has an amount or a date, but no account.
    AccountNames,
}

impl Changes {
    /// Returns the parts to search for in the description. `None` if the body has no description or
    /// has an account, or if the description is too long and will be refused.
    pub fn fields_to_parse(&self, separator: DecimalSeparator) -> Option<FieldsToParse> {
        let has_account = |side: &Field<AccountRef>| {
            side.as_ref().value().is_some_and(|reference| !reference.is_blank())
        };
        let text = self.description.as_ref().value()?;
        if text.trim().is_empty()
            || text.len() > MAX_DESCRIPTION
            || has_account(&self.credit)
            || has_account(&self.debit)
        {
            return None;
        }
        let no_amount = self
            .amount
            .as_ref()
            .value()
            .is_none_or(|text| matches!(amount::read(text, separator), Ok(None)));
        let no_date = self.date.as_ref().value().is_none_or(|text| text.trim().is_empty());
        Some(if no_amount && no_date {
            FieldsToParse::Everything
        } else {
            FieldsToParse::AccountNames
        })
    }

    /// Copies the parts of the text into the fields of the body. Parts that are missing in the text
    /// clear no fields, also if the text posts an existing draft (behaviour 3.3.2).
    #[must_use]
    pub fn with_quick_entry(self, found: QuickEntry, precision: Precision) -> Self {
        let urls = if found.urls.is_empty() {
            self.urls
        } else {
            Some(distinct(self.urls.into_iter().flatten().chain(found.urls)))
        };
        Self {
            description: Field::Set(found.description),
            amount: found.amount.map_or(Field::Keep, |amount| {
                Field::Set(amount::write(amount.value(), precision.fraction_digits))
            }),
            date: found.date.map_or(Field::Keep, |date| Field::Set(format_iso(date))),
            credit: found.credit.map_or(Field::Keep, account),
            debit: found.debit.map_or(Field::Keep, account),
            urls,
            ..self
        }
    }

    /// Copies the accounts of the text into the body and removes their names from the description.
    #[must_use]
    pub fn with_named_accounts(self, found: QuickEntry) -> Self {
        Self {
            description: Field::Set(found.description),
            credit: found.credit.map_or(Field::Keep, account),
            debit: found.debit.map_or(Field::Keep, account),
            ..self
        }
    }
}

fn account(id: AccountId) -> Field<AccountRef> {
    Field::Set(AccountRef { id: Some(id.to_string()), name: None })
}
