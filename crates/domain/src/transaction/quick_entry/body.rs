//! Bodies whose description is read as text, and what becomes of them (behaviour 3.8.1).

use super::{QuickEntry, each_once};
use crate::account::AccountRef;
use crate::amount::{self, DecimalSeparator, Precision};
use crate::calendar::format_iso;
use crate::field::Field;
use crate::id::AccountId;
use crate::transaction::{Changes, MAX_DESCRIPTION};

/// What is looked for in the description of a body (behaviour 3.8.1).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Discovery {
    /// Everything: the body gives neither amount nor date nor account.
    Everything,
    /// The names of its two accounts: the body gives an amount or a date, and no account.
    AccountNames,
}

impl Changes {
    /// What is looked for in the description: nothing when there is none, when a side is given, or
    /// when the text is too long, which is left to be refused.
    #[must_use]
    pub fn discovery(&self, separator: DecimalSeparator) -> Option<Discovery> {
        let named = |side: &Field<AccountRef>| {
            side.as_ref().value().is_some_and(|reference| !reference.is_blank())
        };
        let text = self.description.as_ref().value()?;
        if text.trim().is_empty()
            || text.len() > MAX_DESCRIPTION
            || named(&self.credit)
            || named(&self.debit)
        {
            return None;
        }
        let no_amount = self
            .amount
            .as_ref()
            .value()
            .is_none_or(|text| matches!(amount::read(text, separator), Ok(None)));
        let no_date = self.date.as_ref().value().is_none_or(|text| text.trim().is_empty());
        Some(if no_amount && no_date { Discovery::Everything } else { Discovery::AccountNames })
    }

    /// The body with what its text says in the fields for it. A field of which the text says
    /// nothing stays as it is, so a text that posts a known draft clears nothing (behaviour 3.3.2).
    #[must_use]
    pub fn with_quick_entry(self, found: QuickEntry, precision: Precision) -> Self {
        let urls = if found.urls.is_empty() {
            self.urls
        } else {
            Some(each_once(self.urls.into_iter().flatten().chain(found.urls)))
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

    /// The body with the accounts that its text names, and the text without their names.
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
